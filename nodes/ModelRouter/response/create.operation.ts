import { onIncompleteOption } from '../../../src/n8n/incomplete';
import { operation } from '../../../src/n8n/operation';
import { attach, inputPart } from '../../../src/router/attachments';
import type { ChatMessage } from '../../../src/router/messages';
import { respond, type ResponseRequest } from '../../../src/router/responses';
import { readerOf } from '../text/format';
import { askText } from '../text/ask';
import { withFields } from '../text/fields';
import { toInputItems, toWanted } from '../text/messages';
import { messageParams } from '../text/messages.params';
import {
	additionalFieldsOption,
	formatParams,
	simplifyParam,
	spendingCapOption,
} from '../text/text.params';
import { toToolChoice, toTools, toolChoiceOptions, toolsParam } from '../text/tools.params';
import { modelParam } from '../model.param';
import { checkText } from '../text/textRequest';

export const create = operation({
	name: 'Create',
	value: 'create',
	action: 'Create a response with a text model',
	description: 'Send a conversation to a text model in the responses protocol and get its answer',
	params: [
		modelParam,
		...messageParams,
		toolsParam,
		...formatParams,
		simplifyParam,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				additionalFieldsOption,
				{
					displayName: 'Instructions',
					name: 'instructions',
					type: 'string',
					typeOptions: { rows: 3 },
					default: '',
					description: 'How the model should behave',
				},
				{
					displayName: 'Maximum Output Tokens',
					name: 'max_output_tokens',
					type: 'number',
					typeOptions: { minValue: 1 },
					default: 4096,
					description:
						'Cap on output tokens, hidden reasoning included; reasoning models need 2000 or more. Not set, the balance is held for 4096.',
				},
				onIncompleteOption,
				spendingCapOption,
				{
					displayName: 'Temperature',
					name: 'temperature',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
					default: 1,
					description: 'From 0 (always much the same answer) to 2 (most varied)',
				},
				...toolChoiceOptions,
			],
		},
	],

	prepare({ simplify, options, ...given }) {
		const { onIncomplete = 'error', spendingCap, additionalFields, ...more } = options;
		const { toolChoice, toolName, instructions, ...fields } = more;
		const model = given.model.trim();
		const chosen = { ...(toolChoice && { toolChoice }), ...(toolName && { toolName }) };
		const tools = toTools(given.tools).map((tool) => ({ type: 'function', ...tool }));
		const items = toInputItems(given) as ChatMessage[];
		const body = withFields(
			{
				model,
				input: given.messageSource === 'prompt' ? given.prompt : items,
				...(instructions?.trim() && { instructions }),
				...fields,
				...(tools.length && { tools }),
				...toToolChoice(chosen, (name) => ({ type: 'function', name })),
				...formatField(given),
			},
			additionalFields,
		);
		return {
			model,
			attachments: toWanted(given.attachments),
			spendingCap,
			toBody: (files: Parameters<typeof attach>[1]): ResponseRequest =>
				files.length ? { ...body, input: attach(items, files, inputPart, 'input_text') } : body,
			structured: readerOf(given),
			simplify,
			onIncomplete,
		};
	},

	check: checkText,

	async run(call) {
		return await askText(call, { raw: 'response', ask: respond });
	},
});

function formatField({ answerFormat, schema }: { answerFormat: string; schema: object }): object {
	if (answerFormat === 'json') return { text: { format: { type: 'json_object' } } };
	if (answerFormat !== 'schema') return {};
	return { text: { format: { type: 'json_schema', name: 'answer', schema } } };
}
