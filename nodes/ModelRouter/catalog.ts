import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodeProperties,
} from 'n8n-workflow';

import { mapServiceError, type ServiceError, withDetails } from '../../src/core/errors';
import type { Http } from '../../src/core/http';
import { omitMissing } from '../../src/core/json';
import { formatUsd, readDecimal } from '../../src/core/money';
import { connect, type Connection } from '../../src/n8n/connection';
import { toNodeError } from '../../src/n8n/errors';
import { requireN8n } from '../../src/n8n/n8nVersions';
import type { ItemOutput, PreflightContext } from '../../src/n8n/operation';
import type { Lookup } from '../../src/n8n/sharedCache';
import { listModels } from '../../src/router/catalog';
import { modalities, modalityNames } from '../../src/router/messages';
import {
	compareByKnownKind,
	createModelFinder,
	kindOfMediaType,
	matchesFilter,
	mediaTypes,
	type Model,
	type ModelKind,
	readPrice,
} from '../../src/router/model';
import type { NoCostBound } from '../../src/router/pricing';
import { access } from './access';

type CachedCatalog = Awaited<ReturnType<typeof readCatalog>>;

/** @returns also why entries are missing, if the catalog is not complete. */
async function readCatalog(http: Http) {
	const { models, ...more } = await listModels(http);
	/** Finds an entry by its id, in any spelling. */
	return { find: createModelFinder(models), ...more };
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
	return await lookUp('catalog', readCatalog, isEnough);
}

/** The catalog entry of a model, or why there is none. Without it, the cost of a request has no bound. */
export type FoundModel = { entry: Model } | NoCostBound;
export const NOT_CHECKED: FoundModel = { unbounded: 'the catalog was not read' };

/**
 * Rejects a request that does not fit the catalog.
 *
 * @param judge Receives the catalog entry of the model, or why there is none. Throws ServiceError `invalid`.
 * @returns what `judge` received.
 * @throws ServiceError from `judge`, or from reading the catalog if the execution was stopped, the API key is refused or nothing answers.
 */
export async function checkAgainstCatalog(
	context: Pick<PreflightContext<unknown>, 'lookUp'>,
	model: string,
	judge: (found: FoundModel) => void,
): Promise<FoundModel> {
	const judgeCatalog = (catalog: Lookup<CachedCatalog>): FoundModel => {
		const found = findIn(catalog, model);
		judge(found);
		return found;
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
		return judgeCatalog(catalog);
	} catch (cause) {
		throw mapServiceError(cause, (rejection) => toCatalogError(catalog) ?? rejection);
	}
}

function findIn(catalog: Lookup<CachedCatalog>, model: string): FoundModel {
	if ('missing' in catalog)
		return { unbounded: `the catalog could not be read (${catalog.missing})` };
	const entry = catalog.value.find(model);
	if (entry) return { entry };
	const { incompleteReason } = catalog.value;
	return {
		unbounded: `the catalog does not have the model ${model}${incompleteReason ? `. ${incompleteReason}` : ''}`,
		remedy:
			'Choose a model from the list, or correct its ID. Only if you are sure that the service has it, turn on "Allow Unknown Cost" in Options.',
	};
}

/** The error of reading the catalog, if it says more than that the catalog could not be read. */
function toCatalogError(catalog: Lookup<CachedCatalog>): ServiceError | undefined {
	const error = 'missing' in catalog ? catalog.error : undefined;
	if (!error) return undefined;
	const { status = 0 } = error.details;
	const saysMore = ['cancelled', 'unreachable'].includes(error.kind) || [401, 403].includes(status);
	return saysMore ? withDetails(error, { outcome: 'not_started' }) : undefined;
}

/** The prices of a catalog entry, with the unit in each name. A price that the catalog does not have is absent. */
export function toPrices(pricing: Model['pricing']): Record<string, unknown> {
	const prices = Object.entries(PRICE_FIELDS).map(([name, field]) => [
		name,
		readPrice(pricing, field),
	]);
	const unit = pricing?.['unit'];
	return { ...omitMissing(Object.fromEntries(prices)), ...(typeof unit === 'string' && { unit }) };
}

const PRICE_FIELDS = {
	inputUsdPerMillionTokens: 'input_per_mtok',
	cachedInputUsdPerMillionTokens: 'cached_input_per_mtok',
	outputUsdPerMillionTokens: 'output_per_mtok',
	usdPerUnit: 'per_unit',
};

