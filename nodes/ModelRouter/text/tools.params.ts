import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/params';
import { invalid } from '../../../src/service/errors';

export const toolsParam = {
	displayName: 'Tools',
	name: 'tools',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Tool',
	default: {},
	description:
		'Functions that the model may ask for. This node does not call them: what the model asks for is in "toolCalls".',
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
					description: 'How the model calls it',
				},
				{
					displayName: 'Description',
					name: 'description',
					type: 'string',
					default: '',
					description: 'What it does and when to use it; the model reads this',
				},
				{
					displayName: 'Parameters (JSON Schema)',
					name: 'parameters',
					type: 'json',
					default: '{}',
					description: 'What it takes, as a JSON schema of type "object"',
				},
			],
		},
	],
} as const satisfies INodeProperties;

export const toolChoiceOptions = [
	{
		displayName: 'Tool Choice',
		name: 'toolChoice',
		type: 'options',
		options: [
			{ name: 'Automatic', value: 'auto', description: 'The model decides' },
			{ name: 'None', value: 'none', description: 'No tool is asked for' },
			{ name: 'One Tool', value: 'one', description: 'The tool under Tool Name' },
			{ name: 'Required', value: 'required', description: 'At least one tool is asked for' },
		],
		default: 'auto',
		description: 'Whether the model has to ask for a tool',
	},
	{
		displayName: 'Tool Name',
		name: 'toolName',
		type: 'string',
		default: '',
		description: 'Which tool the model has to ask for, with Tool Choice "One Tool"',
	},
] as const satisfies INodeProperties[];

type Tools = ParamValues<readonly [typeof toolsParam]>['tools'];

export interface Tool {
	name: string;
	description?: string;
	parameters?: object;
}

/** @throws ServiceError `invalid` for a tool without a name. */
export function toTools({ tool = [] }: Tools): Tool[] {
	return tool.map(({ name = '', description, parameters = {} }, index) => {
		if (!name.trim()) throw invalid(`Tools ${index + 1}: Name is empty`);
		const hasParameters = Object.keys(parameters).length > 0;
		return {
			name: name.trim(),
			...(description && { description }),
			...(hasParameters && { parameters }),
		};
	});
}

export interface ToolChoice {
	toolChoice?: 'auto' | 'none' | 'one' | 'required';
	toolName?: string;
}

/**
 * @param naming How the protocol names one tool.
 * @returns the field `tool_choice`; nothing where nothing was chosen.
 * @throws ServiceError `invalid`.
 */
export function toToolChoice(
	{ toolChoice, toolName = '' }: ToolChoice,
	naming: (name: string) => object,
): { tool_choice?: string | object } {
	const name = toolName.trim();
	if (toolChoice === 'one' && !name)
		throw invalid('Options: Tool Name is empty', 'Tool Choice is "One Tool": say which.');
	// a name alone says what is meant
	if (toolChoice === 'one' || (!toolChoice && name)) return { tool_choice: naming(name) };
	return toolChoice ? { tool_choice: toolChoice } : {};
}
