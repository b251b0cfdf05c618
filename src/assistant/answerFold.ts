import {
	isWords,
	unreadableEventError,
	type AnswerFold,
	type AnswerPiece,
} from '../core/answerReader';
import { reportedError } from '../core/body';
import { hasErrors, hasFailed, malformedResponseError, reportsError } from '../core/errorResponses';
import { truncatedAnswerError, withDetails } from '../core/errors';
import { extractText, hasContent } from '../core/extractText';
import type { HttpResponse } from '../core/http';
import { isPlainObject, tryParseJson } from '../core/json';
import { createTextAccumulator } from '../core/textAccumulator';
import { createToolTimeline, type ToolCall } from './toolTimeline';

/** Far more than any answer has: a stream with more is broken or hostile. */
const MAX_TOOLS_AND_MESSAGES = 5000;

/** Events kept of an answer without text, so that the user can see what arrived instead. */
const MAX_KEPT_EVENTS = 50;

export interface AssistantAnswer {
	/** The text of all messages, with a blank line between them. */
	text: string;
	/** Present once the service has sent it. */
	chatId?: string;
	chatTitle?: string;
	messageIds: string[];
	toolCalls: ToolCall[];
	/** Every event as it arrived, if requested; the first ones if there is no text. */
	events: unknown[];
	/** The body of a complete answer, whose form the specification does not define. */
	body?: unknown;
	requestId?: string;
}

export interface AnswerOptions {
	/** Keeps every event as it arrived. */
	includeRawEvents?: boolean;
	/** Called when the first event of a tool call arrives. */
	onToolCall?: (call: ToolCall) => void;
	/** Returns milliseconds since the question was sent, for the timeline of the tools. */
	time?: () => number;
	/** Language of the tool titles, e.g. `de`. Default `en`. */
	toolTitleLanguage?: string;
}

/** Builds an answer from the six specified events, or from a complete body by the plain rule. */
export function createAnswerFold(response: HttpResponse, options: AnswerOptions) {
	const stream = createEventStream(options);
	let isStream = false;
	/** The parts of a complete body. */
	const values: unknown[] = [];
	let words = '';
	let complete: { text?: string; chatId?: string; body?: unknown } = {};

	const answer = (): AssistantAnswer => ({ ...stream.answer(), ...complete });

	return {
		add(piece) {
			isStream ||= piece.form === 'sse';
			if (piece.form === 'sse') return stream.add(piece);
			if (piece.form === 'text') words += piece.data;
			else values.push(piece.value);
			return '';
		},
		isOver: stream.hasFinished,
		end() {
			if (isStream) return stream.end();
			const body = readCompleteBody(response, values, words);
			const found = extractCompleteAnswer(response, body);
			complete = { ...found, body };
			return found.text;
		},
		partial: (): { text: string } => (isStream ? answer() : { text: '' }),
		/** The id of the chat, as soon as it is known. */
		chatId: () => complete.chatId ?? stream.answer().chatId,
		answer,
	} satisfies AnswerFold & Record<string, unknown>;
}

/** Reads the specified events. Any other event is kept, if that was asked for. */
function createEventStream(options: AnswerOptions) {
	const { includeRawEvents = false, time = () => 0, toolTitleLanguage = 'en' } = options;
	const messages = createTextAccumulator();
	const tools = createToolTimeline(time, toolTitleLanguage);
	const fields: Building['fields'] = {};
	const messageIds: string[] = [];
	const events: unknown[] = [];
	const handlers = createEventHandlers({ fields, messageIds, messages, tools, options });
	let hasFinished = false;
	/** Whether an event of another name has content, which the user may want to see. */
	let hasOther = false;

	const keep = (event: object) => {
		if (includeRawEvents || (messages.isEmpty() && events.length < MAX_KEPT_EVENTS))
			events.push(event);
	};

	return {
		add({ event: given, value, data }: AnswerPiece): string {
			const event = given.trim();
			const payload = data === '' ? undefined : value;
			hasFinished = event === 'finish';
			if (!hasFinished) keep({ event, data: payload });
			if (eventReportsError(event, payload)) throw reportedError('assistant', payload);
			if (hasFinished) return '';
			const handle = Object.hasOwn(handlers, event) ? handlers[event] : undefined;
			hasOther ||= !handle && hasContent(payload);
			if (handle && data && isWords({ value, data })) throw unreadableEventError(event, data);
			return handle?.(isPlainObject(payload) ? payload : {}) ?? '';
		},
		/** @throws ServiceError for an answer that is not complete. */
		end(): string {
			if (!hasFinished) throw truncatedAnswerError('The stream ended without its "finish" event.');
			if (messages.isEmpty() && !hasOther)
				throw truncatedAnswerError('It ended without any content.');
			return '';
		},
		hasFinished: () => hasFinished,
		answer(): AssistantAnswer {
			const text = messages.text();
			const keptEvents = includeRawEvents || !text ? events : [];
			return { ...fields, messageIds, events: keptEvents, text, toolCalls: tools.calls() };
		},
	};
}

