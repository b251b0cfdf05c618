import { readAbilities } from '../../../src/router/modelAbilities';

const model = (more: object) => ({ id: 'vendor/model', ...more });

it.each<[string, object, ReturnType<typeof readAbilities>]>([
	['nothing', {}, {}],
	['inputs', { input_modalities: ['text', 'image'] }, { images: true }],
	['inputs without images', { input_modalities: ['text'] }, { images: false }],
	[
		'a list of fields',
		{ supported_parameters: ['tools', 'response_format', 'seed'] },
		{ tools: true, json: true },
	],
	[
		'a list of fields without tools',
		{ supported_parameters: ['temperature'] },
		{ tools: false, json: false },
	],
	['an empty list of fields', { supported_parameters: [] }, {}],
	['a list of abilities', { capabilities: ['Function-Calling', 'vision'] }, { tools: true }],
	[
		'an object',
		{ capabilities: { tools: false, streaming: true } },
		{ tools: false, streaming: true },
	],
	[
		'an object of objects',
		{ features: { function_calling: { supported: true } } },
		{ tools: true },
	],
	[
		'other spellings',
		{ abilities: { toolCalling: 'true', jsonMode: false } },
		{ tools: true, json: false },
	],
	[
		'fields',
		{ supports_function_calling: true, supports_streaming: false },
		{ tools: true, streaming: false },
	],
	['fields in camel case', { supportsTools: true }, { tools: true }],
	['values of other types', { capabilities: { tools: 3 }, supports_tools: null }, {}],
])('reads %s', (_what, fields, abilities) => {
	expect(readAbilities(model(fields))).toEqual(abilities);
});
