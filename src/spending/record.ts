import type { Cost } from '../core/reserve';
import { sentencesOf, withFullStop } from '../core/errors';
import { toUsd } from '../core/money';
import type {
	RecordedRequest,
	SpendingQuery,
	SpendingRecord,
	StartDecision,
} from '../core/accounts';
import { jobReservationId, startReservationId } from './budgetStarts';
import { toDay, toMonth } from './periods';
import {
	isNearlyFull,
	MAKE_ROOM,
	NEARLY_FULL,
	type SpendingEntry,
	type SpendingNews,
	type Spent,
} from './recordBook';
import type { SpendingWriter } from './spendingWriter';
import { combineRows, reportSpending } from './report';

/** What a node run needs to write down what it spends. */
interface SpendingUse extends Omit<SpendingNews, keyof Spent> {
	writer: Pick<SpendingWriter, 'join' | 'write' | 'end' | 'flush'>;
	/** The name or ID of the table. */
	table: string;
	/** Of the credential: jobs of two accounts may have the same ID. */
	credentialId: string;
	/** The workflow, node and execution that spend. */
	spender: Pick<SpendingEntry, 'workflowId' | 'workflow' | 'nodeId' | 'node' | 'lastExecutionId'>;
	/** Shows the user a sentence beside the output. */
	addHint(sentence: string): void;
}

/** What one node run spends. It is written down when the node ends. */
export class NodeSpending implements SpendingRecord {
	readonly #use: SpendingUse;
	readonly #today = () => toDay(this.#use.clock.now());
	readonly #entries: SpendingEntry[] = [];
	readonly #ended: Spent['ended'] = [];
	readonly #decided: Spent['decided'] = [];
	/** Whether it has spent something, and has not ended. */
	#isOpen = false;
	/** Each ends with what to say about it, if there is anything. */
	readonly #writes: Array<Promise<{ hint?: string; failure?: string }>> = [];

	readonly table: string;

	constructor(use: SpendingUse) {
		this.#use = use;
		this.table = use.table;
	}

	async get(query: SpendingQuery) {
		await this.#use.writer.flush();
		const table = await this.#use.open();
		const { sums, wholeMonths } = await reportSpending(table, query, this.#today());
		if (await isNearlyFull(table)) this.#use.addHint(`${NEARLY_FULL}. ${MAKE_ROOM}`);
		if (!wholeMonths.length) return sums;
		const notice = describeMonths(wholeMonths);
		this.#use.addHint(notice);
		return sums.map((sum) => ({ ...sum, notice }));
	}

	async isNearlyFull() {
		return await isNearlyFull(await this.#use.open());
	}

	async combineRows(days: number) {
		return await combineRows(await this.#use.open(), days, this.#today());
	}

	openRequest(model: string, label: string, claim?: string): RecordedRequest {
		if (!this.#isOpen) this.#use.writer.join();
		this.#isOpen = true;
		let tokens: Partial<SpendingEntry> = {};
		let jobs: string[] = [];
		const settle = (cost: Cost) => {
			const isUnknown = claim !== undefined && !jobs.length && cost === undefined;
			// until a person decides whether it was started
			if (isUnknown) jobs = [this.#startKey(claim)];
			const costUsd = jobs.length ? undefined : toUsd(cost);
			const counts = costUsd === undefined ? { unknownCosts: 1 } : { costUsd };
			// a row for each day and label would fill the table within days
			const day = label ? toMonth(this.#today()) : this.#today();
			const entry = { ...this.#use.spender, day, model, label, requests: 1, jobs };
			this.#entries.push({ ...entry, ...tokens, ...counts });
			// a trigger may see it end before this node ends
			const written = jobs.length ? this.#write() : undefined;
			// nobody can decide about a start before its row says that its outcome is unknown, which comes after this
			return isUnknown ? written : undefined;
		};
		return {
			setTokens: (inputTokens, outputTokens) => void (tokens = { inputTokens, outputTokens }),
			setJob: (mediaType, jobId) => void (jobs = [this.#jobKey(mediaType, jobId)]),
			reserve: () => ({ settle, release: () => undefined }),
		};
	}

	endJob(mediaType: string, jobId: string, cost: Cost): void {
		this.#ended.push([this.#jobKey(mediaType, jobId), cost]);
	}

	decideStart({ claim, job, model, startedAt, executionId }: StartDecision): void {
		const jobs = job ? [this.#jobKey(job.mediaType, job.jobId)] : [];
		// its process may have been killed before it wrote anything: in which workflow is not known then
		const unnamed = { workflowId: '', workflow: '', nodeId: '', node: '' };
		const counts = { lastExecutionId: executionId, requests: 1, unknownCosts: 1 };
		const entry = { ...unnamed, ...counts, model, label: '', day: toDay(startedAt), jobs };
		this.#decided.push({ start: this.#startKey(claim), entry: job && entry });
	}

	async close(): Promise<void> {
		void this.#write(this.#isOpen);
		this.#isOpen = false;
		const ends = await Promise.all(this.#writes.splice(0));
		const failure = ends.map((end) => end.failure).find(Boolean);
		const hint = ends.map((end) => end.hint).find(Boolean);
		if (failure) this.#use.addHint(`${UNWRITTEN}: ${withFullStop(failure)} ${TRIED_AGAIN}`);
		if (hint) this.#use.addHint(hint);
	}

	/** Writes what was added since the last time. @param isEnd Of a node run that has joined. */
	async #write(isEnd = false): Promise<void> {
		const { writer, open, clock, log } = this.#use;
		const news = {
			open,
			clock,
			log,
			entries: this.#entries.splice(0),
			decided: this.#decided.splice(0),
			ended: this.#ended.splice(0),
		};
		const isEmpty = !news.entries.length && !news.decided.length && !news.ended.length;
		if (!isEnd && isEmpty) return;
		const writing = isEnd ? writer.end(news) : writer.write(news);
		const written = writing.then(
			(hint) => ({ hint }),
			(cause: unknown) => ({ failure: sentencesOf(cause, 'reason', 'advice') }),
		);
		this.#writes.push(written);
		await written;
	}

	#startKey(claim: string): string {
		return `${this.#use.credentialId}:${startReservationId(claim)}`;
	}

	#jobKey(mediaType: string, jobId: string): string {
		return `${this.#use.credentialId}:${jobReservationId(mediaType, jobId)}`;
	}
}

const describeMonths = (months: readonly string[]) =>
	`Of ${months.join(', ')}, what has a label, or was combined, counts as a whole: its rows are by month`;

const UNWRITTEN = 'What this node has spent is not written into the record of spending yet';
const TRIED_AGAIN =
	'It is tried again for ten minutes. If that fails, too, the log of n8n says what is missing.';
