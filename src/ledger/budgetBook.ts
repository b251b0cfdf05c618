import { mapServiceError, ServiceError } from '../core/errors';
import { isPlainObject } from '../core/json';
import {
	type BudgetLimit,
	type BudgetState,
	EMPTY_STATE,
	moveOn,
	parseBudget,
	type PeriodLength,
	periodOf,
	toDay,
} from './budgetState';
import type { Entry } from './entry';
import { claimKey, withdrawIntents } from './keyClaim';
import { applyUpdate, isTransient, type Ledger, n8nTimeOf, where } from './ledger';

/** Milliseconds for which a process relies on what it knows of the row: a pause reaches every process within this time. */
const MAX_AGE = 10_000;
/** Milliseconds for which a change is tried, and at least so many times. A restart of n8n takes less. */
const MAX_TIME = 60_000;
const MIN_ATTEMPTS = 5;
/** Milliseconds between two attempts, at most. */
const MAX_BACK_OFF = 200;
/** Milliseconds between two attempts after a failure of n8n, at least. */
const FAILURE_PAUSE = 500;

/** A change of the state. It is calculated again when the row was changed meanwhile. */
export type Change<Outcome> = (state: BudgetState, now: number, row: Entry) => Outcome;

/** A refusal only counts once the row was read for it. */
const isRefusal = (answer: unknown) => isPlainObject(answer) && answer['refused'] !== undefined;

interface Waiting {
	limit: BudgetLimit;
	change: Change<unknown>;
	resolve(answer: unknown): void;
	reject(cause: unknown): void;
}

/** The row, as this process knows it. */
interface Known {
	row: Entry;
	state: BudgetState;
	/** When it was asked for, by the clock of this process. */
	askedAt: number;
}

/**
 * The row of a budget, for all node runs of this process. They wait for one another, and those that wait are written at once.
 *
 * Nothing is written without a comparison: `claim` is another random text in every write, so of two processes that have read the same
 * row, one reads it again. A write whose answer was lost is calculated again, and finds what it has done.
 */
export class BudgetBook {
	readonly #key: string;
	#known: Known | undefined;
	/** The day by the clock of n8n. It never moves back. */
	#day = '';
	#isWriting = false;
	readonly #waiting: Waiting[] = [];

	/** @param id Identifies the budget. */
	constructor(id: string) {
		this.#key = `budget:${id}`;
	}

	/**
	 * Changes the state, unless the change is none.
	 *
	 * @returns what the change returned in the end.
	 * @throws ServiceError if the row cannot be used. Something may have been changed then.
	 */
	async change<Outcome>(
		open: () => Promise<Ledger>,
		limit: BudgetLimit,
		change: Change<Outcome>,
	): Promise<Outcome> {
		const answer = new Promise<unknown>((resolve, reject) => {
			this.#waiting.push({ limit, change, resolve, reject });
		});
		if (!this.#isWriting) void this.#writeAll(open);
		return (await answer) as Outcome;
	}

	/** The row, not older than ten seconds. Its `note` says why the budget is paused. @param now By the clock of this process. */
	async read(open: () => Promise<Ledger>, limit: BudgetLimit, now: number): Promise<Entry> {
		const known = this.#findRecent(now);
		return known?.row ?? (await this.change(open, limit, (_state, _now, row) => row));
	}

	/** The first day of the current period. */
	periodStart(length: PeriodLength): string {
		return periodOf(this.#day, length).start;
	}

	/** What is known no longer counts: the row was changed in another way. */
	forget(): void {
		this.#known = undefined;
	}

	async #writeAll(open: () => Promise<Ledger>): Promise<void> {
		this.#isWriting = true;
		while (this.#waiting.length) {
			const batch = this.#waiting.splice(0);
			try {
				const answers = await this.#write(await open(), batch);
				for (const [index, { resolve }] of batch.entries()) resolve(answers[index]);
			} catch (cause) {
				for (const { reject } of batch) reject(cause);
			}
		}
		this.#isWriting = false;
	}

	async #write(ledger: Ledger, batch: readonly Waiting[]): Promise<unknown[]> {
		const { uncancellableClock: clock } = ledger;
		const until = clock.now() + MAX_TIME;
		let known = this.#findRecent(clock.now());
		let isJustRead = false;
		for (let attempt = 1; ; attempt++) {
			const isLast = () => attempt >= MIN_ATTEMPTS && clock.now() >= until;
			let pause = clock.random() * MAX_BACK_OFF;
			try {
				isJustRead ||= !known;
				known ??= await this.#ask(ledger);
				const { answers, record } = calculate(known, batch, n8nTimeOf(ledger));
				const isDone = record === undefined || (await this.#save(ledger, known, record));
				const isCertain = isJustRead || !answers.some(isRefusal);
				if (isDone && isCertain) return answers;
				if (isDone) pause = 0;
				if (isLast()) throw new ServiceError('failed', 'Too many processes use the budget at once');
			} catch (cause) {
				if (!isTransient(cause) || isLast()) throw mapServiceError(cause);
				pause += FAILURE_PAUSE;
			}
			known = undefined;
			isJustRead = false;
			if (pause) await clock.sleep(pause);
		}
	}

	/** @returns whether nobody else has changed the row since it was read. */
	async #save(ledger: Ledger, { row }: Known, record: string): Promise<boolean> {
		const askedAt = ledger.uncancellableClock.now();
		this.#known = undefined;
		const { id, claim } = row;
		const changes = { claim: ledger.newClaim(), record, execution: ledger.execution };
		const [changed] = await applyUpdate(ledger.table, 'changeBudget', { id, claim }, changes);
		if (changed) this.#know(ledger, changed, askedAt);
		return changed !== undefined;
	}

