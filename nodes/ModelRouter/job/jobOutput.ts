import type { IDataObject } from 'n8n-workflow';

import type { Job } from '../../../src/router/jobRecord';

/** A job as an item. The raw record is under `job`: an `error` of it on top would make n8n repeat the node. */
export function jobJson({ record, ...job }: Job, file?: IDataObject): IDataObject {
	return { ...job, ...(file && { file }), job: record } as IDataObject;
}
