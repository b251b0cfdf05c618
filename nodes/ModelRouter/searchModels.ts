import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { connect, type Connection } from '../../src/n8n/connection';
import { toNodeError } from '../../src/n8n/errors';
import { fits, knownKindsFirst, priceIn } from '../../src/router/catalogFilter';
import { listModels, type Model, type ModelKind } from '../../src/router/models';
import { kindOf, segments } from '../../src/router/segments';
import { access } from './access';

/** Finds models for the picker: those of the kind that the chosen operation needs, then those whose kind is not known. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	search = '',
): Promise<INodeListSearchResult> {
	const kind = neededKind(this);
	let connection: Connection | undefined;
	try {
		connection = await connect(this, access);
		const { models } = await listModels(connection.http);
		return connection.redact.data({
			results: models
				.filter((model) => fits(model, { search, ...(kind && { kind }) }))
				.sort(knownKindsFirst)
				.map((model) => ({ name: title(model), value: model.id })),
		});
	} catch (cause) {
		// whoever may use a credential sees this, and need not know its key
		throw toNodeError(this.getNode(), cause, undefined, connection?.redact);
	}
}

function neededKind(n8n: ILoadOptionsFunctions): ModelKind | undefined {
	const resource = n8n.getCurrentNodeParameter('resource');
	if (resource === 'chat' || resource === 'response') return 'text';
	const segment = n8n.getCurrentNodeParameter('segment');
	return resource === 'job'
		? segments.filter((known) => known === segment).map(kindOf)[0]
		: undefined;
}

/** Name, price, context and id, as far as the catalog says them: the list is narrow, and cuts off what comes last. */
function title({ id, name, pricing, context_length: context }: Model): string {
	const named = typeof name === 'string' && name && name !== id;
	return [
		named ? name : id,
		tokenPrice(priceIn(pricing, 'input_per_mtok'), priceIn(pricing, 'output_per_mtok')),
		unitPrice(priceIn(pricing, 'per_unit'), pricing?.['unit']),
		typeof context === 'number' ? shortCount(context) : undefined,
		named && id,
	]
		.filter(Boolean)
		.join(' · ');
}

/** USD per million tokens. */
function tokenPrice(input: number | undefined, output: number | undefined): string | undefined {
	if (input === undefined && output === undefined) return undefined;
	const shown = (price: number | undefined) => (price === undefined ? '?' : `$${price}`);
	return `${shown(input)}/${shown(output)}`;
}

/** Of the cheapest configuration. */
function unitPrice(price: number | undefined, unit: unknown): string | undefined {
	if (price === undefined) return undefined;
	return `from $${price}${typeof unit === 'string' ? ` per ${unit.replace('_', ' ')}` : ''}`;
}

function shortCount(count: number): string {
	if (count >= 1_000_000) return `${Number((count / 1_000_000).toFixed(1))}M`;
	return count >= 1000
		? `${Number((count / 1000).toFixed(count < 10_000 ? 1 : 0))}k`
		: String(count);
}
