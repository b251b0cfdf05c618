import type { Known } from '../../src/n8n/known';
import type { Check } from '../../src/n8n/operation';
import { listModels, modelFinder, type Model } from '../../src/router/models';

interface KnownCatalog {
	/** Finds an entry by its id, in any spelling. */
	find(id: string): Model | undefined;
	requestId?: string;
}

/** The catalog as this process last read it. It is asked for before each request, and must not hold one up. */
export async function knownCatalog({
	known,
}: Pick<Check<unknown>, 'known'>): Promise<Known<KnownCatalog>> {
	return await known('catalog', async (http) => {
		const { models, ...request } = await listModels(http);
		return { find: modelFinder(models), ...request };
	});
}

/** The entry of a model; undefined where the catalog does not have it, or cannot be read. */
export async function knownModel(
	check: Pick<Check<unknown>, 'known'>,
	id: string,
): Promise<Model | undefined> {
	const catalog = await knownCatalog(check);
	return 'value' in catalog ? catalog.value.find(id) : undefined;
}
