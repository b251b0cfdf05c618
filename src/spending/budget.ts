import type { JobScope, JobStart, SharedBudget, StartDecision } from '../core/accounts';
import { type Bound, type Cost, MOST_TIMES } from '../core/reserve';
import { mapServiceError, messageOf, ServiceError } from '../core/errors';
import { type Decimal, formatUsd, ZERO } from '../core/money';
import { type Alarm, dueAlarms, enterBudgetAlarms } from './alarms';
import { createBudgetActions } from './budgetActions';
import type { BudgetBook, BudgetUse, Change } from './budgetBook';
import { pausedError, refusalError, unboundedError } from './budgetErrors';
import {
	claimStartReservation,
	decideStart,
	endJobReservation,
	jobReservationId,
	keepUnknownStart,
	startJobReservation,
	startReservationId,
} from './budgetStarts';
import type { Reservation } from './budgetState';
import { type Caller, CallReservation } from './callReservation';
import { factorKey } from './jobFactors';
import { type Claim, closeReservation } from './reservations';

/** Milliseconds for which a request waits for what others have reserved. */
const MAX_WAIT = 30_000;
/** Milliseconds between two attempts. */
const WAIT_STEP = 1000;

/** What the node runs of this process have reserved for their requests. */
const callsOf = new WeakMap<BudgetBook, CallReservation>();

function joinCalls({ book, newId }: BudgetUse): CallReservation {
	const known = callsOf.get(book);
	const joined = known?.isOver === false ? known : new CallReservation(`run:${newId()}`);
	callsOf.set(book, joined);
	joined.join();
	return joined;
}

/** The budget of a credential, as one node run spends it. */
export class NodeBudget implements SharedBudget {
	readonly #use: BudgetUse;
	readonly #caller: Caller;
	/** As long as the run may have requests. */
	#reservation: CallReservation | undefined;
	/** When requests will have waited long enough. Undefined while none has to wait. */
	#waitsUntil: number | undefined;
	/** The start whose estimate requests have last waited for. */
	#waitsFor: string | undefined;
	/** Ends when all changes have been written that nothing has waited for. */
	#written: Promise<unknown> = Promise.resolve();
	/** Whether one of them could not be written. */
	#hasFailed = false;

