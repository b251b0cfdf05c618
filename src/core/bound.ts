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
			/** What to do about it, where the lack of a figure is not what is wrong. Default: allow an unknown cost. */
			remedy?: string | undefined;
	  };

/** What a request has cost, in micro-dollars; undefined if it is not known. */
export type Cost = number | Decimal | undefined;

/** Says what a request costs at most that asks for no more than is free. @param free Micro-dollars, if something else than the caps says it. */
export type BoundWithin = (free?: Decimal) => Bound;

export function describeBound(bound: Bound): string {
	if ('unbounded' in bound)
		return `The cost of this is not known: ${endOfSentence(bound.unbounded)}`;
	const amount = formatUsd(ZERO.plus(bound.microUsd));
	return bound.isLeast ? `This costs at least ${amount}` : `This could cost up to ${amount}`;
}
