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
	readonly why: string;
}

/** All changes of a row's state. The filters are made from this table, and so is the diagram in docs/architecture.md. */
export const transitions = {
	// a start with a key, and another start with the same key
	enterIntent: {
		from: 'new',
		to: 'intent',
		why: 'A start writes its intent before it reads: of two starts, at least the later reader sees the other.',
	},
	claimIntent: {
		from: ['intent'],
		to: 'sending',
		matches: ['claim', 'state'],
		why: 'A read showed no other active row of the key. Another start may have withdrawn the intent since.',
	},
	withdrawIntent: {
		from: ['intent'],
		to: 'withdrawn',
		matches: ['claim', 'state'],
		why: 'Another start has the same key. A late request must not end an intent that has become a claim.',
	},
	expireIntent: {
		from: ['intent'],
		to: 'withdrawn',
		matches: ['id', 'state', 'leaseUntil'],
		why: 'Its lease has expired, and an intent never sends.',
	},
	withdrawClaim: {
		from: ['intent', 'sending', 'unknown'],
		to: 'withdrawn',
		matches: ['claim'],
		why: 'Nothing was or will be sent with this claim, even if another execution has changed the row.',
	},

	openBudget: {
		from: ['intent'],
		to: 'budget',
		matches: ['claim', 'state'],
		why: 'The row of a budget is made as a key is claimed. It is never a start.',
	},

	// every start
	enterStart: {
		from: 'new',
		to: 'sending',
		why: 'A start without a key. The row exists before the request is sent, so a crash leaves a trace.',
	},
	renewStart: {
		from: ['sending', 'unknown'],
		to: 'sending',
		matches: ['claim', 'state'],
		why: 'Made right before the request is sent. An execution whose clock runs ahead may have set the row to unknown; a person may have resolved it.',
	},
	recordStarted: {
		from: ['sending', 'unknown'],
		to: 'pending',
		matches: ['claim'],
		why: 'The service returned the ID of the job.',
	},
	recordNotStarted: {
		from: ['sending', 'unknown'],
		to: 'notStarted',
		matches: ['claim'],
		why: 'The service refused the request, or it was never sent.',
	},
	recordUnknown: {
		from: ['sending', 'unknown'],
		to: 'unknown',
		matches: ['claim'],
		why: 'The request may have been received, and no response tells its outcome.',
	},
	enterStarted: {
		from: 'new',
		to: 'pending',
		why: 'The claim is lost, and the job must not be lost.',
	},
	enterUnknown: {
		from: 'new',
		to: 'unknown',
		why: 'The claim is lost, and the unknown outcome must not be lost.',
	},
	expireStart: {
		from: ['sending'],
		to: 'unknown',
		matches: ['id', 'state', 'leaseUntil'],
		why: 'Another start with the key sees that its lease has expired. Its request may have been sent.',
	},

	// a person
	markAsStarted: {
		from: ['sending', 'unknown'],
		to: 'pending',
		matches: ['id', 'claim', 'state'],
		clears: ['claim', 'failures'],
		why: 'Without its claim the start can no longer change the row.',
	},
	markAsNotStarted: {
		from: ['sending', 'unknown'],
		to: 'notStarted',
		matches: ['id', 'claim', 'state'],
		clears: ['claim', 'failures'],
		why: 'Without its claim the start can no longer send.',
	},
	registerJob: {
		from: 'new',
		to: 'pending',
		why: 'The job was started elsewhere.',
	},
	enterAlarm: {
		from: 'new',
		to: 'pending',
		why: 'Not a job: a budget has reached a threshold, or the outcome of a start is unknown. A trigger delivers it like a job.',
	},
	deleteEntry: {
		from: ['delivered', 'notStarted', 'withdrawn'],
		to: 'deleted',
		matches: ['id'],
		why: 'These states are final.',
	},
	redeliverJob: {
		from: ['delivered', 'unconfirmed'],
		to: 'pending',
		matches: ['jobId', 'segment', 'account', 'state'],
		clears: ['claim', 'proposal', 'leaseUntil', 'failures'],
		why: 'A killed process has lost what the trigger had handed over. All rows change at once: a delivered one would close the others as duplicates.',
	},

	// a poll of the trigger
	claimJob: {
		from: ['pending'],
		to: 'emitting',
		matches: ['state', 'proposal'],
		why: 'Several polls may have written a proposal: the last one gets the row.',
	},
	yieldJob: {
		from: ['emitting'],
		to: 'pending',
		matches: ['id', 'claim'],
		clears: ['claim', 'leaseUntil'],
		why: 'Another poll or execution holds another row of the same job.',
	},
	closeDuplicate: {
		from: ['emitting'],
		to: 'delivered',
		matches: ['id', 'claim'],
		clears: ['claim', 'leaseUntil'],
		why: 'Another row of the same job was delivered.',
	},
	releaseJob: {
		from: ['emitting', 'delivering', 'unconfirmed'],
		to: 'pending',
		matches: ['state', 'leaseUntil'],
		clears: ['claim', 'proposal', 'leaseUntil'],
		why: 'The lease has expired: the execution was stopped, was killed, never started or never confirmed.',
	},

	// the execution that the trigger starts
	beginDelivery: {
		from: ['emitting'],
		to: 'delivering',
		matches: ['claim', 'state', 'failures'],
		why: 'No other execution has claimed the row; each delivery is counted once.',
	},
	requeueJob: {
		from: ['delivering', 'unconfirmed'],
		to: 'pending',
		matches: ['id', 'claim'],
		clears: ['claim', 'proposal', 'leaseUntil'],
		why: 'The file could not be downloaded, or is not available yet.',
	},
	endDelivery: {
		from: ['delivering'],
		to: 'delivered',
		matches: ['claim', 'state'],
		clears: ['leaseUntil'],
		why: 'Items leave the node only after this change: no other execution has claimed the job.',
	},
	handOverJob: {
		from: ['delivering'],
		to: 'unconfirmed',
		matches: ['id', 'claim', 'state'],
		clears: ['failures'],
		why: 'In place of endDelivery, where the workflow has to confirm. Each delivery is counted once.',
	},
	emitListedJob: {
		from: ['emitting'],
		to: 'delivered',
		matches: ['claim'],
		clears: ['leaseUntil'],
		why: 'A poll of a job list does it: without a job ledger the execution cannot record the delivery later.',
	},
	confirmDelivery: {
		from: ['pending', 'emitting', 'delivering', 'unconfirmed'],
		to: 'delivered',
		matches: ['id', 'state', 'claim'],
		clears: ['claim', 'proposal', 'leaseUntil'],
		why: 'The workflow is done with the job. Without its claim, a later delivery that is under way drops it.',
	},
	markDelivered: {
		from: ['pending'],
		to: 'delivered',
		matches: ['id', 'state'],
		why: 'Generate has downloaded the file itself. A delivery that has already started continues.',
	},

	// a question to the assistant: its chat, and the rate limit
	enterChat: {
		from: 'new',
		to: 'chat',
		why: 'Not a job: the chat of a session. Of several rows the first counts.',
	},
	forgetChat: {
		from: ['chat'],
		to: 'deleted',
		matches: ['id'],
		why: 'There are too many chats. Those that were unused for longest go; a session without a chat starts a new one.',
	},
	enterLimit: {
		from: 'new',
		to: 'limit',
		why: 'Not a job: the next free time of a rate limit. Of several rows the first counts.',
	},
} as const satisfies Record<string, Transition>;
