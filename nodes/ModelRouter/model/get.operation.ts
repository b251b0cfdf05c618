import { operation } from '../../../src/n8n/operation';
import { getModel } from '../../../src/router/catalog';
import { toModelItem } from '../catalog';
import { modelParam } from '../modelPicker';

export const get = operation({
	name: 'Get',
	value: 'get',
	action: 'Get a model with its price',
	description: 'Read one entry of the catalog with your own price',
	params: [modelParam],

	prepare: ({ model }) => model.trim(),

	async run({ request: id, http }) {
		const { model, ...request } = await getModel(http, id);
		return toModelItem(model, request);
	},
});
