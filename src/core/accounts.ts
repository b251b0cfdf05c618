import type { Bound, Cost, Scope, Share } from './reserve';
import type { Decimal } from './money';

/** The start of a job, before it is sent. */
export interface JobStart {
	/** Of the catalog, where it has the model. */
	model: string;
	/** What else may change the price, as a text that is the same for the same configuration. */
	settings: string;
	/** Identifies the row of the job ledger that a person decides about. Undefined if the start is not tracked there. */
	claim: string | undefined;
	/** For the record. */
	label?: string;
	/** Milliseconds without a renewal after which its process counts as killed. */
	lease: number;
}

/** The start of a job, as a scope of a budget or a record. A cost that is not known, without a job, means that the outcome is unknown. */
export interface JobScope {
	reserve(bound: Bound): Share | Promise<Share>;
	/** To be called with the job that was started, before the reservation is settled. */
	setJob(mediaType: string, jobId: string): void;
	/** To be called before every attempt to send. @throws ServiceError `invalid` if it may no longer be sent. */
	renew?(): Promise<void>;
}

/** What a person has decided about a start of unknown outcome. */
export interface StartDecision {
	/** Of its row in the job ledger, before the decision. */
	claim: string;
	model: string;
	/** Milliseconds since 1970, and the n8n execution that has started it. */
	startedAt: number;
	executionId: string;
	/** Undefined if nothing was started. */
	job: { mediaType: string; jobId: string } | undefined;
}

/** A budget that all workers share, as one node run uses it. If the run is killed, what it has reserved stays reserved. */
export interface SharedBudget {
	/** For requests whose bound is a maximum. */
	readonly calls: Required<Pick<Scope, 'findFree' | 'reserve'>>;
	/** For the start of a job, which costs its estimate. */
	openStart(start: JobStart): JobScope;
	/** Right before anything is sent. @throws ServiceError `not_started` if the budget is paused, or cannot be read. */
	check(): Promise<void>;
	/** A job has ended. @param cost Undefined if it is not known: then its estimate counts, if there is one. */
	endJob(mediaType: string, jobId: string, cost: Cost): void;
	/** Hands what a start of unknown outcome has reserved to its job, or gives it back. A start that it does not know changes nothing. */
	decideStart(decision: StartDecision): void;
	/** Enters the alarms that are due, for the triggers with a label. @throws ServiceError if the budget cannot be read. */
	enterAlarms(label: string): Promise<void>;
	/** The node has ended: gives back what was not spent. Waits until everything is written. */
	close(): Promise<void>;
	/** For people, as plain JSON. @throws ServiceError */
	readonly actions: {
		get(): Promise<Fields>;
		pause(reason: string): Promise<Fields>;
		resume(): Promise<Fields>;
		/** @param which The ID of a reservation, or the least age of several in milliseconds. */
		release(which: { id: string } | { age: number }): Promise<Fields>;
		/** Adds micro-dollars to the period in which a request was refused, once for each. @param request Its ID, from the error. */
		raise(wanted: { request: string; amount: Decimal; reason: string }): Promise<Fields>;
		/** What the last change has left, e.g. `$0.06 left this month`. Sends nothing. Undefined if it is not known. */
		describeLeft(): string | undefined;
	};
}

/** The fields of an item. */
export type Fields = Record<string, string | number | boolean | object | undefined>;

/** One request in the record. */
export interface RecordedRequest extends JobScope {
	/** To be called with what came back, before the reservation is settled. */
	setTokens(input: number | undefined, output: number | undefined): void;
}

/** A record, for people, of what a node run has spent. It refuses nothing, and its failures are shown as hints. */
export interface SpendingRecord extends Pick<SharedBudget, 'endJob' | 'decideStart' | 'close'> {
	/** @param label For whom it is. @param claim Of the row in the job ledger, for the start of a job that is tracked there. */
	openRequest(model: string, label: string, claim?: string): RecordedRequest;
	/** For people. @throws ServiceError */
	get(query: SpendingQuery): Promise<Fields[]>;
	/** Where it is kept, as the credential says. */
	readonly table: string;
	/** Whether it takes few more rows. Reads one of them. @throws ServiceError */
	isNearlyFull(): Promise<boolean>;
	/** @param days Rows of days that are older are summed up by month. @throws ServiceError */
	combineRows(days: number): Promise<Fields>;
}

/** The sum of what an execution pays. A job that it has started counts with its estimate until it has ended. */
export interface CostSum extends Pick<SharedBudget, 'endJob'> {
	openRequest(): JobScope;
}

/** Which part of what was spent is reported. Days are in UTC, e.g. `2026-11-24`. */
export interface SpendingQuery {
	/** The first day; empty for the first one of this month. */
	from: string;
	/** The last day; empty for today. */
	to: string;
	/** The values are stored and never change. */
	groupBy: ReadonlyArray<'day' | 'month' | 'workflow' | 'node' | 'model' | 'label'>;
	/** Only what has this label. If absent or empty, everything. */
	label?: string;
}

/** What a credential may spend, and has spent. */
export type Accounts = ReturnType<typeof createAccounts>;

/** Brings the sum of the execution, if there is one, and the budget and the record of a credential together. */
export function createAccounts(sum?: CostSum, budget?: SharedBudget, spending?: SpendingRecord) {
	return {
		budget,
		spending,
		/** The scopes of a request whose bound is a maximum. @param model Of the catalog, where it has the model. */
		openCall: (model: string, label = '') => ({
			shared: budget?.calls,
			record: spending?.openRequest(model, label),
			sum: sum?.openRequest(),
		}),
		/** The start of a job, and its scopes. */
		openStart(start: JobStart) {
			const shared = budget?.openStart(start);
			const record = spending?.openRequest(start.model, start.label ?? '', start.claim);
			const scopes = { shared, record, sum: sum?.openRequest() };
			const setJob: JobScope['setJob'] = (...job) =>
				Object.values(scopes).forEach((scope) => scope?.setJob(...job));
			return { setJob, renew: async () => await shared?.renew?.(), scopes };
		},
		/** @see SharedBudget */
		endJob: (...ended: Parameters<SharedBudget['endJob']>) =>
			[budget, spending, sum].forEach((one) => one?.endJob(...ended)),
		/** @see SharedBudget */
		decideStart: (decision: StartDecision) =>
			[budget, spending].forEach((one) => one?.decideStart(decision)),
		/** To be called when a node has ended: gives back what was not spent, and writes down what was. */
		async close() {
			await Promise.all([budget?.close(), spending?.close()]);
		},
	};
}
