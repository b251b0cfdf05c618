import Big from 'big.js';

// the package is bundled into this file only
export { Big };

/** A decimal number of any size. Addition, subtraction and multiplication do not round. */
export type Decimal = Big;

export const ZERO: Decimal = new Big(0);

/**
 * Formats micro-dollars as dollars, without rounding, with at least two decimal places.
 *
 * @param microUsd A `Decimal`, a whole number or its digits; 1 is 0.000001 USD.
 * @returns undefined for anything else, so that a missing amount is never shown as a number.
 */
export function formatUsd(microUsd: unknown): string | undefined {
	const amount = microUsd instanceof Big ? microUsd : readInteger(microUsd);
	if (!amount) return undefined;
	const [whole, fraction = ''] = amount.abs().times('1e-6').toFixed().split('.');
	return `${amount.lt(0) ? '-' : ''}$${whole}.${fraction.padEnd(2, '0')}`;
}

/**
 * Converts micro-dollars to USD, exact to six places.
 *
 * @param microUsd A `Decimal`, a whole number or its digits.
 * @returns undefined for anything else, and for an amount with more digits than a number keeps.
 */
export function toUsd(microUsd: unknown): number | undefined {
	const amount = microUsd instanceof Big ? microUsd : readInteger(microUsd);
	if (!amount) return undefined;
	const exact = amount.times('1e-6');
	const usd = Number(exact.toFixed());
	return Number.isFinite(usd) && exact.eq(usd) ? usd : undefined;
}

/** Enough for every JavaScript number. Limited, because a huge exponent could fill the memory. */
const DECIMAL_PATTERN = /^(?=\.?\d)\d{0,60}(\.\d{0,60})?(e[+-]?\d{1,3})?$/i;
const INTEGER_PATTERN = /^-?\d{1,30}$/;

/**
 * Reads a decimal number from a response or a parameter, by its shortest text: 0.07 is exactly 7 hundredths, not the nearest binary
 * fraction.
 *
 * @returns undefined for anything that is not a number, and for a negative number.
 */
export const readDecimal = (value: unknown): Decimal | undefined => read(value, DECIMAL_PATTERN);

/** Reads a whole number or its digits. It may be negative. */
export const readInteger = (value: unknown): Decimal | undefined => read(value, INTEGER_PATTERN);

/** Reads a count: a whole number from 0 to 2^53 - 1. */
export function readCount(value: unknown): number | undefined {
	const count =
		typeof value === 'string' && INTEGER_PATTERN.test(value.trim()) ? Number(value) : value;
	return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function read(value: unknown, pattern: RegExp): Decimal | undefined {
	if (typeof value !== 'number' && typeof value !== 'string') return undefined;
	const text = String(value).trim();
	return pattern.test(text) ? new Big(text) : undefined;
}

/** Adds the products of counts and prices, and rounds the sum up. */
export function sumRoundedUp(
	parts: ReadonlyArray<readonly [count: Decimal | number, price: Decimal]>,
): Decimal {
	return parts
		.reduce((total, [count, price]) => total.plus(price.times(count)), ZERO)
		.round(0, Big.roundUp);
}

/** Divides and rounds down. Neither number is negative, and the part is not zero. */
export function divideRoundedDown(amount: Decimal, part: Decimal): Decimal {
	// the quotient is rounded to 20 decimal places, which may raise it to the next whole number
	const times = amount.div(part).round(0, Big.roundDown);
	return part.times(times).gt(amount) ? times.minus(1) : times;
}

/** Converts USD to whole micro-dollars, rounded down. @returns undefined for anything that is not an amount. */
export function floorToMicroUsd(usd: unknown): Decimal | undefined {
	return readDecimal(usd)?.times(1e6).round(0, Big.roundDown);
}
