import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/parameters';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { addAttachments, toChatPart } from '../../../src/router/messages';
import { modelParam } from '../modelPicker';
import { toMessages, toAttachmentSources, messageParams } from '../text/messages';
import {
	addFields,
	formatParams,
	toToolChoice,
	toTools,
	toolsParam,
	type ToolChoice,
} from '../text/text.params';
import type { TextRequest } from '../text/textRequest';

/** The parameters of a chat request. */
export const chatParams = [
	modelParam,
	...messageParams,
	toolsParam,
	...formatParams,
] as const satisfies INodeProperties[];

export const maximumOutputOption = {
	displayName: 'Maximum Output Tokens',
	name: 'max_tokens',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 4096,
	description:
		'Cap on output tokens, hidden reasoning included; reasoning models need 2000 or more. Not set, the balance is held for 4096.',
} as const satisfies INodeProperties;

export const systemMessageOption = {
	displayName: 'System Message',
	name: 'systemMessage',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	description: 'How the model should behave; sent as a system message before all others',
} as const satisfies INodeProperties;

type ChatValues = ParamValues<typeof chatParams>;

interface ChatOptions extends ToolChoice {
	systemMessage?: string;
	spendingCap?: number;
	additionalFields?: Record<string, unknown>;
	/** Fields of the protocol under their own names. */
	[field: string]: unknown;
}

/**
 * Builds a chat request from the parameters.
 *
 * @throws ServiceError `invalid`.
 * @see POST /v1/chat/completions
 */
export function toChatRequest(
	values: ChatValues,
	{ systemMessage, spendingCap, additionalFields, toolChoice, toolName, ...fields }: ChatOptions,
): TextRequest & { toBody(...files: Parameters<TextRequest['toBody']>): ChatRequest } {
	const model = values.model.trim();
	const conversation = toMessages(values);
	const messages = systemMessage?.trim()
		? [{ role: 'system' as const, content: systemMessage }, ...conversation]
		: conversation;
	const tools = toTools(values.tools).map((tool) => ({ type: 'function', function: tool }));
	const choice = { ...(toolChoice && { toolChoice }), ...(toolName && { toolName }) };
	const body = addFields(
		{
			model,
			messages,
			...fields,
			...(tools.length && { tools }),
			...toToolChoice(choice, (name) => ({ type: 'function', function: { name } })),
			...formatField(values),
		},
		additionalFields,
	);
	return {
		model,
		attachments: toAttachmentSources(values.attachments),
		spendingCap,
		toBody: (files) => ({ ...body, messages: addAttachments(messages, files, toChatPart, 'text') }),
	};
}

function formatField({ answerFormat, schema }: ChatValues): object {
	if (answerFormat === 'json') return { response_format: { type: 'json_object' } };
	if (answerFormat !== 'schema') return {};
	return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
}
