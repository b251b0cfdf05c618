import type { Bound, Cost, JobScope, Scope, SharedBudget } from '../core/budget';
import { messageOf } from '../core/errors';
import { type Decimal, formatUsd, ZERO } from '../core/money';
import { type Alarm, dueAlarms, enterBudgetAlarms } from './alarms';
import { createBudgetActions } from './budgetActions';
import type { BudgetUse, Change } from './budgetBook';
import { pausedError, refusalError, unboundedError } from './budgetErrors';
import {
	type Claim,
	claimLump,
	closeLump,
	figuresOf,
	type Holder,
	jobLump,
	larger,
	startJobLump,
} from './budgetState';

/** Milliseconds for which a request waits for what others have reserved. */
const MAX_WAIT = 30_000;
/** Milliseconds between two attempts. */
const WAIT_STEP = 1000;

/**
 * The budget of a credential, as one node run spends it. The run reserves a part for many of its requests, and gives the rest back at
 * its end.
 */
export class NodeBudget implements SharedBudget {
	readonly #use: BudgetUse;
	readonly #holder: Holder;
	/** Micro-dollars that were spent in total, and those that requests under way may still spend. */
	#spent = ZERO;
	#held = ZERO;
	/** How much both may be together, as the part was last written, and in which period that was. */
	#granted = ZERO;
	#grantedIn = '';
	/** Requests that are still to come, as far as known. */
	#expected = 1;
	/** Whether the row may have the part. */
	#isOpen = false;
	/** While the part is being written, nothing is taken from it: it may also become smaller. */
	#enlarging: Promise<Claim> | undefined;
	/** Until when requests wait for what others have reserved; undefined while none has to. */
	#waitsUntil: number | undefined;
	/** Ends when all changes have been written that nothing has waited for. */
	#written: Promise<unknown> = Promise.resolve();

