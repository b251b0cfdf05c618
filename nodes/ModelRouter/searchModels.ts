import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { toNodeError } from '../../src/n8n/errors';
import { connect } from '../../src/n8n/connection';
import { kindOf, segments } from '../../src/router/segments';
import { listModels, type Model } from '../../src/router/models';
import { access } from './access';

/** Finds models for the picker: those of the kind that the chosen operation needs, then those whose kind is not known. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const kind = neededKind(this);
	const wanted = filter.toLowerCase();
	try {
		const { http } = await connect(this, access);
		const models = await listModels(http);
		return {
			results: models
				.filter((model) => !kind || !model.kind || model.kind === kind)
				.filter(({ id, name = '' }) => `${name} ${id}`.toLowerCase().includes(wanted))
				.sort((one, other) => Number(!one.kind) - Number(!other.kind))
				.map((model) => ({ name: title(model), value: model.id })),
		};
	} catch (cause) {
		throw toNodeError(this.getNode(), cause);
	}
}

function neededKind(n8n: ILoadOptionsFunctions): string | undefined {
	const resource = n8n.getCurrentNodeParameter('resource');
	if (resource === 'chat') return 'text';
	const segment = n8n.getCurrentNodeParameter('segment');
	return resource === 'job'
		? segments.filter((known) => known === segment).map(kindOf)[0]
		: undefined;
}

const title = ({ id, name }: Model) => (name && name !== id ? `${name} (${id})` : id);
