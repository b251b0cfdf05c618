import { mapServiceError, messageOf, ServiceError } from '../core/errors';
import { groupByFields } from '../core/grouping';
import { toUsd } from '../core/money';
import type { Clock } from '../core/retry';
import { isTransient } from '../tables/retries';
import { repeatWrite } from '../tables/rowWrites';
import { atLeast, findAllRows, noneOf, type Table, where } from '../tables/table';
import {
	type SpendingNews,
	type SpendingTable,
	type SpendingWrite,
	type Spent,
	sumUp,
	toWrites,
} from './recordBook';

/**
 * Milliseconds for which what texts have cost is kept while other node runs are under way, and between two rounds after a failure. A
 * process that is killed loses it.
 */
const PAUSE = 10_000;
/** Milliseconds for which everything is tried at least: n8n's main process may be away for minutes. */
const TRIED_FOR = 10 * 60_000;
/** How long a round tries one change. A node run waits for the first round. */
const FIRST_TRY = { maxTime: 20_000 };
const LATER_TRY = { maxTime: 2000 };
const TOO_MANY = 'Too many processes write at once';

/** What a node run has given to the writer. */
interface Given {
	news: SpendingNews;
	/** Milliseconds since 1970. */
	at: number;
	/** How many changes of the table are not written. Undefined as long as nobody knows which they are. */
	left?: number;
	/** What to say about it, if there is anything. */
	said: string;
	/** Why it could not be written at first. */
	failure?: { cause: unknown };
}

/** A change that every round tries until it is written. */
interface Pending extends SpendingWrite {
	owners: ReadonlySet<Given>;
	hasFailed: boolean;
}

/**
 * Writes what the node runs of a process spend. What comes while it writes is written together.
 *
 * What cannot be written stays for ten minutes, and each round tries it again. A node run waits for the first round only, which takes about
 * 20 seconds where n8n's main process is away: from then on, what is kept belongs to no run, so that only n8n's log can say that it is lost.
 */
export class SpendingWriter {
	readonly #findOthers = createLabelLimit();
	readonly #lastRows = new Map<string, number>();
	/** Node runs that have not ended. */
	#open = 0;
	#writtenAt = -Infinity;
	/** What no round has looked at, in its order. */
	#arrived: Given[] = [];
	#pending: Pending[] = [];
	/** Its way to the table counts for all: its credential was read last. */
	#latest: SpendingNews | undefined;
	/** The one that is under way. */
	#round: Promise<void> | undefined;
	#isWatching = false;

	/** A node run spends something. */
	join(): void {
		this.#open++;
	}

	/** @returns what to say about it. @throws ServiceError if something is not written yet. */
	async write(news: SpendingNews): Promise<string> {
		const given = this.#take(news);
		while (given.left !== 0 && !given.failure) await this.#goRound(news);
		this.#watchKept(news);
		if (given.failure) throw mapServiceError(given.failure.cause);
		return given.said;
	}

	/**
	 * A node run has ended. What texts have cost is written a little later if others are under way: each write is one of n8n's main
	 * process, which all workers share.
	 */
	async end(news: SpendingNews): Promise<string> {
		this.#open--;
		const age = news.clock.now() - this.#writtenAt;
		if (!this.#open || age >= PAUSE || !isOnlyText(news)) return await this.write(news);
		this.#take(news);
		this.#watchKept(news);
		return '';
	}

	/** Writes what is kept, as far as it can be written now. */
	async flush(): Promise<void> {
		if (this.#latest && this.#isKept()) await this.#goRound(this.#latest);
	}

	#isKept(): boolean {
		return this.#arrived.length + this.#pending.length > 0;
	}

	#take(news: SpendingNews): Given {
		const given: Given = { news, at: news.clock.now(), said: '' };
		this.#arrived.push(given);
		this.#latest = news;
		return given;
	}

