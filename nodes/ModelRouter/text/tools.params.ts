import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import type { ParamValues } from '../../../src/n8n/parameters';

export const toolsOption = {
	displayName: 'Tools',
	name: 'tools',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Tool',
	default: {},
	description: 'What the model may request in "toolCalls"',
	options: [
		{
			displayName: 'Tool',
			name: 'tool',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. get_weather',
				},
				{
					displayName: 'Description',
					name: 'description',
					type: 'string',
					default: '',
					placeholder: 'e.g. Gets the weather of a city',
				},
				{
					displayName: 'Parameters (JSON Schema)',
					name: 'parameters',
					type: 'json',
					default: '{}',
				},
			],
		},
	],
} as const satisfies INodeProperties;

export const toolChoiceOption = {
	displayName: 'Tool Choice',
	name: 'toolChoice',
	type: 'fixedCollection',
	placeholder: 'Add Choice',
	// opens the group when the option is added
	default: { choice: {} },
	options: [
		{
			displayName: 'Choice',
			name: 'choice',
			values: [
				{
					displayName: 'Mode',
					name: 'mode',
					type: 'options',
					noDataExpression: true,
					options: [
						{ name: 'Automatic', value: 'auto', description: 'The model decides' },
						{ name: 'None', value: 'none', description: 'The model must not request a tool' },
						{ name: 'One Tool', value: 'one', description: 'The model must request this tool' },
						{
							name: 'Required',
							value: 'required',
							description: 'The model must request at least one tool',
						},
					],
					default: 'auto',
				},
				{
					displayName: 'Tool Name',
					name: 'toolName',
					type: 'string',
					displayOptions: { show: { mode: ['one'] } },
					default: '',
					placeholder: 'e.g. get_weather',
				},
			],
		},
	],
} as const satisfies INodeProperties;

type ToolValues = ParamValues<readonly [typeof toolsOption]>['tools'];

/**
 * @returns the field `tools`; nothing if there are none.
 * @throws ServiceError `invalid` for a tool without a name.
 */
export function toToolFields({ tool = [] }: ToolValues): { tools?: object[] } {
	const tools = tool.map(({ name = '', description, parameters = {} }, index) => {
		if (!name.trim()) throw invalidInputError(`Options: Tools ${index + 1}: Name is empty`);
		const hasParameters = Object.keys(parameters).length > 0;
		const described = {
			name: name.trim(),
			...(description && { description }),
			...(hasParameters && { parameters }),
		};
		return { type: 'function', function: described };
	});
	return tools.length ? { tools } : {};
}

type ToolChoice = ParamValues<readonly [typeof toolChoiceOption]>['toolChoice'];

/**
 * @returns the field `tool_choice`; nothing if nothing was chosen.
 * @throws ServiceError `invalid`.
 */
export function toToolChoice({ choice: [choice] = [] }: ToolChoice): object {
	if (!choice) return {};
	const { mode = 'auto', toolName = '' } = choice;
	if (mode !== 'one') return { tool_choice: mode };
	const name = toolName.trim();
	if (!name)
		throw invalidInputError(
			'Options: Tool Choice: Tool Name is empty',
			'Enter the name of the tool, or choose another mode.',
		);
	return { tool_choice: { type: 'function', function: { name } } };
}
