/** A number just as it is written: 0.07 is 7 with two places. */
interface Decimal {
	digits: bigint;
	places: number;
}

/**
 * The sum of products, rounded up to a whole number. Each product is a list of its factors.
 *
 * Everything is counted in whole numbers: a binary fraction of 0.07 would now and then round up to a
 * micro-dollar too much.
 */
export function roundedUp(...products: number[][]): number {
	const terms = products.map(product);
	const places = Math.max(0, ...terms.map((term) => term.places));
	const sum = terms.reduce((total, term) => total + term.digits * tens(places - term.places), 0n);
	const whole = sum / tens(places);
	return Number(sum > whole * tens(places) ? whole + 1n : whole);
}

const product = (factors: number[]): Decimal =>
	factors
		.map(decimal)
		.reduce(
			(one, other) => ({ digits: one.digits * other.digits, places: one.places + other.places }),
			{ digits: 1n, places: 0 },
		);

function decimal(value: number): Decimal {
	// small numbers are written 1e-7
	const [mantissa = '', exponent = '0'] = String(value).split('e');
	const [whole = '', fraction = ''] = mantissa.split('.');
	const places = fraction.length - Number(exponent);
	const digits = BigInt(whole + fraction) * tens(Math.max(0, -places));
	return { digits, places: Math.max(0, places) };
}

const tens = (power: number) => 10n ** BigInt(power);