	readonly actions: SharedBudget['actions'];
	readonly calls: SharedBudget['calls'] = {
		findFree: async (boundWithin) => {
			const reservation = (this.#reservation ??= joinCalls(this.#use));
			for (;;) {
				const { free, unspent } = await reservation.findFree(this.#caller);
				const most = this.#toMaximum(boundWithin(free));
				// only others that give something back can change it
				const mayFit = free.lt(most) && unspent.gte(most);
				if (mayFit) await reservation.giveBackUnused(this.#caller);
				if (!mayFit || !(await this.#wait())) return free;
			}
		},

		reserve: async (bound, free) => {
			const most = this.#toMaximum(bound);
			await this.check();
			const reservation = (this.#reservation ??= joinCalls(this.#use));
			const refusal = await reservation.hold(this.#caller, most);
			// others were faster
			if (refusal && free?.gte(most)) return undefined;
			if (refusal) throw refusalError(this.#use, refusal, bound);
			this.#waitsUntil = undefined;
			return {
				release: () => reservation.release(most),
				settle: (cost: Cost) => {
					const paid = toAmount(cost) ?? most;
					reservation.release(most, paid);
					if (paid.gt(most))
						this.#use.addHint(
							`A request cost ${formatUsd(paid)}, more than the ${formatUsd(most)} that was reserved for it. The budget counts what it cost.`,
						);
				},
			};
		},
	};

	constructor(use: BudgetUse) {
		this.#use = use;
		const change: Caller['change'] = async (wanted) => await this.#change(wanted);
		this.#caller = { use, change };
		this.actions = createBudgetActions(use);
	}

	async check(): Promise<void> {
		const { note } = await this.#use.book.read(this.#use);
		if (note) throw pausedError(this.#use, note);
	}

	openStart({ model, settings, claim, lease }: JobStart): JobScope {
		const id = startReservationId(claim ?? this.#use.newId());
		const key = factorKey({ model, settings });
		const holder = { ...this.#use, id };
		let job: string | undefined;
		let reserved: { bound: Bound; least: Decimal; claimed: Reservation } | undefined;
		const reserve = async (bound: Bound) => {
			const least = this.#toMaximum(bound);
			const start = { key, least, lease };
			const claimed = await this.#reserveStart(bound, (state, now) =>
				claimStartReservation(state, this.#use.settings, holder, start, now),
			);
			reserved = { bound, least, claimed };
		};
		const settle = async (cost: Cost) => {
			const estimate = toAmount(cost);
			await this.#record(id, (state) => {
				if (!reserved || (!job && estimate)) return closeReservation(state, id, estimate);
				const { least, claimed } = reserved;
				const start = { id, model, key, least, claimed };
				return job
					? startJobReservation(state, { ...start, job, estimate })
					: keepUnknownStart(state, start);
			});
		};
		return {
			setJob: (mediaType, jobId) => void (job = jobReservationId(mediaType, jobId)),
			renew: async () => {
				const { unprovenUntil } = reserved?.claimed ?? {};
				if (reserved && unprovenUntil && this.#use.book.now(this.#use) > unprovenUntil - lease / 2)
					await reserve(reserved.bound);
			},
			reserve: async (bound) => {
				await reserve(bound).catch((cause: unknown) => {
					const isRefused = cause instanceof ServiceError && cause.kind === 'invalid';
					// n8n may have written it without an answer
					if (!isRefused) void settle(ZERO);
					throw mapServiceError(cause);
				});
				return { settle, release: async () => await settle(ZERO) };
			},
		};
	}

	endJob(mediaType: string, jobId: string, cost: Cost): void {
		const id = jobReservationId(mediaType, jobId);
		let isOdd = false;
		const written = this.#record(id, (state) => {
			const ended = endJobReservation(state, id, toAmount(cost));
			isOdd = ended.isOdd;
			return ended;
		});
		void written.then(() => {
			if (isOdd)
				this.#use.addHint(
					`The budget does not count ${formatUsd(toAmount(cost))} for the media job ${jobId}, because that is more than ${MOST_TIMES} times what it was estimated at. The estimate counts.`,
				);
		});
	}

	decideStart({ claim, job }: StartDecision): void {
		const id = startReservationId(claim);
		const jobReservation = job && jobReservationId(job.mediaType, job.jobId);
		void this.#record(id, (state) => decideStart(state, id, jobReservation));
	}

	async close(): Promise<void> {
		const last = this.#reservation?.leave();
		this.#reservation = undefined;
		if (last) void this.#record(last.id, last.change);
		await this.#written;
	}

	async enterAlarms(triggerGroup: string): Promise<void> {
		const { book, settings } = this.#use;
		const alarms = await book.change(this.#use, (state) =>
			dueAlarms(state, settings, triggerGroup),
		);
		await enterBudgetAlarms(this.#use, triggerGroup, alarms);
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
	async #record(id: string, change: Change<unknown>): Promise<void> {
		const written = this.#change(change).catch((cause: unknown) => {
			if (!this.#hasFailed)
				this.#use.addHint(
					`The budget could not be updated (${messageOf(cause)}). Reservations such as ${id} stay until the period ends, or until somebody releases them.`,
				);
			this.#hasFailed = true;
		});
		this.#written = Promise.all([this.#written, written]);
		await written;
	}

	/**
	 * Tries for at most 30 s after the last request that fit, so that items in sequence do not each wait that long. The time begins again
	 * whenever the estimate of another start has come.
	 *
	 * @returns what is reserved.
	 */
	async #reserveStart(bound: Bound, claimStart: Change<Claim>): Promise<Reservation> {
		for (;;) {
			await this.check();
			const claim = await this.#change(claimStart);
			if ('claimed' in claim) {
				this.#waitsUntil = undefined;
				return claim.claimed;
			}
			if (claim.waitsFor && claim.waitsFor !== this.#waitsFor) {
				this.#waitsUntil = undefined;
				this.#waitsFor = claim.waitsFor;
			}
			const mayChange = claim.refused === 'reserved' || claim.refused === 'estimate';
			if (!mayChange || !(await this.#wait())) throw refusalError(this.#use, claim, bound);
		}
	}

	/** The wait of all requests of a node run together. @returns false once they have waited for 30 s. */
	async #wait(): Promise<boolean> {
		const { now, sleep } = this.#use.clock;
		this.#waitsUntil ??= now() + MAX_WAIT;
		if (now() >= this.#waitsUntil) return false;
		await sleep(WAIT_STEP);
		return true;
	}

	#toMaximum(bound: Bound): Decimal {
		if ('microUsd' in bound) return ZERO.plus(bound.microUsd);
		const { unknownCost } = this.#use.settings;
		if (unknownCost) return unknownCost;
		throw unboundedError(this.#use, bound);
	}
}

const toAmount = (cost: Cost): Decimal | undefined =>
	cost === undefined ? undefined : ZERO.plus(cost);
