import { readErrorResponse, readText, withPartialBody } from '../core/body';
import { startsWithEvents, openBody, type LookaheadBody } from '../core/bodyLookahead';
import {
	malformedResponseError,
	isWebPage,
	isErrorValue,
	getRequestId,
} from '../core/errorResponses';
import { mapServiceError, withDetails, withOutcome } from '../core/errors';
import { extractText } from '../core/extractText';
import { isErrorResponse, type Http, type HttpResponse } from '../core/http';
import {
	isTruncatedJson,
	parseConcatenatedObjects,
	tryParseJson,
	isPlainObject,
} from '../core/json';
import type { AssistantAnswer } from './answerAccumulator';
import { parseEventLines, readEventList, collectAnswer, type StreamHandlers } from './answerStream';

export interface Question {
	/** The question in plain language. */
	message: string;
	/** The chat to continue; sent back exactly as it was received. */
	chat_id?: string;
	/** Unset, the service uses `svc_v1.2`. */
	model?: string;
}

/**
 * Asks a question and waits for the complete answer, in any format.
 *
 * @throws ServiceError with an outcome; what arrived is in `details.partial`.
 * @see POST {assistant_base_url}/invoke_assistant
 */
export async function ask(http: Http, question: Question): Promise<CompleteAnswer> {
	const handlers = {
		onText: () => {},
		onToolCall: () => {},
		onChat: () => {},
		includeRawEvents: true,
	};
	const path = '/v1/invoke_assistant';
	const answer = await sendQuestion(http, path, 'application/json', question, handlers);
	const { text, chatId, requestId } = answer;
	const body = answer.body === undefined ? { events: answer.events } : answer.body;
	return {
		text: text || JSON.stringify(body, null, 2),
		...(chatId && { chatId }),
		body,
		...(requestId && { requestId }),
	};
}

/**
 * Asks a question and reads the streamed answer, in any format.
 *
 * @throws ServiceError with an outcome; `truncated` when the stream ends without its `finish` event. What arrived is in
 *   `details.partial`.
 * @see POST {assistant_base_url}/invoke_assistant_stream
 */
export async function askStreaming(
	http: Http,
	question: Question,
	{ onText = () => {}, onToolCall = () => {}, onChat = () => {}, now, ...options }: AskOptions = {},
): Promise<AssistantAnswer & { body?: unknown }> {
	const startedAt = now?.() ?? 0;
	const time = () => (now?.() ?? 0) - startedAt;
	const path = '/v1/invoke_assistant_stream';
	const handlers = { onText, onToolCall, onChat, ...options, time };
	return await sendQuestion(http, path, 'text/event-stream', question, handlers);
}

export interface AskOptions extends Partial<Omit<StreamHandlers, 'time'>> {
	/** Returns the current time in milliseconds, for the timeline of the tools. */
	now?: () => number;
}

async function sendQuestion(
	http: Http,
	path: string,
	accept: string,
	question: Question,
	handlers: StreamHandlers,
): Promise<AssistantAnswer & { body?: unknown }> {
	try {
		const response = await http.send({ method: 'POST', path, body: question, accept });
		if (isErrorResponse(response)) throw await readErrorResponse(response);
		return await readAnswer(response, await openBody(response), handlers);
	} catch (cause) {
		const ids = question.chat_id ? { chatId: question.chat_id } : {};
		throw mapServiceError(cause, (error) =>
			withOutcome(withDetails(error, { ids: { ...ids, ...error.details.ids } }), 'question'),
		);
	}
}

