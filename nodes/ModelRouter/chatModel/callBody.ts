import { invalidInputError } from '../../../src/core/errors';
import { isPlainObject } from '../../../src/core/json';
import type { PreflightContext } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { describeInputs, type Modality, modalityNames } from '../../../src/router/messages';
import { checkKind, type Model } from '../../../src/router/model';
import { type CostBound, maximumTextCost, type NoCostBound } from '../../../src/router/pricing';
import { checkMaximumCost } from '../../../src/router/spendingCap';
import { checkAgainstCatalog } from '../catalog';
import { addFields, CHAT_FIELDS, toFormatField, toProtocolFields } from '../text/textRequest';
import type { chatModelParams } from './chatModel.params';

export type ChatModelValues = ParamValues<typeof chatModelParams>;

/** What the node that uses the model decides. */
const CALLER_FIELDS = ['model', 'messages', 'tools', 'tool_choice'];

/**
 * Adds the settings of the node to what an AI agent or chain asks. What the agent sets for one call goes before.
 *
 * @returns a function that takes the body of a chat completion.
 * @throws ServiceError `invalid`.
 */
export function createBodyBuilder(values: ChatModelValues) {
	const { additionalFields = {}, ...options } = values.options;
	for (const name of CALLER_FIELDS)
		if (Object.hasOwn(additionalFields, name))
			throw invalidInputError(
				`Additional Fields must not contain "${name}"`,
				'It is set by the node that uses this model, and by "Model".',
			);
	const settings = addFields(
		{
			...toProtocolFields<keyof typeof CHAT_FIELDS>(options, CHAT_FIELDS),
			...toFormatField(values),
		},
		additionalFields,
	);
	return (asked: Record<string, unknown>, model: string): ChatRequest => {
		const messages = requireMessages(asked).map(withPlainContent);
		return { ...settings, ...asked, messages, model } as ChatRequest;
	};
}

/**
 * LangChain's model asks in the form of the Responses API for tools that run at OpenAI, and for some settings.
 *
 * Seen: `_useResponsesApi`, @langchain/openai 1.4.4, dist/chat_models/index.cjs.
 */
function requireMessages({ messages }: Record<string, unknown>): unknown[] {
	if (Array.isArray(messages)) return messages;
	throw invalidInputError(
		'This chat model was asked for something that only OpenAI has',
		'Nothing was sent. The node that uses it asked in the form of the Responses API, as for a tool that runs at OpenAI. Remove such tools, or use another chat model.',
	);
}

/** n8n's AI Agent writes a call of a tool without words as an empty list, which not every service takes. */
function withPlainContent(message: unknown): unknown {
	if (!isPlainObject(message) || !Array.isArray(message['content'])) return message;
	return message['content'].length ? message : { ...message, content: null };
}

/** What the catalog says of a call. */
interface CheckedCall {
	/** Absent if the catalog does not have the model, or could not be read. */
	entry?: Model;
	/** The most that it can cost. */
	bound: CostBound | NoCostBound;
}

/**
 * Rejects a model of the wrong kind or without an input that the call needs, and a call that could cost more than the cap, or an
 * unknown amount.
 *
 * @param asked In chat completions.
 * @param body As it is sent.
 */
export async function checkCall(
	context: Pick<PreflightContext<unknown>, 'lookUp'>,
	asked: ChatRequest,
	body: Record<string, unknown>,
	{ spendingCapPerCall, options }: Pick<ChatModelValues, 'spendingCapPerCall' | 'options'>,
): Promise<CheckedCall> {
	let checked: CheckedCall | undefined;
	await checkAgainstCatalog(context, asked.model, (found) => {
		const entry = 'entry' in found ? found.entry : undefined;
		if (entry) checkModel(entry, asked);
		checked = {
			...(entry && { entry }),
			bound: 'entry' in found ? maximumTextCost(found.entry, body) : { unbounded: found.missing },
		};
		checkMaximumCost(checked.bound, {
			cap: spendingCapPerCall,
			name: 'Spending Cap per Call',
			allowUnknownCost: options.allowUnknownCost ?? false,
		});
	});
	return checked ?? { bound: { unbounded: 'the catalog was not read' } };
}

function checkModel(entry: Model, { messages }: ChatRequest): void {
	checkKind(entry, 'text', 'That is an operation of the Model Router node.');
	const { id, input_modalities: inputs } = entry;
	const needed =
		Array.isArray(inputs) && findModalities(messages).find((one) => !inputs.includes(one));
	if (needed)
		throw invalidInputError(
			`The model ${id} does not take ${modalityNames[needed]}`,
			`Nothing was sent. It takes: ${describeInputs(inputs)}. Choose another model, or leave the file out.`,
		);
}

/** What the parts of messages are, by their types in chat completions. */
const MODALITY_BY_TYPE: Record<string, Modality> = {
	image_url: 'image',
	input_audio: 'audio',
	audio_url: 'audio',
	video_url: 'video',
	file: 'file',
};

function findModalities(messages: ChatRequest['messages']): Modality[] {
	const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
	return parts.flatMap((part) => {
		const type = isPlainObject(part) ? part['type'] : undefined;
		const modality = typeof type === 'string' ? MODALITY_BY_TYPE[type] : undefined;
		return modality ? [modality] : [];
	});
}
