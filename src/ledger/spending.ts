import type { Cost } from '../core/budget';
import type { RecordedRequest, SpendingRecord } from '../core/spending';
import { messageOf, ServiceError } from '../core/errors';
import { jobLump, toDay } from './budgetState';
import type { OpenSpending, SpendingEntry, SpendingNews, WriteSpending } from './spendingBook';
import { foldSpending, reportSpending } from './spendingReport';
import { toUsdNumber } from './spendingTable';

/** What a node run needs to write down what it spends. */
interface SpendingUse {
	write: WriteSpending;
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
	#news = nothing();
	#written: Promise<unknown> = Promise.resolve();
	/** Why the last write failed. */
	#failure = '';
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
			const known = job === undefined ? cost : undefined;
			this.#news.entries.push({
				...{ day: toDay(this.#use.now()), model, ...this.#use.spender },
				...{ requests: 1, ...tokens, jobs: job ? [job] : [] },
				...{ costUsd: toUsdNumber(known ?? 0), unknownCosts: known === undefined ? 1 : 0 },
			});
			// a trigger may see it end before this node ends
			if (job) this.#write();
		};
		return {
			setTokens: (inputTokens = 0, outputTokens = 0) =>
				void (tokens = { inputTokens, outputTokens }),
			setJob: (mediaType, jobId) => void (job = this.#jobKey(mediaType, jobId)),
			reserve: () => ({ settle, release: () => undefined }),
		};
	}

	endJob(mediaType: string, jobId: string, cost: Cost): void {
		this.#news.ended.set(this.#jobKey(mediaType, jobId), cost);
	}

	async close(): Promise<void> {
		this.#write();
		await this.#written;
		if (!this.#failure) return;
		this.#use.addHint(
			`What this node has spent could not be written into the record of spending: ${this.#failure}`,
		);
		this.#failure = '';
	}

	/** Writes what was added since the last time. */
	#write(): void {
		const news = this.#news;
		if (!news.entries.length && !news.ended.size) return;
		this.#news = nothing();
		const { write, open } = this.#use;
		const written = write({ open, ...news }).catch((cause: unknown) => {
			const { reason, advice } = cause instanceof ServiceError ? cause.details : {};
			this.#failure = [messageOf(cause), reason, advice].filter(Boolean).join('. ');
		});
		this.#written = Promise.all([this.#written, written]);
	}

	#jobKey(mediaType: string, jobId: string): string {
		return `${this.#use.credentialId}:${jobLump(mediaType, jobId)}`;
	}
}

const nothing = (): Omit<SpendingNews, 'open'> => ({ entries: [], ended: new Map() });
