import type { ILoadOptionsFunctions, INodeListSearchResult, INodeProperties } from 'n8n-workflow';

import { mapServiceError, ServiceError } from '../../src/core/errors';
import { type ModelList, toListValue } from '../../src/core/modelLists';
import { formatUsd, readDecimal } from '../../src/core/money';
import { connect } from '../../src/n8n/connect';
import type { Connection } from '../../src/n8n/connection';
import { toNodeError } from '../../src/n8n/errors';
import { requireN8n } from '../../src/n8n/n8nVersions';
import { createRedactor } from '../../src/n8n/redact';
import { priceByOwner } from '../../src/paid/catalog';
import { listModels } from '../../src/router/catalog';
import { modalityNames } from '../../src/router/messages';
import {
	createModelFinder,
	kindOfMediaType,
	matchesFilter,
	mediaTypes,
	type Model,
	type ModelKind,
	readPrice,
} from '../../src/router/model';
import { access } from './access';

/** For language models. */
export const MODEL_HINT =
	'Look it up, by price and need. modelList: name of a list in the credential, never IDs; its next model is asked if one cannot, not for a poor answer. Empty without a credential.';

/** One model of the catalog. */
export const oneModelParam = {
	displayName: 'Model',
	name: 'model',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
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

/** One model, or a list of the credential. n8n's editor shows a choice for the mode "list" only, so it offers the lists there, too. */
export const modelParam = {
	...oneModelParam,
	modes: [
		...oneModelParam.modes,
		{
			displayName: 'By List Name',
			name: 'modelList',
			type: 'string',
			placeholder: 'e.g. support',
			hint: 'The name of a list in the credential, under Model Lists. The first of its models that can is asked.',
		},
	],
} as const satisfies INodeProperties;

/** Finds models for the picker: first those of the kind that the node or operation needs, then those of unknown kind, the cheapest first. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	search = '',
): Promise<INodeListSearchResult> {
	const kind = findNeededKind(this);
	requireN8n(this);
	const redact = createRedactor();
	try {
		const connection = await connect(this, access, redact);
		const lists = kind ? connection.readModelLists() : [];
		const models = await listAll(connection);
		const find = createModelFinder(models);
		const isIn = (name: string) => name.toLowerCase().includes(search.trim().toLowerCase());
		const isOfKind = (model: Model) => matchesFilter(model, { kind: kind ?? '' });
		const mayServe = ({ models: ids }: ModelList) =>
			ids.map(find).some((model) => !model || isOfKind(model));
		return redact.data({
			results: [
				...lists
					.filter(mayServe)
					.map((list) => ({ name: describeList(list), value: toListValue(list.name) }))
					.filter(({ name }) => isIn(name)),
				...models
					.filter(isOfKind)
					.map((model) => ({ model, name: formatTitle(model) }))
					.filter(({ model, name }) => matchesFilter(model, { search }) || isIn(name))
					.sort(({ model: one }, { model: other }) => compareModels(one, other))
					.map(({ model, name }) => ({ name, value: model.id })),
			],
		});
	} catch (cause) {
		// everyone who may use the credential sees this message, so the key must not be in it
		throw toNodeError(this.getNode(), cause, undefined, redact);
	}
}

/** The models of the catalog and of the lines in Prices, with the prices that count. */
async function listAll({ http, ownPrices }: Connection): Promise<Model[]> {
	const lines = [...ownPrices.values()].map(({ model: id }) => ({ id }));
	const own = lines.filter(({ id }) => id !== '*');
	const { models } = await listModels(http).catch((cause: unknown) => {
		const { status = 0 } = cause instanceof ServiceError ? cause.details : {};
		// some services have none
		if (own.length && [404, 405].includes(status)) return { models: [] };
		throw mapServiceError(cause);
	});
	const find = createModelFinder(models);
	const all: Model[] = [...models, ...own.filter(({ id }) => !find(id))];
	return all.map((model) => priceByOwner(model.id, model, ownPrices, true)?.entry ?? model);
}

/** Models without a kind come last. Of several prices, the first that the list shows counts. */
function compareModels(one: Model, other: Model): number {
	const priceOf = ({ pricing }: Model) =>
		readPrice(pricing, 'input_per_mtok') ?? readPrice(pricing, 'per_unit') ?? Number.MAX_VALUE;
	return Number(!one.kind) - Number(!other.kind) || priceOf(one) - priceOf(other);
}

const describeList = ({ name, models, order }: ModelList) =>
	`List ${name}: ${models.join(', ')}${order === 'cheapestFirst' ? ' (cheapest first)' : ''}`;

/** The inputs that a model takes besides text, according to the catalog. */
function listInputs({ input_modalities: accepted }: Model): string[] {
	if (!Array.isArray(accepted)) return [];
	return Object.entries(modalityNames).flatMap(([one, name]) =>
		accepted.includes(one) ? [name] : [],
	);
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

/** Name, price, inputs, context and id, as far as known. The list is narrow and truncates the end. */
function formatTitle(model: Model): string {
	const { id, name, pricing, context_length: context } = model;
	const named = typeof name === 'string' && name && name !== id;
	return [
		named ? name : id,
		formatTokenPrice(readPrice(pricing, 'input_per_mtok'), readPrice(pricing, 'output_per_mtok')),
		formatUnitPrice(readPrice(pricing, 'per_unit'), pricing?.['unit']),
		listInputs(model).join(', '),
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
