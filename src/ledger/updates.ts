import type { Entry, EntryState } from './entry';

/** A change of a row that keeps its state. */
export interface Update {
	readonly in: readonly EntryState[] | 'any';
	readonly matches: readonly (keyof Entry)[];
	readonly writes: readonly (keyof Entry)[];
	readonly why: string;
}

/** All changes of a row that keep its state. */
export const updates = {
	changeRows: {
		in: 'any',
		matches: ['id'],
		writes: ['proposal', 'checkAt', 'startedAt', 'failures', 'note'],
		why: 'The holder of the row does not use these columns.',
	},
	leaveToTriggers: {
		in: ['pending'],
		matches: ['id', 'state'],
		writes: ['checkAt', 'execution'],
		why: 'The node does not download the file, so a trigger may check the job at once.',
	},
	recordOutcome: {
		in: ['pending'],
		matches: ['jobId', 'segment', 'account', 'state'],
		writes: ['outcome', 'record', 'failures', 'note', 'checkAt'],
		why: 'The outcome of a job applies to all of its rows that no execution holds.',
	},
	restoreOutcome: {
		in: ['delivered', 'unconfirmed'],
		matches: ['jobId', 'segment', 'account', 'outcome'],
		writes: ['outcome'],
		why: 'The file of a job that is to be delivered again is tried again. A poll does not look for expired jobs.',
	},
	repairSchedule: {
		in: ['pending'],
		matches: ['state', 'checkAt'],
		writes: ['checkAt'],
		why: 'A clock that ran ahead has postponed the job for too long.',
	},
	renewDelivery: {
		in: ['delivering'],
		matches: ['claim', 'state'],
		writes: ['leaseUntil'],
		why: 'The downloads take longer than the lease.',
	},
	annotateJob: {
		in: ['delivered', 'unconfirmed'],
		matches: ['id', 'claim'],
		writes: ['note', 'outcome'],
		why: 'For people: the result of the download.',
	},
	changeChat: {
		in: ['chat'],
		matches: ['id', 'state', 'record'],
		writes: ['record', 'startedAt', 'execution'],
		why: 'A chat that is used is not forgotten. One that the service no longer continues is replaced, by the first of several questions.',
	},
	reserveSlots: {
		in: ['limit'],
		matches: ['id', 'state', 'checkAt', 'leaseUntil'],
		writes: ['checkAt'],
		why: 'Of several processes, one gets the next free times. None gets any once there is a pause.',
	},
	pauseLimit: {
		in: ['limit'],
		matches: ['id', 'state', 'leaseUntil'],
		writes: ['leaseUntil'],
		why: 'The service has refused a request, so no process sends one.',
	},
	changeBudget: {
		in: ['budget'],
		matches: ['id', 'state', 'claim'],
		writes: ['claim', 'record', 'execution'],
		why: 'Of several processes that have read the row, one changes it. The others read it again.',
	},
	pauseBudget: {
		in: ['budget'],
		matches: ['id', 'state', 'note'],
		writes: ['note'],
		why: 'What is paused keeps its reason.',
	},
	resumeBudget: {
		in: ['budget'],
		matches: ['id', 'state'],
		writes: ['note'],
		why: 'A person may empty the cell as well.',
	},
} as const satisfies Record<string, Update>;
