import { operation } from '../../../src/n8n/operation';
import { getModel as readModel } from '../../../src/router/catalog';
import { toModelItem } from './modelItem';
import { oneModelParam } from '../modelPicker';

export const getModel = operation({
	name: 'Get',
	value: 'getModel',
	action: 'Get model',
	description: 'Get a model with your own prices',
	readsAtMostCatalog: true,
	params: [oneModelParam],

	prepare: ({ model }) => ({ id: model.trim() }),

	async run({ request: { id }, http }) {
		const { model, ...request } = await readModel(http, id);
		return toModelItem(model, request, true);
	},
});
