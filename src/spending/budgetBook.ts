import { mapServiceError, ServiceError } from '../core/errors';
import { isPlainObject } from '../core/json';
import type { Clock } from '../core/retry';
import type { BudgetSettings } from './budgetSettings';
import { type BudgetState, EMPTY_STATE, moveOn, parseBudget } from './budgetState';
import { type PeriodLength, periodOf, toDay } from './periods';
import type { Entry } from '../ledger/entry';
import { asNotStarted, claimKey, withdraw } from '../ledger/keyClaim';
import { applyUpdate, type Ledger } from '../ledger/ledger';
import { where } from '../tables/table';
import { inBatches, repeatWrite } from '../tables/rowWrites';

/** Milliseconds for which a process relies on what it knows of the row: a pause reaches every process within this time. */
const MAX_AGE = 10_000;
/** Milliseconds after which a process finds out about a second row. */
const FULL_LOOK = 60_000;
/** How long a change is retried: a restart of n8n takes less. A process that was suspended still gets its attempts. */
const RETRY_LIMITS = { maxTime: 60_000, minAttempts: 5, minLosses: 20 };
const TOO_MANY = 'Too many processes use the budget at once';

/** A change of the state. It is calculated again if the row has changed in the meantime. */
export type Change<Outcome> = (state: BudgetState, now: number, row: Entry) => Outcome;

/** A refusal counts only if the row was read for it, and so does that a reservation is gone: another process may have made it since. */
const needsNewRow = (answer: unknown) =>
	isPlainObject(answer) && (answer['refused'] !== undefined || answer['isMissing'] === true);

/** What a node run needs to spend from a budget. */
export interface BudgetUse {
	book: BudgetBook;
	settings: BudgetSettings;
	/** Opens the job ledger. */
	open(): Promise<Ledger>;
	/** Its sleep ends with the execution. */
	clock: Clock;
	/** n8n's ID of the credential. */
	credentialId: string;
	/** The n8n execution's ID, and the workflow. */
	executionId: string;
	workflow: string;
	workflowId: string;
	/** Whether an AI agent reads the errors. */
	asTool: boolean;
	/** Shows the user a sentence beside the output. */
	addHint(sentence: string): void;
	/** Creates a unique random text. */
	newId(): string;
}

interface PendingChange {
	use: BudgetUse;
	change: Change<unknown>;
}

/** The row, as this process has read it last. */
interface CachedRow {
	row: Entry;
	/** Before it was requested, by the clock of this process. */
	readAt: number;
}

/**
 * The row of a budget, for all node runs of this process. Changes that come while the row is being written are written together.
 *
 * Nothing is written without a comparison: `claim` is a new random text in every write, so of two processes that have read the same
 * row, one reads it again. A write whose answer was lost is calculated again, and finds what it has done.
 */
