import type { Cost } from '../core/budget';
import type { RecordedRequest, SpendingRecord } from '../core/spending';
import { ServiceError } from '../core/errors';
import { ZERO } from '../core/money';
import { jobLump, toDay } from './budgetState';
import type { OpenSpending, SpendingBook, SpendingEntry } from './spendingBook';
import { foldSpending, reportSpending } from './spendingReport';
import { addSums, costOfJobs, NO_SUMS, type Sums } from './spendingTable';

/** What a node run needs to write down what it spends. */
interface SpendingUse {
	book: SpendingBook;
	open: OpenSpending;
	/** Milliseconds since 1970. */
	now(): number;
	/** Of the credential: jobs of two accounts may have the same ID. */
	credentialId: string;
	/** Who spends. */
	spender: Pick<SpendingEntry, 'workflowId' | 'workflow' | 'nodeId' | 'node' | 'lastExecution'>;
	/** Shows the user a sentence beside the output. */
	addHint(sentence: string): void;
}

/** Adds up what one node run spends, by day and model, and writes it down when the node ends. */
export class NodeSpending implements SpendingRecord {
	readonly #use: SpendingUse;
	readonly #entries = new Map<string, SpendingEntry>();
	readonly #ended = new Map<string, Cost>();
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
			this.#add(model, job ? [job] : [], {
				...{ requests: 1, ...tokens, unknownCosts: isKnown ? 0 : 1 },
				costUsd: isKnown ? toUsdNumber(cost) : 0,
			});
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
		const entries = [...this.#entries.values()].map((entry) => this.#settleJobs(entry));
		const ended = new Map(this.#ended);
		this.#entries.clear();
		this.#ended.clear();
		if (!entries.length && !ended.size) return;
		const { book, open, addHint } = this.#use;
		await book.write(open, { entries, ended }).catch((cause: unknown) => {
			const { message, details } =
				cause instanceof ServiceError ? cause : new ServiceError('failed', String(cause));
			const why = [message, details.reason, details.advice].filter(Boolean).join('. ');
			addHint(`What this node has spent could not be written into the record of spending: ${why}`);
		});
	}

	#add(model: string, jobs: string[], sums: Sums): void {
		const { spender, now } = this.#use;
		const day = toDay(now());
		const key = `${day} ${model}`;
		const before = this.#entries.get(key);
		this.#entries.set(key, {
			...{ day, model, ...spender },
			...addSums(before ?? NO_SUMS, sums),
			jobs: [...(before?.jobs ?? []), ...jobs],
		});
	}

	/** Jobs that this run has both started and seen end. */
	#settleJobs(entry: SpendingEntry): SpendingEntry {
		const over = entry.jobs.filter((job) => this.#ended.has(job));
		const costs = over.flatMap((job) => {
			const cost = this.#ended.get(job);
			this.#ended.delete(job);
			return cost === undefined ? [] : [ZERO.plus(cost)];
		});
		const jobs = entry.jobs.filter((job) => !over.includes(job));
		return { ...entry, ...addSums(entry, costOfJobs(costs)), jobs };
	}

	#jobKey(mediaType: string, jobId: string): string {
		return `${this.#use.credentialId}:${jobLump(mediaType, jobId)}`;
	}
}

const toUsdNumber = (microUsd: NonNullable<Cost>) => Number(ZERO.plus(microUsd).times('1e-6'));
