import type { IDataObject } from 'n8n-workflow';

import type { Http } from '../../src/core/http';
import type { PreflightContext, ItemOutput } from '../../src/n8n/operation';
import type { Lookup } from '../../src/n8n/sharedCache';
import { listModels } from '../../src/router/catalog';
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
	judgeCatalog(catalog);
}

/** The entry of a model; undefined if the catalog does not have it, or cannot be read. */
export async function findCachedModel(
	context: Pick<PreflightContext<unknown>, 'lookUp'>,
	id: string,
): Promise<Model | undefined> {
	const catalog = await getCachedCatalog(context);
	return 'value' in catalog ? catalog.value.find(id) : undefined;
}

/**
 * A catalog entry as an item, with the ID of its request.
 *
 * A top-level `error` field would make n8n treat the item as a failure and retry the node (n8n-core 2.41.1,
 * workflow-execute.js:1206).
 */
export function toModelItem(
	{ error, ...entry }: Model,
	request: { requestId?: string },
): ItemOutput {
	const failure = error === undefined ? {} : { failure: error };
	return { json: { ...entry, ...failure, ...request } as IDataObject };
}
