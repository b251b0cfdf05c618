import { createHash } from 'crypto';

import { Big, type Decimal, ZERO } from '../core/money';
import type { JobStart } from '../core/accounts';

/*
 * What jobs cost, as factors over the catalog's minimum, by configuration. The minimum counts pictures, seconds and characters, so a
 * factor holds for every number of them.
 */

/** The highest factor of each configuration, as digits. The one that was used last is the last one. */
export type JobFactors = Record<string, string>;

/** Factors that are kept. */
const MAX_FACTORS = 200;
/** To which a factor is rounded up. */
const DECIMAL_PLACES = 4;

/** A text that stands for a longer one. */
export const hash = (text: string, length: number): string =>
	createHash('sha256').update(text).digest('hex').slice(0, length);

/** The key of a configuration: those of one model begin with the same characters. */
export const factorKey = ({ model, settings }: Pick<JobStart, 'model' | 'settings'>): string =>
	`${hash(model, 8)}.${hash(settings, 12)}`;

/** @returns the factor to reserve, and whether it is that of the configuration; if not, it is the highest one of the model. */
export function findFactor(factors: JobFactors, key: string) {
	const own = factors[key];
	if (own !== undefined) return { factor: new Big(own), isProven: true };
	const model = key.slice(0, key.indexOf('.') + 1);
	const ofModel = Object.entries(factors).filter(([other]) => other.startsWith(model));
	const factor = ofModel.reduce((most, [, each]) => (most.gt(each) ? most : new Big(each)), ONE);
	return { factor, isProven: false };
}

/**
 * Learns what a job of a configuration costs. A second time changes nothing.
 *
 * @param least The catalog's minimum, in micro-dollars.
 * @param estimate Undefined if the service gave none: then the minimum is what is known.
 */
export function learnFactor(
	factors: JobFactors,
	key: string,
	{ least, estimate = ZERO }: { least: Decimal; estimate?: Decimal | undefined },
): void {
	const learnt = estimate.div(least.gt(0) ? least : ONE).round(DECIMAL_PLACES, Big.roundUp);
	const known = new Big(factors[key] ?? 1);
	delete factors[key];
	factors[key] = (learnt.gt(known) ? learnt : known).toFixed();
	for (const old of Object.keys(factors).slice(0, -MAX_FACTORS)) delete factors[old];
}

/** What a start reserves: its minimum, times a factor. In whole micro-dollars. */
export const timesFactor = (least: Decimal, factor: Decimal): Decimal =>
	(least.gt(0) ? least : factor.gt(1) ? ONE : ZERO).times(factor).round(0, Big.roundUp);

const ONE = ZERO.plus(1);
