import { groupBy } from '../core/grouping';
import { isPlainObject, isPresent, type JsonObject, omitMissing } from '../core/json';
import { type Decimal, readDecimal } from '../core/money';
import { isPlausiblePrice } from '../core/ownPrices';
import { PICTURE_TOKENS } from './fileTokens';
import type { CatalogForm, KnownField, PriceName } from './catalogForm';
import { CATALOG_FORMS } from './catalogForms';

/** The kinds of models of the specification. Others call other things a kind. */
const KINDS = ['text', 'image', 'video', 'music', 'audio'];

/**
 * An entry of a catalog with the fields of the specification, in whatever form it has its prices. Its own fields stay.
 *
 * A price that cannot be true, or that is not all that a request pays, is no price. Where two forms fit, or prices of several providers,
 * tiers or times differ, the dearest counts; where forms fit that mean another unit, there is none.
 *
 * @param formName The form of a service that is known by its host. Otherwise the entry shows it.
 * @param mayBeFree Whether a price of 0 counts in every form.
 */
export function toSpecifiedEntry(
	entry: JsonObject,
	formName?: string,
	mayBeFree = true,
): JsonObject {
	const { kind, ...others } = entry;
	const own = typeof kind === 'string' && KINDS.includes(kind) ? entry : others;
	const form = findForm(entry, formName);
	return form ? specify([own], form, mayBeFree) : own;
}

/** @param entries Of one ID. Each price is the dearest of them, each size the smallest; everything else is that of the first. */
function specify(entries: readonly JsonObject[], form: CatalogForm, mayBeFree = true): JsonObject {
	const [first = {}] = entries;
	const inputs = valuesAt(entries, form.inputs).flat().filter(isText);
	const { most, least } = readPrices(entries, form, mayBeFree);
	const pricing = { ...(isPlainObject(first['pricing']) && first['pricing']), ...most };
	readings.set(pricing, { form, least, entry: first });
	return {
		...first,
		...omitMissing({
			id: valuesAt(first, form.id).find(isText),
			context_length: smallest(valuesAt(entries, form.context)),
			max_output_tokens: smallest(valuesAt(entries, form.maxOutput)),
			input_modalities: inputs.length ? inputs : undefined,
		}),
		kind: 'text',
		pricing,
	};
}

/**
 * Undefined where an entry has the prices of the specification, where no form fits, and where several do that have other prices. Of a form that is given, and that
 * has its IDs in a field of its own, an entry needs no price: another entry with its ID may have one, and neither of them is all.
 */
function findForm(entry: JsonObject, formName?: string): CatalogForm | undefined {
	const { pricing } = entry;
	if (hasOwnPrices(pricing)) return undefined;
	const possible = CATALOG_FORMS.filter(({ name }) => !formName || name === formName);
	const [form, ...others] = possible.filter(
		({ knownBy, id }) =>
			fits(entry, knownBy) || (formName && id && fits(entry, { [id]: 'string' })),
	);
	return others.some(({ input }) => input !== form?.input) ? undefined : form;
}

const OWN_PRICES = /^(input_per_mtok|output_per_mtok|per_unit)$/;

const hasOwnPrices = (pricing: unknown) =>
	Object.keys(Object(pricing) as object).some((name) => OWN_PRICES.test(name));

/** How an entry was read whose prices were not those of the specification. */
interface Reading {
	/** Undefined where only the owner of the credential says what a model costs. */
	form: CatalogForm | undefined;
	/** Its prices where no tier, time or provider makes them dearer; undefined if they were replaced. */
	least?: JsonObject;
	/** As it was listed; undefined if its prices were replaced. */
	entry?: JsonObject;
}

interface Priced {
	pricing?: unknown;
}

/** By the prices: all copies of an entry have the same. */
const readings = new WeakMap<object, Reading>();

const readingOf = ({ pricing }: Priced) => readings.get(Object(pricing));

/** The form in which an entry had its prices; undefined for that of the specification. */
export const formOf = (entry: Priced): CatalogForm | undefined => readingOf(entry)?.form;

/** The lowest prices that an entry has, where it has several. */
export const leastPricingOf = (entry: Priced): unknown => readingOf(entry)?.least ?? entry.pricing;

/** The entry with other prices. */
export function withPricing<Entry extends Priced>(entry: Entry, pricing: JsonObject): Entry {
	readings.set(pricing, { form: formOf(entry) });
	return { ...entry, pricing };
}

/** Whether prices are those of the specification. Nobody else charges more than they say. */
export const isSpecified = (pricing: unknown): boolean =>
	hasOwnPrices(pricing) && !readings.has(Object(pricing));

/** Whether an entry has the fields of a form. */
export const fits = (entry: unknown, knownBy: Readonly<Record<string, KnownField>>): boolean =>
	Object.entries(knownBy).every(([path, expected]) =>
		valuesAt(entry, path).some((value) => isKnown(value, expected)),
	);

function isKnown(value: unknown, expected: KnownField): boolean {
	if (typeof expected === 'string') return expected === 'any' || typeof value === expected;
	const texts = [value].flat().filter((one) => typeof one !== 'object');
	return texts.some((text) => expected.some((one) => hasForm(String(text), one)));
}

/**
 * Whether a text is the same as another one, in which each `*` stands for anything. The text is a service's, and may be long. What has two
 * `*` ends with one, so that nothing is looked for twice.
 */
const hasForm = (text: string, form: string) =>
	text === form || (form.includes('*') && patternOf(form, '[^]*').test(text));

/** By their text. There are as many as rows have, and a catalog has thousands of entries. */
const patterns = new Map<string, RegExp>();

