import type { Model, ModelKind } from './models';

/** What a model has to be; what is not given does not count. */
export interface CatalogFilter {
	kind?: ModelKind | '';
	/** One of the catalog's `input_modalities`. */
	inputModality?: string;
	/** As in `owned_by`, or before the slash of the id; case and separators do not matter. */
	vendor?: string;
	/** A part of the id or the name. */
	search?: string;
	/** Tokens. */
	minimumContext?: number;
	/** USD per million tokens; only text models have it. */
	maximumInputPrice?: number;
	/** USD per million tokens; only text models have it. */
	maximumOutputPrice?: number;
	/** USD per unit, whatever the unit; only media models have it. */
	maximumUnitPrice?: number;
}

/**
 * Whether a model fits. What the catalog does not say of it is no reason to leave it out: a model without a kind is in every
 * list of a kind, one without a price in every list of a price.
 */
export function fits(model: Model, filter: CatalogFilter): boolean {
	const { kind, input_modalities: takes, context_length: context } = model;
	const isText = !kind || kind === 'text';
	const isMedia = kind !== 'text';
	return (
		(!filter.kind || !kind || kind === filter.kind) &&
		(!filter.inputModality || !Array.isArray(takes) || takes.includes(filter.inputModality)) &&
		(!filter.vendor || isOf(model, filter.vendor)) &&
		(!filter.search || isCalled(model, filter.search)) &&
		(!filter.minimumContext || !isNumber(context) || context >= filter.minimumContext) &&
		costsAtMost(filter.maximumInputPrice, model, 'input_per_mtok', isText) &&
		costsAtMost(filter.maximumOutputPrice, model, 'output_per_mtok', isText) &&
		costsAtMost(filter.maximumUnitPrice, model, 'per_unit', isMedia)
	);
}

/** Models whose kind is not known come last. */
export function knownKindsFirst(one: Model, other: Model): number {
	return Number(!one.kind) - Number(!other.kind);
}

function costsAtMost(
	limit: number | undefined,
	{ pricing }: Model,
	field: string,
	mayHaveIt: boolean,
): boolean {
	if (limit === undefined) return true;
	if (!mayHaveIt) return false;
	const price = priceIn(pricing, field);
	return price === undefined || price <= limit;
}

/** A price in USD; undefined where there is none, never zero. */
export function priceIn(pricing: Model['pricing'], field: string): number | undefined {
	const value = pricing?.[field];
	const price = typeof value === 'string' && value.trim() ? Number(value) : value;
	return isNumber(price) && price >= 0 ? price : undefined;
}

const isNumber = (value: unknown): value is number =>
	typeof value === 'number' && Number.isFinite(value);

function isOf({ id, owned_by: owner }: Model, vendor: string): boolean {
	const prefix = id.includes('/') ? id.split('/')[0] : undefined;
	const wanted = plain(vendor);
	return (
		!wanted || [owner, prefix].some((name) => typeof name === 'string' && plain(name) === wanted)
	);
}

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function isCalled({ id, name }: Model, part: string): boolean {
	const wanted = plain(part);
	return [name, id].some(
		(called) =>
			typeof called === 'string' &&
			(wanted ? plain(called).includes(wanted) : called.includes(part.trim())),
	);
}
