import type { Entry, EntryState } from './entry';

/** A change of a row's state. */
export interface Transition {
	/** `new` adds the row. */
	readonly from: readonly EntryState[] | 'new';
	/** `deleted` removes the row. */
	readonly to: EntryState | 'deleted';
	/**
	 * The columns that the filter compares, in this order; a row that differs is not changed. Without `state`, the other columns
	 * imply that the row is in a state of `from`, or was already changed by a request whose response was lost.
	 */
	readonly matches?: readonly (keyof Entry)[];
	/** Columns that the change empties. */
	readonly clears?: readonly (keyof Entry)[];
}

/** All changes of a row's state. The filters are made from this table, and so is the diagram in docs/architecture.md. */
export const transitions = {
	// a start with a key, and another start with the same key

	/** A start writes its intent before it reads: of two starts, at least the later reader sees the other. */
	enterIntent: { from: 'new', to: 'intent' },
	/** A read showed no other active row of the key. Another start may have withdrawn the intent since. */
	claimIntent: { from: ['intent'], to: 'sending', matches: ['claim', 'state'] },
	/** Another start has the same key. A late request must not end an intent that has become a claim. */
	withdrawIntent: { from: ['intent'], to: 'withdrawn', matches: ['claim', 'state'] },
	/** Its lease has expired, and an intent never sends. */
	expireIntent: { from: ['intent'], to: 'withdrawn', matches: ['id', 'state', 'leaseUntil'] },
	/** Nothing was or will be sent with this claim, even if another execution has changed the row. */
	withdrawClaim: { from: ['intent', 'sending', 'unknown'], to: 'withdrawn', matches: ['claim'] },

	/** The row of a budget is created in the way in which a key is claimed. It never becomes a start. */
	openBudget: { from: ['intent'], to: 'budget', matches: ['claim', 'state'] },

	// every start

	/** A start without a key. The row exists before the request is sent, so a crash leaves a trace. */
	enterStart: { from: 'new', to: 'sending' },
	/**
	 * Made right before the request is sent. An execution whose clock runs ahead may have set the row to unknown; a person may have
	 * resolved it.
	 */
	renewStart: { from: ['sending', 'unknown'], to: 'sending', matches: ['claim', 'state'] },
	/** The service returned the ID of the job. */
	recordStarted: { from: ['sending', 'unknown'], to: 'pending', matches: ['claim'] },
	/** The service refused the request, or it was never sent. */
	recordNotStarted: { from: ['sending', 'unknown'], to: 'notStarted', matches: ['claim'] },
	/** The request may have been received, and no response tells its outcome. */
	recordUnknown: { from: ['sending', 'unknown'], to: 'unknown', matches: ['claim'] },
	/** The claim is lost, and the job must not be lost. */
	enterStarted: { from: 'new', to: 'pending' },
	/** The claim is lost, and the unknown outcome must not be lost. */
	enterUnknown: { from: 'new', to: 'unknown' },
	/** Another start with the key sees that its lease has expired. Its request may have been sent. */
	expireStart: { from: ['sending'], to: 'unknown', matches: ['id', 'state', 'leaseUntil'] },

	// a person

	/** Without its claim the start can no longer change the row. */
	markAsStarted: {
		from: ['sending', 'unknown'],
		to: 'pending',
		matches: ['id', 'claim', 'state'],
		clears: ['claim', 'failures'],
	},
	/** Without its claim the start can no longer send. */
	markAsNotStarted: {
		from: ['sending', 'unknown'],
		to: 'notStarted',
		matches: ['id', 'claim', 'state'],
		clears: ['claim', 'failures'],
	},
	/** The job was started elsewhere. */
	registerJob: { from: 'new', to: 'pending' },
	/** Not a job: a budget has reached a threshold, or the outcome of a start is unknown. A trigger delivers it like a job. */
	enterAlarm: { from: 'new', to: 'pending' },
	/** These states are final. */
	deleteEntry: { from: ['delivered', 'notStarted', 'withdrawn'], to: 'deleted', matches: ['id'] },
	/**
	 * A killed process has lost what the trigger had handed over. All rows change at once: a delivered one would close the others as
	 * duplicates.
	 */
	redeliverJob: {
		from: ['delivered', 'unconfirmed'],
		to: 'pending',
		matches: ['jobId', 'mediaType', 'credentialId', 'state'],
		clears: ['claim', 'proposal', 'leaseUntil', 'failures'],
	},

	// a poll of the trigger

	/** Several polls may have written a proposal: the last one gets the row. */
	claimJob: { from: ['pending'], to: 'emitting', matches: ['state', 'proposal'] },
	/** Another poll or execution holds another row of the same job. */
	yieldJob: {
		from: ['emitting'],
		to: 'pending',
		matches: ['id', 'claim'],
		clears: ['claim', 'leaseUntil'],
	},
	/** Another row of the same job was delivered. */
	closeDuplicate: {
		from: ['emitting'],
		to: 'delivered',
		matches: ['id', 'claim'],
		clears: ['claim', 'leaseUntil'],
	},
	/** The lease has expired: the execution was stopped, was killed, never started or never confirmed. */
	releaseJob: {
		from: ['emitting', 'delivering', 'unconfirmed'],
		to: 'pending',
		matches: ['state', 'leaseUntil'],
		clears: ['claim', 'proposal', 'leaseUntil'],
	},

	// the execution that the trigger starts

	/** No other execution has claimed the row; each delivery is counted once. */
	beginDelivery: {
		from: ['emitting'],
		to: 'delivering',
		matches: ['claim', 'state', 'failures'],
	},
	/** The file could not be downloaded, or is not available yet. */
	requeueJob: {
		from: ['delivering', 'unconfirmed'],
		to: 'pending',
		matches: ['id', 'claim'],
		clears: ['claim', 'proposal', 'leaseUntil'],
	},
	/** Items leave the node only after this change: no other execution has claimed the job. */
	endDelivery: {
		from: ['delivering'],
		to: 'delivered',
		matches: ['claim', 'state'],
		clears: ['leaseUntil'],
	},
	/** In place of endDelivery, where the workflow has to confirm. Each delivery is counted once. */
	handOverJob: {
		from: ['delivering'],
		to: 'unconfirmed',
		matches: ['id', 'claim', 'state'],
		clears: ['failures'],
	},
	/** A poll of a job list does it: without a job ledger the execution cannot record the delivery later. */
	emitListedJob: {
		from: ['emitting'],
		to: 'delivered',
		matches: ['claim'],
		clears: ['leaseUntil'],
	},
	/** The workflow is done with the job. Without its claim, a later delivery that is under way drops it. */
	confirmDelivery: {
		from: ['pending', 'emitting', 'delivering', 'unconfirmed'],
		to: 'delivered',
		matches: ['id', 'state', 'claim'],
		clears: ['claim', 'proposal', 'leaseUntil'],
	},
	/** Generate has downloaded the file itself, and hands it over. A delivery that has already started continues. */
	markDelivered: { from: ['pending'], to: 'delivered', matches: ['id', 'state'] },
	/** The same for all items of a node. A poll that has proposed to claim one of them meanwhile gets it. */
	markAllDelivered: { from: ['pending'], to: 'delivered', matches: ['state', 'proposal'] },

	// a question to the assistant: its chat, and the rate limit

	/** Not a job: the chat of a session. Of several rows the first that can be read counts. */
	enterChat: { from: 'new', to: 'chat' },
	/** There are too many chats. The least recently used ones go; a session without a chat starts a new one. */
	forgetChat: { from: ['chat'], to: 'deleted', matches: ['id'] },
	/** Not a job: the next free time of a rate limit. Of several rows the first counts. */
	enterLimit: { from: 'new', to: 'limit' },

	// an execution that builds a workflow

	/** Not a job to deliver: a later execution with the same request gets what this one has paid for. */
	enterReusable: { from: 'new', to: 'reusable' },
	/** There are too many. The oldest ones go; their requests are paid for again. */
	forgetReusable: { from: ['reusable'], to: 'deleted', matches: ['id'] },
} as const satisfies Record<string, Transition>;

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
	/** A job that is to be delivered again: what its row says of its end may be outdated, and no poll looks for expired ones. */
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
