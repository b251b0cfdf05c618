import type { IDataObject } from 'n8n-workflow';

import type { AssistantAnswer } from '../../../src/assistant/answerAccumulator';
import { ask, askStreaming, type Question } from '../../../src/assistant/client';
import type { ToolCall } from '../../../src/assistant/toolTimeline';
import { mapServiceError, ServiceError } from '../../../src/core/errors';
import { openLedger } from '../../../src/ledger/dataTable';
import type { OperationContext, ItemOutput, PrepareContext } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import { partialAnswerOf } from '../../../src/n8n/partialAnswers';
import { selectChat, type ChatChoice, type chatParams } from './chat';
import { openChat, type Chat } from './chatMemory';
import type { answerOptions, streamAnswerParam } from './question.params';

/** A question, and how to output its answer. */
interface QuestionRequest {
	message: string;
	chat: ChatChoice;
	model?: string;
	streamAnswer: boolean;
	includeRawEvents: boolean;
	toolTitleLanguage: string;
	showToolCalls: boolean;
	onIncomplete: 'error' | 'partial';
	/** Fields that are added to the output. */
	extraOutput: { question?: string };
}

type QuestionParams = ParamValues<readonly [typeof streamAnswerParam, ...typeof chatParams]> & {
	options: Partial<ParamValues<typeof answerOptions>>;
};

/** @throws ServiceError `invalid` for an empty key or ID. */
export function toQuestionRequest(
	message: string,
	{ streamAnswer, options, ...chat }: QuestionParams,
	context: PrepareContext,
): QuestionRequest {
	const { model, includeRawEvents, toolTitleLanguage, showToolCalls, onIncomplete } = options;
	return {
		message,
		chat: selectChat(chat, context),
		...(model && { model }),
		streamAnswer,
		includeRawEvents: includeRawEvents ?? false,
		toolTitleLanguage: toolTitleLanguage?.trim() || 'en',
		showToolCalls: showToolCalls ?? false,
		onIncomplete: onIncomplete ?? 'error',
		extraOutput: {},
	};
}

/** Questions of one chat are sent one after the other. */
export const chatSequenceKey = ({ chat: { chatId, session } }: QuestionRequest) =>
	session === undefined ? chatId && `id ${chatId}` : `session ${session}`;

/** Asks a question in its chat, and makes an item of the answer. */
export async function askQuestion(context: OperationContext<QuestionRequest>): Promise<ItemOutput> {
	const { usesLedger, connectLedger, clock, origin } = context;
	const open = async () => await openLedger(connectLedger(), clock, origin.execution);
	const chat = await openChat(context, usesLedger ? open : undefined);
	try {
		return await (context.request.streamAnswer
			? askForStreamedAnswer(context, chat)
			: askForCompleteAnswer(context, chat));
	} finally {
		await chat.remember();
	}
}

async function askForCompleteAnswer(
	context: OperationContext<QuestionRequest>,
	chat: Chat,
): Promise<ItemOutput> {
	const { request, http, startPaid, stream } = context;
	const answer = await startPaid({
		request: requestKeyOf(request),
		send: async () =>
			await sendInChat(context, chat, async (question) => {
				const complete = await ask(http, question);
				if (complete.chatId) chat.onChat(complete.chatId);
				await stream(complete.text);
				return complete;
			}),
	});
	const { text, chatId, requestId, body } = answer;
	return {
		json: {
			output: text,
			...(chatId && { chatId }),
			sessionSource: request.chat.source,
			...request.extraOutput,
			complete: true,
			...(requestId && { requestId }),
			body: body as IDataObject,
		},
	};
}

async function askForStreamedAnswer(
	context: OperationContext<QuestionRequest>,
	chat: Chat,
): Promise<ItemOutput> {
	const { request, http, startPaid, clock, stream, addHint } = context;
	const { includeRawEvents, toolTitleLanguage, onIncomplete } = request;
	const outputHandlers = request.showToolCalls ? createToolTitleWriter(stream) : { onText: stream };

	const toItem = (answer: AssistantAnswer & { body?: unknown }, more: object): ItemOutput => {
		const { text, chatId, chatTitle, messageIds, toolCalls, events = [], requestId, body } = answer;
		return {
			json: {
				output: text,
				...(chatId && { chatId }),
				...(chatTitle && { chatTitle }),
				sessionSource: request.chat.source,
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
			request: requestKeyOf(request),
			async send() {
				const options = {
					...outputHandlers,
					includeRawEvents,
					toolTitleLanguage,
					onChat: chat.onChat,
					now: clock.now,
				};
				const send = async (question: Question) => await askStreaming(http, question, options);
				return await sendInChat(context, chat, send);
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

/** Identifies the question when the node runs again. It has no chat ID that was found at run time. */
const requestKeyOf = ({ message, model, chat: { chatId, session } }: QuestionRequest) => ({
	message,
	...(chatId && { chatId }),
	...(session !== undefined && { session }),
	...(model && { model }),
});

/** Statuses by which a service may refuse a chat that it no longer has. Nothing was started then. */
const CHAT_REFUSALS = [400, 404, 410, 422];

/**
 * Sends a question in its chat. When the service refuses a remembered chat, the question starts a new one.
 *
 * @returns the answer, with the chat's ID also where the service does not repeat it.
 */
async function sendInChat<Answer extends { chatId?: string }>(
	{ request: { message, model }, addHint }: OperationContext<QuestionRequest>,
	chat: Chat,
	send: (question: Question) => Promise<Answer>,
): Promise<Answer> {
	const { chatId, isRemembered } = chat;
	const newQuestion = { message, ...(model && { model }) };
	const question = { ...newQuestion, ...(chatId && { chat_id: chatId }) };
	try {
		const answer = await send(question);
		return chatId === undefined || answer.chatId ? answer : { ...answer, chatId };
	} catch (cause) {
		const { kind, details } = cause instanceof ServiceError ? cause : {};
		const isChatRefused = kind === 'refused' && CHAT_REFUSALS.includes(details?.status ?? 0);
		if (!isRemembered || !isChatRefused) throw mapServiceError(cause);
		chat.forget();
		const answer = await send(newQuestion);
		addHint(`The service no longer continues the chat ${chatId}, so a new chat was started.`);
		return answer;
	}
}

/** What is shown of a title. It is cut between words, because a part of a key could not be redacted. */
const SHOWN_TITLE = /^.{0,200}(?!\S)/;

/** Writes tool titles into the live output, each in a paragraph of its own. */
function createToolTitleWriter(stream: (text: string) => Promise<void>) {
	let inText = false;
	return {
		async onText(text: string) {
			inText ||= text !== '';
			await stream(text);
		},
		async onToolCall({ label }: ToolCall) {
			const words = label?.replace(/\s+/g, ' ').trim() ?? '';
			const title = SHOWN_TITLE.exec(words)?.[0].replace(/[.…]+$/, '');
			if (!title) return;
			await stream(`${inText ? '\n\n' : ''}${title}…\n\n`);
			inText = false;
		},
	};
}
