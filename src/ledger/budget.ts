import type { Bound, Cost, JobScope, Scope, SharedBudget } from '../core/budget';
import { type Decimal, formatUsd, ZERO } from '../core/money';
import { enterBudgetAlarms, reachedThresholds } from './alarms';
import { getBudget, pauseBudget, releaseLump, resumeBudget } from './budgetActions';
import type { Change } from './budgetBook';
import { budgetFullError, pausedError, refusalError, unboundedError } from './budgetErrors';
import type { BudgetUse } from './budgetSettings';
import {
	claimLump,
	closeLump,
	endJobLump,
	type Figures,
	figuresOf,
	type Holder,
	jobLump,
	type Refused,
	startJobLump,
} from './budgetState';

/** Tries to reserve. @returns nothing once it is done, or why it cannot be done yet. */
type Attempt = () => Promise<{ refused?: Refused; figures: Figures } | undefined>;

/** Milliseconds for which a request waits for what others have reserved. */
const MAX_WAIT = 30_000;
/** Milliseconds between two looks. */
const WAIT_STEP = 1000;

/**
 * The budget of a credential, as one node run spends it. The run reserves a part for many of its requests, and gives the rest back at
 * its end.
 */
export class NodeBudget implements SharedBudget {
	readonly #use: BudgetUse;
	readonly #holder: Holder;
	/** Micro-dollars that were spent in all, and those that the row counts. */
	#spent = ZERO;
	#counted = ZERO;
	/** What the part had when it was last written, in which period that was, and what requests under way may take of it. */
	#granted = ZERO;
	#grantedIn = '';
	#held = ZERO;
	/** Requests that are still to come, as far as it is known. */
	#expected = 1;
	/** Whether the row may have the part. */
	#isOpen = false;
	/** While the part is written, nobody takes of it: it may become smaller, too. */
	#enlarging: Promise<unknown> | undefined;
	/** Until when requests wait for what others have reserved; undefined as long as none has to. */
	#waitsUntil: number | undefined;
	/** Changes that nobody has waited for yet. */
	readonly #writing = new Set<Promise<unknown>>();