/** The beginning of the body decides on the format, whatever its `Content-Type` says. */
async function readAnswer(
	response: HttpResponse,
	lookahead: LookaheadBody,
	handlers: StreamHandlers,
): Promise<AssistantAnswer & { body?: unknown }> {
	const isJson = ['{', '[', '"'].includes(lookahead.start.charAt(0));
	const isMarkup = lookahead.start.startsWith('<') && isWebPage(lookahead.start, lookahead.type);
	const isEventStream = lookahead.type.includes('event-stream') && !isJson && !isMarkup;
	if (isEventStream || (await startsWithEvents(lookahead)))
		return await collectAnswer(response, lookahead, handlers);
	let received = '';
	try {
		received = await readText(response, undefined, lookahead.chunks);
		const body = isMarkup ? undefined : parseBody(received, lookahead.type);
		if (body === undefined) throw malformedResponseError(response, received);
		const events =
			readEventList(body) ?? (typeof body === 'string' ? parseEventLines(body) : undefined);
		if (events) return await collectAnswer(response, lookahead, handlers, events);
		const { text, chatId, ...completeAnswer } = extractCompleteAnswer(response, body);
		if (chatId) handlers.onChat(chatId);
		await handlers.onText(text);
		const ids = chatId ? { chatId } : {};
		return { text, messageIds: [], toolCalls: [], events: [], ...ids, ...completeAnswer };
	} catch (cause) {
		const { type } = lookahead;
		throw mapServiceError(cause, (error) =>
			error.details.partial
				? error
				: withPartialBody(error, { received: lookahead.received(), type }, { text: '' }),
		);
	}
}

/** @returns undefined for a body that is neither complete JSON nor a text. */
function parseBody(received: string, type: string): unknown {
	const parsed = tryParseJson(received.trim());
	if (parsed !== undefined) return parsed;
	if (parseEventLines(received)) return received;
	const objects = parseConcatenatedObjects(received.trim());
	if (objects) return objects;
	const isTruncated = type.includes('json')
		? /^\s*[[{"]/.test(received)
		: isTruncatedJson(received);
	return isTruncated || !received.trim() ? undefined : received;
}

/** A complete answer with its body, of which the specification does not define the format. */
interface CompleteAnswer {
	/** The text, if one was found; otherwise the body as formatted JSON. */
	text: string;
	chatId?: string;
	body: unknown;
	requestId?: string;
}

/**
 * Finds the text and the chat id in a body of unspecified format.
 *
 * @throws ServiceError `malformed` if the body is empty, or reports an error.
 */
function extractCompleteAnswer(response: HttpResponse, body: unknown): CompleteAnswer {
	const reportsError =
		isPlainObject(body) && ['error', 'detail', 'errors'].some((field) => isErrorValue(body[field]));
	const text = extractText(body);
	const chatId = findChatId(body);
	if (!hasContent(body) || reportsFailure(body) || (reportsError && !text))
		throw withDetails(malformedResponseError(response, JSON.stringify(body)), {
			ids: chatId === undefined ? {} : { chatId },
		});
	return {
		text: text || JSON.stringify(body, null, 2),
		...(chatId !== undefined && { chatId }),
		body,
		...getRequestId(response.headers),
	};
}

/** Whether a body contains any value: an empty object, an empty list or null is no answer. */
function hasContent(body: unknown): boolean {
	if (typeof body === 'string') return body.trim() !== '';
	if (typeof body !== 'object' || body === null) return body !== null;
	return Object.values(body).some((value) => value !== null && value !== '' && hasContent(value));
}

function reportsFailure(body: unknown): boolean {
	if (!isPlainObject(body)) return false;
	return body['success'] === false || /^(error|failed|failure)$/i.test(String(body['status']));
}

/** Searches all nested values, since a chat cannot be continued without its id. */
function findChatId(body: unknown, depth = 0): string | undefined {
	if (typeof body !== 'object' || body === null || depth > MAX_DEPTH) return undefined;
	if (isPlainObject(body)) {
		const chat = body['chat'];
		const candidates = [
			body['chat_id'],
			body['chatId'],
			isPlainObject(chat) && (chat['chat_id'] ?? chat['id']),
		];
		const id = candidates.find(
			(value) => (typeof value === 'string' && value) || typeof value === 'number',
		);
		if (id !== undefined) return String(id);
	}
	return Object.values(body)
		.map((value) => findChatId(value, depth + 1))
		.find(Boolean);
}

/** Nesting depth of the search. */
const MAX_DEPTH = 4;
