import type { INodeProperties } from 'n8n-workflow';

import { capLabels } from '../../../src/core/caps';
import { invalidInputError } from '../../../src/core/errors';
import { isPlainObject } from '../../../src/core/json';
import { withFieldRules } from '../../../src/n8n/parameterFields';
import type { ParamValues } from '../../../src/n8n/parameters';
import { requestSettings } from '../../../src/n8n/requestSettings';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { type ChatMessage, markSystemMessage } from '../../../src/router/messages';
import { capFields, capHint, optionsParam } from '../../fieldKinds.params';
import { MODEL_HINT, modelParam } from '../modelPicker';
import { allowUnknownCostOption, spendingLabelOption } from '../acrossResources.params';
import { formatParams, INPUT_COUNTS_AS, textOptions } from '../text/text.params';
import { addFields, toChatFields, toFormatField } from '../text/textRequest';

/** The notice of n8n's own chat models, shown until the node is connected. The link opens the list of AI nodes. */
const connectionNotice = {
	displayName:
		"Connect this node to an AI agent or chain. <a data-action='openSelectiveNodeCreator' data-action-parameter-creatorview='AI'>Insert one</a>",
	name: 'connectionNotice',
	type: 'notice',
	default: '',
	typeOptions: { containerClass: 'ndv-connection-hint-notice' },
} as const satisfies INodeProperties;

export const chatModelParams = [
	connectionNotice,
	{ ...modelParam, builderHint: { propertyHint: MODEL_HINT } },
	withFieldRules({ isDecimal: true })({
		displayName: capLabels.call,
		name: 'spendingCapPerCall',
		...capFields,
		...capHint,
		default: 1,
		description: `A call that could cost more than this is not sent. ${INPUT_COUNTS_AS} The output counts as Maximum Output Tokens. If not set, the answer may have 4096 to 16384 tokens, as this cap and the cap per execution allow. If 0, nothing is sent.`,
	}),
	withFieldRules({ isDecimal: true })({
		displayName: capLabels.execution,
		name: 'spendingCapPerExecution',
		...capFields,
		...capHint,
		default: 5,
		description:
			'A call is not sent if the calls of this node in one execution could then cost more than this. If the cost of a call is unknown, its maximum counts. All turns of an AI agent count, and all tries of Retry On Fail. A sub-workflow counts by itself; a budget covers all. If 0, nothing is sent.',
	}),
	...formatParams(''),
	{
		displayName: 'Leave <b>Retry On Fail</b> of the AI Agent off: it would ask and pay again.',
		name: 'retryNotice',
		type: 'notice',
		default: '',
	},
	optionsParam([
		textOptions.additionalFields,
		allowUnknownCostOption,
		textOptions.cacheSystemMessage,
		textOptions.maxTokens,
		textOptions.protocol,
		textOptions.reasoningEffort,
		spendingLabelOption,
		textOptions.temperature,
	]),
	{
		...requestSettings,
		options: requestSettings.options.filter(({ name }) => name !== 'concurrency'),
	},
] as const satisfies INodeProperties[];

export type ChatModelValues = ParamValues<typeof chatModelParams>;

/** Fields that are set by the node that uses the model. */
const CALLER_FIELDS = ['model', 'messages', 'tools', 'tool_choice'];

/**
 * Adds the settings of the node to the request of an AI agent or chain. What the agent sets for a call takes precedence.
 *
 * @returns a function that takes the body of a chat completion, and makes one for any model.
 * @throws ServiceError `invalid`.
 */
export function createBodyBuilder(values: ChatModelValues) {
	const { additionalFields = {}, cacheSystemMessage = false, ...options } = values.options;
	for (const name of CALLER_FIELDS)
		if (Object.hasOwn(additionalFields, name))
			throw invalidInputError(
				`Additional Fields must not contain "${name}"`,
				'It is set by the node that uses this model, and by "Model".',
			);
	const settings = addFields(
		{ ...toChatFields(options), ...toFormatField(values) },
		additionalFields,
	);
	return (asked: Record<string, unknown>): ChatRequest => {
		const messages = requireMessages(asked).map(withPlainContent) as ChatMessage[];
		const marked = cacheSystemMessage ? markSystemMessage(messages) : messages;
		return { ...settings, ...asked, messages: marked, model: '' };
	};
}

/**
 * LangChain's model uses the form of the Responses API for tools that run at OpenAI, and for some settings.
 *
 * Seen in `_useResponsesApi`, @langchain/openai 1.4.4, dist/chat_models/index.cjs.
 */
function requireMessages({ messages }: Record<string, unknown>): unknown[] {
	if (Array.isArray(messages)) return messages;
	throw invalidInputError(
		'This chat model was asked for something that only OpenAI offers',
		'Nothing was sent. The node that uses it sent a request in the form of the Responses API, as for a tool that runs at OpenAI. Remove such tools, or use another chat model.',
	);
}

/** For a tool call without text, n8n's AI Agent sends an empty list, which not every service accepts. */
function withPlainContent(message: unknown): unknown {
	if (!isPlainObject(message) || !Array.isArray(message['content'])) return message;
	return message['content'].length ? message : { ...message, content: null };
}
