import type { ParamValues } from '../../../src/n8n/parameters';
import { addAttachments, toInputPart, type ChatMessage } from '../../../src/router/messages';
import type { ResponseRequest } from '../../../src/router/responses';
import { toAttachmentSources, toInputItems } from './messages';
import { addFields, toProtocolFields } from './requestFields';
import type { additionalFieldsOption, systemMessageOption, TextValues } from './text.params';
import type { TextRequest } from './textRequest';
import { toToolChoice, toTools, type toolChoiceOption } from './tools.params';

/** Options, and the fields of the responses protocol as which they are sent. */
const RESPONSE_FIELDS = { maxTokens: 'max_output_tokens', temperature: 'temperature' } as const;

type ResponseOptions = { [name in keyof typeof RESPONSE_FIELDS]?: unknown } & Partial<
	ParamValues<[typeof additionalFieldsOption, typeof systemMessageOption, typeof toolChoiceOption]>
>;

/**
 * Builds a request in the responses protocol from the parameters.
 *
 * @param history What a conversation hands over to a speaker.
 * @throws ServiceError `invalid`.
 * @see POST /v1/responses
 */
export function toResponseRequest(
	values: TextValues,
	{ systemMessage, additionalFields, toolChoice, ...options }: ResponseOptions,
	history?: unknown,
): TextRequest & { toBody(...files: Parameters<TextRequest['toBody']>): ResponseRequest } {
	const model = values.model.trim();
	const items = toInputItems(values, history) as ChatMessage[];
	const tools = toTools(values.tools).map((tool) => ({ type: 'function', ...tool }));
	const body = addFields(
		{
			model,
			// a prompt alone is a text
			input: values.inputType === 'prompt' && items.length === 1 ? values.prompt : items,
			...(systemMessage?.trim() && { instructions: systemMessage }),
			...toProtocolFields(options, RESPONSE_FIELDS),
			...(tools.length && { tools }),
			...toToolChoice(toolChoice, (name) => ({ type: 'function', name })),
			...toFormatField(values),
		},
		additionalFields,
	);
	return {
		model,
		attachments: toAttachmentSources(values.attachments),
		toBody: (files) =>
			files.length
				? { ...body, input: addAttachments(items, files, toInputPart, 'input_text') }
				: body,
	};
}

function toFormatField({ responseFormat: type, jsonSchema: schema }: TextValues): object {
	if (type === 'text') return {};
	if (type === 'json_object') return { text: { format: { type } } };
	return { text: { format: { type, name: 'answer', schema } } };
}
