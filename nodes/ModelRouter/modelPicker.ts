import type { INodeProperties, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { connect, type Connection } from '../../src/n8n/connection';
import { toNodeError } from '../../src/n8n/errors';
import { requireN8n } from '../../src/n8n/n8nVersions';
import { matchesFilter, compareByKnownKind, readPrice, listModels } from '../../src/router/catalog';
import { modalities, modalityNames } from '../../src/router/messages';
import { type Model, type ModelKind, kindOfMediaType, mediaTypes } from '../../src/router/model';
import { access } from './access';

export const modelParam = {
	displayName: 'Model',
	name: 'model',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description:
		'The model to use. The list shows its price in USD, per million tokens in/out or per unit, and its context in tokens. Upper and lower case and separators in its ID do not matter.',
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

/** Finds models for the picker: those of the kind that the operation needs, then those of unknown kind. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	search = '',
): Promise<INodeListSearchResult> {
	return await listForPicker(this, search, findNeededKind(this), () => []);
}

/** Finds text models for the picker of the chat model, with the inputs that they take. */
export async function searchChatModels(
	this: ILoadOptionsFunctions,
	search = '',
): Promise<INodeListSearchResult> {
	return await listForPicker(this, search, 'text', listInputs);
}

/** @param describe What the title of a model says beside its price and context. */
async function listForPicker(
	n8n: ILoadOptionsFunctions,
	search: string,
	kind: ModelKind | undefined,
	describe: (model: Model) => string[],
): Promise<INodeListSearchResult> {
	requireN8n(n8n);
	let connection: Connection | undefined;
	try {
		connection = await connect(n8n, access);
		const { models } = await listModels(connection.http);
		return connection.redact.data({
			results: models
				.filter((model) => matchesFilter(model, { search, ...(kind && { kind }) }))
				.sort(compareByKnownKind)
				.map((model) => ({ name: formatTitle(model, describe(model)), value: model.id })),
		});
	} catch (cause) {
		// everybody who may use the credential sees this message, so the key must not be in it
		throw toNodeError(n8n.getNode(), cause, undefined, connection?.redact);
	}
}

/** The inputs that a model takes besides text, according to the catalog. */
function listInputs({ input_modalities: accepted }: Model): string[] {
	if (!Array.isArray(accepted)) return [];
	return modalities.filter((one) => accepted.includes(one)).map((one) => modalityNames[one]);
}

function findNeededKind(n8n: ILoadOptionsFunctions): ModelKind | undefined {
	const resource = n8n.getCurrentNodeParameter('resource');
	if (resource === 'text') return 'text';
	const mediaType = n8n.getCurrentNodeParameter('mediaType');
	return resource === 'media'
		? mediaTypes.filter((known) => known === mediaType).map(kindOfMediaType)[0]
		: undefined;
}

/** Name, price, context and id, as far as known. The list is narrow and truncates the end. */
function formatTitle(
	{ id, name, pricing, context_length: context }: Model,
	details: string[],
): string {
	const named = typeof name === 'string' && name && name !== id;
	return [
		named ? name : id,
		formatTokenPrice(readPrice(pricing, 'input_per_mtok'), readPrice(pricing, 'output_per_mtok')),
		formatUnitPrice(readPrice(pricing, 'per_unit'), pricing?.['unit']),
		typeof context === 'number' ? `${formatCount(context)} context` : undefined,
		...details,
		named && id,
	]
		.filter(Boolean)
		.join(' · ');
}

/** USD per million tokens. */
function formatTokenPrice(
	input: number | undefined,
	output: number | undefined,
): string | undefined {
	if (input === undefined && output === undefined) return undefined;
	const format = (price: number | undefined) => (price === undefined ? '?' : `$${price}`);
	return `${format(input)} in, ${format(output)} out per 1M tokens`;
}

/** The price of the cheapest configuration. */
function formatUnitPrice(price: number | undefined, unit: unknown): string | undefined {
	if (price === undefined) return undefined;
	return `from $${price}${typeof unit === 'string' ? ` per ${unit.replace('_', ' ')}` : ''}`;
}

function formatCount(count: number): string {
	if (count >= 1_000_000) return `${Number((count / 1_000_000).toFixed(1))}M`;
	return count >= 1000
		? `${Number((count / 1000).toFixed(count < 10_000 ? 1 : 0))}k`
		: String(count);
}
