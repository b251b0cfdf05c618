import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/parameters';
import { modelParam } from '../catalog';
import { spendingCapPerItemParam } from '../acrossResources.params';
import { attachmentsParam, conversationParams } from './messages.params';

/**
 * The format of an answer.
 *
 * @param result What becomes of JSON, as the end of a sentence.
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
			description:
				'The schema that the answer has to match. An answer that does not match it is an error.',
		},
	] as const satisfies INodeProperties[];

/** The model and what is sent to it: the first parameters of every text request. */
export const inputParams = [modelParam, ...conversationParams] as const satisfies INodeProperties[];

/** What else belongs to every text request. */
export const furtherParams = [
	attachmentsParam,
	...formatParams(', returned as "parsed"'),
] as const satisfies INodeProperties[];

export type TextValues = ParamValues<[...typeof inputParams, ...typeof furtherParams]>;

export const spendingCapParam = {
	...spendingCapPerItemParam,
	description:
		'An item that could cost more than this is not sent. Counted are one token per byte of the input, and all of Maximum Output Tokens. If that is not set, an answer may have what this affords: at least 4096 tokens, at most 16384. The input counts at most as the context window of the model, and with attachments always as all of it. 0 sends nothing.',
} as const;

/*
 * Options of several operations. They stand among those of the operation, in the order of their labels.
 */

export const additionalFieldsOption = {
	displayName: 'Additional Fields (JSON)',
	name: 'additionalFields',
	type: 'json',
	default: '{}',
	description:
		'More fields of the request as a JSON object, sent unchanged, e.g. {"user": "customer-7"}. Which fields are accepted depends on the model.',
} as const satisfies INodeProperties;

export const answerCountOption = {
	displayName: 'Number of Answers',
	name: 'answerCount',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 128 },
	default: 1,
	description: 'How many answers to generate, each of which is billed. Several are in "answers".',
} as const satisfies INodeProperties;

export const frequencyPenaltyOption = {
	displayName: 'Frequency Penalty',
	name: 'frequencyPenalty',
	type: 'number',
	typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
	default: 0,
	description: 'From -2 to 2. Above 0, the model repeats itself less.',
} as const satisfies INodeProperties;

export const maxTokensOption = {
	displayName: 'Maximum Output Tokens',
	name: 'maxTokens',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 4096,
	description:
		'The most tokens that an answer may have, hidden reasoning included. Reasoning models need 2000 or more. If not set, the spending caps decide: from 4096 to 16384, and no more than the model can write.',
} as const satisfies INodeProperties;

export const presencePenaltyOption = {
	displayName: 'Presence Penalty',
	name: 'presencePenalty',
	type: 'number',
	typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
	default: 0,
	description: 'From -2 to 2. Above 0, the model turns to new topics more often.',
} as const satisfies INodeProperties;

export const reasoningEffortOption = {
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
	description:
		'How much a reasoning model thinks before it answers. Hidden reasoning is billed as output.',
} as const satisfies INodeProperties;

export const seedOption = {
	displayName: 'Seed',
	name: 'seed',
	type: 'number',
	default: 0,
	description:
		'With the same seed, a model that supports it gives nearly the same answer again. Without it, answers vary.',
} as const satisfies INodeProperties;

export const systemMessageOption = {
	displayName: 'System Message',
	name: 'systemMessage',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	description: 'How the model should behave',
} as const satisfies INodeProperties;

export const temperatureOption = {
	displayName: 'Temperature',
	name: 'temperature',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
	default: 1,
	description:
		'From 0 (nearly the same answer each time) to 2 (most varied). Without it, the model decides.',
} as const satisfies INodeProperties;

export const topPOption = {
	displayName: 'Top P',
	name: 'topP',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
	default: 1,
	description:
		'From 0 to 1. Only the most likely tokens, which together have this probability, are used. Without it, the model decides.',
} as const satisfies INodeProperties;