interface Building {
	fields: Pick<AssistantAnswer, 'chatId' | 'chatTitle'>;
	messageIds: string[];
	messages: ReturnType<typeof createTextAccumulator>;
	tools: ReturnType<typeof createToolTimeline>;
	options: AnswerOptions;
}

type EventHandler = (data: Record<string, unknown>) => string;

/** One handler for each specified event but `finish`; it returns the text that the event adds to the answer. */
function createEventHandlers({
	fields,
	messageIds,
	messages,
	tools,
	options: { onToolCall = () => {} },
}: Building): Record<string, EventHandler> {
	return {
		chat({ chat_id, chat_title }) {
			if (isTextOrNumber(chat_id)) fields.chatId = String(chat_id);
			if (isTextOrNumber(chat_title)) fields.chatTitle = String(chat_title);
			return '';
		},
		pending_tool_call({ call_id, title }) {
			const call = tools.start(call_id, title);
			if (call) onToolCall(call);
			checkCount(tools.count());
			return '';
		},
		finished_tool_call({ call_id }) {
			tools.finish(call_id);
			checkCount(tools.count());
			return '';
		},
		message_start: ({ t }) => (typeof t === 'string' ? messages.append(t) : ''),
		message_end({ message_id }) {
			messages.endMessage();
			if (isTextOrNumber(message_id)) checkCount(messageIds.push(String(message_id)));
			return '';
		},
	};
}

function checkCount(count: number): void {
	if (count > MAX_TOOLS_AND_MESSAGES)
		throw truncatedAnswerError(
			`It names more than ${MAX_TOOLS_AND_MESSAGES} tool calls or messages.`,
		);
}

const isTextOrNumber = (value: unknown) =>
	(typeof value === 'string' && value !== '') || typeof value === 'number';

/** An error event, or an error object in place of an event. A failed tool does not count: the assistant may still answer. */
const eventReportsError = (event: string, payload: unknown): boolean =>
	event === 'error' ||
	(['', 'message', 'finish'].includes(event) &&
		isPlainObject(payload) &&
		(reportsError(payload) || hasErrors(payload)));

/** @throws ServiceError `malformed` for words in place of an event stream. */
function readCompleteBody(response: HttpResponse, values: unknown[], words: string): unknown {
	if (values.length) return values.length === 1 ? values[0] : values;
	const isStream = response.headers['content-type']?.toLowerCase().includes('event-stream');
	if (isStream) throw malformedResponseError(response, words);
	return tryParseJson(words.trim()) ?? words;
}

/**
 * Finds the text, by the plain rule, and the chat id in a body. Without a text, it is the body as formatted JSON.
 *
 * @throws ServiceError `malformed` if the body is empty, or reports an error.
 */
function extractCompleteAnswer(response: HttpResponse, body: unknown) {
	const text = extractText(body);
	const chatId = findChatId(body);
	const ids = chatId === undefined ? {} : { chatId };
	const hasError = isPlainObject(body) && (hasFailed(body) || (!text && hasErrors(body)));
	if (hasError || !hasContent(body))
		throw withDetails(malformedResponseError(response, JSON.stringify(body)), { ids });
	return { text: text || JSON.stringify(body, null, 2), ...ids };
}

/** Nesting depth of the search. */
const MAX_DEPTH = 4;

/** Searches all nested values, since a chat cannot be continued without its id. */
function findChatId(body: unknown, depth = 0): string | undefined {
	if (typeof body !== 'object' || body === null || depth > MAX_DEPTH) return undefined;
	const { chat_id: id } = body as Record<string, unknown>;
	if (isTextOrNumber(id)) return String(id);
	return Object.values(body)
		.map((value) => findChatId(value, depth + 1))
		.find(Boolean);
}