	/** Writes what is kept, also if no other node run comes. */
	#watchKept({ clock }: SpendingNews): void {
		if (this.#isWatching || !this.#isKept()) return;
		this.#isWatching = true;
		const watch = async () => {
			while (this.#isKept()) {
				await clock.sleep(PAUSE);
				await this.flush();
			}
		};
		void watch().finally(() => (this.#isWatching = false));
	}

	async #goRound(news: SpendingNews): Promise<void> {
		this.#round ??= this.#tryAll(news).finally(() => (this.#round = undefined));
		await this.#round;
	}

	/** Never throws. */
	async #tryAll(news: SpendingNews): Promise<void> {
		const { clock } = news;
		this.#writtenAt = clock.now();
		try {
			const table = await repeatWrite(clock, FIRST_TRY, TOO_MANY, async () => {
				const opened = await news.open();
				await this.#plan(opened);
				return opened;
			});
			const inOrder = [...this.#pending].sort(
				(one, other) => one.stage - other.stage || Number(one.hasFailed) - Number(other.hasFailed),
			);
			for (const write of inOrder) await this.#attempt(write, table, clock);
		} catch (cause) {
			for (const given of this.#arrived) given.failure ??= { cause };
			for (const write of this.#pending) markFailed(write, cause);
		}
		this.#giveUp(clock.now());
	}

	/** Makes changes of what has come. */
	async #plan(table: SpendingTable): Promise<void> {
		const planned = [...this.#arrived];
		const news = planned.map((given) => given.news);
		const entries = news.flatMap((each) => each.entries);
		const others = await this.#findOthers(table, entries);
		this.#arrived = this.#arrived.slice(planned.length);
		const ownerOf = new Map<unknown, Given>();
		for (const given of planned) {
			given.left = 0;
			const hasOther = given.news.entries.some(({ label }) => others.has(label));
			if (hasOther) given.said = TOO_MANY_LABELS;
			for (const part of partsOf(given.news)) ownerOf.set(part, given);
		}
		for (const entry of entries) if (others.has(entry.label)) entry.label = OTHER_LABEL;
		for (const write of toWrites(news, this.#lastRows)) {
			const owners = new Set(partsOf(write).flatMap((part) => ownerOf.get(part) ?? []));
			for (const given of owners) given.left = (given.left ?? 0) + 1;
			this.#pending.push({ ...write, owners, hasFailed: false });
		}
	}

	/** @throws ServiceError if the others need not be tried now. */
	async #attempt(write: Pending, table: SpendingTable, clock: Clock): Promise<void> {
		const limits = write.hasFailed ? LATER_TRY : FIRST_TRY;
		const earlier = this.#pending.find(({ stage, lists }) => lists && stage < write.stage);
		try {
			if (earlier) throw new ServiceError('failed', 'The start of a job is not written yet');
			await repeatWrite(clock, limits, TOO_MANY, async () => await write.attempt(table, clock));
			this.#pending = this.#pending.filter((other) => other !== write);
			for (const given of write.owners) given.left = (given.left ?? 1) - 1;
		} catch (cause) {
			const wasTried = write.hasFailed;
			markFailed(write, cause);
			// n8n may fail at one change alone, which must not stop the others
			if (isTransient(cause) && !wasTried) throw mapServiceError(cause);
		}
	}

	/** What is too old is lost. */
	#giveUp(now: number): void {
		const isOver = ({ at, failure }: Given) => failure !== undefined && now - at >= TRIED_FOR;
		for (const given of this.#arrived.filter(isOver)) logLoss(given.news, given);
		this.#arrived = this.#arrived.filter((given) => !isOver(given));
		const areOver = ({ owners }: Pending) => [...owners].every(isOver);
		for (const write of this.#pending.filter(areOver)) logLoss(write, [...write.owners][0]!);
		this.#pending = this.#pending.filter((write) => !areOver(write));
	}
}

const isOnlyText = ({ entries, decided, ended }: SpendingNews) =>
	!decided.length && !ended.length && entries.every(({ jobs }) => !jobs.length);

const partsOf = ({ entries, decided, ended }: Spent) => [...entries, ...decided, ...ended];

function markFailed(write: Pending, cause: unknown): void {
	write.hasFailed = true;
	for (const given of write.owners) given.failure ??= { cause };
}

/** Says what is not in the record: by workflow and label, and the jobs whose costs were not added. */
function logLoss({ entries, decided, ended }: Spent, { news: { log }, failure }: Given): void {
	const reason = messageOf(failure?.cause);
	for (const ofLabel of groupByFields(entries, ['workflowId', 'label'])) {
		const { workflowId, workflow, label, lastExecutionId: executionId } = ofLabel.at(-1)!;
		const { costUsd, requests, unknownCosts } = sumUp(ofLabel);
		log({ workflowId, workflow, label, executionId, costUsd, requests, unknownCosts, reason });
	}
	const starts = decided.map(({ start }) => start);
	if (starts.length) log({ starts, reason });
	const jobs = ended.map(([job, cost]) => ({ job, costUsd: toUsd(cost) }));
	if (jobs.length) log({ jobs, reason });
}

/** The most labels of one month: the rows of all of them have to be read. */
export const MAX_LABELS = 2000;
/** The label of what has one too many. */
const OTHER_LABEL = 'other';

const TOO_MANY_LABELS = `This month has ${MAX_LABELS} Spending Labels: what has another one counts as "${OTHER_LABEL}"`;

interface Labeled {
	day: string;
	label: string;
}
type LabeledRow = Labeled & { id: number };

/**
 * Makes the function that finds out which labels are too many. What this process knows of the month is kept: several processes at the
 * same time may add a few more.
 */
function createLabelLimit() {
	let month = '';
	let known = new Set<string>();
	return async (
		table: Pick<Table<LabeledRow>, 'find'>,
		entries: readonly Labeled[],
	): Promise<Set<string>> => {
		const others = new Set<string>();
		for (const { day, label } of entries) {
			if (!label) continue;
			const ofMonth = atLeast(day.slice(0, 7));
			if (month !== day.slice(0, 7)) {
				const rows = await findAllRows(table, { day: ofMonth, label: noneOf('') });
				known = new Set(rows.map((row) => row.label).filter(Boolean));
				month = day.slice(0, 7);
			}
			if (known.has(label)) continue;
			if (known.size < MAX_LABELS) known.add(label);
			else if (!(await table.find(where<LabeledRow>({ day: ofMonth, label }), { limit: 1 })).length)
				others.add(label);
		}
		return others;
	};
}
