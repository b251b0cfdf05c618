import type { Entry, EntryState } from './entry';

/** A change of a row that keeps its state. Only an update of one state can compare it: the filter of a table has one level. */
export type Update = { readonly writes: readonly (keyof Entry)[] } & (
	| { readonly in: readonly [EntryState]; readonly matches: readonly (keyof Entry)[] }
	| {
			readonly in: readonly EntryState[] | 'any';
			readonly matches: readonly Exclude<keyof Entry, 'state'>[];
	  }
);

/** All changes of a row that keep its state. */
export const updates = {
	/** The holder of the row does not use these columns. */
	changeRows: {
		in: 'any',
		matches: ['id'],
		writes: ['proposal', 'checkAt', 'startedAt', 'failures', 'note'],
	},
	/** The outcome of a job applies to all of its rows that no execution holds. */
	recordOutcome: {
		in: ['pending'],
		matches: ['jobId', 'mediaType', 'credentialId', 'state'],
		writes: ['outcome', 'record', 'failures', 'note', 'checkAt'],
	},
	/** The service has a new status for a job. Another poll may have recorded its outcome since. */
	recordStatus: {
		in: ['pending'],
		matches: ['jobId', 'mediaType', 'credentialId', 'outcome', 'state'],
		writes: ['record', 'failures', 'note'],
	},
	/** The file of a job that is to be delivered again is tried again. A poll does not look for expired jobs. */
	restoreOutcome: {
		in: ['delivered', 'unconfirmed'],
		matches: ['jobId', 'mediaType', 'credentialId', 'outcome'],
		writes: ['outcome'],
	},
	/** A clock that ran ahead has postponed the job for too long. */
	repairSchedule: { in: ['pending'], matches: ['state', 'checkAt'], writes: ['checkAt'] },
	/** The downloads take longer than the lease. */
	renewDelivery: { in: ['delivering'], matches: ['claim', 'state'], writes: ['leaseUntil'] },
	/** For people: the result of the download. */
	annotateJob: {
		in: ['delivered', 'unconfirmed'],
		matches: ['id', 'claim'],
		writes: ['note', 'outcome'],
	},
	/** A chat that is used is not forgotten. One that the service no longer continues is replaced, by the first of several questions. */
	changeChat: {
		in: ['chat'],
		matches: ['id', 'state', 'record'],
		writes: ['record', 'startedAt', 'executionId'],
	},
	/** Of several processes, one gets the next free times. None gets any once there is a pause. */
	reserveSlots: {
		in: ['limit'],
		matches: ['id', 'state', 'checkAt', 'leaseUntil'],
		writes: ['checkAt'],
	},
	/** The service has refused a request, so no process sends one. */
	pauseLimit: { in: ['limit'], matches: ['id', 'state', 'leaseUntil'], writes: ['leaseUntil'] },
	/** Of several processes that have read the row, one changes it. The others read it again. */
	changeBudget: {
		in: ['budget'],
		matches: ['id', 'state', 'claim'],
		writes: ['claim', 'record', 'executionId'],
	},
	/**
	 * Pauses a budget, or resumes it. The cell is not compared: a person may have emptied it. Of two pauses at the same time, the last
	 * one gives the reason.
	 */
	changePause: { in: ['budget'], matches: ['id', 'state'], writes: ['note'] },
} as const satisfies Record<string, Update>;
