/** Columns of the job ledger, and what n8n keeps them as. Saved tables have them: a name or a type never changes. */
export const columns = {
	/** What "Start Once Per Key" goes by; empty for a job without. */
	startKey: 'string',
	state: 'string',
	jobId: 'string',
	segment: 'string',
	model: 'string',
	/** Tells the credential that the job was started with. */
	account: 'string',
	/** Tells triggers whose job it is. */
	label: 'string',
	/** Random text of the one who works on the row; empty when nobody does. */
	claim: 'string',
	/** Random text of the one who last wanted the row; means nothing before it becomes the claim. */
	proposal: 'string',
	/** Milliseconds since 1970 until which the claim counts. */
	leaseUntil: 'number',
	/** Milliseconds since 1970 from which the job is asked for. */
	checkAt: 'number',
	/** What the job came to; empty while it runs. */
	outcome: 'string',
	/** Checks in a row that gave no answer, or deliveries that failed. */
	failures: 'number',
	/** Milliseconds since 1970. */
	startedAt: 'number',
	requestId: 'string',
	/** The n8n execution that last worked on the row. */
	execution: 'string',
	/** For people. */
	note: 'string',
	/** The service's record of the job, or a catalog, as JSON. */
	record: 'string',
} as const satisfies Record<string, 'string' | 'number'>;

/** Of a row; stored, so never changed. */
export type EntryState =
	/** Somebody wants to start a job with this key. */
	| 'intent'
	/** The start may have been sent. */
	| 'sending'
	/** Gave way to another intent; means nothing any more. */
	| 'withdrawn'
	/** The start certainly did not happen; means nothing any more. */
	| 'notStarted'
	/** The start may have happened. A person has to decide. */
	| 'unknown'
	/** The job was started and has not been delivered. */
	| 'pending'
	/** A trigger has handed the job to an execution. */
	| 'emitting'
	/** The execution has begun to bring the file. */
	| 'delivering'
	| 'delivered'
	/** No job, but what a trigger last saw of a catalog. */
	| 'baseline';

/** One row of the ledger. */
export type Entry = {
	[Column in keyof typeof columns]: (typeof columns)[Column] extends 'number' ? number : string;
} & {
	/** Of the row, given by n8n. */
	id: number;
	state: EntryState;
};

/** A row to be: what is not given is empty. */
export type NewEntry = Partial<Omit<Entry, 'id'>> & { state: EntryState };

const TYPES = Object.entries(columns);

/** Reads a row as n8n gives it; a cell that was left empty, or filled in by hand, becomes what the column holds. */
export function readEntry(row: Record<string, unknown>): Entry {
	const cells = TYPES.map(([name, type]) => {
		const value = row[name] ?? '';
		return [name, type === 'number' ? Number(value) || 0 : String(value)];
	});
	return { ...Object.fromEntries(cells), id: Number(row['id']) } as Entry;
}

/** Every cell filled in: n8n compares with an empty cell in a way of its own. */
export function toRow(entry: NewEntry): Omit<Entry, 'id'> {
	const empty = TYPES.map(([name, type]) => [name, type === 'number' ? 0 : '']);
	return { ...Object.fromEntries(empty), ...entry } as Omit<Entry, 'id'>;
}
