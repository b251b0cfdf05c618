import { mapServiceError, withDetails, type ServiceError } from '../../src/core/errors';
import type { Http } from '../../src/core/http';
import type { PreflightContext } from '../../src/n8n/operation';
import type { Lookup } from '../../src/n8n/sharedCache';
import { listModels, readPrice } from '../../src/router/catalog';
import { createModelFinder, type Model } from '../../src/router/model';

interface CachedCatalog {
	/** Finds an entry by its id, in any spelling. */
	find(id: string): Model | undefined;
	requestId?: string;
	/** Why entries are missing. Absent if the catalog is complete. */
	incompleteReason?: string;
}

/**
 * The catalog as this process last read it. It is needed before every request, so it is cached.
 *
 * @param isEnough Whether the cached catalog allows the request. If not, it is read again once before the request is rejected.
 */
export async function getCachedCatalog(
	{ lookUp }: Pick<PreflightContext<unknown>, 'lookUp'>,
	isEnough?: (catalog: Lookup<CachedCatalog>) => boolean,
): Promise<Lookup<CachedCatalog>> {
	const read = async (http: Http): Promise<CachedCatalog> => {
		const { models, ...more } = await listModels(http);
		return { find: createModelFinder(models), ...more };
	};
	return await lookUp('catalog', read, isEnough);
}

/**
 * Rejects a request that does not fit the catalog.
 *
 * @param judge Receives the entry of the model, or why there is none, and throws ServiceError `invalid`.
 * @throws ServiceError as `judge` does; that of the catalog if the execution was stopped, the API key is refused or nothing answers.
 */
export async function checkAgainstCatalog(
	context: Pick<PreflightContext<unknown>, 'lookUp'>,
	model: string,
	judge: (found: { entry: Model } | { missing: string }) => void,
): Promise<void> {
	const judgeCatalog = (catalog: Lookup<CachedCatalog>) => {
		if ('missing' in catalog)
			return judge({ missing: `the catalog could not be read (${catalog.missing})` });
		const entry = catalog.value.find(model);
		if (entry) return judge({ entry });
		const { incompleteReason } = catalog.value;
		judge({
			missing: `the catalog does not have the model ${model}${incompleteReason ? `. ${incompleteReason}` : ''}`,
		});
	};
	const catalog = await getCachedCatalog(context, (candidate) => {
		try {
			judgeCatalog(candidate);
			return true;
		} catch {
			return false;
		}
	});
	try {
		judgeCatalog(catalog);
	} catch (cause) {
		throw mapServiceError(cause, (rejection) => toCatalogError(catalog) ?? rejection);
	}
}

/** An error that says more than that the catalog could not be read. */
function toCatalogError(catalog: Lookup<CachedCatalog>): ServiceError | undefined {
	const error = 'missing' in catalog ? catalog.error : undefined;
	if (!error) return undefined;
	const { status, advice } = error.details;
	if (error.kind === 'cancelled') return withDetails(error, { outcome: 'not_started' });
	if (error.kind !== 'unreachable' && status !== 401 && status !== 403) return undefined;
	return withDetails(error, {
		outcome: 'not_started',
		advice: [
			advice,
			'Nothing was sent: the catalog could not be read. If only the catalog fails, turn on "Allow Unknown Cost" in Options.',
		]
			.filter(Boolean)
			.join(' '),
	});
}

/** The entry of a model; undefined if the catalog does not have it, or cannot be read. */
export async function findCachedModel(
	context: Pick<PreflightContext<unknown>, 'lookUp'>,
	id: string,
): Promise<Model | undefined> {
	const catalog = await getCachedCatalog(context);
	return 'value' in catalog ? catalog.value.find(id) : undefined;
}

/** The prices of a catalog entry, with the unit in each name. A price that the catalog does not have is absent. */
export function toPrices(pricing: Model['pricing']): Record<string, unknown> {
	const prices = Object.entries(PRICE_FIELDS).flatMap(([name, field]) => {
		const price = readPrice(pricing, field);
		return price === undefined ? [] : [[name, price] as const];
	});
	const unit = pricing?.['unit'];
	return { ...Object.fromEntries(prices), ...(typeof unit === 'string' && { unit }) };
}

const PRICE_FIELDS = {
	inputUsdPerMillionTokens: 'input_per_mtok',
	cachedInputUsdPerMillionTokens: 'cached_input_per_mtok',
	outputUsdPerMillionTokens: 'output_per_mtok',
	usdPerUnit: 'per_unit',
};
