import { hash } from 'crypto';

import { Big, type Decimal, ZERO } from '../core/money';
import { MOST_TIMES } from '../core/reserve';
import type { JobStart } from '../core/accounts';

/*
 * What jobs cost, as factors over the catalog's minimum, by configuration. The minimum counts pictures, seconds and characters, so a
 * factor holds for every number of them.
 */

/** The factor of each configuration, as digits. The one that was used last is the last one. */
export type JobFactors = Record<string, string>;

/** Factors that are kept. */
const MAX_FACTORS = 200;
/** To which a factor is rounded up. */
const DECIMAL_PLACES = 4;

/** A text that stands for a longer one. */
export const shortHash = (text: string, length: number): string =>
	hash('sha256', text).slice(0, length);

/** The key of a configuration: those of one model begin with the same characters. */
export const factorKey = ({ model, settings }: Pick<JobStart, 'model' | 'settings'>): string =>
	`${shortHash(model, 8)}.${shortHash(settings, 12)}`;

/** What the keys of a model begin with. */
export const modelOfKey = (key: string): string => key.slice(0, key.indexOf('.'));

/** An amount over the minimum; undefined if it cannot be. Without a minimum, 0.000001 USD counts as one. */
function toFactor(amount: Decimal, least: Decimal): Decimal | undefined {
	const factor = amount.div(least.gt(0) ? least : ONE).round(DECIMAL_PLACES, Big.roundUp);
	return least.gt(0) && factor.gt(MOST_TIMES) ? undefined : factor;
}

/** Whether a job can cost that. @param estimate Or what is reserved for it. */
export const canCost = (cost: Decimal, estimate: Decimal): boolean =>
	cost.gte(0) && (estimate.lte(0) || cost.lte(estimate.times(MOST_TIMES)));

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
 * Learns what a job of a configuration is said to cost. A second time changes nothing.
 *
 * @param least The catalog's minimum, in micro-dollars.
 * @param estimate Undefined if the service gave none: then the minimum is what is known.
 */
export function learnEstimate(
	factors: JobFactors,
	key: string,
	{ least, estimate = ZERO }: { least: Decimal; estimate?: Decimal | undefined },
): void {
	const known = new Big(factors[key] ?? 1);
	const learnt = toFactor(estimate, least);
	keepFactor(factors, key, learnt?.gt(known) ? learnt : known);
}

/**
 * Learns what a job of a configuration has cost. A factor that its own estimate has raised becomes the cost. One that a dearer job has
 * raised moves half of the way down: a job that costs as much again may follow.
 */
export function learnCost(
	factors: JobFactors,
	key: string,
	{ least, estimate, cost }: Record<'least' | 'estimate' | 'cost', Decimal>,
): void {
	const paid = toFactor(cost, least);
	const known = factors[key] === undefined ? undefined : new Big(factors[key]);
	// without one, a person has deleted it, or it was not used for long
	if (!paid || !known) return;
	const learnt = paid.gt(1) ? paid : ONE;
	const expected = toFactor(estimate, least);
	const isOwn = learnt.gte(known) || !expected || known.lte(expected);
	const middle = known.plus(learnt).times('0.5').round(DECIMAL_PLACES, Big.roundUp);
	keepFactor(factors, key, isOwn ? learnt : middle);
}

function keepFactor(factors: JobFactors, key: string, factor: Decimal): void {
	delete factors[key];
	factors[key] = factor.toFixed();
	for (const old of Object.keys(factors).slice(0, -MAX_FACTORS)) delete factors[old];
}

/** What a start reserves: its minimum, times a factor. In whole micro-dollars. */
export const timesFactor = (least: Decimal, factor: Decimal): Decimal =>
	(least.gt(0) ? least : factor.gt(1) ? ONE : ZERO).times(factor).round(0, Big.roundUp);

const ONE = ZERO.plus(1);
