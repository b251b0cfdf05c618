import { groupByFields } from '../core/grouping';
import { fillRow, readRow, type RowOf, type TableFormat } from '../tables/tableFormat';

/** What identifies a job. IDs may be numbers, so jobs of different credentials, or an image and a video, may share one. */
export type JobIdentity = Pick<Entry, 'credentialId' | 'mediaType' | 'jobId'>;

export const identifyJob = ({ credentialId, mediaType, jobId }: JobIdentity): JobIdentity => ({
	credentialId,
	mediaType,
	jobId,
});

export const jobKey = (job: JobIdentity): string => JSON.stringify(Object.values(identifyJob(job)));

/** Groups rows by job. A job can have several rows, because the table has no unique keys. */
export const groupByJob = (rows: readonly Entry[]): Entry[][] =>
	groupByFields(rows, ['credentialId', 'mediaType', 'jobId']);

/** Whose entries they are, and which triggers report them. */
export type Owner = Pick<Entry, 'credentialId' | 'triggerGroup'>;

/** Selects the entries of an owner; without a group, all entries of its credential. */
export const ownedBy = ({ credentialId, triggerGroup }: Owner) => ({
	credentialId,
	triggerGroup: triggerGroup || undefined,
});

/** Columns of the job ledger and their types in n8n. Existing tables use them, so names and types never change. */
export const columns = {
	/** The unique key of a start; empty for a job without a key. */
	uniqueKey: 'string',
	state: 'string',
	jobId: 'string',
	mediaType: 'string',
	model: 'string',
	/** Identifies the credential that the job was started with. */
	credentialId: 'string',
	/** Selects the triggers that report the job. */
	triggerGroup: 'string',
	/** Random text of the execution that holds the row; empty when none does. */
	claim: 'string',
	/** Random text of the poll that last proposed to claim the row. It has no effect before it becomes the claim. */
	proposal: 'string',
	/** Milliseconds since 1970 until which the claim is valid. */
	leaseUntil: 'number',
	/** Milliseconds since 1970 from which the job is due for a check. */
	checkAt: 'number',
	/** The job's outcome; empty while it runs. */
	outcome: 'string',
	/** Consecutive failed checks, or deliveries that were started and did not end. */
	failures: 'number',
	/** How often the job was handed to a workflow that has to confirm it. */
	deliveries: 'number',
	/** Milliseconds since 1970 at which the job was started. */
	startedAt: 'number',
	requestId: 'string',
	/** The n8n execution that last worked on the row. */
	executionId: 'string',
	/** A text for people. */
	note: 'string',
	/** The service's record of the job, as JSON, or what a row keeps that is not a job: see `EntryState` and `ALARM`. */
	record: 'string',
} as const satisfies Record<string, 'string' | 'number'>;

/** The state of a row. The values are stored and never change. */
export type EntryState =
	/** An execution wants to start a job with this key. */
	| 'intent'
	/** The start request may have been sent. */
	| 'sending'
	/** Withdrawn in favor of another start. The row has no effect. */
	| 'withdrawn'
	/** The start did not happen, for certain. The row has no effect. */
	| 'notStarted'
	/** The start may have happened. A person has to decide. */
	| 'unknown'
	/** The job was started and has not been delivered. */
	| 'pending'
	/** A poll has claimed the job for an execution. */
	| 'emitting'
	/** The execution has started to download the file. */
	| 'delivering'
	/** The job has left the trigger, and the workflow has not confirmed it. */
	| 'unconfirmed'
	| 'delivered'
	/** Not a job: the chat of a session with the assistant. `startedAt` is its last use. */
	| 'chat'
	/** Not a job: a budget. `record` has its state, `claim` changes with every write, `note` says why it is paused. */
	| 'budget'
	/** Not a job: a rate limit that all processes share. `checkAt` is the next free time, `leaseUntil` the end of a pause. */
	| 'limit'
	/** Not a job to deliver: what an execution that builds a workflow has paid for. `record` has its ID, and none if that is not known. */
	| 'reusable';

/** Stands in place of the media type of a job: the row is an alarm, and `record` has the fields of its item. */
export const ALARM = 'alarm';

/** The execution that works on a row, as the beginning of a sentence. n8n Agents have no execution ID. */
export const nameExecution = ({ executionId }: Pick<Entry, 'executionId'>): string =>
	executionId ? `Execution ${executionId}` : 'An execution';

/** The states of a job that was started. */
export const STARTED_STATES: ReadonlySet<EntryState> = new Set<EntryState>([
	'pending',
	'emitting',
	'delivering',
	'unconfirmed',
	'delivered',
]);

/** The states of a job that an execution is about to hand over. */
export const BEING_DELIVERED: readonly EntryState[] = ['emitting', 'delivering'];

/** The states of a job that has left the trigger. */
export const HANDED_OVER_STATES = ['unconfirmed', 'delivered'] as const satisfies EntryState[];

export const isHandedOver = ({ state }: Pick<Entry, 'state'>): boolean =>
	HANDED_OVER_STATES.some((handedOver) => handedOver === state);

/** One row of the ledger. */
export type Entry = RowOf<typeof columns> & { state: EntryState };

/** A row to add. Missing columns become empty. */
export type NewEntry = Partial<Omit<Entry, 'id'>> & { state: EntryState };

/** The Data Table of the job ledger. */
export const ledgerFormat: TableFormat<Entry> = {
	columns,
	field: 'Job Ledger Table',
};

export const readEntry = (row: Record<string, unknown>): Entry => readRow(ledgerFormat, row);

export const toRow = (entry: NewEntry): Omit<Entry, 'id'> => fillRow(ledgerFormat, entry);

/** The stored values of empty columns. */
export function emptyCells(names: readonly string[]): Partial<Entry> {
	const cells = Object.entries(fillRow(ledgerFormat, {}));
	return Object.fromEntries(cells.filter(([name]) => names.includes(name)));
}