export const modelParam = {
	displayName: 'Model',
	name: 'model',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description:
		'The list shows inputs besides text, prices in USD (per million tokens in/out or per unit), and the context in tokens',
	builderHint: {
		propertyHint: 'Do not invent an ID. Leave the value empty, unless the user names one.',
	},
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchModels', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. vendor/model' },
	],
} as const satisfies INodeProperties;

/** Finds models for the picker: first those of the kind that the node or operation needs, then those of unknown kind. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	search = '',
): Promise<INodeListSearchResult> {
	const kind = findNeededKind(this);
	requireN8n(this);
	let connection: Connection | undefined;
	try {
		connection = await connect(this, access);
		const { models } = await listModels(connection.http);
		return connection.redact.data({
			results: models
				.filter((model) => matchesFilter(model, { search, ...(kind && { kind }) }))
				.sort(compareByKnownKind)
				.map((model) => ({ name: formatTitle(model), value: model.id })),
		});
	} catch (cause) {
		// everyone who may use the credential sees this message, so the key must not be in it
		throw toNodeError(this.getNode(), cause, undefined, connection?.redact);
	}
}

/** The inputs that a model takes besides text, according to the catalog. */
function listInputs({ input_modalities: accepted }: Model): string[] {
	if (!Array.isArray(accepted)) return [];
	return modalities.filter((one) => accepted.includes(one)).map((one) => modalityNames[one]);
}

function findNeededKind(n8n: ILoadOptionsFunctions): ModelKind | undefined {
	// the chat model has no resources
	const resource = n8n.getCurrentNodeParameter('resource') ?? 'text';
	if (resource === 'text') return 'text';
	const mediaType = n8n.getCurrentNodeParameter('mediaType');
	return resource === 'media'
		? mediaTypes.filter((known) => known === mediaType).map(kindOfMediaType)[0]
		: undefined;
}

/** Name, inputs, price, context and id, as far as known. The list is narrow and truncates the end. */
function formatTitle(model: Model): string {
	const { id, name, pricing, context_length: context } = model;
	const named = typeof name === 'string' && name && name !== id;
	return [
		named ? name : id,
		listInputs(model).join(', '),
		formatTokenPrice(readPrice(pricing, 'input_per_mtok'), readPrice(pricing, 'output_per_mtok')),
		formatUnitPrice(readPrice(pricing, 'per_unit'), pricing?.['unit']),
		typeof context === 'number'
			? `${COUNT_FORMAT.format(context).replace('K', 'k')} context`
			: undefined,
		named && id,
	]
		.filter(Boolean)
		.join(' · ');
}

/** USD per million tokens. */
function formatTokenPrice(input: number | undefined, output: number | undefined) {
	if (input === undefined && output === undefined) return undefined;
	return `${formatPrice(input)} in, ${formatPrice(output)} out per 1M tokens`;
}

const formatPrice = (usd: number | undefined) => formatUsd(readDecimal(usd)?.times(1e6)) ?? '?';

/** The price of the cheapest configuration. */
function formatUnitPrice(price: number | undefined, unit: unknown): string | undefined {
	if (price === undefined) return undefined;
	return `from ${formatPrice(price)}${typeof unit === 'string' ? ` per ${unit.replace('_', ' ')}` : ''}`;
}

const COUNT_FORMAT = new Intl.NumberFormat('en-US', { notation: 'compact' });

/**
 * A catalog entry as an item, with the ID of its request.
 *
 * A top-level `error` field would make n8n treat the item as a failure and retry the node (n8n-core 2.41.1,
 * workflow-execute.js:1206).
 */
export function toModelItem(
	{ error, ...entry }: Model,
	request: { requestId?: string },
	simplify: boolean,
): ItemOutput {
	const failure = error === undefined ? {} : { failure: error };
	const fields = simplify ? simplifyModel(entry) : entry;
	return { json: { ...fields, ...failure, ...request } as IDataObject };
}

/** The specified fields of an entry. What the catalog does not have is absent. */
function simplifyModel({ id, pricing, ...entry }: Model): object {
	const known = omitMissing({
		name: entry.name,
		vendor: entry.owned_by,
		kind: entry.kind,
		contextLength: entry.context_length,
		maxOutputTokens: entry.max_output_tokens,
		inputModalities: entry.input_modalities,
	});
	return { model: id, ...known, ...toPrices(pricing) };
}
