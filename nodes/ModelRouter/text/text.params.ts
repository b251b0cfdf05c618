import type { INodeProperties } from 'n8n-workflow';

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
		description: 'What the answer has to be. Whether a model honours it is up to the model.',
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
		'Further fields of the request as a JSON object, sent as they are, e.g. {"user": "customer-7"}. Whether a model honours a field is up to the model.',
} as const satisfies INodeProperties;

export const spendingCapOption = {
	displayName: 'Spending Cap per Item (USD)',
	name: 'spendingCap',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 6 },
	default: 0.01,
	// an expression that finds nothing would otherwise be no cap at all
	required: true,
	description:
		'An item is not sent when it could cost more than this: one token per byte of its text, and all of Maximum Output Tokens (4096 when not set). With attachments, or a price that the catalog does not say, nothing can be told, and the item is not sent.',
} as const satisfies INodeProperties;
