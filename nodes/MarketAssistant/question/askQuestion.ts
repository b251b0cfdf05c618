import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { AssistantAnswer } from '../../../src/assistant/answerFold';
import { ask, askStreaming, type Question } from '../../../src/assistant/client';
import { cutText, mapServiceError, ServiceError } from '../../../src/core/errors';
import type { ToolCall } from '../../../src/assistant/toolTimeline';
import { omitMissing } from '../../../src/core/missing';
import type { OperationContext, ItemOutput, PrepareContext } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import { onIncompleteOption, partialAnswerOf } from '../../../src/n8n/partialAnswers';
import { optionsParam } from '../../fieldKinds.params';
import { type Chat, type ChatChoice, chatParams, openChat, selectChat } from './chat';

const streamAnswerParam = {
	displayName: 'Stream Answer',
	name: 'streamAnswer',
	type: 'boolean',
	default: true,
	description:
		'Whether to receive the answer word by word, with the tools that the assistant uses. A chat then shows it live. Turn off to get the complete answer with its "body".',
} as const satisfies INodeProperties;

const ofStreams = { show: { '/streamAnswer': [true] } };

/** Options of every question. */
export const answerOptions = [
	{
		displayName: 'Include Raw Events',
		name: 'includeRawEvents',
		type: 'boolean',
		displayOptions: ofStreams,
		default: true,
		description: 'Whether to add every event of the stream, unchanged, as "events"',
	},
	{
		displayName: 'Instructions',
		name: 'instructions',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. Compare it with BTC. Answer in German.',
		description: 'Text that is added at the end of the question',
	},
	{
		displayName: 'Model',
		name: 'model',
		type: 'string',
		default: 'svc_v1.2',
		description: 'Version of the assistant. Without this option, the service uses svc_v1.2.',
	},
	{ ...onIncompleteOption, displayOptions: ofStreams },
	{
		displayName: 'Show Tool Calls in Live Output',
		name: 'showToolCalls',
		type: 'boolean',
		displayOptions: ofStreams,
		default: true,
		description:
			'Whether to add a line for each tool that the assistant uses to the live answer, in a chat or at a streaming webhook. It is not part of "output".',
	},
	{
		displayName: 'Tool Title Language',
		name: 'toolTitleLanguage',
		type: 'string',
		displayOptions: ofStreams,
		default: 'en',
		placeholder: 'e.g. de',
		description:
			'Language code for "label" in "toolCalls". If the service has no title in that language, the English one or any other is used.',
	},
] as const satisfies INodeProperties[];

/** The parameters of every question, after its text. */
export const questionParams = [
	...chatParams,
	streamAnswerParam,
	optionsParam(answerOptions),
] as const;

/** A question, and how to output its answer. */
interface QuestionRequest {
	message: string;
	chat: ChatChoice;
	streamAnswer: boolean;
	options: Partial<ParamValues<typeof answerOptions>>;
	/** Whether the question is added to the output. */
	isWrittenByNode?: boolean;
}

type QuestionParams = ParamValues<readonly [typeof streamAnswerParam, ...typeof chatParams]> &
	Pick<QuestionRequest, 'options'>;

/** @throws ServiceError `invalid` for an empty key or ID. */
export const toQuestionRequest = (
	question: string,
	{ streamAnswer, options, ...chat }: QuestionParams,
	context: PrepareContext,
): QuestionRequest => ({
	message: [question, options.instructions?.trim()].filter(Boolean).join('\n\n'),
	...{ chat: selectChat(chat, context), streamAnswer, options },
});

/** Questions of one chat are sent one after another. */
export const chatSequenceKey = ({ chat: { chatId, session } }: QuestionRequest) =>
	session === undefined ? chatId && `id ${chatId}` : `session ${session}`;

/** Asks a question in its chat, and turns the answer into an item. */
export async function askQuestion(context: OperationContext<QuestionRequest>): Promise<ItemOutput> {
	const { request, startPaid, addHint } = context;
	const chat = await openChat(context);
	try {
		const answer = await startPaid({
			request: requestKeyOf(request),
			send: async () => await sendInChat(context, chat),
		});
		const warning = answer.text ? undefined : NO_TEXT_NOTICE;
		if (warning) addHint(warning);
		return toItem(request, answer, { complete: true, ...(warning && { notice: warning }) });
	} catch (cause) {
		const partialAnswer = partialAnswerOf<AssistantAnswer>(cause);
		if (!partialAnswer || request.options.onIncomplete !== 'partial') throw mapServiceError(cause);
		const { partial, extras, notice, ids, requestId } = partialAnswer;
		addHint(notice);
		const answer = { ...ids, ...partial, ...(requestId && { requestId }) };
		return toItem(request, answer, { complete: false, notice, ...extras });
	} finally {
		await chat.remember();
	}
}