/** @param star What a `*` of the form stands for. */
function patternOf(form: string, star: string): RegExp {
	const text = `^${form.replaceAll('*', star)}$`;
	const pattern = patterns.get(text) ?? new RegExp(text);
	patterns.set(text, pattern);
	return pattern;
}

/** What the prices are called in the specification, and here. */
const PRICE_FIELDS: ReadonlyArray<readonly [field: string, name: PriceName]> = [
	['input_per_mtok', 'input'],
	['output_per_mtok', 'output'],
	['cached_input_per_mtok', 'cached'],
	['cache_write_per_mtok', 'written'],
	['cache_write_1h_per_mtok', 'writtenForHour'],
	['audio_input_per_mtok', 'sound'],
];
/** Where one of several entries lacks one of these, another of its prices counts that is lower. */
const ONLY_RAISES: readonly PriceName[] = ['writtenForHour', 'sound'];

/** The dearest and the lowest of all prices that entries have. A price that one of them lacks is none. */
function readPrices(entries: readonly JsonObject[], form: CatalogForm, mayBeFree: boolean) {
	const { tiers, dearer = {}, perRequest = [], paysMore = [], hasDoubtfulZero } = form;
	const paysOther =
		valuesAt(entries, 'pricing.currency').some((currency) => currency !== 'USD') ||
		paysMore.some((knownBy) => fits(entries, knownBy)) ||
		hasDearPictures(entries, form) ||
		perRequest
			.flatMap((path) => valuesAt(entries, path))
			.some((price) => !readDecimal(price)?.eq(0));
	const read = (name: PriceName) => {
		const path = form[name];
		if (path === undefined || paysOther) return [];
		const paths = [path, ...(dearer[name] ?? [])];
		// a tier may have each of them
		const ofTiers = tiers ? paths.map((one) => `${tiers}.${one.split('.').at(-1)}`) : [];
		const given = entries.map((entry) =>
			[...paths, ...ofTiers].flatMap((one) => valuesAt(entry, one)),
		);
		const isComplete = ONLY_RAISES.includes(name) || given.every(({ length }) => length);
		const all = isComplete ? readAll(given.flat(), form.times) : [];
		// LLM Gateway and others write 0 where they do not know it
		const isPaid = name === 'cached' || (hasDoubtfulZero && !mayBeFree);
		return isPaid ? all.filter((price) => price.gt(0)) : all;
	};
	const prices = PRICE_FIELDS.map(([field, name]) => [field, read(name)] as const);
	const pick = (at: (all: Decimal[]) => Decimal | undefined) =>
		omitMissing(Object.fromEntries(prices.map(([field, all]) => [field, at(all)?.toFixed()])));
	return { most: pick((all) => all.at(-1)), least: pick((all) => all[0]) };
}

/** Whether a picture may cost more than the tokens by which one is counted. Many catalogs have the price of a token there. */
function hasDearPictures(
	entries: readonly JsonObject[],
	{ input, perPicture }: CatalogForm,
): boolean {
	const counted = valuesAt(entries, input).map((price) =>
		readDecimal(price)?.times(PICTURE_TOKENS),
	);
	return valuesAt(entries, perPicture).some((price) => {
		const picture = readDecimal(price);
		return !picture || counted.some((most) => most?.lt(picture));
	});
}

/**
 * @returns USD per million tokens, the lowest first. None if one of them is no price: -1 says that nobody knows it before. A price of 0 beside
 *   others is none, as xAI writes it where a long prompt costs the same.
 */
function readAll(prices: readonly unknown[], times: number): Decimal[] {
	const amounts = prices.map((price) => readDecimal(price)?.times(times));
	const all = amounts.filter((amount) => amount !== undefined);
	if (all.length < amounts.length || !all.every(isPlausiblePrice)) return [];
	const paid = all.filter((amount) => amount.gt(0));
	return (paid.length ? paid : all).sort((one, other) => one.cmp(other));
}

/** A list may have more entries than a function can have arguments. */
const smallest = (sizes: readonly unknown[]): number | undefined =>
	sizes
		.filter((size) => typeof size === 'number')
		.reduce<number | undefined>((least, size) => Math.min(least ?? size, size), undefined);

export const isText = (value: unknown): value is string =>
	typeof value === 'string' && value !== '';

/** The values at a path of fields, through every list on the way. None is null. A `*` is one word of a name. */
function valuesAt(value: unknown, path: string | undefined): unknown[] {
	if (path === undefined) return [];
	let found: unknown[] = [value];
	for (const step of path.split('.')) {
		const objects = found.flat().filter(isPlainObject);
		const pattern = step.includes('*') ? patternOf(step, '[^_]+') : undefined;
		const namesOf = (one: JsonObject) =>
			pattern ? Object.keys(one).filter((name) => pattern.test(name)) : [step];
		found = objects.flatMap((one) => namesOf(one).map((name) => one[name]));
	}
	return found.filter(isPresent);
}

/**
 * The entries of a price list with those of one ID in one: each price is the dearest of them, each size the smallest.
 *
 * @param entries As they were read.
 * @returns by ID.
 */
export function mergeEntries(entries: readonly JsonObject[]): Map<string, JsonObject> {
	const ofId = groupBy(entries, ({ id }) => String(id));
	return new Map([...ofId].map(([id, same]) => [id, mergeAll(same)]));
}

function mergeAll(entries: readonly JsonObject[]): JsonObject {
	const [first = {}] = entries;
	const form = formOf(first);
	return form
		? specify(
				entries.map((entry) => readingOf(entry)?.entry ?? entry),
				form,
			)
		: first;
}
