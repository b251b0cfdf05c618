import { operation } from '../../../src/n8n/operation';
import { getModel as readModel } from '../../../src/router/catalog';
import { toModelItem } from './modelItem';
import { oneModelParam } from '../modelPicker';
import { simplifyParam } from '../acrossResources.params';

export const getModel = operation({
	name: 'Get',
	value: 'getModel',
	action: 'Get model',
	description: 'Get one model of the catalog with your own prices',
	readsAtMostCatalog: true,
	params: [oneModelParam, simplifyParam],

	prepare: ({ model, simplify }) => ({ id: model.trim(), simplify }),

	async run({ request: { id, simplify }, http }) {
		const { model, ...request } = await readModel(http, id);
		return toModelItem(model, request, simplify);
	},
});
