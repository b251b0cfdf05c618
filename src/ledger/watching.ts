import type { Entry } from './entry';

/** What a job came to; stored, so never changed. */
export type Outcome =
	| 'completed'
	| 'failed'
	/** The service does not know it, time and again. */
	| 'lost'
	/** Completed, and its file is gone. */
	| 'expired';

/** What a status request told. */
export interface Sight {
	outcome: 'completed' | 'failed' | 'unfinished';
	/** The service's record of the job, as JSON. */
	record: string;
}

/** Jobs that a trigger wants to have. */
export interface Wish {
	outcome: Outcome;
	/** Milliseconds since the start that have to be over; 0 for any. */
	minimumAge: number;
}

/** What one trigger watches, and how much time it has. */
export interface Watching {
	account: string;
	/** Empty for all jobs of the account. */
	label: string;
	wishes: readonly Wish[];
	/** How many jobs are handed over at once, at most. */
	mostJobs: number;
	/** Milliseconds after which a job is handed over again whose execution did not come to its end. */
	lease: number;
	/** Status requests at the same time. */
	concurrency: number;
	/** Milliseconds since 1970, after which no job is asked for, and nothing is claimed. */
	asksUntil: number;
	claimsUntil: number;
	/** @throws ServiceError */
	ask(entry: Entry): Promise<Sight>;
	/**
	 * Asks the service for something that it always has, to tell its own trouble from that of some jobs.
	 *
	 * @throws ServiceError
	 */
	checkAlive(): Promise<unknown>;
}

/** Whether a trigger wants a job that is done. */
export function isWanted(
	{ wishes }: Pick<Watching, 'wishes'>,
	{ outcome, startedAt }: Entry,
	now: number,
): boolean {
	return wishes.some(
		(wish) => wish.outcome === outcome && (!wish.minimumAge || startedAt + wish.minimumAge <= now),
	);
}