	readonly actions: SharedBudget['actions'];
	readonly calls: Scope = { reserve: async (bound) => await this.#reserveCall(bound) };

	constructor(use: BudgetUse) {
		this.#use = use;
		const { execution, workflow } = use;
		this.#holder = { id: `run:${use.newId()}`, execution, workflow };
		this.actions = {
			get: async () => await getBudget(use),
			pause: async (reason) => await pauseBudget(use, reason),
			resume: async () => await resumeBudget(use),
			release: async (id) => await releaseLump(use, id),
		};
	}

	expectCalls(calls: number): void {
		this.#expected = calls;
	}

	async check(): Promise<void> {
		const { book, open, settings, clock, asTool } = this.#use;
		const { note } = await book.read(open, settings, clock.now());
		if (note) throw pausedError(note, asTool);
	}

	async remaining(): Promise<Decimal> {
		const { amount, length } = this.#use.settings;
		return await this.#change((state) => amount.minus(figuresOf(state, length).spent));
	}

	openStart(model: string): JobScope {
		const id = `start:${this.#use.newId()}`;
		let job: string | undefined;
		return {
			setJob: (mediaType, jobId) => void (job = jobLump(mediaType, jobId)),
			reserve: async (bound) => {
				await this.#reserveStart(id, model, bound);
				return {
					release: () => this.#record(id, (state) => closeLump(state, id, ZERO)),
					settle: (cost) => {
						const estimate = toAmount(cost);
						this.#record(id, (state) => {
							if (job) return startJobLump(state, id, { job, model, estimate });
							closeLump(state, id, estimate ?? ZERO.plus(state.lumps[id]?.most ?? 0));
						});
					},
				};
			},
		};
	}

	endJob(mediaType: string, jobId: string, cost: Cost): void {
		const job = jobLump(mediaType, jobId);
		this.#record(job, (state) => endJobLump(state, job, toAmount(cost)));
	}

	async close(): Promise<void> {
		const { id } = this.#holder;
		const spent = this.#spent;
		if (this.#isOpen) this.#record(id, (state) => closeLump(state, id, spent));
		this.#isOpen = false;
		this.#grantedIn = '';
		await Promise.all(this.#writing);
	}

	async enterAlarms(label: string): Promise<void> {
		await enterBudgetAlarms(this.#use, label);
	}

	async #change<Outcome>(change: Change<Outcome>): Promise<Outcome> {
		const { book, open, settings } = this.#use;
		let isReached = false;
		const outcome = await book.change(open, settings, (state, now, row) => {
			const changed = change(state, now, row);
			isReached = reachedThresholds(state, settings, '').length > 0;
			return changed;
		});
		// if it fails, the next change or the next poll does it
		if (isReached) await enterBudgetAlarms(this.#use, '').catch(() => undefined);
		return outcome;
	}

	/** For what is already paid: a failure must not take the answer away. */
	#record(id: string, change: Change<void>): void {
		const written = this.#change(change).catch((cause: unknown) => {
			const why = cause instanceof Error ? cause.message : String(cause);
			this.#use.addHint(
				`The budget could not be updated (${why}). Its part ${id} stays reserved until the period ends, or until somebody releases it.`,
			);
		});
		this.#writing.add(written);
		void written.then(() => this.#writing.delete(written));
	}

	/** Tries for at most 30 s since the last request that fitted: items one after another must not wait as long each. */
	async #waitUntil(bound: Bound, attempt: Attempt): Promise<void> {
		const { clock, asTool, settings } = this.#use;
		for (;;) {
			await this.check();
			const { refused, figures } = (await attempt()) ?? {};
			if (!refused || !figures) {
				this.#waitsUntil = undefined;
				return;
			}
			const until = (this.#waitsUntil ??= clock.now() + MAX_WAIT);
			if (refused === 'full') throw budgetFullError(asTool);
			if (refused === 'spent' || clock.now() >= until)
				throw refusalError({ settings, asTool, refused, figures, bound });
			await clock.sleep(WAIT_STEP);
		}
	}

	#toMost(bound: Bound): Decimal {
		if ('microUsd' in bound) return ZERO.plus(bound.microUsd);
		const { settings, asTool } = this.#use;
		if (settings.unknownCost) return settings.unknownCost;
		throw unboundedError(bound.unbounded, asTool);
	}

	async #reserveStart(id: string, model: string, bound: Bound): Promise<void> {
		const least = this.#toMost(bound);
		const holder = { ...this.#holder, id };
		await this.#waitUntil(bound, async () =>
			this.#change((state, now) => {
				const highest = state.estimates[model]?.most;
				const need = least.gt(highest ?? 0) ? least : ZERO.plus(highest ?? 0);
				const amounts = { counted: ZERO, held: ZERO, need, wish: need };
				const claimed = { ...amounts, awaitsEstimate: highest === undefined };
				return claimLump(state, this.#use.settings, holder, claimed, now);
			}),
		);
	}

	async #reserveCall(bound: Bound) {
		const most = this.#toMost(bound);
		await this.#waitUntil(bound, async () => await this.#hold(most));
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

	/** Takes an amount of the part, which is enlarged if it has not enough. */
	async #hold(most: Decimal): ReturnType<Attempt> {
		const { book, settings } = this.#use;
		const isEnough = () =>
			book.periodStart(settings.length) === this.#grantedIn &&
			this.#granted.minus(this.#spent.minus(this.#counted)).minus(this.#held).gte(most);
		while (this.#enlarging || !isEnough()) {
			if (this.#enlarging) await this.#enlarging.catch(() => undefined);
			else {
				const enlarged = this.#enlarge(most).finally(() => (this.#enlarging = undefined));
				this.#enlarging = enlarged;
				const result = await enlarged;
				if (result.refused) return result;
			}
		}
		this.#held = this.#held.plus(most);
		return undefined;
	}

	/** Writes what was spent, and makes the part large enough for one more request. */
	async #enlarge(most: Decimal) {
		this.#grantedIn = '';
		this.#isOpen = true;
		const result = await this.#change((state, now) => {
			const counted = this.#spent;
			const held = this.#held;
			const wish = held.plus(most.times(Math.max(1, this.#expected)));
			const claimed = { counted, held, need: held.plus(most), wish };
			const lump = claimLump(state, this.#use.settings, this.#holder, claimed, now);
			return { ...lump, counted };
		});
		this.#granted = result.most;
		this.#counted = result.counted;
		this.#grantedIn = result.figures.start;
		return result;
	}
}

const toAmount = (cost: Cost): Decimal | undefined =>
	cost === undefined ? undefined : ZERO.plus(cost);
