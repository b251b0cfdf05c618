import type { IDataObject } from 'n8n-workflow';

import type { Call } from '../../../src/n8n/operation';
import type { StoredFile } from '../../../src/n8n/storeFile';
import type { Job } from '../../../src/router/jobRecord';
import { startJob } from '../../../src/router/jobs';
import type { toStart } from './start.params';

/** A job as an item. The raw record is under `job`: an `error` of it on top would make n8n repeat the node. */
export function jobJson({ record, ...job }: Job, file?: StoredFile['file']): IDataObject {
	return { ...job, ...(file && { file }), job: record } as IDataObject;
}

/** Starts a job unless it was started before, and writes its id down the moment it is known. */
export async function startOnce({
	request: { segment, body },
	http,
	once,
	note,
}: Call<ReturnType<typeof toStart>>) {
	return await once({ segment, body }, async () => {
		const job = await startJob(http, segment, body);
		note('mediaJob', job.jobId);
		return job;
	});
}
