import { invalidInputError, mapServiceError, type ServiceError, withDetails } from './errors';
import { Big, type Decimal, floorToMicroUsd, formatUsd, ZERO } from './money';

/** What a request may cost, as far as that is known before it is sent. */
export type Bound =
	| {
			/** A whole number of micro-dollars. */
			microUsd: number | Decimal;
			/** Whether it is the least that the request costs. Otherwise it is the most. */
			isLeast?: boolean;
			/** Says how it was calculated, and what to do. @param field The field that would have to be raised. */
			advise(field: string): string;
	  }
	| {
			/** Why there is no figure, as one or more sentences. */
			unbounded: string;
			/** What to do about it. Default: allow an unknown cost. */
			remedy?: string | undefined;
	  };

/** What a request has cost, in micro-dollars; undefined if it is not known. */
export type Cost = number | Decimal | undefined;

/** The share of one request in what a scope allows. */
export interface Share {
	/** Replaces what was reserved by the cost. If that is not known, what was reserved stays counted. */
	settle(cost: Cost): void | Promise<void>;
	/** The request was certainly not carried out. */
	release(): void | Promise<void>;
}

/** Says what a request costs at most that asks for no more than is free. @param free Micro-dollars, if something else than the caps says it. */
export type BoundWithin = (free?: Decimal) => Bound;

/** Something that limits what is spent: a cap, or a budget that others share. */
export interface Scope {
	/**
	 * Micro-dollars that are neither spent nor reserved by others. Waits while even the smallest request does not fit because of others.
	 *
	 * @throws ServiceError if it cannot be read.
	 */
	findFree?(boundWithin: BoundWithin): Promise<Decimal>;
	/**
	 * @param free What was free when the bound was found.
	 * @returns undefined if less is free by now, so that the bound, which did fit, has to be found again.
	 * @throws ServiceError `invalid` if it does not allow the request.
	 */
	reserve(bound: Bound, free?: Decimal): Share | undefined | Promise<Share | undefined>;
}

/** The share of one request in all scopes. Only the first call of either method counts. Neither throws. */
export interface Reserved {
	settle(cost: Cost): Promise<void>;
	release(): Promise<void>;
}

/** The scopes, in the order in which they are taken. Those of this process come first: they are taken before the first await. */
const ORDER = ['item', 'jobs', 'calls', 'conversation', 'shared', 'record'] as const;
type Scopes = { readonly [name in (typeof ORDER)[number]]?: Scope | undefined };

/**
 * Counts a request in all scopes before it is sent, so that requests at the same time cannot exceed one of them together. A request
 * that was interrupted stays counted.
 *
 * @throws ServiceError `invalid` as the first scope that does not allow it. Nothing is reserved then.
 */
export async function reserve(scopes: Scopes, boundWithin: BoundWithin): Promise<Reserved> {
	for (;;) {
		const { shared } = scopes;
		const free = shared?.findFree && (await shared.findFree(boundWithin));
		// nothing may be awaited between the two: other requests reserve from the same caps
		const reservation = await reserveWithin(scopes, boundWithin(free), free);
		if (reservation) return reservation;
	}
}

/** @returns undefined if the bound has to be found again. */
async function reserveWithin(
	scopes: Scopes,
	bound: Bound,
	free: Decimal | undefined,
): Promise<Reserved | undefined> {
	const taken: Share[] = [];
	let isOpen = true;
	const close = async (end: (share: Share) => void | Promise<void>) => {
		if (!isOpen) return;
		isOpen = false;
		await Promise.all(taken.map(end));
	};
	const release = async () => await close(async (share) => await share.release());
	try {
		for (const name of ORDER) {
			const scope = scopes[name];
			if (!scope) continue;
			const given = scope.reserve(bound, free);
			const share = given instanceof Promise ? await given : given;
			if (!share) return void (await release());
			taken.push(share);
		}
	} catch (cause) {
		await release();
		throw mapServiceError(cause);
	}
	return {
		settle: async (cost) => await close(async (share) => await share.settle(cost)),
		release,
	};
}

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
		...{ cap, field: CONVERSATION_CAP, of: 'conversation' },
		spending: { ...emptySpending(), spent: new Big(spent).times(1e6).toFixed() },
	});

const unenforceableError = ({ of, field }: CapOptions) =>
	invalidInputError(
		`The spending cap for this ${of} cannot be enforced: it is not known what an earlier request costs, or whether it was started`,
		`Nothing was sent. Check what was started; remove "${field}" to send the rest anyway.`,
	);

function refusal({ cap, of, field }: CapOptions, spending: Spending, bound: Bound): ServiceError {
	const { spent, reserved, open } = spending;
	const allowed = floorToMicroUsd(cap) ?? ZERO;
	const limit = formatUsd(allowed);
	const cost = describeBound(bound);
	const advice =
		'unbounded' in bound ? `To send it anyway, raise "${field}".` : bound.advise(field);
	const details = { computed: { reachedCap: field } };
	if (!open && toAmount(spent).eq(0)) {
		const message = allowed.eq(0)
			? `The spending cap of ${limit} allows no cost. ${cost}`
			: `${cost}, more than the spending cap of ${limit}`;
		return withDetails(invalidInputError(message, `Nothing was sent. ${advice}`), details);
	}
	const requests = open === 1 ? '1 request that is' : `${open} requests that are`;
	const more = open
		? `, and ${formatUsd(toAmount(reserved))} is reserved for ${requests} under way or of unknown cost`
		: '';
	const figures = `${formatUsd(toAmount(spent))} is spent${more}. ${cost}.`;
	const message = `The spending cap of ${limit} for this ${of} is reached`;
	return withDetails(invalidInputError(message, `Nothing was sent. ${figures} ${advice}`), details);
}

export function describeBound(bound: Bound): string {
	if ('unbounded' in bound)
		return `The cost of this is not known: ${endOfSentence(bound.unbounded)}`;
	const amount = formatUsd(ZERO.plus(bound.microUsd));
	return bound.isLeast ? `This costs at least ${amount}` : `This could cost up to ${amount}`;
}

/** A sentence as the end of another one. */
export const endOfSentence = (sentence: string) =>
	`${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, '');

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
			`The cost cannot be calculated: ${endOfSentence(bound.unbounded)}`,
			`Nothing was sent. ${bound.remedy ?? 'To send it anyway, turn on "Allow Unknown Cost" in Options.'}`,
		);
	for (const cap of listCaps(caps)) cap.check(bound);
}

const listCaps = (caps: Caps) => ORDER.flatMap((name) => caps[name] ?? []);

/** The right to send one paid start. It is recorded before anything is sent, so a crash leaves a trace. */
export interface StartClaim<Sent, Recorded = Sent> {
	/** Identifies its row until a person decides about it. Undefined without a row. */
	readonly id?: string;
	/**
	 * Called right before every attempt to send; see `HttpRequest.beforeAttempt`.
	 *
	 * @returns the time when the claim expires, in milliseconds since 1970; more than half of the lease is left.
	 * @throws ServiceError `not_started` when the claim is lost, or cannot be renewed.
	 */
	renew(): Promise<number>;
	/** @returns what was recorded of the started work. */
	recordStarted(sent: Sent): Promise<Recorded>;
	/** @returns the failure; if its outcome is unknown, with advice on how to resolve it. */
	recordFailed(cause: unknown): Promise<unknown>;
}
