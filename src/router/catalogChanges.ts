import { isObject } from '../service/json';
import { plainId, type Model } from './models';

/** Prices by the id of their model, as they came; null where the catalog says none. */
export type CatalogSnapshot = Record<string, unknown>;

export interface CatalogChange {
	event: 'modelAdded' | 'modelRetired' | 'priceChanged';
	model: string;
	/** Absent for a model that was added, and null where the catalog said none. */
	oldPricing?: unknown;
	/** Absent for a model that was retired. */
	pricing?: unknown;
}

export function snapshotOf(models: readonly Model[]): CatalogSnapshot {
	return Object.fromEntries(models.map(({ id, pricing }) => [id, pricing ?? null]));
}

/** A model that is only spelled in another way is the same model. */
export function catalogChanges(before: CatalogSnapshot, after: CatalogSnapshot): CatalogChange[] {
	const added = Object.keys(after).filter((id) => !Object.hasOwn(before, id));
	const gone = Object.keys(before).filter((id) => !Object.hasOwn(after, id));
	const goneAs = new Map(gone.map((id) => [plainId(id), id]));
	const respelled = new Map<string, string>();
	for (const id of added) {
		const old = goneAs.get(plainId(id));
		if (old === undefined) continue;
		respelled.set(id, old);
		goneAs.delete(plainId(id));
	}
	const old = new Set(respelled.values());
	return [
		...added
			.filter((model) => !respelled.has(model))
			.map((model) => ({ event: 'modelAdded' as const, model, pricing: after[model] })),
		...gone
			.filter((model) => !old.has(model))
			.map((model) => ({ event: 'modelRetired' as const, model, oldPricing: before[model] })),
		...Object.entries(after).flatMap(([model, pricing]) => {
			const known = respelled.get(model) ?? model;
			const oldPricing = before[known];
			if (!Object.hasOwn(before, known) || isSame(oldPricing, pricing)) return [];
			return [{ event: 'priceChanged' as const, model, oldPricing, pricing }];
		}),
	];
}

/** Of fewer than these nothing can be told. */
const FEW = 4;

/**
 * Why a catalog looks as if the service were in trouble: nobody retires all models, or more than half of them, at once.
 *
 * @returns undefined when it does not.
 */
export function suspicionOf(before: CatalogSnapshot, after: CatalogSnapshot): string | undefined {
	const known = Object.keys(before);
	const left = known.filter((id) => Object.hasOwn(after, id)).length;
	if (known.length < FEW || left * 2 >= known.length) return undefined;
	return `The catalog has only ${left} of ${known.length} models that it had. It is believed when it stays so for an hour.`;
}

/** The order of fields means nothing. */
function isSame(one: unknown, other: unknown): boolean {
	if (Array.isArray(one) && Array.isArray(other))
		return one.length === other.length && one.every((value, at) => isSame(value, other[at]));
	if (!isObject(one) || !isObject(other)) return Object.is(one, other);
	const names = Object.keys(one);
	return (
		names.length === Object.keys(other).length &&
		names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
	);
}
