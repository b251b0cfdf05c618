import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/parameters';
import { modelParam } from '../modelPicker';
import { spendingCapPerItemParam } from '../acrossResources.params';
import { attachmentsParam, conversationParams } from './messages.params';

/** What the input counts in a cap, for a description. */
export const INPUT_COUNTS_AS =
	'The input counts one token per byte, with services such as OpenRouter 1,500 more; a picture 48,169; other files up to the whole context window.';

/**
 * The format of an answer.
 *
 * @param result How JSON is returned, as the end of a sentence.
 */
export const formatParams = (result: string) =>
	[
		{
			displayName: 'Response Format',
			name: 'responseFormat',
			type: 'options',
			noDataExpression: true,
			options: [
				{ name: 'JSON', value: 'json_object', description: `Any JSON object${result}` },
				{
					name: 'JSON Schema',
					value: 'json_schema',
					description: `JSON that matches a schema, validated${result}`,
				},
				{ name: 'Text', value: 'text' },
			],
			default: 'text',
		},
		{
			displayName: 'JSON Schema',
			name: 'jsonSchema',
			type: 'json',
			typeOptions: { rows: 8 },
			displayOptions: { show: { responseFormat: ['json_schema'] } },
			default:
				'{\n  "type": "object",\n  "properties": {\n    "answer": { "type": "string" }\n  },\n  "required": ["answer"],\n  "additionalProperties": false\n}',
			required: true,
		},
	] as const satisfies INodeProperties[];

/** Precedes the messages, whatever they are entered as. */
const systemMessageParam = {
	displayName: 'System Message',
	name: 'systemMessage',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	placeholder: 'e.g. You answer in one sentence.',
} as const satisfies INodeProperties;

/** The parameters of every text request. @param capDescription What the spending cap is for. */
export const textParams = (capDescription: string) =>
	[
		modelParam,
		...conversationParams,
		systemMessageParam,
		{ ...spendingCapPerItemParam, description: capDescription },
		attachmentsParam,
		...formatParams(', returned in "output"'),
	] as const satisfies INodeProperties[];

export type TextValues = ParamValues<ReturnType<typeof textParams>>;

/** Options of several operations. Each operation lists them in the order of their labels. */
export const textOptions = {
	additionalFields: {
		displayName: 'Additional Fields (JSON)',
		name: 'additionalFields',
		type: 'json',
		default: '{}',
		description: 'Such as {"seed": 7, "top_p": 0.9}. What may cost more needs Allow Unknown Cost.',
	},
	cacheSystemMessage: {
		displayName: 'Cache System Message',
		name: 'cacheSystemMessage',
		type: 'boolean',
		noDataExpression: true,
		default: true,
		description: 'Whether models such as Claude keep it and the tools in a cache',
	},
	maxTokens: {
		displayName: 'Maximum Output Tokens',
		name: 'maxTokens',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 4096,
		description: 'Hidden reasoning included. If not set, 4096 to 16384.',
	},
	protocol: {
		displayName: 'Protocol',
		name: 'protocol',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Chat Completions',
				value: 'chat',
				description: 'For nearly all models and fields',
			},
			{
				name: 'Responses',
				value: 'responses',
				description: 'For models and fields that require it',
			},
		],
		default: 'chat',
	},
	reasoningEffort: {
		displayName: 'Reasoning Effort',
		name: 'reasoningEffort',
		type: 'options',
		options: [
			{ name: 'High', value: 'high' },
			{ name: 'Low', value: 'low' },
			{ name: 'Medium', value: 'medium' },
			{ name: 'Minimal', value: 'minimal' },
		],
		default: 'medium',
		description: 'Hidden reasoning is billed as output',
	},
	temperature: {
		displayName: 'Temperature',
		name: 'temperature',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
		default: 1,
		description: 'From 0 to 2 (most varied)',
	},
} as const satisfies Record<string, INodeProperties>;
