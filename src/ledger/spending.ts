import type { Cost } from '../core/budget';
import type { RecordedRequest, SpendingRecord } from '../core/spending';
import { ServiceError } from '../core/errors';
import { jobLump, toDay } from './budgetState';
import type { OpenSpending, SpendingBook, SpendingEntry } from './spendingBook';
import { foldSpending, reportSpending } from './spendingReport';
import { toUsdNumber } from './spendingTable';

/** What a node run needs to write down what it spends. */
interface SpendingUse {
	book: SpendingBook;
	open: OpenSpending;
	/** Milliseconds since 1970. */
	now(): number;
	/** Of the credential: jobs of two accounts may have the same ID. */
	credentialId: string;
	/** The workflow, node and execution that spend. */
	spender: Pick<SpendingEntry, 'workflowId' | 'workflow' | 'nodeId' | 'node' | 'lastExecution'>;
	/** Shows the user a sentence beside the output. */
	addHint(sentence: string): void;
}

/** What one node run spends. It is written down when the node ends. */
export class NodeSpending implements SpendingRecord {
	readonly #use: SpendingUse;
	#entries: SpendingEntry[] = [];
	#ended = new Map<string, Cost>();
	readonly #writing: Array<Promise<void>> = [];
	#failure: unknown;
	readonly actions: SpendingRecord['actions'];

	constructor(use: SpendingUse) {
		this.#use = use;
		const { open, now } = use;
		const today = () => toDay(now());
		this.actions = {
			get: async (query) => await reportSpending((await open()).table, query, today()),
			fold: async (days) => await foldSpending((await open()).table, days, today()),
		};
	}

	openRequest(model: string): RecordedRequest {
		let tokens = { inputTokens: 0, outputTokens: 0 };
		let job: string | undefined;
		const settle = (cost: Cost) => {
			const isKnown = cost !== undefined && job === undefined;
			this.#entries.push({
				...{ day: toDay(this.#use.now()), model, ...this.#use.spender },
				...{ requests: 1, ...tokens, unknownCosts: isKnown ? 0 : 1 },
				costUsd: isKnown ? toUsdNumber(cost) : 0,
				jobs: job ? [job] : [],
			});
			// a trigger may see it end before this node ends
			if (job) this.#write();
		};
		return {
			setTokens: (inputTokens = 0, outputTokens = 0) => {
				tokens = { inputTokens, outputTokens };
			},
			setJob: (mediaType, jobId) => void (job = this.#jobKey(mediaType, jobId)),
			reserve: () => ({ settle, release: () => undefined }),
		};
	}

	endJob(mediaType: string, jobId: string, cost: Cost): void {
		this.#ended.set(this.#jobKey(mediaType, jobId), cost);
	}

	async close(): Promise<void> {
		this.#write();
		await Promise.all(this.#writing.splice(0));
		const cause = this.#failure;
		if (cause === undefined) return;
		this.#failure = undefined;
		const { message, details } =
			cause instanceof ServiceError ? cause : new ServiceError('failed', String(cause));
		const why = [message, details.reason, details.advice].filter(Boolean).join('. ');
		this.#use.addHint(
			`What this node has spent could not be written into the record of spending: ${why}`,
		);
	}

	/** Writes what was added since the last time. */
	#write(): void {
		const entries = this.#entries;
		const ended = this.#ended;
		this.#entries = [];
		this.#ended = new Map();
		if (!entries.length && !ended.size) return;
		const { book, open } = this.#use;
		const written = book.write({ open, entries, ended }).catch((cause: unknown) => {
			this.#failure = cause;
		});
		this.#writing.push(written);
	}

	#jobKey(mediaType: string, jobId: string): string {
		return `${this.#use.credentialId}:${jobLump(mediaType, jobId)}`;
	}
}
