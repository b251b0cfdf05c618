import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/parameters';
import { modelParam } from '../modelPicker';
import { spendingCapPerItemParam } from '../acrossResources.params';
import { attachmentsParam, conversationParams } from './messages.params';

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
			description: 'The format of the answer. Not every model supports every format.',
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
			description: 'An answer that does not match it is an error',
		},
	] as const satisfies INodeProperties[];

/** The parameters of every text request. @param capDescription What the spending cap is for. */
export const textParams = (capDescription: string) =>
	[
		modelParam,
		...conversationParams,
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
		description:
			'More fields of the request, e.g. {"user": "customer-7"}. The model decides which are accepted. Any that may cost more needs Allow Unknown Cost.',
	},
	answerCount: {
		displayName: 'Number of Answers',
		name: 'answerCount',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 128 },
		default: 1,
		description: 'Each answer is billed. Several are in "answers".',
	},
	cacheSystemMessage: {
		displayName: 'Cache System Message',
		name: 'cacheSystemMessage',
		type: 'boolean',
		default: true,
		description:
			'Whether to mark the system message, so that models such as Claude keep it and the tools in a cache',
	},
	frequencyPenalty: {
		displayName: 'Frequency Penalty',
		name: 'frequencyPenalty',
		type: 'number',
		typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
		default: 0,
		description: 'From -2 to 2. Above 0, the model repeats itself less.',
	},
	maxTokens: {
		displayName: 'Maximum Output Tokens',
		name: 'maxTokens',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 4096,
		description:
			'Per answer, including hidden reasoning. Reasoning models need 2000 or more. If not set, the caps decide: 4096 to 16384, if the model supports it.',
	},
	presencePenalty: {
		displayName: 'Presence Penalty',
		name: 'presencePenalty',
		type: 'number',
		typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
		default: 0,
		description: 'From -2 to 2. Above 0, the model turns to new topics more often.',
	},
	protocol: {
		displayName: 'Protocol',
		name: 'protocol',
		type: 'options',
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
		description: 'Which endpoint of the service to use',
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
		description: 'How much a reasoning model thinks. Hidden reasoning is billed as output.',
	},
	seed: {
		displayName: 'Seed',
		name: 'seed',
		type: 'number',
		default: 0,
		description: 'With the same seed, a model that supports it gives nearly the same answer',
	},
	systemMessage: {
		displayName: 'System Message',
		name: 'systemMessage',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		description: 'How the model should behave',
	},
	temperature: {
		displayName: 'Temperature',
		name: 'temperature',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
		default: 1,
		description: 'From 0 (nearly the same answer each time) to 2 (most varied)',
	},
	topP: {
		displayName: 'Top P',
		name: 'topP',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
		default: 1,
		description: 'From 0 to 1: only the most likely tokens, up to this total probability, are used',
	},
} as const satisfies Record<string, INodeProperties>;

/** Of everything that asks the models of a list. */
export const escalateOption = {
	displayName: 'Escalate',
	name: 'escalate',
	type: 'boolean',
	default: true,
	description:
		'Whether an answer that misses the schema, is cut off, refused, blocked or empty lets the next model of a list answer, for its price. Only the last is shown live.',
} as const satisfies INodeProperties;
