import { type Bound, describeBound, describeUnbounded } from './bound';
import { invalidInputError, joinSentences, type ServiceError, withDetails } from './errors';
import { Big, type Decimal, floorToMicroUsd, formatUsd, ZERO } from './money';
import { ORDER, type Share } from './reserve';

/** What the requests of a scope cost. Plain data: it is stored with the execution. Amounts are digits of micro-dollars. */
export interface Spending {
	spent: string;
	/** What requests could cost that are under way, or whose cost was not reported. */
	reserved: string;
	/** How many these are. */
	open: number;
	/** Whether a cost is missing that the cap needs. */
	isUnknown?: true;
}

/** The state before the first request. */
export const emptySpending = (): Spending => ({ spent: '0', reserved: '0', open: 0 });

interface CapOptions {
	/** USD. */
	cap: number;
	/** The label of its field in the editor. */
	field: string;
	/** What it applies to, e.g. `execution`. */
	of: string;
	/** What already counts. Without it, the cap applies to each request alone. */
	spending?: Spending;
	/** Whether nothing more is sent after a request whose cost is not known, because what was reserved for it is only the least. */
	needsCosts?: boolean;
}

/** A limit that the user has set. */
type Cap = ReturnType<typeof createCap>;

/** Makes a scope of a limit. */
export function createCap(options: CapOptions) {
	const { cap, spending = emptySpending(), needsCosts } = options;
	const allowed = floorToMicroUsd(cap) ?? ZERO;
	const add = (name: 'spent' | 'reserved', microUsd: Decimal | number) =>
		void (spending[name] = toAmount(spending[name]).plus(microUsd).toFixed());
	/** Micro-dollars that it still allows, rounded down. Below zero if it is exceeded. */
	const remaining = () =>
		allowed
			.minus(toAmount(spending.spent))
			.minus(toAmount(spending.reserved))
			.round(0, Big.roundDown);
	/** @throws ServiceError `invalid` if it does not allow the request. */
	const check = (bound: Bound) => {
		if (spending.isUnknown) throw unenforceableError(options);
		const left = remaining();
		if ('unbounded' in bound ? left.gt(0) : left.gte(bound.microUsd)) return;
		throw refusal(options, spending, bound);
	};
	return {
		remaining,
		check,
		/** Counts what was spent before. */
		count: (microUsd: Decimal) => add('spent', microUsd),
		reserve(bound: Bound): Share {
			check(bound);
			const amount = 'unbounded' in bound ? ZERO : ZERO.plus(bound.microUsd);
			add('reserved', amount);
			spending.open++;
			const release = () => {
				add('reserved', amount.neg());
				spending.open--;
			};
			return {
				release,
				settle(cost) {
					if (cost === undefined) {
						if (needsCosts) spending.isUnknown = true;
						return;
					}
					release();
					add('spent', cost);
				},
			};
		},
	};
}

/** Costs of conversations may be so large, or have so many decimals, that `readDecimal` does not take them. */
const toAmount = (digits: string): Decimal => (digits === '0' ? ZERO : new Big(digits));

/** The field that limits a conversation. Its speakers get what is left of it. */
export const CONVERSATION_CAP = 'Spending Cap per Conversation';

/** @param cap USD. @param spent USD that the speakers have reported. */
export const createConversationCap = (cap: number, spent: number): Cap =>
	createCap({
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

function refusal({ cap, of, field }: CapOptions, spending: Spending, bound: Bound): ServiceError {
	const { spent, reserved, open } = spending;
	const allowed = floorToMicroUsd(cap) ?? ZERO;
	const limit = formatUsd(allowed);
	const cost = describeBound(bound);
	const raise = `To send it anyway, raise "${field}".`;
	const advice = 'unbounded' in bound ? raise : bound.advise(field);
	const details = { computed: { reachedCap: field } };
	if (allowed.eq(0)) {
		const message = `The spending cap of ${limit} allows no cost. ${cost}`;
		return withDetails(invalidInputError(message, `Nothing was sent. ${raise}`), details);
	}
	if (!open && toAmount(spent).eq(0)) {
		const message = `${cost}, more than the spending cap of ${limit}`;
		return withDetails(invalidInputError(message, `Nothing was sent. ${advice}`), details);
	}
	const requests = open === 1 ? '1 request that is' : `${open} requests that are`;
	const more = open
		? `, and ${formatUsd(toAmount(reserved))} is reserved for ${requests} under way or of unknown cost`
		: '';
	const figures = `${formatUsd(toAmount(spent))} is spent${more}. ${cost}.`;
	const left = allowed.minus(toAmount(spent)).minus(toAmount(reserved));
	const isLeft = left.gt(0);
	const message = isLeft
		? `This does not fit into what is left of the spending cap of ${limit} for this ${of}`
		: `The spending cap of ${limit} for this ${of} is reached`;
	// nothing is small enough where nothing is left
	const remedy = isLeft ? advice : raise;
	return withDetails(invalidInputError(message, `Nothing was sent. ${figures} ${remedy}`), details);
}

/** The caps of a request, as scopes. */
export type Caps = { readonly [name in (typeof ORDER)[number]]?: Cap | undefined };

/** Micro-dollars that the caps leave for one request. @param free What a shared budget leaves. */
export function leftIn(caps: Caps, free?: Decimal): Decimal | undefined {
	return [...listCaps(caps).map((cap) => cap.remaining()), ...(free ? [free] : [])].sort(
		(one, other) => one.cmp(other),
	)[0];
}

/**
 * Rejects a request that does not fit its caps. Nothing is reserved.
 *
 * @param allowUnknownCost Whether a request of unknown cost is allowed, as long as the caps allow any cost.
 * @throws ServiceError `invalid`.
 */
export function checkCaps(caps: Caps, bound: Bound, allowUnknownCost: boolean): void {
	if ('unbounded' in bound && !allowUnknownCost)
		throw invalidInputError(
			describeUnbounded(bound),
			joinSentences('Nothing was sent.', bound.remedy, bound.trouble !== 'fault' && ALLOW),
		);
	for (const cap of listCaps(caps)) cap.check(bound);
}

/** The last remedy, for a price that nobody knows. */
const ALLOW =
	'To send it anyway, turn on "Allow Unknown Cost" in Options: no spending cap then limits what it costs.';

const listCaps = (caps: Caps) => ORDER.flatMap((name) => caps[name] ?? []);
