/** A number that is not negative, without rounding: `digits` / 10 ^ `scale`. */
export interface Decimal {
	digits: bigint;
	/** Not negative. */
	scale: number;
}

/** Enough for every number of JavaScript; a bound, since ten to a power that somebody sends could fill the memory. */
const DECIMAL = /^(\d{0,60})(?:\.(\d{0,60}))?(?:e([+-]?\d{1,3}))?$/i;

/**
 * Reads a decimal number that came from outside, from its shortest text: 0.07 is 7 hundredths, not the binary fraction next to it.
 *
 * @returns undefined for anything that is no number, and for a negative one.
 */
export function readDecimal(value: unknown): Decimal | undefined {
	if (typeof value !== 'number' && typeof value !== 'string') return undefined;
	const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(String(value).trim()) ?? [];
	if (!whole && !fraction) return undefined;
	const scale = fraction.length - Number(exponent);
	const digits = BigInt(whole + fraction);
	return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** Reads a whole number, also a negative one, or its digits. */
export function readWhole(value: unknown): bigint | undefined {
	if (typeof value !== 'number' && typeof value !== 'string') return undefined;
	const digits = String(value).trim();
	return /^-?\d{1,30}$/.test(digits) ? BigInt(digits) : undefined;
}

/** Reads how many there are of something: no negative number, and none beyond 2^53. */
export function readCount(value: unknown): number | undefined {
	const whole = readWhole(value);
	return whole !== undefined && whole >= 0n && whole <= Number.MAX_SAFE_INTEGER
		? Number(whole)
		: undefined;
}

/** Adds up counts times prices, and rounds up once. */
export function roundedUpSum(
	parts: ReadonlyArray<readonly [count: bigint, price: Decimal]>,
): bigint {
	const scale = Math.max(0, ...parts.map(([, price]) => price.scale));
	const sum = parts.reduce(
		(total, [count, price]) => total + count * price.digits * 10n ** BigInt(scale - price.scale),
		0n,
	);
	const unit = 10n ** BigInt(scale);
	return (sum + unit - 1n) / unit;
}

/** Multiplies, without rounding. */
export function product(...factors: readonly Decimal[]): Decimal {
	return factors.reduce(
		(one, other) => ({ digits: one.digits * other.digits, scale: one.scale + other.scale }),
		{ digits: 1n, scale: 0 },
	);
}

/** Whole micro-dollars in an amount of dollars that somebody allows: rounded down. */
export function microUsdWithin(usd: unknown): bigint | undefined {
	const amount = readDecimal(usd);
	return amount && (amount.digits * 1_000_000n) / 10n ** BigInt(amount.scale);
}
