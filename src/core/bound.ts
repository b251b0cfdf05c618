import { endOfSentence } from './errors';
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

/** Says what a request costs at most that asks for no more than is free. @param free Micro-dollars, if something else than the caps says it. */
export type BoundWithin<Found extends Bound = Bound> = (free?: Decimal) => Found;

export function describeBound(bound: Bound): string {
	if ('unbounded' in bound)
		return `The cost of this is not known: ${endOfSentence(bound.unbounded)}`;
	const amount = formatUsd(ZERO.plus(bound.microUsd));
	return bound.isLeast ? `This costs at least ${amount}` : `This could cost up to ${amount}`;
}
