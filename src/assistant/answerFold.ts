import type { AnswerFold } from '../core/answerReader';
import { reportedError } from '../core/body';
import {
	asReported,
	hasErrors,
	malformedResponseError,
	parseErrorBody,
	reportsError,
} from '../core/errorResponses';
import { truncatedAnswerError, withDetails, type ServiceError } from '../core/errors';
import { extractText } from '../core/extractText';
import type { HttpResponse } from '../core/http';
import { isPlainObject, type JsonObject, isEmptyValue } from '../core/json';
import type { AnswerForm, AnswerPiece } from '../core/sse';
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
	/** Called with the ID of the chat as soon as it arrives. */
	onChat?: (chatId: string) => void;
}

/**
 * Builds an answer from the six specified events, or from a complete body by the plain rule. Any other event is kept, if that was asked for.
 *
 * @param time Returns milliseconds since the question was sent, for the timeline of the tools.
 */
export function createAnswerFold(
	response: HttpResponse,
	options: AnswerOptions,
	time: () => number,
) {
	const stream = createEventStream(options, time);
	let form: AnswerForm = 'sse';
	/** The parts of a complete body. */
	const values: unknown[] = [];
	let complete: { text?: string; chatId?: string; body?: unknown } = {};

	const answer = (): AssistantAnswer => ({ ...stream.answer(), ...complete });

	return {
		...stream,
		add(piece: AnswerPiece): string {
			form = piece.form;
			if (form === 'sse') return stream.add(piece);
			values.push(piece.value);
			return '';
		},
		end(): string {
			if (form === 'sse') return stream.end();
			const [value] = values;
			const body = form === 'text' ? values.join('') : values.length > 1 ? values : value;
			complete = { ...readBody(response, body), body };
			if (complete.chatId) options.onChat?.(complete.chatId);
			return answer().text;
		},
		partial: () => (form === 'sse' ? answer() : { text: '' }),
		answer,
	} satisfies AnswerFold & Record<string, unknown>;
}

function createEventStream(options: AnswerOptions, time: () => number) {
	const { handlers, isEmpty, newToolCalls, ...specified } = createSpecifiedEvents(options, time);
	const events: unknown[] = [];
	let hasFinished = false;
	/** Whether an event had anything that is not specified. */
	let hasOther = false;
	let failure: ServiceError | undefined;

	const keep = (event: string, value: unknown): void => {
		if (!options.includeRawEvents && (!isEmpty() || events.length >= MAX_KEPT_EVENTS)) return;
		events.push({ event, data: value === '' ? undefined : value });
	};

	return {
		newToolCalls,
		add(piece: AnswerPiece): string {
			const [event, value] = nameEvent(piece);
			hasFinished = event === 'finish';
			if (!hasFinished) keep(event, value);
			const handle = Object.hasOwn(handlers, event) ? handlers[event] : undefined;
			hasOther ||= !handle && !hasFinished && !isEmptyValue(value);
			// a tool that failed does not count: the assistant may still answer
			if (event === 'error' || (!handle && isFailure(value)))
				failure = reportedError('assistant', value);
			if (specified.count() > MAX_TOOLS_AND_MESSAGES) throw tooManyError();
			return handle?.(isPlainObject(value) ? value : {}) ?? '';
		},
		isOver(): boolean {
			if (failure) throw failure;
			return hasFinished;
		},
		end(): string {
			if (!hasFinished) throw truncatedAnswerError('The stream ended without its "finish" event.');
			if (isEmpty() && !hasOther) throw truncatedAnswerError('It ended without any content.');
			return '';
		},
		answer: () => specified.answer(options.includeRawEvents || isEmpty() ? events : []),
	};
}

/** The specification has events with names and data, and does not show how: a name may be on its line, or beside or in the data. */
function nameEvent({ event: line, value }: AnswerPiece): [name: string, data: unknown] {
	if (line || !isPlainObject(value) || isFailure(value)) return [line, value];
	const { type, event = type, data } = value;
	return toText(event) ? [toText(event), data ?? value] : ['', value];
}

const isFailure = (value: unknown) => reportsError(value) || hasErrors(value);

/** Builds the answer from the specified events. */
function createSpecifiedEvents({ onChat }: AnswerOptions, time: () => number) {
	const messages = createTextAccumulator();
	const tools = createToolTimeline(time);
	/** Tool calls that have started, for live output. */
	const newToolCalls: ToolCall[] = [];
	const messageIds: string[] = [];
	const chat: Pick<AssistantAnswer, 'chatId' | 'chatTitle'> = {};

	/** What each event does. Each returns the text that it adds. */
	const handlers: Record<string, (data: JsonObject) => string | void> = {
		chat({ chat_id: id, chat_title: title }) {
			if (toText(id)) {
				chat.chatId = toText(id);
				onChat?.(chat.chatId);
			}
			if (toText(title)) chat.chatTitle = toText(title);
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

	return {
		handlers,
		newToolCalls,
		isEmpty: messages.isEmpty,
		count: () => tools.count() + messageIds.length,
		answer(events: unknown[]): AssistantAnswer {
			const text = messages.text();
			return { ...chat, events, messageIds, text, toolCalls: tools.calls() };
		},
	};
}

const tooManyError = () =>
	truncatedAnswerError(`It names more than ${MAX_TOOLS_AND_MESSAGES} tool calls or messages.`);

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
	const ids = chatId ? { chatId } : {};
	const hasError = reportsError(body) || (!text && hasErrors(body));
	if (!hasError && !isEmptyValue(body))
		return { text: text || JSON.stringify(body, null, 2), ...ids };
	const error = withDetails(malformedResponseError(response, JSON.stringify(body)), { ids });
	throw hasError ? asReported(error, parseErrorBody(body)) : error;
}

/** Searches the whole body, since a chat cannot be continued without its ID. Empty if there is none. */
function findChatId(body: unknown): string {
	let id = isPlainObject(body) ? toText(body['chat_id']) : '';
	JSON.stringify(body, (field, value: unknown) => {
		if (field === 'chat_id') id ||= toText(value);
		return value;
	});
	return id;
}
