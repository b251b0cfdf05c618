import {
	isWords,
	unreadableEventError,
	type AnswerFold,
	type AnswerPiece,
} from '../core/answerReader';
import { reportedError } from '../core/body';
import { hasErrors, hasFailed, malformedResponseError, reportsError } from '../core/errorResponses';
import { truncatedAnswerError, withDetails } from '../core/errors';
import { detectEnd, isErrorName, isNonAnswerName, isToolName, toSet } from '../core/eventNames';
import { extractText, hasContent } from '../core/extractText';
import type { HttpResponse } from '../core/http';
import { isPlainObject, tryParseJson } from '../core/json';
import {
	createAnswerAccumulator,
	type AccumulatorOptions,
	type AssistantAnswer,
} from './answerAccumulator';

/** Names in the specification. */
const SPECIFIED_EVENTS = toSet(
	'chat pending_tool_call finished_tool_call message_start message_end finish',
);

/**
 * Builds an answer from its pieces: events, also as JSON lines or in a list, or a complete answer whose form the specification does
 * not define.
 */
export function createAnswerFold(response: HttpResponse, options: AccumulatorOptions) {
	const accumulator = createAnswerAccumulator(options);
	let eventCount = 0;
	let hasFinished = false;
	let mayHaveEnded = false;
	/** The pieces of a complete answer. */
	const values: unknown[] = [];
	let plainText = '';
	let complete: CompleteAnswer | undefined;

	const addEvent = (piece: EventPiece): string => {
		const { event, payload } = nameEvent(piece);
		eventCount++;
		// nothing after `finish` is part of the answer
		hasFinished ||= event === 'finish';
		// with an end event that is not in the specification, if nothing follows but the end of the body
		mayHaveEnded = detectEnd(event || piece.data.slice(0, 50)) === 'stream';
		if (eventReportsError(event, payload)) throw reportedError('assistant', payload);
		if (hasFinished || mayHaveEnded) return '';
		if (isBroken(event, piece)) throw unreadableEventError(event, piece.data);
		return accumulator.add(event, payload);
	};

	const isEvent = (piece: AnswerPiece) =>
		piece.form === 'sse' ||
		(piece.form === 'ndjson' && (eventCount > 0 || SPECIFIED_EVENTS.has(nameEvent(piece).event)));

	return {
		add(piece) {
			if (isEvent(piece)) return addEvent(piece);
			if (piece.form === 'text') plainText += piece.data;
			else values.push(piece.value);
			const events = piece.form === 'json' ? readEventList(piece.value) : undefined;
			return events?.map((value) => addEvent({ event: '', value, data: ' ' })).join('') ?? '';
		},
		isOver: () => hasFinished,
		end() {
			if (!eventCount) {
				const body = readCompleteBody(response, values, plainText);
				complete = extractCompleteAnswer(response, body);
				return complete.text;
			}
			if (!hasFinished && !mayHaveEnded)
				throw truncatedAnswerError('The stream ended without its "finish" event.');
			const rest = accumulator.end();
			if (accumulator.isEmpty()) throw truncatedAnswerError('It ended without any content.');
			return rest;
		},
		partial(): { text: string } {
			accumulator.end();
			return eventCount ? accumulator.answer() : { text: '' };
		},
		/** The id of the chat, as soon as it is known. */
		chatId: () => complete?.chatId ?? accumulator.chatId(),
		answer: (): AssistantAnswer & { body?: unknown } => ({ ...accumulator.answer(), ...complete }),
	} satisfies AnswerFold & Record<string, unknown>;
}

type EventPiece = Pick<AnswerPiece, 'event' | 'value' | 'data'>;

/** If the event has no name, the data may contain one, with the payload beside it or in its own field. */
function nameEvent({ event: eventName, value, data }: EventPiece) {
	const event = eventName.trim().toLowerCase();
	const payload = data === '' ? undefined : value;
	if ((event && event !== 'message') || !isPlainObject(payload)) return { event, payload };
	const name = [payload['event'], payload['type'], payload['name']].find(
		(candidate) => typeof candidate === 'string' && candidate !== '',
	);
	if (typeof name !== 'string') return { event, payload };
	const inner = ['data', 'payload'].find((field) => Object.hasOwn(payload, field));
	return {
		event: name.trim().toLowerCase(),
		payload: inner === undefined ? payload : (payload[inner] ?? undefined),
	};
}

/** Whether the data is words, where the specification has JSON. */
const isBroken = (event: string, piece: Pick<AnswerPiece, 'value' | 'data'>) =>
	piece.data !== '' &&
	isWords(piece) &&
	(SPECIFIED_EVENTS.has(event) || /^\s*[[{]/.test(piece.data)) &&
	!isNonAnswerName(event);

/** Whether the answer has failed. A failed tool does not count: the assistant may still answer. */
function eventReportsError(event: string, payload: unknown): boolean {
	if (isToolName(event)) return false;
	const mayFail = ['', 'message', 'finish'].includes(event) && isPlainObject(payload);
	return isErrorName(event) || (mayFail && hasErrors(payload)) || reportsError(payload);
}

/** The events in a JSON value, if it is a list of the assistant's events. */
function readEventList(value: unknown): unknown[] | undefined {
	const list = isPlainObject(value) && Array.isArray(value['events']) ? value['events'] : value;
	if (!Array.isArray(list) || !list.every(isPlainObject)) return undefined;
	const isSpecified = (entry: unknown) =>
		SPECIFIED_EVENTS.has(nameEvent({ event: '', value: entry, data: ' ' }).event);
	return list.some(isSpecified) ? list : undefined;
}

/** A complete answer with its body, whose format the specification does not define. */
export interface CompleteAnswer {
	/** The text, if one was found; otherwise the body as formatted JSON. */
	text: string;
	chatId?: string;
	body: unknown;
}

/** @throws ServiceError `malformed` for words in place of an event stream. */
function readCompleteBody(response: HttpResponse, values: unknown[], plainText: string): unknown {
	if (values.length) return values.length === 1 ? values[0] : values;
	const isStream = response.headers['content-type']?.toLowerCase().includes('event-stream');
	if (isStream) throw malformedResponseError(response, plainText);
	const parsed = tryParseJson(plainText.trim());
	return parsed === undefined ? plainText : parsed;
}

/**
 * Finds the text and the chat id in a body of unspecified format.
 *
 * @throws ServiceError `malformed` if the body is empty, or reports an error.
 */
function extractCompleteAnswer(response: HttpResponse, body: unknown): CompleteAnswer {
	const text = extractText(body);
	const chatId = findChatId(body);
	const ids = chatId === undefined ? {} : { chatId };
	const hasError = isPlainObject(body) && (hasFailed(body) || (!text && hasErrors(body)));
	if (hasError || !hasContent(body))
		throw withDetails(malformedResponseError(response, JSON.stringify(body)), { ids });
	return { text: text || JSON.stringify(body, null, 2), ...ids, body };
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
