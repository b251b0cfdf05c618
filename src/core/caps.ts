import {
	type Bound,
	describeBound,
	describeUnbounded,
	ORDER,
	type Scope,
	type Share,
} from './reserve';
import { invalidInputError, joinSentences, type ServiceError, withDetails } from './errors';
import { Big, type Decimal, floorToMicroUsd, formatUsd, ZERO } from './money';

/** What the requests of a scope cost. Plain data: it is stored with the execution. Amounts are digits of micro-dollars. */
export interface Spending {
	spent: string;
	/** What requests could cost that are under way, or whose cost was not reported. */
	reserved: string;
	/** How many these are. */
	open: number;
	/** Whether a cost is missing that the cap needs. */
	isUnknown?: true;
	/** What jobs count with that have not ended, by what the caller calls them. */
	jobs?: Record<string, string>;
}

/** The state before the first request. */
export const emptySpending = (): Spending => ({ spent: '0', reserved: '0', open: 0 });

/** Keeps what a started job counts with, until it has ended. @param microUsd Digits. */
export function keepEstimate(spending: Spending, job: string, microUsd: string): void {
	(spending.jobs ??= {})[job] = microUsd;
}

/** A job has ended: what it has cost counts in place of its estimate, once. Of another execution, it changes nothing. */
export function replaceEstimate(spending: Spending, job: string, cost: Decimal | number): void {
	const { [job]: estimate, ...others } = spending.jobs ?? {};
	if (estimate === undefined) return;
	spending.jobs = others;
	spending.spent = toAmount(spending.spent).minus(estimate).plus(cost).toFixed();
}

interface CapOptions {
	/** USD. */
	cap: number;
	/** The label of its field in the editor. */
	field: string;
	/** What it applies to, e.g. `execution`. */
	of: string;
	/** What already counts. Without it, the cap applies to each request alone. */
	spending?: Spending | undefined;
	/** Whether nothing more is sent after a request whose cost is not known, because what was reserved for it is only the least. */
	needsCosts?: boolean;
}

/** The requests of this process that are under way: what they have reserved, and who waits for the end of one. */
interface UnderWay {
	count: number;
	reserved: Decimal;
	waiting: Array<() => void>;
}

/** By the spending that counts them. Its `open` also counts requests of unknown cost, and interrupted ones: for these nobody waits. */
const underWayIn = new WeakMap<Spending, UnderWay>();

/**
 * A limit that the user has set, as a scope. A request waits for others that are under way if it may fit when they have cost less than they
 * could: otherwise items at the same time would be refused while money is left.
 */
export class Cap implements Scope {
	readonly #options: CapOptions;
	readonly #allowed: Decimal;
	readonly #spending: Spending;

	constructor(options: CapOptions) {
		this.#options = options;
		this.#allowed = floorToMicroUsd(options.cap) ?? ZERO;
		this.#spending = options.spending ?? emptySpending();
	}

	/** Micro-dollars that it still allows, rounded down. Below zero if it is exceeded. */
	remaining(): Decimal {
		const { spent, reserved } = this.#spending;
		if (spent === '0' && reserved === '0') return this.#allowed;
		return this.#allowed.minus(spent).minus(reserved).round(0, Big.roundDown);
	}

