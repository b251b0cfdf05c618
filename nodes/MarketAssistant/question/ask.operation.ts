import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { AssistantAnswer } from '../../../src/assistant/answerFold';
import * as assistant from '../../../src/assistant/client';
import { cutText, isBadRequest, mapServiceError } from '../../../src/core/errors';
import type { ToolCall } from '../../../src/assistant/toolTimeline';
import { omitMissing } from '../../../src/core/json';
import { messageTextParams, readMessageText } from '../../../src/n8n/chatInput.params';
import { type ItemOutput, operation, type OperationContext } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import { onIncompleteOption, partialAnswerOf } from '../../../src/n8n/partialAnswers';
import { optionsParam } from '../../fieldKinds.params';
import { type Chat, type ChatChoice, openChat } from '../../rememberedChats';
import { chatParams, REMEMBERING, selectChat } from './chat';

const streamAnswerParam = {
	displayName: 'Stream Answer',
	name: 'streamAnswer',
	type: 'boolean',
	default: true,
	description:
		'Whether to receive the answer word by word, with the tools that the assistant uses. A chat then shows it live. Turn off to get the complete answer with its "body".',
} as const satisfies INodeProperties;

const ofStreams = { show: { '/streamAnswer': [true] } };

const answerOptions = [
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
] as const satisfies INodeProperties[];

/** Identifies the question when the node runs again. A chat ID that was looked up at run time is not part of it. */
const identifyQuestion = ({ message, chat: { chatId, session } }: QuestionRequest) =>
	omitMissing({ message, chatId, session });

export const ask = operation({
	name: 'Ask',
	value: 'ask',
	action: 'Ask question about crypto markets',
	description: 'Ask a question in your own words',
	params: [
		...messageTextParams({
			name: 'question',
			label: 'Question',
			description:
				'What you want to know, in words, such as "How is the sentiment for SOL today?" or "What are the price and volume of BTC?"',
			placeholder: 'e.g. Which wallets bought the most ETH in the last 24 hours?',
		}),
		...chatParams,
		streamAnswerParam,
		optionsParam(answerOptions),
	],

	prepare({ questionSource, question, streamAnswer, options, ...chat }, context) {
		const text = readMessageText('Question', questionSource, question, context.handedOver);
		return {
			message: [text, options.instructions?.trim()].filter(Boolean).join('\n\n'),
			chat: selectChat(chat, context),
			streamAnswer,
			options,
		};
	},

	identify: identifyQuestion,

	// questions of one chat are sent one after another
	sequenceKey: ({ chat: { chatId, session } }) =>
		session === undefined ? chatId && `id ${chatId}` : `session ${session}`,

	run: askQuestion,
});

/** A question, and how to output its answer. */
interface QuestionRequest {
	message: string;
	chat: ChatChoice;
	streamAnswer: boolean;
	options: Partial<ParamValues<typeof answerOptions>>;
}

/** Asks a question in its chat, and turns the answer into an item. */
async function askQuestion(context: OperationContext<QuestionRequest>): Promise<ItemOutput> {
	const { request, payOnce, reserveUnknown, addHint } = context;
	const chat = await openChat(context, REMEMBERING);
	try {
		const send = async () => ({ result: await sendInChat(context, chat) });
		const answer = await payOnce(
			async (startPaid) => await startPaid({ reserve: reserveUnknown, send }),
		);
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
	question: assistant.Question,
): Promise<Answer> {
	if (!streamAnswer) return await assistant.ask(http, question, { onText: stream, onChat });
	return await assistant.askStreaming(http, question, {
		...options,
		...(options.showToolCalls ? createToolTitleWriter(stream) : { onText: stream }),
		onChat,
		now: clock.now,
	});
}

/** Fields that did not arrive are left out, such as those that only a streamed answer has. */
function toItem(
	{ chat, options }: QuestionRequest,
	{ text, chatId, chatTitle, messageIds, toolCalls, events = [], body, ...facts }: Answer,
	more: object,
): ItemOutput {
	return {
		json: {
			output: text,
			...(chatId && { chatId }),
			...(chatTitle && { chatTitle }),
			sessionSource: chat.source,
			...(messageIds && { messageIds }),
			...(toolCalls && { toolCalls: toolCalls as unknown as IDataObject[] }),
			...more,
			...omitMissing({ durationMs: facts.durationMs, requestId: facts.requestId }),
			...((options.includeRawEvents || !text) && { events: events as IDataObject[] }),
			...(body !== undefined && { body: body as IDataObject }),
		},
	};
}

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
		// so a service may refuse a chat that no longer exists
		if (!isRemembered || !isBadRequest(cause, 404, 410)) throw mapServiceError(cause);
		const answer = await sendQuestion(context, chat, newQuestion);
		addHint(`The service no longer continues the chat ${chatId}, so a new chat was started.`);
		return answer;
	}
}

/** Characters of a tool's title in the live output. All of it is in `toolCalls`. */
const MAX_TITLE = 200;

/** Writes tool titles into the live output, each in a separate paragraph. */
function createToolTitleWriter(stream: OperationContext<QuestionRequest>['stream']) {
	let inText = false;
	return {
		onText(text: string) {
			inText ||= text !== '';
			return stream(text);
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
