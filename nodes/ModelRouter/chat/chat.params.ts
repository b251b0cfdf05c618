import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/params';
import { attach, chatPart } from '../../../src/router/attachments';
import type { ChatRequest } from '../../../src/router/chat';
import { withFields } from '../text/fields';
import { toMessages, toWanted } from '../text/messages';
import { messageParams } from '../text/messages.params';
import { formatParams } from '../text/text.params';
import { toToolChoice, toTools, toolsParam, type ToolChoice } from '../text/tools.params';
import type { TextRequest } from '../text/textRequest';
import { modelParam } from '../model.param';

/** The fields of a chat request; which of them are shown is up to the operation. */
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

type Given = ParamValues<typeof chatParams>;

interface Options extends ToolChoice {
	systemMessage?: string;
	spendingCap?: number;
	additionalFields?: Record<string, unknown>;
	/** Fields of the protocol by their own names. */
	[field: string]: unknown;
}

/**
 * Makes a chat request of what was filled in.
 *
 * @throws ServiceError `invalid`.
 * @see POST /v1/chat/completions
 */
export function toChat(
	given: Given,
	{ systemMessage, spendingCap, additionalFields, toolChoice, toolName, ...fields }: Options,
): TextRequest & { toBody(...files: Parameters<TextRequest['toBody']>): ChatRequest } {
	const model = given.model.trim();
	const said = toMessages(given);
	const messages = systemMessage?.trim()
		? [{ role: 'system' as const, content: systemMessage }, ...said]
		: said;
	const tools = toTools(given.tools).map((tool) => ({ type: 'function', function: tool }));
	const chosen = { ...(toolChoice && { toolChoice }), ...(toolName && { toolName }) };
	const rest = withFields(
		{
			model,
			messages,
			...fields,
			...(tools.length && { tools }),
			...toToolChoice(chosen, (name) => ({ type: 'function', function: { name } })),
			...formatField(given),
		},
		additionalFields,
	);
	return {
		model,
		attachments: toWanted(given.attachments),
		spendingCap,
		toBody: (files) => ({ ...rest, messages: attach(messages, files, chatPart, 'text') }),
	};
}

function formatField({ answerFormat, schema }: Given): object {
	if (answerFormat === 'json') return { response_format: { type: 'json_object' } };
	if (answerFormat !== 'schema') return {};
	return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
}
