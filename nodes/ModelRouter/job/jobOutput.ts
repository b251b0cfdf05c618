import type { IDataObject } from 'n8n-workflow';

import type { StoredFile } from '../../../src/n8n/storeFile';
import type { Job } from '../../../src/router/jobRecord';

/** A job as an item. The raw record is under `job`: an `error` of it on top would make n8n repeat the node. */
export function jobJson({ record, ...job }: Job, file?: StoredFile['file']): IDataObject {
	return { ...job, ...(file && { file }), job: record } as IDataObject;
}
