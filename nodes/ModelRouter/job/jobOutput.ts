import type { IDataObject } from 'n8n-workflow';

import type { Job } from '../../../src/router/jobRecord';
import type { Ledgered } from './ledgerStart';

/** A job as an item. The raw record is under `job`: an `error` of it on top would make n8n repeat the node. */
export function jobJson({ record, ...job }: Job, file?: IDataObject): IDataObject {
	return { ...job, ...(file && { file }), job: record } as IDataObject;
}

/** Where the job is found in the job ledger. */
export const ledgerJson = ({ entry, startedBefore }: Partial<Ledgered> = {}): IDataObject => ({
	...(startedBefore !== undefined && { startedBefore }),
	...(entry && { ledgerEntry: entry.id, ...(entry.startKey && { startKey: entry.startKey }) }),
});