	/** @throws ServiceError `invalid` if it does not allow the request, whatever those under way cost. */
	check(bound: Bound): void {
		if (this.#spending.isUnknown) throw unenforceableError(this.#options);
		const left = this.remaining();
		if (fits(bound, left)) return;
		const underWay = underWayIn.get(this.#spending);
		if (underWay && fits(bound, left.plus(underWay.reserved))) return;
		throw this.#refusal(bound);
	}

	reserve(bound: Bound): Share | undefined {
		this.check(bound);
		if (!fits(bound, this.remaining())) return undefined;
		const spending = this.#spending;
		const amount = 'unbounded' in bound ? ZERO : ZERO.plus(bound.microUsd);
		this.#add('reserved', amount);
		spending.open++;
		const end = begin(spending, amount);
		const giveBack = () => {
			this.#add('reserved', amount.neg());
			spending.open--;
		};
		return {
			release() {
				giveBack();
				end();
			},
			settle: (cost) => {
				if (cost !== undefined) {
					giveBack();
					this.#add('spent', cost);
				} else if (this.#options.needsCosts) spending.isUnknown = true;
				end();
			},
		};
	}

	async othersEnd(): Promise<void> {
		const underWay = underWayIn.get(this.#spending);
		if (underWay?.count) await new Promise<void>((resolve) => underWay.waiting.push(resolve));
	}

	#refusal(bound: Bound): ServiceError {
		const { of, field, needsCosts } = this.#options;
		const { open } = this.#spending;
		const spent = toAmount(this.#spending.spent);
		const reserved = toAmount(this.#spending.reserved);
		const limit = formatUsd(this.#allowed);
		const cost = describeBound(bound);
		const raise = `To send it anyway, raise "${field}".`;
		const advice = 'unbounded' in bound ? raise : bound.advise(field);
		const refuse = (message: string, what: string) =>
			withDetails(invalidInputError(message, `Nothing was sent. ${what}`), {
				computed: { reachedCap: field },
			});
		if (this.#allowed.eq(0))
			return refuse(`The spending cap of ${limit} allows no cost. ${cost}`, raise);
		if (!open && spent.eq(0))
			return refuse(`${cost}, more than the spending cap of ${limit}`, advice);
		const requests = open === 1 ? '1 request that is' : `${open} requests that are`;
		const more = open
			? `, and ${formatUsd(reserved)} is reserved for ${requests} under way or of unknown cost`
			: '';
		const estimated = needsCosts ? ' or estimated' : '';
		const figures = `${formatUsd(spent)} is spent${estimated}${more}. ${cost}.`;
		// nothing is small enough where nothing is left
		return this.#allowed.minus(spent).minus(reserved).gt(0)
			? refuse(
					`This does not fit into what is left of the spending cap of ${limit} for this ${of}`,
					`${figures} ${advice}`,
				)
			: refuse(`The spending cap of ${limit} for this ${of} is reached`, `${figures} ${raise}`);
	}

	#add(name: 'spent' | 'reserved', microUsd: Decimal | number): void {
		this.#spending[name] = toAmount(this.#spending[name]).plus(microUsd).toFixed();
	}
}

const fits = (bound: Bound, left: Decimal): boolean =>
	'unbounded' in bound ? left.gt(0) : left.gte(bound.microUsd);

/** A request is under way. @returns what ends it. */
function begin(spending: Spending, amount: Decimal): () => void {
	const underWay = underWayIn.get(spending) ?? { count: 0, reserved: ZERO, waiting: [] };
	underWayIn.set(spending, underWay);
	underWay.count++;
	underWay.reserved = underWay.reserved.plus(amount);
	return () => {
		underWay.count--;
		underWay.reserved = underWay.reserved.minus(amount);
		for (const wake of underWay.waiting.splice(0)) wake();
	};
}

/** Costs of conversations may be so large, or have so many decimals, that `readDecimal` does not take them. */
const toAmount = (digits: string): Decimal => (digits === '0' ? ZERO : new Big(digits));

/** The labels of the fields that limit requests. */
export const capLabels = {
	item: 'Spending Cap per Item (USD)',
	call: 'Spending Cap per Call (USD)',
	execution: 'Spending Cap per Execution (USD)',
} as const;

/** The cap of a single request. @param cap USD. */
export const createRequestCap = (of: 'item' | 'call', cap: number): Cap =>
	new Cap({ cap, field: capLabels[of], of });

/**
 * The cap of all requests of a node in an execution, if it has one.
 *
 * @param cap USD.
 * @param spending What they have cost. If absent, the cap applies to each request alone, as before anything is sent.
 */
export const createExecutionCap = (
	cap: number | undefined,
	spending?: Spending,
	needsCosts = false,
): Cap | undefined =>
	cap === undefined
		? undefined
		: new Cap({ cap, field: capLabels.execution, of: 'execution', spending, needsCosts });

/** The field that limits a conversation. Its speakers get what is left of it. */
export const CONVERSATION_CAP = 'Spending Cap per Conversation';

/** @param cap USD. @param spent USD that the speakers have reported. */
export const createConversationCap = (cap: number, spent: number): Cap =>
	new Cap({
		cap,
		field: CONVERSATION_CAP,
		of: 'conversation',
		spending: { ...emptySpending(), spent: new Big(spent).times(1e6).toFixed() },
	});

const unenforceableError = ({ of, field }: CapOptions) =>
	invalidInputError(
		`The spending cap for this ${of} cannot be enforced: it is not known what an earlier request costs, or whether it was started`,
		`Nothing was sent. Check what was started, and run the rest in a new execution: "${field}" counts from 0 there.`,
	);

/** The caps of a request, as scopes. */
export type Caps = { readonly [name in (typeof ORDER)[number]]?: Cap | undefined };

/** Micro-dollars that the caps leave for one request. @param free What a shared budget leaves. */
export function leftIn(caps: Caps, free?: Decimal): Decimal | undefined {
	let least = free;
	for (const cap of listCaps(caps)) {
		const left = cap.remaining();
		if (!least || left.lt(least)) least = left;
	}
	return least;
}

/**
 * Rejects a request that does not fit its caps. Nothing is reserved.
 *
 * @param allowUnknownCost Whether a request of unknown cost is allowed, as long as the caps allow any cost.
 * @throws ServiceError `invalid`.
 */
export function checkCaps(caps: Caps, bound: Bound, allowUnknownCost: boolean): void {
	checkKnown(bound, allowUnknownCost);
	for (const cap of listCaps(caps)) cap.check(bound);
}

/** Rejects a request of unknown cost that is not allowed. @throws ServiceError `invalid`. */
export function checkKnown(bound: Bound, allowUnknownCost: boolean): void {
	if (!('unbounded' in bound) || allowUnknownCost) return;
	throw invalidInputError(
		describeUnbounded(bound),
		joinSentences('Nothing was sent.', bound.remedy, bound.trouble !== 'fault' && ALLOW),
	);
}

/** The last remedy, for a price that nobody knows. */
const ALLOW =
	'To send it anyway, turn on "Allow Unknown Cost" in Options: no spending cap then limits what it costs.';

function listCaps(caps: Caps): Cap[] {
	const list: Cap[] = [];
	for (const name of ORDER) {
		const cap = caps[name];
		if (cap) list.push(cap);
	}
	return list;
}
