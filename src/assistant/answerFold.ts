import type { AnswerFold, AnswerForm, AnswerPiece } from '../core/answerReader';
import { reportedError } from '../core/body';
import { hasErrors, malformedResponseError, reportsError } from '../core/errorResponses';
import { truncatedAnswerError, withDetails, type ServiceError } from '../core/errors';
import { extractText } from '../core/extractText';
import type { HttpResponse } from '../core/http';
import { isEmptyValue, isPlainObject } from '../core/json';
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
	/** Language of the tool titles, e.g. `de`. Default `en`. */
	toolTitleLanguage?: string;
}

/**
 * Builds an answer from the six specified events, or from a complete body by the plain rule. Any other event is kept, if that was asked for.
 *
 * @param time Returns milliseconds since the question was sent, for the timeline of the tools.
 */
export function createAnswerFold(
	response: HttpResponse,
	{ includeRawEvents = false, toolTitleLanguage = 'en' }: AnswerOptions,
	time: () => number,
) {
	const messages = createTextAccumulator();
	const tools = createToolTimeline(time, toolTitleLanguage);
	const messageIds: string[] = [];
	const events: unknown[] = [];
	/** Tool calls that have started, for live output. */
	const newToolCalls: ToolCall[] = [];
	const fields: Pick<AssistantAnswer, 'chatId' | 'chatTitle' | 'body'> = {};
	let hasFinished = false;
	let failure: ServiceError | undefined;
	let form: AnswerForm = 'sse';
	/** The parts of a complete body. */
	const values: unknown[] = [];

	/** What each specified event does. @returns the text that it adds. */
	const handlers: Record<string, (data: Record<string, unknown>) => string | void> = {
		chat({ chat_id: id, chat_title: title }) {
			if (toText(id)) fields.chatId = toText(id);
			if (toText(title)) fields.chatTitle = toText(title);
		},
		pending_tool_call({ call_id: id, title }) {
			const call = tools.start(toText(id), title);
			if (call) newToolCalls.push(call);
		},
		finished_tool_call: ({ call_id: id }) => tools.finish(toText(id)),
		message_start: ({ t }) => (typeof t === 'string' ? messages.append(t) : ''),
		message_end({ message_id: id }) {
			messages.endMessage();
			if (toText(id)) messageIds.push(toText(id));
		},
	};

	const addEvent = ({ event, value }: AnswerPiece): string => {
		hasFinished = event === 'finish';
		const isKept = includeRawEvents || (messages.isEmpty() && events.length < MAX_KEPT_EVENTS);
		if (isKept && !hasFinished) events.push({ event, data: value === '' ? undefined : value });
		const handle = Object.hasOwn(handlers, event) ? handlers[event] : undefined;
		const data = isPlainObject(value) ? value : {};
		// a tool that failed does not count: the assistant may still answer
		if (event === 'error' || (!handle && (reportsError(data) || hasErrors(data))))
			failure = reportedError('assistant', value);
		const text = handle?.(data) ?? '';
		if (tools.count() + messageIds.length > MAX_TOOLS_AND_MESSAGES)
			throw truncatedAnswerError(
				`It names more than ${MAX_TOOLS_AND_MESSAGES} tool calls or messages.`,
			);
		return text;
	};

	const answer = (): AssistantAnswer => {
		const text = messages.text();
		const keptEvents = includeRawEvents || !text ? events : [];
		return { ...fields, messageIds, events: keptEvents, text, toolCalls: tools.calls() };
	};

	return {
		newToolCalls,
		add(piece: AnswerPiece): string {
			form = piece.form;
			if (form === 'sse') return addEvent(piece);
			values.push(piece.value);
			return '';
		},
		isOver() {
			if (failure) throw failure;
			return hasFinished;
		},
		end(): string {
			if (form !== 'sse') {
				const [value] = values;
				const body = form === 'text' ? values.join('') : values.length > 1 ? values : value;
				const found = readBody(response, body);
				Object.assign(fields, { ...found.ids, body });
				return messages.append(found.text);
			}
			if (!hasFinished) throw truncatedAnswerError('The stream ended without its "finish" event.');
			if (messages.isEmpty()) throw truncatedAnswerError('It ended without any content.');
			return '';
		},
		partial: () => (form === 'sse' ? answer() : { text: '' }),
		/** The ID of the chat, as soon as it is known. */
		chatId: () => fields.chatId,
		answer,
	} satisfies AnswerFold & Record<string, unknown>;
}

/** A text, or a number as one; empty for anything else. */
const toText = (value: unknown) =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/**
 * Finds the text, by the plain rule, and the ID of the chat in a body. Without a text, it is the body as formatted JSON.
 *
 * @throws ServiceError `malformed` if the body is empty, or reports an error.
 */
function readBody(response: HttpResponse, body: unknown) {
	const text = extractText(body);
	const chatId = findChatId(body);
	const ids = chatId === undefined ? {} : { chatId };
	const hasError = reportsError(body) || (isPlainObject(body) && !text && hasErrors(body));
	if (hasError || isEmptyValue(body))
		throw withDetails(malformedResponseError(response, JSON.stringify(body)), { ids });
	return { text: text || JSON.stringify(body, null, 2), ids };
}

/** Searches four levels of the body, since a chat cannot be continued without its ID. */
function findChatId(body: unknown, depth = 0): string | undefined {
	if (typeof body !== 'object' || body === null || depth > 4) return undefined;
	const { chat_id: id } = body as Record<string, unknown>;
	if (toText(id)) return toText(id);
	return Object.values(body)
		.map((value) => findChatId(value, depth + 1))
		.find(Boolean);
}
