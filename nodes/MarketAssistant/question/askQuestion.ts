import type { IDataObject } from 'n8n-workflow';

import type { AssistantAnswer } from '../../../src/assistant/answerAccumulator';
import { ask, askStreaming, type Question } from '../../../src/assistant/client';
import type { ToolCall } from '../../../src/assistant/toolTimeline';
import { invalidInputError, mapServiceError } from '../../../src/core/errors';
import type { OperationContext, ItemOutput } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import { partialAnswerOf } from '../../../src/n8n/partialAnswers';
import type { chatParams } from './question.params';

/** A question, and how to output its answer. */
interface QuestionRequest {
	message: string;
	/** The chat to continue; sent back exactly as it was received. */
	chatId?: string;
	/** Identifies the chat among the items of an execution, before its id is known. */
	chatKey?: string;
	model?: string;
	includeRawEvents: boolean;
	language: string;
	showToolCalls: boolean;
	onIncomplete: 'error' | 'partial';
	/** Fields that are added to the output. */
	extraOutput: { question?: string };
}

interface QuestionOptions {
	model?: string;
	includeRawEvents?: boolean;
	language?: string;
	showToolCalls?: boolean;
	onIncomplete?: 'error' | 'partial';
}

/** @throws ServiceError `invalid` for an empty key. */
export function toQuestionRequest(
	message: string,
	{ chat, chatId, chatKey }: ParamValues<typeof chatParams>,
	{ model, includeRawEvents, language, showToolCalls, onIncomplete }: QuestionOptions,
): QuestionRequest {
	const key = chatKey.trim();
	if (chat === 'key' && !key)
		throw invalidInputError('Chat Key is empty', 'Enter a text that the items of one chat share.');
	return {
		message,
		...(chat === 'key' ? { chatKey: key } : chatId && { chatId }),
		...(model && { model }),
		includeRawEvents: includeRawEvents ?? false,
		language: language?.trim() || 'en',
		showToolCalls: showToolCalls ?? false,
		onIncomplete: onIncomplete ?? 'error',
		extraOutput: {},
	};
}

/** Questions of one chat are sent one after the other. */
export const chatSequenceKey = ({ chatId, chatKey }: QuestionRequest) =>
	chatKey === undefined ? chatId && `id ${chatId}` : `key ${chatKey}`;

/** Asks a question, waits for the complete answer, and makes an item of it. */
export async function askForCompleteAnswer(
	context: OperationContext<QuestionRequest>,
): Promise<ItemOutput> {
	const { request, http, startPaid, stream } = context;
	const { question, requestKey, onChat } = prepareQuestion(context);
	const {
		text,
		chatId = question.chat_id,
		requestId,
		body,
	} = await startPaid({
		request: requestKey,
		async send() {
			const answer = await ask(http, question);
			if (answer.chatId) onChat(answer.chatId);
			await stream(answer.text);
			return answer;
		},
	});
	return {
		json: {
			output: text,
			...(chatId && { chatId }),
			...request.extraOutput,
			complete: true,
			...(requestId && { requestId }),
			body: body as IDataObject,
		},
	};
}

/** Asks a question, reads the streamed answer, and makes an item of it. */
export async function askForStreamedAnswer(
	context: OperationContext<QuestionRequest>,
): Promise<ItemOutput> {
	const { request, http, startPaid, clock, stream, addHint } = context;
	const { question, requestKey, onChat } = prepareQuestion(context);
	const { includeRawEvents, language, onIncomplete } = request;
	const outputHandlers = request.showToolCalls ? createToolTitleWriter(stream) : { onText: stream };

	const toItem = (answer: AssistantAnswer & { body?: unknown }, more: object): ItemOutput => {
		const { text, chatTitle, messageIds, toolCalls, events = [], requestId, body } = answer;
		const { chatId = question.chat_id } = answer;
		return {
			json: {
				output: text,
				...(chatId && { chatId }),
				...(chatTitle && { chatTitle }),
				...request.extraOutput,
				messageIds,
				toolCalls: toolCalls as unknown as IDataObject[],
				...more,
				...(requestId && { requestId }),
				...((includeRawEvents || !text) && { events: events as IDataObject[] }),
				...(body !== undefined && { body: body as IDataObject }),
			},
		};
	};

	try {
		const answer = await startPaid({
			request: requestKey,
			async send() {
				const options = { ...outputHandlers, includeRawEvents, language, onChat, now: clock.now };
				return await askStreaming(http, question, options);
			},
		});
		const warning = answer.text ? undefined : NO_TEXT_NOTICE;
		if (warning) addHint(warning);
		return toItem(answer, { complete: true, ...(warning && { notice: warning }) });
	} catch (cause) {
		const partialAnswer = partialAnswerOf<AssistantAnswer>(cause, ({ text }) => text);
		if (!partialAnswer || onIncomplete === 'error') throw mapServiceError(cause);
		const { partial, extras, notice, ids, requestId } = partialAnswer;
		addHint(notice);
		return toItem(
			{ ...ids, ...partial, ...(requestId && { requestId }) },
			{ complete: false, notice, ...extras },
		);
	}
}

const NO_TEXT_NOTICE = 'No text was found in the answer; "events" contains what arrived.';

/**
 * The question as it is sent: in the chat of an earlier item with the same key, if there was one.
 *
 * @returns `requestKey`, which identifies the question when the node runs again. It has no chat id that was learned at run time.
 */
function prepareQuestion({ request, flowState, recordId }: OperationContext<QuestionRequest>) {
	const { message, chatId, chatKey, model } = request;
	const more = { ...(model && { model }) };
	const knownChatId = chatKey === undefined ? chatId : flowState.get(`chat ${chatKey}`);
	const question: Question = { message, ...(knownChatId && { chat_id: knownChatId }), ...more };
	return {
		question,
		requestKey: chatKey === undefined ? question : { message, chatKey, ...more },
		onChat(id: string) {
			recordId('chat', id);
			if (chatKey !== undefined) flowState.set(`chat ${chatKey}`, id);
		},
	};
}

/** Characters of a title that are shown. */
const MAX_TITLE_LENGTH = 200;

/** Writes tool titles into the live output, each in a paragraph of its own. */
function createToolTitleWriter(stream: (text: string) => Promise<void>) {
	let inText = false;
	return {
		async onText(text: string) {
			inText ||= text !== '';
			await stream(text);
		},
		async onToolCall({ label }: ToolCall) {
			const title = label
				?.replace(/\s+/g, ' ')
				.trim()
				.slice(0, MAX_TITLE_LENGTH)
				.replace(/[.…]+$/, '');
			if (!title) return;
			await stream(`${inText ? '\n\n' : ''}${title}…\n\n`);
			inText = false;
		},
	};
}