const NO_TEXT_NOTICE = 'No text was found in the answer; "events" contains what arrived.';

type Answer = Partial<AssistantAnswer & { body: unknown; durationMs: number }> & { text: string };

async function sendQuestion(
	{ http, stream, clock, request: { streamAnswer, options } }: OperationContext<QuestionRequest>,
	{ onChat }: Chat,
	question: Question,
): Promise<Answer> {
	if (!streamAnswer) return await ask(http, question, { onText: stream, onChat });
	return await askStreaming(http, question, {
		...options,
		...(options.showToolCalls ? createToolTitleWriter(stream) : { onText: stream }),
		onChat,
		now: clock.now,
	});
}

/** Fields that did not arrive are left out, such as those that only a streamed answer has. */
function toItem(
	{ message, chat, options, isWrittenByNode }: QuestionRequest,
	{ text, chatId, chatTitle, messageIds, toolCalls, events = [], body, ...facts }: Answer,
	more: object,
): ItemOutput {
	return {
		json: {
			output: text,
			...(chatId && { chatId }),
			...(chatTitle && { chatTitle }),
			sessionSource: chat.source,
			...(isWrittenByNode && { question: message }),
			...(messageIds && { messageIds }),
			...(toolCalls && { toolCalls: toolCalls as unknown as IDataObject[] }),
			...more,
			...omitMissing({ durationMs: facts.durationMs, requestId: facts.requestId }),
			...((options.includeRawEvents || !text) && { events: events as IDataObject[] }),
			...(body !== undefined && { body: body as IDataObject }),
		},
	};
}

/** Identifies the question when the node runs again. A chat ID that was looked up at run time is not part of it. */
const requestKeyOf = ({ message, options, chat: { chatId, session } }: QuestionRequest) =>
	omitMissing({ message, chatId, session, model: options.model || undefined });

/** Statuses with which a service may refuse a chat that no longer exists. Nothing was started then. */
const CHAT_REFUSALS = [400, 404, 410, 422];

/**
 * Sends a question in its chat. If the service refuses a remembered chat, the question starts a new one.
 *
 * @returns the answer, with the chat's ID even if the service does not repeat it.
 */
async function sendInChat(context: OperationContext<QuestionRequest>, chat: Chat): Promise<Answer> {
	const { request, addHint } = context;
	const { message, options } = request;
	const { chatId, isRemembered } = chat;
	const newQuestion = { message, ...(options.model && { model: options.model }) };
	const question = { ...newQuestion, ...(chatId && { chat_id: chatId }) };
	try {
		return { ...(chatId && { chatId }), ...(await sendQuestion(context, chat, question)) };
	} catch (cause) {
		const { kind, details } = cause instanceof ServiceError ? cause : {};
		const isChatRefused = kind === 'refused' && CHAT_REFUSALS.includes(details?.status ?? 0);
		if (!isRemembered || !isChatRefused) throw mapServiceError(cause);
		const answer = await sendQuestion(context, chat, newQuestion);
		addHint(`The service no longer continues the chat ${chatId}, so a new chat was started.`);
		return answer;
	}
}

/** Characters of a tool's title in the live output. All of it is in `toolCalls`. */
const MAX_TITLE = 200;

/** Writes tool titles into the live output, each in a separate paragraph. */
function createToolTitleWriter(stream: (text: string) => Promise<void>) {
	let inText = false;
	return {
		async onText(text: string) {
			inText ||= text !== '';
			await stream(text);
		},
		async onToolCall({ label }: ToolCall) {
			const whole = label?.replace(/\s+/g, ' ').trim() ?? '';
			const short = cutText(whole, MAX_TITLE);
			// between words: half of a key could not be redacted
			const title = (short === whole ? whole : short.replace(/\S*$/, '')).replace(/[ .…]+$/, '');
			if (!title) return;
			await stream(`${inText ? '\n\n' : ''}${title}…\n\n`);
			inText = false;
		},
	};
}
