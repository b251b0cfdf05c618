import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { withFieldRules } from '../../../src/n8n/parameterValidation';
import type { ParamValues } from '../../../src/n8n/parameters';

export const formatParams = [
	{
		displayName: 'Answer Format',
		name: 'answerFormat',
		type: 'options',
		options: [
			{ name: 'JSON', value: 'json', description: 'Any JSON object, read into "parsed"' },
			{
				name: 'JSON Schema',
				value: 'schema',
				description: 'JSON that fits a schema, checked and read into "parsed"',
			},
			{ name: 'Text', value: 'text' },
		],
		default: 'text',
		description: 'What the answer has to be. Whether a model honors it is up to the model.',
	},
	{
		displayName: 'JSON Schema',
		name: 'schema',
		type: 'json',
		typeOptions: { rows: 8 },
		displayOptions: { show: { answerFormat: ['schema'] } },
		default:
			'{\n  "type": "object",\n  "properties": {\n    "answer": { "type": "string" }\n  },\n  "required": ["answer"],\n  "additionalProperties": false\n}',
		description: 'The schema that the answer has to fit. An answer that breaks it is an error.',
	},
] as const satisfies INodeProperties[];

export const simplifyParam = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const satisfies INodeProperties;

/** Options of both protocols; they stand among the protocol's own, in the order of their labels. */
export const additionalFieldsOption = {
	displayName: 'Additional Fields (JSON)',
	name: 'additionalFields',
	type: 'json',
	default: '{}',
	description:
		'Further fields of the request as a JSON object, sent as they are, e.g. {"user": "customer-7"}. Whether a model honors a field is up to the model.',
} as const satisfies INodeProperties;

export const spendingCapOption = withFieldRules({ inTool: 'fixed' })({
	displayName: 'Spending Cap per Item (USD)',
	name: 'spendingCap',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 6 },
	default: 0.01,
	// an expression that finds nothing would otherwise be no cap at all
	required: true,
	description:
		'An item is not sent when it could cost more than this: one token per byte of its JSON, and all of Maximum Output Tokens (4096 when not set). With attachments, or without a price in the catalog, the cost cannot be calculated, and the item is not sent.',
});

/** Fields that are not allowed in Additional Fields, and why. */
const FORBIDDEN_FIELDS: Record<string, string> = {
	stream: 'The answer is always streamed inside.',
	stream_options: 'The service sets it by itself.',
	previous_response_id:
		'The service does not store responses: send the whole conversation in the messages.',
};

/**
 * Adds fields to a request.
 *
 * @throws ServiceError `invalid` for a field that is already set, or that the service does not support.
 */
export function addFields<Body extends object>(
	body: Body,
	additionalFields: Record<string, unknown> = {},
): Body & Record<string, unknown> {
	for (const name of Object.keys(additionalFields)) {
		if (Object.hasOwn(FORBIDDEN_FIELDS, name) && !isAllowedValue(name, additionalFields[name]))
			throw invalidInputError(
				`Additional Fields must not contain "${name}"`,
				FORBIDDEN_FIELDS[name],
			);
		if (Object.hasOwn(body, name))
			throw invalidInputError(
				`Additional Fields must not contain "${name}"`,
				'It is set by a field above.',
			);
	}
	return { ...body, ...additionalFields };
}

const isAllowedValue = (name: string, value: unknown) =>
	value === null || (name === 'stream' && value === true);

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

type ToolValues = ParamValues<readonly [typeof toolsParam]>['tools'];

interface Tool {
	name: string;
	description?: string;
	parameters?: object;
}

/** @throws ServiceError `invalid` for a tool without a name. */
export function toTools({ tool = [] }: ToolValues): Tool[] {
	return tool.map(({ name = '', description, parameters = {} }, index) => {
		if (!name.trim()) throw invalidInputError(`Tools ${index + 1}: Name is empty`);
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
 * @param toNamedChoice How the protocol names one tool.
 * @returns the field `tool_choice`; nothing where nothing was chosen.
 * @throws ServiceError `invalid`.
 */
export function toToolChoice(
	{ toolChoice, toolName = '' }: ToolChoice,
	toNamedChoice: (name: string) => object,
): { tool_choice?: string | object } {
	const name = toolName.trim();
	if (toolChoice === 'one' && !name)
		throw invalidInputError(
			'Options: Tool Name is empty',
			'Tool Choice is "One Tool": enter its name.',
		);
	// a name without a choice means that tool
	if (toolChoice === 'one' || (!toolChoice && name)) return { tool_choice: toNamedChoice(name) };
	return toolChoice ? { tool_choice: toolChoice } : {};
}
