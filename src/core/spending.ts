import type { Fields, JobScope, JobStart, SharedBudget, StartDecision } from './sharedBudget';

/** One request in the record. */
export interface RecordedRequest extends JobScope {
	/** To be called with what came back, before the reservation is settled. */
	setTokens(input: number | undefined, output: number | undefined): void;
}

/** A record, for people, of what a node run has spent. It refuses nothing, and its failures are shown as hints. */
export interface SpendingRecord extends Pick<SharedBudget, 'endJob' | 'decideStart' | 'close'> {
	/** @param claim Of the row in the job ledger, for the start of a job that is tracked there. */
	openRequest(model: string, claim?: string): RecordedRequest;
	/** For people. @throws ServiceError */
	get(query: SpendingQuery): Promise<Fields[]>;
	/** @param days Rows of days that are older are summed up by month. @throws ServiceError */
	combineRows(days: number): Promise<Fields>;
}

/** Which part of what was spent is reported. Days are in UTC, e.g. `2026-11-24`. */
export interface SpendingQuery {
	/** The first day; empty for the first one of this month. */
	from: string;
	/** The last day; empty for today. */
	to: string;
	/** The values are stored and never change. */
	groupBy: ReadonlyArray<'day' | 'month' | 'workflow' | 'node' | 'model'>;
}

/** What a credential may spend, and has spent. */
export type Accounts = ReturnType<typeof createAccounts>;

/** Brings the budget and the record of a credential together, if it has them. */
export function createAccounts(budget?: SharedBudget, spending?: SpendingRecord) {
	const both = [budget, spending].filter((one) => one !== undefined);
	return {
		...{ budget, spending },
		/** The scopes of a request whose bound is a maximum. @param model Of the catalog, where it has the model. */
		openCall: (model: string) => ({ shared: budget?.calls, record: spending?.openRequest(model) }),
		/** The start of a job, and its scopes. */
		openStart(start: JobStart) {
			const shared = budget?.openStart(start);
			const record = spending?.openRequest(start.model, start.claim);
			const setJob: JobScope['setJob'] = (...job) =>
				[shared, record].forEach((scope) => scope?.setJob(...job));
			return { setJob, renew: async () => await shared?.renew?.(), scopes: { shared, record } };
		},
		/** @see SharedBudget */
		endJob: (...ended: Parameters<SharedBudget['endJob']>) =>
			both.forEach((one) => one.endJob(...ended)),
		/** @see SharedBudget */
		decideStart: (decision: StartDecision) => both.forEach((one) => one.decideStart(decision)),
		/** To be called when a node has ended: gives back what was not spent, and writes down what was. */
		close: async () => void (await Promise.all(both.map(async (one) => await one.close()))),
	};
}