	readonly actions: SharedBudget['actions'];
	readonly calls: Scope = { reserve: async (bound) => await this.#reserveCall(bound) };

	constructor(use: BudgetUse) {
		this.#use = use;
		const { execution, workflow } = use;
		this.#holder = { id: `run:${use.newId()}`, execution, workflow };
		this.actions = createBudgetActions(use);
	}

	expectCalls(calls: number): void {
		this.#expected = calls;
	}

	async check(): Promise<void> {
		const { note } = await this.#use.book.read(this.#use);
		if (note) throw pausedError(this.#use, note);
	}

	async remaining(): Promise<Decimal> {
		const { amount, length } = this.#use.settings;
		return await this.#change((state) => amount.minus(figuresOf(state, length).spent));
	}

	openStart(model: string): JobScope {
		const id = `start:${this.#use.newId()}`;
		let job: string | undefined;
		const settle = (cost: Cost) => {
			const estimate = toAmount(cost);
			this.#record(id, (state) =>
				job ? startJobLump(state, id, { job, model, estimate }) : closeLump(state, id, estimate),
			);
		};
		return {
			setJob: (mediaType, jobId) => void (job = jobLump(mediaType, jobId)),
			reserve: async (bound) => {
				await this.#reserve(bound, async (least) => await this.#claimStart(id, model, least));
				return { settle, release: () => settle(ZERO) };
			},
		};
	}

	endJob(mediaType: string, jobId: string, cost: Cost): void {
		const job = jobLump(mediaType, jobId);
		this.#record(job, (state) => closeLump(state, job, toAmount(cost)));
	}

	async close(): Promise<void> {
		const { id } = this.#holder;
		if (this.#isOpen) this.#record(id, (state) => closeLump(state, id, this.#spent));
		this.#isOpen = false;
		this.#grantedIn = '';
		await this.#written;
	}

	async enterAlarms(label: string): Promise<void> {
		const { book, settings } = this.#use;
		const alarms = await book.change(this.#use, (state) => dueAlarms(state, settings, label));
		await enterBudgetAlarms(this.#use, label, alarms);
	}

	async #change<Outcome>(change: Change<Outcome>): Promise<Outcome> {
		const { book, settings } = this.#use;
		let alarms: Alarm[] = [];
		const outcome = await book.change(this.#use, (state, now, row) => {
			const changed = change(state, now, row);
			alarms = dueAlarms(state, settings, '');
			return changed;
		});
		// if it fails, the next change or the next poll does it
		await enterBudgetAlarms(this.#use, '', alarms).catch(() => undefined);
		return outcome;
	}

	/** For what is already paid: a failure must not take the answer away. */
	#record(id: string, change: Change<void>): void {
		const written = this.#change(change).catch((cause: unknown) => {
			this.#use.addHint(
				`The budget could not be updated (${messageOf(cause)}). Its part ${id} stays reserved until the period ends, or until somebody releases it.`,
			);
		});
		this.#written = Promise.all([this.#written, written]);
	}

	/**
	 * Tries for at most 30 s after the last request that fit, so that items in sequence do not each wait that long.
	 *
	 * @param attempt Returns nothing, or a claim without a refusal, once the amount is reserved.
	 * @returns the amount.
	 */
	async #reserve(bound: Bound, attempt: (most: Decimal) => Promise<Claim | undefined>) {
		const { clock } = this.#use;
		const most = this.#toMaximum(bound);
		for (;;) {
			await this.check();
			const claim = await attempt(most);
			if (!claim?.refused) break;
			this.#waitsUntil ??= clock.now() + MAX_WAIT;
			const mayChange = claim.refused === 'reserved' || claim.refused === 'estimate';
			if (!mayChange || clock.now() >= this.#waitsUntil)
				throw refusalError(this.#use, claim, bound);
			await clock.sleep(WAIT_STEP);
		}
		this.#waitsUntil = undefined;
		return most;
	}

	#toMaximum(bound: Bound): Decimal {
		if ('microUsd' in bound) return ZERO.plus(bound.microUsd);
		const { unknownCost } = this.#use.settings;
		if (unknownCost) return unknownCost;
		throw unboundedError(this.#use, bound.unbounded);
	}

	async #claimStart(id: string, model: string, least: Decimal): Promise<Claim> {
		return await this.#change((state, now) => {
			const highest = state.estimates[model]?.most;
			const need = larger(least, ZERO.plus(highest ?? 0));
			const wanted = { need, awaitsEstimate: highest === undefined };
			return claimLump(state, this.#use.settings, { ...this.#holder, id }, wanted, now);
		});
	}

	async #reserveCall(bound: Bound) {
		const most = await this.#reserve(bound, async (amount) => await this.#hold(amount));
		this.#expected--;
		const giveBack = () => void (this.#held = this.#held.minus(most));
		return {
			release: giveBack,
			settle: (cost: Cost) => {
				giveBack();
				const paid = toAmount(cost) ?? most;
				this.#spent = this.#spent.plus(paid);
				if (paid.gt(most))
					this.#use.addHint(
						`A request cost ${formatUsd(paid)}, more than the ${formatUsd(most)} that it could cost at the prices of the catalog. The budget counts what it cost.`,
					);
			},
		};
	}

	/** Takes an amount from the part, and enlarges the part if it is too small. */
	async #hold(most: Decimal): Promise<Claim | undefined> {
		const { book, settings } = this.#use;
		const isEnough = () =>
			book.periodStart(settings.length) === this.#grantedIn &&
			this.#granted.minus(this.#spent).minus(this.#held).gte(most);
		while (!isEnough()) {
			const isOther = this.#enlarging !== undefined;
			this.#enlarging ??= this.#enlarge(most).finally(() => (this.#enlarging = undefined));
			const result = await this.#enlarging;
			// another request may have needed more
			if (result.refused && !isOther) return result;
		}
		this.#held = this.#held.plus(most);
		return undefined;
	}

	/** Writes what was spent, and makes the part large enough for one more request. */
	async #enlarge(most: Decimal): Promise<Claim> {
		this.#grantedIn = '';
		this.#isOpen = true;
		const claim = await this.#change((state, now) => {
			const counted = this.#spent;
			const held = this.#held;
			const wish = held.plus(most.times(Math.max(1, this.#expected)));
			const wanted = { counted, held, need: held.plus(most), wish };
			const lump = claimLump(state, this.#use.settings, this.#holder, wanted, now);
			return { ...lump, granted: counted.plus(lump.most) };
		});
		this.#granted = claim.granted;
		this.#grantedIn = claim.figures.start;
		return claim;
	}
}

const toAmount = (cost: Cost): Decimal | undefined =>
	cost === undefined ? undefined : ZERO.plus(cost);
