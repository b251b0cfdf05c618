import { isObject } from '../service/json';
import { product, readDecimal, roundedUpSum, type Decimal } from './decimal';

/** The least that a media job costs. */
export interface JobBound {
	/** Whole micro-dollars, rounded up once, as the service does. */
	microUsd: bigint;
	/** How it was counted, e.g. `4 images at $0.04`. */
	counted: string;
}

/** Fields of a start that plausibly say how many are made, and how long each is. The specification shows none of them. */
const COUNTS = ['n', 'count', 'num_images', 'num_videos', 'num_outputs', 'number_of_images'];
const LENGTHS = ['duration', 'seconds', 'duration_seconds'];
const TEXTS = ['prompt', 'text', 'input'];

const ONE: Decimal = { digits: 1n, scale: 0 };

/**
 * The least that a job costs by the catalog, whose price is that of the cheapest configuration: what the service then asks for
 * may be more, never less. What cannot be counted is one unit.
 *
 * @param pricing Of the catalog entry.
 * @param body Of the start.
 * @returns undefined without a price, which is never zero for being missing.
 * @see section 2C, `pricing`
 */
export function jobBound(pricing: unknown, body: Record<string, unknown>): JobBound | undefined {
	if (!isObject(pricing)) return undefined;
	const price = readDecimal(pricing['per_unit']);
	if (!price) return undefined;
	const { units, counted } = extentOf(pricing['unit'], body);
	const microUsd = roundedUpSum([[1_000_000n, product(units, price)]]);
	return { microUsd, counted: counted(`$${decimalText(price)}`) };
}

function extentOf(
	unit: unknown,
	body: Record<string, unknown>,
): { units: Decimal; counted(price: string): string } {
	const several = (units: Decimal, noun: string) => ({
		units,
		counted: (price: string) =>
			`${decimalText(units)} ${noun}${decimalText(units) === '1' ? '' : 's'} at ${price}`,
	});
	if (unit === 'image' || unit === 'video') return several(smallest(COUNTS, body) ?? ONE, unit);
	if (unit === 'second') {
		const seconds = smallest(LENGTHS, body) ?? ONE;
		return several(product(seconds, smallest(COUNTS, body) ?? ONE), unit);
	}
	const length = unit === '1k_characters' ? charactersIn(body) : 0;
	if (!length) return several(ONE, unit === 'request' ? unit : 'unit');
	return {
		units: { digits: BigInt(length), scale: 3 },
		counted: (price) => `${length} character${length === 1 ? '' : 's'} at ${price} per 1,000`,
	};
}

/** Of several fields that say the same thing in different words, which one counts is not known: the smallest. */
function smallest(names: readonly string[], body: Record<string, unknown>): Decimal | undefined {
	const given = names.flatMap((name) => {
		const value = body[name];
		const number = readDecimal(
			typeof value === 'string' ? value.replace(/\s*s(ec(onds?)?)?\s*$/i, '') : value,
		);
		return number?.digits ? [number] : [];
	});
	return given.sort((one, other) => (isLess(one, other) ? -1 : 1))[0];
}

function isLess(one: Decimal, other: Decimal): boolean {
	return one.digits * 10n ** BigInt(other.scale) < other.digits * 10n ** BigInt(one.scale);
}

/** Characters, not halves of them: the service may count either, and there are never fewer. */
function charactersIn(body: Record<string, unknown>): number {
	const text = TEXTS.map((name) => body[name]).find((value) => typeof value === 'string' && value);
	return typeof text === 'string' ? [...text].length : 0;
}

function decimalText({ digits, scale }: Decimal): string {
	const padded = String(digits).padStart(scale + 1, '0');
	if (!scale) return padded;
	const fraction = padded.slice(-scale).replace(/0+$/, '');
	return padded.slice(0, -scale) + (fraction && `.${fraction}`);
}