export class BudgetBook {
	readonly #key: string;
	#cached: CachedRow | undefined;
	/** Milliseconds by which the clock of n8n is ahead of this process. */
	#ahead = 0;
	/** The row that was found, and when all rows were looked at for it. */
	#found = { id: 0, lookedAt: -Infinity };
	/** The day in the row. */
	#day = '';
	/** The state after the last change that this process knows of. Undefined before one, and if the last one has failed. */
	lastState: BudgetState | undefined;
	readonly #changeTogether = inBatches<PendingChange, unknown>(async (batch) => {
		const ledger = await openLedger(batch);
		const attempt = async () => await this.#attempt(ledger, batch);
		return await repeatWrite(ledger.uncancellableClock, RETRY_LIMITS, TOO_MANY, attempt);
	});

	/** @param id Identifies the budget. */
	constructor(id: string) {
		this.#key = `budget:${id}`;
	}

	/**
	 * Changes the state. A change that leaves it as it is writes nothing.
	 *
	 * @returns what the change returned when it was written.
	 * @throws ServiceError `not_started` if the row cannot be used. Something may have been changed in it then.
	 */
	async change<Outcome>(use: BudgetUse, change: Change<Outcome>): Promise<Outcome> {
		const changed = this.#changeTogether({ use, change });
		// a failure of n8n says nothing about a request that waits for its budget
		return (await changed.catch((cause: unknown) => {
			this.lastState = undefined;
			throw asNotStarted(cause);
		})) as Outcome;
	}

	/** The row, not older than ten seconds. Its `note` says why the budget is paused. */
	async read(use: BudgetUse): Promise<Entry> {
		return this.#findRecent(use.clock)?.row ?? (await this.change(use, (_state, _now, row) => row));
	}

	/** The time of n8n, as far as this process knows it, in milliseconds since 1970. */
	now({ clock }: Pick<BudgetUse, 'clock'>): number {
		return clock.now() + this.#ahead;
	}

	/** The first day of the current period. */
	periodStart(length: PeriodLength): string {
		return periodOf(this.#day, length).start;
	}

	/** The row as it is now: it may have been changed in another way. */
	async readAgain(use: BudgetUse): Promise<Entry> {
		this.#found.lookedAt = -Infinity;
		return await this.read(use);
	}

	/** @returns the answers of the changes; undefined if another process has changed the row since it was read. */
	async #attempt(ledger: Ledger, batch: readonly PendingChange[]): Promise<unknown[] | undefined> {
		const { table, executionId, uncancellableClock: clock } = ledger;
		const readAt = clock.now();
		const recent = this.#findRecent(clock);
		const current = recent ?? { row: await this.#findRow(ledger), readAt };
		const { row } = current;
		const state = parseBudget(row.record);
		// an emptied claim may be null, which no comparison finds
		if (!state || !row.claim) throw unreadableError(row);
		const before = JSON.stringify(state);
		// a run that takes the row from the others may not have asked n8n for long
		if (!recent) this.#ahead = ledger.n8nTime() - clock.now();
		const now = this.now({ clock });
		const answers = batch.map(({ use, change }) => {
			if (!moveOn(state, now, use.settings.length)) throw clockError(row, state.day, now);
			return change(state, now, row);
		});
		this.#day = state.day;
		// it is read again, unless it stays as it is
		this.#cached = undefined;
		if (recent && answers.some(needsNewRow)) return await this.#attempt(ledger, batch);
		const record = JSON.stringify(state);
		this.lastState = state;
		if (record === before) {
			this.#cached = current;
			return answers;
		}
		const { id, claim } = row;
		const changes = { claim: ledger.newClaim(), record, executionId };
		const [changed] = await applyUpdate(table, 'changeBudget', { id, claim }, changes);
		this.#cached = changed && { row: changed, readAt };
		return changed && answers;
	}

	/** n8n finds a row by its ID without looking at all of them. Whether there is another one is found out now and then. */
	async #findRow(ledger: Ledger): Promise<Entry> {
		const now = ledger.uncancellableClock.now();
		const filter = where({ id: this.#found.id, ...toFilter(this.#key) });
		const [known] = this.#hasLooked(now) ? await ledger.table.find(filter) : [];
		if (known) return known;
		const row = await findRow(ledger, this.#key);
		this.#found = { id: row.id, lookedAt: now };
		return row;
	}

	/** @param clock Of this process. Its own writes keep the row recent: another row is looked for nevertheless. */
	#findRecent({ now }: Pick<Clock, 'now'>): CachedRow | undefined {
		const age = now() - (this.#cached?.readAt ?? -Infinity);
		return age >= 0 && age < MAX_AGE && this.#hasLooked(now()) ? this.#cached : undefined;
	}

	#hasLooked = (now: number) =>
		now >= this.#found.lookedAt && now - this.#found.lookedAt < FULL_LOOK;
}

const toFilter = (uniqueKey: string) =>
	({ uniqueKey, mediaType: 'budget', state: 'budget' }) as const;

/** A node run whose execution is stopped must not fail those of others. */
async function openLedger(batch: readonly PendingChange[]): Promise<Ledger> {
	const [{ use }, ...others] = batch as [PendingChange, ...PendingChange[]];
	return await use.open().catch(async (cause: unknown) => {
		const isStopped = cause instanceof ServiceError && cause.kind === 'cancelled';
		if (isStopped && others.length) return await openLedger(others);
		throw mapServiceError(cause);
	});
}

/** The one row of the budget. If there is none, it is created with nothing spent. */
async function findRow(ledger: Ledger, uniqueKey: string): Promise<Entry> {
	const find = async () => await ledger.table.find(where(toFilter(uniqueKey)));
	const found = await find();
	if (!found.length) await addRow(ledger, uniqueKey);
	const [row, ...others] = found.length ? found : await find();
	if (others.length) throw severalRowsError([row!, ...others]);
	if (!row) throw new ServiceError('failed', 'The new row is not visible yet', { transient: true });
	return row;
}

/** Of several processes that find no row, one adds it, as with the key of a start. */
async function addRow(ledger: Ledger, uniqueKey: string): Promise<void> {
	const claims: string[] = [];
	const noStart = { model: '', credentialId: '', triggerGroup: '', lease: 0, firstCheck: 0 };
	const record = JSON.stringify(EMPTY_STATE);
	try {
		await claimKey(ledger, claims, { ...noStart, uniqueKey, mediaType: 'budget', record });
	} finally {
		await withdraw(ledger, 'withdrawIntent', claims);
	}
}

const unreadableError = ({ id }: Entry) =>
	new ServiceError('failed', `The budget in row ${id} of the job ledger cannot be read`, {
		advice:
			'Nothing was sent. Somebody has edited its cell "record", or emptied its cell "claim". Restore the record, and write any text into "claim". If you delete the row, the budget starts over with nothing spent.',
	});

const clockError = ({ id }: Entry, day: string, now: number) =>
	new ServiceError(
		'failed',
		`The budget in row ${id} of the job ledger is at ${day}, but n8n says that today is ${toDay(now)}`,
		{
			advice: `Nothing was sent. A clock is or was wrong. If n8n is right, change "day" in the cell "record" of this row to "${toDay(now)}", and write any other text into its cell "claim".`,
		},
	);

const severalRowsError = (rows: readonly Entry[]) =>
	new ServiceError(
		'failed',
		`The job ledger has several rows of one budget: ${rows.map(({ id }) => id).join(', ')}`,
		{ advice: 'Nothing was sent. Delete all of these rows but the one that is right.' },
	);
