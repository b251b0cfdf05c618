import { type Decimal, ZERO } from '../core/money';
import type { BudgetUse, Change } from './budgetBook';
import {
	type Claim,
	claimReservation,
	closeReservation,
	findFree,
	larger,
	reservedBy,
} from './reservations';

/** A node run that has requests under way, or may have. */
export interface Caller {
	use: BudgetUse;
	change<Outcome>(change: Change<Outcome>): Promise<Outcome>;
}

/**
 * Milliseconds for which a reservation should last: each write is one of n8n's main process, which all workers share. It lasts longer
 * where there are many of them.
 */
const LASTS = 10_000;
const LASTS_PER_RESERVATION = 200;
/** Milliseconds from which on a rate is known. */
const MIN_TIME = 1000;

type Refusal = Extract<Claim, { refused: unknown }>;

/**
 * What the node runs of this process that are under way have reserved together for requests whose bound is a maximum. The last one that
 * ends gives it back: with a reservation of its own for each run, n8n's main would be busy with them from ten workers on.
 */
export class CallReservation {
	readonly #id: string;
	/** Node runs that have not ended. */
	#callers = 0;
	/** Micro-dollars that were spent in total, and those that requests under way may still spend. */
	#spent = ZERO;
	#held = ZERO;
	/** Those of requests that wait for a larger reservation. */
	#asked = ZERO;
	/** What was taken from the reservation since it was written, and when that was. */
	#taken = ZERO;
	#writtenAt = 0;
	/** Milliseconds for which it should last. */
	#lasts = LASTS;
	/** How much may be spent and held together, in which period and of which budget. Undefined as long as nothing may be taken from it. */
	#grant: { amount: Decimal; period: string; budget: Decimal } | undefined;
	/** Whether the row may have the reservation. */
	#isOpen = false;
	/** While the reservation is being written, nothing is taken from it: it may also become smaller. */
	#writing: Promise<Claim> | undefined;
	/** The node run that has written it last, while what it does not use is looked for. */
	#watcher: Caller | undefined;

	constructor(id: string) {
		this.#id = id;
	}

	join(): void {
		this.#callers++;
	}

	/** @returns the change that gives the reservation back, if this was the last node run. */
	leave(): { id: string; change: Change<unknown> } | undefined {
		this.#callers--;
		if (this.#callers || !this.#isOpen) return undefined;
		const id = this.#id;
		return { id, change: (state) => closeReservation(state, id, this.#spent) };
	}

	get isOver(): boolean {
		return this.#callers === 0;
	}

	async findFree({ change, use }: Caller) {
		const id = this.#id;
		return await change((state) =>
			findFree(state, use.settings, { id, spent: this.#spent, held: this.#held }),
		);
	}

	/** Node runs that wait for one another would otherwise all be refused what all of them hold. */
	async giveBackUnused(caller: Caller): Promise<void> {
		if (this.#unused().gt(0)) await this.#write(caller, ZERO, ZERO);
	}

	/** Takes an amount from the reservation, and enlarges it if it is too small. @returns why it does not fit. */
	async hold(caller: Caller, most: Decimal): Promise<Refusal | undefined> {
		this.#asked = this.#asked.plus(most);
		try {
			while (!this.#isEnough(caller, most)) {
				const other = this.#writing;
				// that of another node run may end with its execution
				const claim = await (other?.catch(() => undefined) ?? this.#write(caller, most));
				// another request may have needed more
				if (!other && claim && 'refused' in claim) return claim;
			}
		} finally {
			this.#asked = this.#asked.minus(most);
		}
		this.#held = this.#held.plus(most);
		this.#taken = this.#taken.plus(most);
		return undefined;
	}

	/** A request has ended. @param most What was held for it. @param paid What it has cost. */
	release(most: Decimal, paid = ZERO): void {
		this.#held = this.#held.minus(most);
		this.#spent = this.#spent.plus(paid);
	}

	#unused(): Decimal {
		return this.#grant?.amount.minus(this.#spent).minus(this.#held) ?? ZERO;
	}

	#isEnough({ use: { book, settings } }: Caller, most: Decimal): boolean {
		if (!this.#grant?.budget.eq(settings.amount)) return false;
		return this.#grant.period === book.periodStart(settings.length) && this.#unused().gte(most);
	}

	/** What will be taken until the next write, if it goes on as it did. */
	#foreseen(now: number): Decimal {
		const time = Math.max(MIN_TIME, now - this.#writtenAt);
		return this.#taken.times(this.#lasts).div(time).round();
	}

	/** @param soon What it is to be large enough for beside requests under way. */
	async #write(caller: Caller, most: Decimal, soon?: Decimal): Promise<Claim> {
		this.#writing = this.#claim(caller, most, soon).finally(() => (this.#writing = undefined));
		return await this.#writing;
	}

	/** Writes what was spent, and makes the reservation large enough for one more request, and for those that are foreseen. */
	async #claim(caller: Caller, most: Decimal, soon?: Decimal): Promise<Claim> {
		const { settings, clock } = caller.use;
		const id = this.#id;
		this.#grant = undefined;
		this.#isOpen = true;
		const foreseen = this.#foreseen(clock.now());
		this.#taken = ZERO;
		this.#writtenAt = clock.now();
		const { amount, ...claim } = await caller.change((state, now) => {
			const held = this.#held;
			const wish = held.plus(soon ?? larger(this.#asked, foreseen));
			const wanted = { counted: this.#spent, need: held.plus(most), wish };
			const claimed = claimReservation(state, settings, { ...caller.use, id }, wanted, now);
			return { ...claimed, amount: this.#spent.plus(reservedBy(state.reservations[id])) };
		});
		this.#grant = { amount, period: claim.figures.start, budget: settings.amount };
		this.#lasts = Math.max(LASTS, claim.figures.open * LASTS_PER_RESERVATION);
		this.#watch(caller);
		return claim;
	}

	#watch(caller: Caller): void {
		const isWatched = this.#watcher !== undefined;
		this.#watcher = caller;
		const stop = () => (this.#watcher = undefined);
		if (!isWatched) void this.#giveBackLater(caller).then(stop, stop);
	}

	/** Gives back what is not used, also if no request comes any more. */
	async #giveBackLater(caller: Caller): Promise<void> {
		const { uncancellableClock: clock } = await caller.use.open();
		while (this.#callers && (!this.#grant || this.#unused().gt(0))) {
			await clock.sleep(this.#lasts);
			const isIdle = !this.#writing && clock.now() - this.#writtenAt >= this.#lasts;
			const isTooMuch = !this.#grant || this.#unused().gt(this.#foreseen(clock.now()));
			// what fails is tried again: until then, the row has what was reserved
			if (this.#callers && isIdle && isTooMuch)
				await this.#write(this.#watcher ?? caller, ZERO).catch(() => undefined);
		}
	}
}
