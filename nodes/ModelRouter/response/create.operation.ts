import { operation } from '../../../src/n8n/operation';
import { onIncompleteOption } from '../../../src/n8n/partialAnswers';
import { addAttachments, toInputPart, type ChatMessage } from '../../../src/router/messages';
import { createResponse, type ResponseRequest } from '../../../src/router/responses';
import { modelParam } from '../modelPicker';
import { askText } from '../text/ask';
import { toInputItems, toAttachmentSources, messageParams } from '../text/messages';
import {
	addFields,
	additionalFieldsOption,
	formatParams,
	simplifyParam,
	spendingCapOption,
	toToolChoice,
	toTools,
	toolChoiceOptions,
	toolsParam,
} from '../text/text.params';
import { createAnswerReader } from '../text/textOutput';
import { checkTextRequest } from '../text/textRequest';

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

	prepare({ simplify, options, ...values }) {
		const { onIncomplete = 'error', spendingCap, additionalFields, ...more } = options;
		const { toolChoice, toolName, instructions, ...fields } = more;
		const model = values.model.trim();
		const choice = { ...(toolChoice && { toolChoice }), ...(toolName && { toolName }) };
		const tools = toTools(values.tools).map((tool) => ({ type: 'function', ...tool }));
		const items = toInputItems(values) as ChatMessage[];
		const body = addFields(
			{
				model,
				input: values.messageSource === 'prompt' ? values.prompt : items,
				...(instructions?.trim() && { instructions }),
				...fields,
				...(tools.length && { tools }),
				...toToolChoice(choice, (name) => ({ type: 'function', name })),
				...formatField(values),
			},
			additionalFields,
		);
		return {
			model,
			attachments: toAttachmentSources(values.attachments),
			spendingCap,
			toBody: (files: Parameters<typeof addAttachments>[1]): ResponseRequest =>
				files.length
					? { ...body, input: addAttachments(items, files, toInputPart, 'input_text') }
					: body,
			structured: createAnswerReader(values),
			simplify,
			onIncomplete,
		};
	},

	check: checkTextRequest,

	async run(call) {
		return await askText(call, { raw: 'response', ask: createResponse });
	},
});

function formatField({ answerFormat, schema }: { answerFormat: string; schema: object }): object {
	if (answerFormat === 'json') return { text: { format: { type: 'json_object' } } };
	if (answerFormat !== 'schema') return {};
	return { text: { format: { type: 'json_schema', name: 'answer', schema } } };
}
