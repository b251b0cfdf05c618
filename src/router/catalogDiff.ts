import { isPlainObject } from '../core/json';
import { normalizeModelId, type Model } from './model';

/** Prices by model id, as they arrived; null for a model without prices. */
type CatalogSnapshot = Record<string, unknown>;

export interface CatalogChange {
	event: 'modelAdded' | 'modelRetired' | 'priceChanged';
	model: string;
	/** Absent for an added model; null for one without prices. */
	oldPricing?: unknown;
	/** Absent for a retired model. */
	pricing?: unknown;
}

export function takeSnapshot(models: readonly Model[]): CatalogSnapshot {
	return Object.fromEntries(models.map(({ id, pricing }) => [id, pricing ?? null]));
}

/** Compares two snapshots. An id in another spelling is the same model. */
export function diffCatalogs(before: CatalogSnapshot, after: CatalogSnapshot): CatalogChange[] {
	const added = Object.keys(after).filter((id) => !Object.hasOwn(before, id));
	const removed = Object.keys(before).filter((id) => !Object.hasOwn(after, id));
	const removedByName = new Map(removed.map((id) => [normalizeModelId(id), id]));
	const respelled = new Map<string, string>();
	for (const id of added) {
		const previous = removedByName.get(normalizeModelId(id));
		if (previous === undefined) continue;
		respelled.set(id, previous);
		removedByName.delete(normalizeModelId(id));
	}
	const previous = new Set(respelled.values());
	return [
		...added
			.filter((model) => !respelled.has(model))
			.map((model) => ({ event: 'modelAdded' as const, model, pricing: after[model] })),
		...removed
			.filter((model) => !previous.has(model))
			.map((model) => ({ event: 'modelRetired' as const, model, oldPricing: before[model] })),
		...Object.entries(after).flatMap(([model, pricing]) => {
			const previousId = respelled.get(model) ?? model;
			const oldPricing = before[previousId];
			if (!Object.hasOwn(before, previousId) || isDeepEqual(oldPricing, pricing)) return [];
			return [{ event: 'priceChanged' as const, model, oldPricing, pricing }];
		}),
	];
}

/** With fewer models, an outage cannot be detected. */
const MINIMUM_MODELS = 4;

/**
 * Detects a catalog that was probably read during an outage: more than half of the models are never retired at once.
 *
 * @returns the reason as a sentence, or undefined.
 */
export function detectOutage(before: CatalogSnapshot, after: CatalogSnapshot): string | undefined {
	const known = Object.keys(before);
	const remaining = known.filter((id) => Object.hasOwn(after, id)).length;
	if (known.length < MINIMUM_MODELS || remaining * 2 >= known.length) return undefined;
	return `The catalog has only ${remaining} of the ${known.length} models that it had. The change is reported if it lasts for an hour.`;
}

/** Ignores the order of fields. */
function isDeepEqual(one: unknown, other: unknown): boolean {
	if (Array.isArray(one) && Array.isArray(other))
		return (
			one.length === other.length && one.every((value, index) => isDeepEqual(value, other[index]))
		);
	if (!isPlainObject(one) || !isPlainObject(other)) return Object.is(one, other);
	const names = Object.keys(one);
	return (
		names.length === Object.keys(other).length &&
		names.every((name) => Object.hasOwn(other, name) && isDeepEqual(one[name], other[name]))
	);
}