	async #ask(ledger: Ledger): Promise<Known> {
		const askedAt = ledger.uncancellableClock.now();
		return this.#know(ledger, await findRow(ledger, this.#key), askedAt);
	}

	#know(ledger: Ledger, row: Entry, askedAt: number): Known {
		const state = parseBudget(row.record);
		if (!state) throw unreadableError(row);
		this.#day = [this.#day, state.day, toDay(n8nTimeOf(ledger))].sort().at(-1) ?? '';
		return (this.#known = { row, state, askedAt });
	}

	#findRecent(now: number): Known | undefined {
		const age = now - (this.#known?.askedAt ?? -Infinity);
		return age >= 0 && age < MAX_AGE ? this.#known : undefined;
	}
}

/** @returns the answers of the changes, and the state after them; without a state if nothing is changed. */
function calculate(
	{ state: before, row }: Known,
	batch: readonly Waiting[],
	now: number,
): { answers: unknown[]; record: string | undefined } {
	const state = structuredClone(before);
	const answers = batch.map(({ limit, change }) => {
		moveOn(state, now, limit.length);
		return change(state, now, row);
	});
	const record = JSON.stringify(state);
	return { answers, record: record === JSON.stringify(before) ? undefined : record };
}

/** The one row of the budget. It is made where there is none, with nothing spent. */
async function findRow(ledger: Ledger, startKey: string): Promise<Entry> {
	const find = async () =>
		await ledger.table.find(where({ startKey, segment: 'budget', state: 'budget' }));
	const found = await find();
	if (!found.length) await addRow(ledger, startKey);
	const [row, ...others] = found.length ? found : await find();
	if (others.length) throw severalRowsError([row!, ...others]);
	if (!row) throw new ServiceError('failed', 'The new row is not visible yet', { transient: true });
	return row;
}

/** Of several processes that find no row, one adds it, as with the key of a start. */
async function addRow(ledger: Ledger, startKey: string): Promise<void> {
	const claims: string[] = [];
	const noStart = { model: '', account: '', label: '', lease: 0, firstCheck: 0 };
	const record = JSON.stringify(EMPTY_STATE);
	try {
		await claimKey(ledger, claims, { ...noStart, startKey, segment: 'budget', record });
	} finally {
		await withdrawIntents(ledger, claims);
	}
}

const unreadableError = ({ id }: Entry) =>
	new ServiceError('failed', `The budget in row ${id} of the job ledger cannot be read`, {
		advice:
			'Nothing was sent. Somebody has edited its cell "record". Restore it, or delete the row: the budget then begins again with nothing spent.',
	});

const severalRowsError = (rows: readonly Entry[]) =>
	new ServiceError(
		'failed',
		`The job ledger has several rows of one budget: ${rows.map(({ id }) => id).join(', ')}`,
		{ advice: 'Nothing was sent. Delete all of these rows but the one that is right.' },
	);
