import { unreadableChunkError, withPartialAnswer } from '../core/body';
import type { LookaheadBody } from '../core/bodyLookahead';
import {
	malformedResponseError,
	parseErrorBody,
	getRequestId,
	isErrorValue,
} from '../core/errorResponses';
import {
	truncatedAnswerError,
	mapServiceError,
	withDetails,
	type ServiceError,
} from '../core/errors';
import { isNonAnswerName } from '../core/eventNames';
import type { HttpResponse } from '../core/http';
import { isKeepAlive, isPlainObject, tryParseJson } from '../core/json';
import { readEvents } from '../core/sse';
import {
	createAnswerAccumulator,
	type AssistantAnswer,
	type AccumulatorOptions,
} from './answerAccumulator';
import type { ToolCall } from './toolTimeline';

export interface StreamHandlers extends Omit<AccumulatorOptions, 'onToolCall'> {
	/** Called with every text chunk as it arrives, and awaited. */
	onText(text: string): void | Promise<void>;
	/** Called when the first event of a tool call arrives, and awaited. */
	onToolCall(call: ToolCall): void | Promise<void>;
	/** Called with the id of the chat as soon as it arrives. */
	onChat(chatId: string): void;
}

/** Names of end events that are not in the specification. The answer is complete if nothing follows but the end of the body. */
const UNSPECIFIED_END_EVENT = /^(\[done\]|done|end|complete|completed|close|stream[_.-]end)$/;

/**
 * Builds an answer from its stream.
 *
 * @param events The events, if they arrived in another format than server-sent events.
 * @throws ServiceError `truncated` with what arrived, `malformed` if nothing did.
 */
export async function collectAnswer(
	response: HttpResponse,
	lookahead: LookaheadBody,
	{ onText, onToolCall, onChat, ...options }: StreamHandlers,
	events: AsyncIterable<NamedEvent> | Iterable<NamedEvent> = readNamedEvents(response, lookahead),
): Promise<AssistantAnswer> {
	const requestId = getRequestId(response.headers);
	const newToolCalls: ToolCall[] = [];
	const accumulator = createAnswerAccumulator({
		...options,
		onToolCall: (call) => newToolCalls.push(call),
	});
	let eventCount = 0;
	let mayHaveEnded = false;
	const finish = async () => {
		const rest = accumulator.end();
		if (rest) await onText(rest);
		if (accumulator.isEmpty()) throw truncatedAnswerError('It ended without any content.');
		return { ...accumulator.answer(), ...requestId };
	};
	try {
		for await (const { event, data, payload } of events) {
			eventCount++;
			// nothing after `finish` is part of the answer; leaving the loop closes the connection
			if (event === 'finish') return await finish();
			mayHaveEnded = UNSPECIFIED_END_EVENT.test(event || data.trim().toLowerCase());
			if (mayHaveEnded) continue;
			const isBroken =
				payload === data && (accumulator.isSpecified(event) || /^\s*[[{]/.test(data));
			if (isBroken && !isNonAnswerName(event))
				throw unreadableChunkError(
					`An event could not be read: ${event} ${data.slice(0, 200)}`,
					data,
				);
			if (!event && payload === data && isKeepAlive(data)) continue;
			if (reportsError(event, payload)) throw reportedError(payload);
			const text = accumulator.add(event, payload);
			const chatId = event === 'chat' ? accumulator.chatId() : undefined;
			if (chatId) onChat(chatId);
			for (const call of newToolCalls.splice(0)) await onToolCall(call);
			if (text) await onText(text);
		}
		if (!eventCount) throw malformedResponseError(response, 'No event arrived.');
		if (mayHaveEnded) return await finish();
		throw truncatedAnswerError('The stream ended without its "finish" event.');
	} catch (cause) {
		accumulator.end();
		const answer = accumulator.answer();
		const ids = answer.chatId ? { chatId: answer.chatId } : {};
		throw mapServiceError(cause, (error) =>
			withPartialAnswer(withDetails(error, { ids, ...requestId }), lookahead, answer),
		);
	}
}

async function* readNamedEvents(
	response: HttpResponse,
	lookahead: LookaheadBody,
): AsyncGenerator<NamedEvent> {
	const events = readEvents(response, { allowEmptyData: true, chunks: lookahead.trimStart() });
	for await (const { event, data } of events) yield parseEvent(event, data);
}

function reportedError(payload: unknown): ServiceError {
	const { reason = 'The assistant reported an error without a reason.', ...more } =
		parseErrorBody(payload);
	return withDetails(unreadableChunkError(reason, payload), more);
}

/** An event of the assistant's stream, wherever its name was found. */
interface NamedEvent {
	/** The name in lower case; empty if there is none. */
	event: string;
	/** The data as it arrived. */
	data: string;
	payload: unknown;
}

/** If the event has no name, the data may contain one, with the payload beside it or in a field of its own. */
function parseEvent(eventName = '', data: string): NamedEvent {
	const parsed = tryParseJson(data);
	return resolveEventName(eventName, data, parsed === undefined && data ? data : parsed);
}

/** The same for a value that did not arrive as a server-sent event. */
const toNamedEvent = (value: unknown): NamedEvent => resolveEventName('', '', value);

function resolveEventName(eventName: string, data: string, payload: unknown): NamedEvent {
	const event = eventName.trim().toLowerCase();
	if ((event && event !== 'message') || !isPlainObject(payload)) return { event, data, payload };
	const name = [payload['event'], payload['type'], payload['name']].find(
		(value) => typeof value === 'string' && value !== '',
	);
	if (typeof name !== 'string') return { event, data, payload };
	const inner = ['data', 'payload'].find((field) => Object.hasOwn(payload, field));
	return {
		event: name.trim().toLowerCase(),
		data,
		payload: inner === undefined ? payload : (payload[inner] ?? undefined),
	};
}

/** Whether the answer has failed. A failed tool does not count: the assistant may still answer. */
function reportsError(event: string, payload: unknown): boolean {
	if (/tool/.test(event)) return false;
	if (/error/.test(event)) return true;
	if (!isPlainObject(payload)) return false;
	return isErrorValue(payload['error']) || (!event && isErrorValue(payload['detail']));
}

/** The events in a JSON value, if it is a list of the assistant's events. */
export function readEventList(value: unknown): NamedEvent[] | undefined {
	const list = isPlainObject(value) && Array.isArray(value['events']) ? value['events'] : value;
	if (!Array.isArray(list) || !list.every(isPlainObject)) return undefined;
	const events = list.map(toNamedEvent);
	return events.some(({ event }) => SPECIFIED_EVENTS.has(event)) ? events : undefined;
}

/** Names in the specification. */
const SPECIFIED_EVENTS = new Set([
	...['chat', 'pending_tool_call', 'finished_tool_call', 'message_start', 'message_end', 'finish'],
]);

/** The events of a body of JSON lines. */
export function parseEventLines(text: string): NamedEvent[] | undefined {
	const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim());
	const values = lines.length > 1 ? lines.map((line) => tryParseJson(line.trim())) : [];
	// the last line may be truncated
	const completeValues = values.at(-1) === undefined ? values.slice(0, -1) : values;
	return completeValues.every(isPlainObject) ? readEventList(completeValues) : undefined;
}
