import type { Bound } from '../core/bound';
import { type Caps, checkCaps, checkKnown, leftIn } from '../core/caps';
import type { Decimal } from '../core/money';
import { reserve, type WaitForOthers } from '../core/reserve';
import type { FoundModel } from './catalog';

export type Body = Record<string, unknown> & { model: string };

/** What is sent to one model, and what limits it: the value that is chosen, paid for and read. */
export interface Call<Price extends Priced = Priced> {
	/** As it is sent. */
	model: string;
	found: FoundModel;
	/** Finds another model, in case that one has answered. */
	find(model: string): FoundModel;
	/** Without a limit of our own. */
	body: Body;
	caps: Caps;
	/** Whether it is sent even if its cost cannot be calculated. Absent if it is only estimated. */
	allowUnknownCost?: boolean | undefined;
	/** For the record of spending. */
	label?: string | undefined;
	/** What it may cost. @param left Micro-dollars that are left for it; undefined if nothing limits it. */
	price(left?: Decimal): Price;
}

/** What a call may cost, and its body as it is then sent. */
export type Priced = Bound & { body: Body };

/** What a call may cost within its caps. The only place that says so. @param free Micro-dollars that a shared budget leaves. */
export const bound = <Price extends Priced>(
	{ caps, price }: Pick<Call<Price>, 'caps' | 'price'>,
	free?: Decimal,
): Price => price(leftIn(caps, free));

/** @throws ServiceError `invalid` for a call whose cost is not known or does not fit its caps. Nothing is reserved. */
export const checkCall = (call: Call): void =>
	checkCaps(call.caps, bound(call), call.allowUnknownCost ?? false);

/**
 * Reserves what a call may cost in its caps, in the budget and in the record.
 *
 * @returns also the bound that was reserved: its body is to be sent.
 * @throws ServiceError `invalid` if it is not allowed.
 */
export async function reserveCall<Price extends Priced>(
	call: Call<Price>,
	scopes: Parameters<typeof reserve>[0],
	wait?: WaitForOthers,
) {
	// a budget takes longer to ask
	if (scopes.shared) checkCall(call);
	const boundWithin = (free?: Decimal) => {
		const price = bound(call, free);
		checkKnown(price, call.allowUnknownCost ?? false);
		return price;
	};
	return await reserve({ ...call.caps, ...scopes }, boundWithin, wait);
}
