import type { Bound } from '../core/reserve';
import { isPlainObject, type JsonObject } from '../core/json';
import { type Decimal, formatUsd, readDecimal, sumRoundedUp, ZERO } from '../core/money';

/*
 * What a media job costs at least, and what may raise that.
 */

/** Common names of the fields for the number of outputs and their duration. The specification defines none of them. */
const COUNT_FIELDS = ['n', 'count', 'num_images', 'num_videos', 'num_outputs', 'number_of_images'];
const DURATION_FIELDS = ['duration', 'seconds', 'duration_seconds'];
const TEXT_FIELDS = ['prompt', 'text', 'input'];
/** The unit of speech. */
const PER_CHARACTER = '1k_characters';

/**
 * The minimum cost of a job. The catalog has the price of the cheapest configuration: the service may charge more, never less.
 * What cannot be counted is one unit.
 *
 * @param pricing Of the catalog entry.
 * @param body Of the start.
 * @returns undefined without a price. A missing price does not mean zero.
 * @see section 2C, `pricing`
 */
export function minimumJobCost(
	pricing: unknown,
	body: JsonObject,
): (Extract<Bound, { advise: unknown }> & { microUsd: Decimal }) | undefined {
	if (!isPlainObject(pricing)) return undefined;
	const price = readDecimal(pricing['per_unit']);
	if (!price) return undefined;
	const { units, noun, per = 1 } = countUnits(pricing['unit'], body);
	const unitPrice = price.times(1e6);
	const plural = units.eq(1) ? '' : 's';
	const count = `${units.toFixed()} ${noun}${plural} at ${formatUsd(unitPrice)}${per > 1 ? ' per 1,000' : ''}`;
	return {
		microUsd: sumRoundedUp([[units, price.times(1e6 / per)]]),
		isLeast: true,
		advise: (field) =>
			`The catalog has the price of the cheapest configuration: ${count}. Ask for less, or raise "${field}".`,
	};
}

/** How many units a job has. */
interface Units {
	units: Decimal;
	noun: string;
	/** For how many of them the price is. Default: 1. */
	per?: number;
	/** The fields of the body that say how many there are. */
	countedBy: ReadonlyArray<string | undefined>;
}

function countUnits(unit: unknown, body: JsonObject): Units {
	const outputs = smallestValue(COUNT_FIELDS, body);
	const count = outputs?.value ?? ONE;
	if (unit === 'image' || unit === 'video')
		return { units: count, noun: unit, countedBy: [outputs?.name] };
	if (unit === 'second') {
		const duration = smallestValue(DURATION_FIELDS, body);
		const units = (duration?.value ?? ONE).times(count);
		return { units, noun: unit, countedBy: [outputs?.name, duration?.name] };
	}
	const name = unit === PER_CHARACTER ? findTextField(body) : undefined;
	if (name !== undefined) {
		const units = ONE.times(countCharacters(String(body[name])));
		return { units, noun: 'character', per: 1000, countedBy: [name] };
	}
	return { units: ONE, noun: unit === 'request' ? unit : 'unit', countedBy: [] };
}

const ONE = ZERO.plus(1);

/** The smallest value of several fields with the same meaning, because it is not known which one the service uses. */
function smallestValue(names: readonly string[], body: JsonObject) {
	const values = names.flatMap((name) => {
		const given = body[name];
		const value = readDecimal(
			typeof given === 'string' ? given.replace(/\s*s(ec(onds?)?)?\s*$/i, '') : given,
		);
		return value?.gt(0) ? [{ name, value }] : [];
	});
	return values.sort((one, other) => one.value.cmp(other.value))[0];
}

/** Counts code points, not UTF-16 units: the service may count either, and there are never more code points. */
const countCharacters = (text: string): number => [...text].length;

/** The field with the text that says what a job makes, if its body has one. */
export const findTextField = (body: JsonObject): string | undefined =>
	TEXT_FIELDS.find((name) => typeof body[name] === 'string' && body[name].trim() !== '');

/** Fields that change what is made, but not its price. */
const UNPRICED_FIELDS = ['seed', 'user', 'metadata'];
/** Characters of a text that may be a setting, such as a size or a voice. A longer one describes what to make. */
const MAX_SETTING_LENGTH = 40;

/**
 * What of a start, besides its model, may change its price beyond the catalog's minimum: the price of that, all fields but the prompt
 * and those that are never priced, and of those that the minimum counts their names. Jobs with the same settings cost the same multiple
 * of their minimum.
 *
 * @param body Without inputs.
 * @param inputs The names of the inputs.
 * @returns the same text for the same settings.
 * @see section 8, cost rules 3 and 4
 */
export function describeJobSettings(pricing: unknown, body: JsonObject, inputs: readonly string[]) {
	const { unit, per_unit: price } = isPlainObject(pricing) ? pricing : {};
	// a minimum of nothing is the same for any number
	const countedBy = readDecimal(price)?.gt(0) ? countUnits(unit, body).countedBy : [];
	const settings = Object.fromEntries(
		Object.entries(body).filter(([name]) => name !== 'model' && !countedBy.includes(name)),
	);
	const picked = pickSettings(settings, unit === PER_CHARACTER);
	return JSON.stringify([unit, price, countedBy, picked, [...inputs].sort()]);
}

/** What a value says about the price, with sorted names. Of a long text, that it is there, or where texts are priced, its length. */
function pickSettings(value: unknown, hasPricedTexts: boolean): unknown {
	if (typeof value === 'string') {
		if (value.length <= MAX_SETTING_LENGTH) return value;
		return hasPricedTexts ? countCharacters(value) : true;
	}
	if (Array.isArray(value)) return value.map((each) => pickSettings(each, hasPricedTexts));
	if (!isPlainObject(value)) return value;
	const settings = Object.entries(value).filter(([name]) => !UNPRICED_FIELDS.includes(name));
	return settings.sort().flatMap(([name, of]) => {
		if (!TEXT_FIELDS.includes(name) || typeof of !== 'string')
			return [[name, pickSettings(of, hasPricedTexts)]];
		return hasPricedTexts ? [[name, countCharacters(of)]] : [];
	});
}
