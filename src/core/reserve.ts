import { endOfSentence, mapServiceError } from './errors';
import { type Decimal, formatUsd, ZERO } from './money';

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
			/** What to do about it first. */
			remedy?: string | undefined;
			/**
			 * What else is wrong than that a price is not known. The sentence then says it all. To allow an unknown cost is the last remedy where
			 * the catalog does not have the model, and none after a fault: the request would fail, or cost anything.
			 */
			trouble?: 'model' | 'fault' | undefined;
	  };

/** Why a request without a figure is refused, as a title. */
export const describeUnbounded = ({ unbounded, trouble }: Unbounded): string =>
	trouble
		? unbounded.replace(/\.$/, '')
		: `The cost cannot be calculated: ${endOfSentence(unbounded)}`;

type Unbounded = Extract<Bound, { unbounded: string }>;

/** What a request has cost, in micro-dollars; undefined if it is not known. */
export type Cost = number | Decimal | undefined;

/** How many times its estimate no job costs, and how many times the catalog's minimum no estimate is. */
export const MOST_TIMES = 1000;

/** Says what a request costs at most that asks for no more than is free. @param free Micro-dollars, if something else than the caps says it. */
type BoundWithin<Found extends Bound = Bound> = (free?: Decimal) => Found;

export function describeBound(bound: Bound): string {
	if ('unbounded' in bound)
		return `The cost of this is not known: ${endOfSentence(bound.unbounded)}`;
	const amount = formatUsd(ZERO.plus(bound.microUsd));
	return bound.isLeast ? `This costs at least ${amount}` : `This could cost up to ${amount}`;
}

/** The share of one request in what a scope allows. */
export interface Share {
	/** Replaces what was reserved by the cost. If that is not known, what was reserved stays counted. */
	settle(cost: Cost): void | Promise<void>;
	/** The request was certainly not carried out. */
	release(): void | Promise<void>;
}

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
	 * @returns undefined if there is no room now because of others, so that the bound has to be found again.
	 * @throws ServiceError `invalid` if it does not allow the request.
	 */
	reserve(bound: Bound, free?: Decimal): Share | undefined | Promise<Share | undefined>;
	/** Resolves when one of the others has ended that took the room, or at once if there is none any more. */
	othersEnd?(): Promise<void>;
}

/** The share of one request in all scopes. Only the first call of either method counts. Neither throws. */
export interface Reserved {
	settle(cost: Cost): Promise<void>;
	release(): Promise<void>;
}

/**
 * The scopes, in the order in which they are taken. Caps come first: they are taken before the first await. Those that refuse nothing come
 * last.
 */
export const ORDER = ['item', 'execution', 'conversation', 'shared', 'record', 'sum'] as const;
type Scopes = { readonly [name in (typeof ORDER)[number]]?: Scope | undefined };

/** Waits for others that take the room of a request. @throws ServiceError `cancelled` if the request is no longer wanted. */
export type WaitForOthers = (othersEnd: () => Promise<void>) => Promise<void>;

/**
 * Counts a request in all scopes before it is sent, so that requests at the same time cannot exceed one of them together. A request
 * that was interrupted stays counted.
 *
 * @returns also the bound that was reserved.
 * @throws ServiceError `invalid` as the first scope that does not allow it. Nothing is reserved then.
 */
export async function reserve<Found extends Bound>(
	scopes: Scopes,
	boundWithin: BoundWithin<Found>,
	wait: WaitForOthers = async (othersEnd) => await othersEnd(),
): Promise<Reserved & { bound: Found }> {
	for (;;) {
		const { shared } = scopes;
		const free = shared?.findFree && (await shared.findFree(boundWithin));
		// nothing may be awaited between the two: other requests reserve from the same caps
		const bound = boundWithin(free);
		const reservation = await reserveWithin(scopes, bound, free);
		if ('settle' in reservation) return { ...reservation, bound };
		const { full } = reservation;
		if (full.othersEnd) await wait(async () => await full.othersEnd?.());
	}
}

/** @returns the scope that has no room because of others, if there is one: nothing is reserved then. */
async function reserveWithin(
	scopes: Scopes,
	bound: Bound,
	free: Decimal | undefined,
): Promise<Reserved | { full: Scope }> {
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
			if (!share) {
				await release();
				return { full: scope };
			}
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
