import { readErrorResponse, readText, unreadableChunkError, withPartialAnswer } from '../core/body';
import { openBody, type LookaheadBody } from '../core/bodyLookahead';
import {
	malformedResponseError,
	isErrorValue,
	parseErrorBody,
	getRequestId,
} from '../core/errorResponses';
import {
	truncatedAnswerError,
	mapServiceError,
	withDetails,
	type ServiceError,
	type ServiceErrorDetails,
	withOutcome,
} from '../core/errors';
import { isErrorResponse, type Http, type HttpResponse } from '../core/http';
import { isPlainObject, isKeepAlive, tryParseJson } from '../core/json';
import { hasNonEventText, readEvents, splitEventData } from '../core/sse';
import { withAdvice } from './advice';
import type { TextAnswer } from './textAnswer';

/** Called with every text chunk as it arrives, and awaited. */
export type OnText = (text: string) => void | Promise<void>;

/** What differs between the two protocols. */
export interface TextProtocol<Answer extends TextAnswer> {
	path: string;
	/** What is sent, as error messages call it: `chat request`. */
	requestName: string;
	/** The event that completes an answer. */
	endMark: string;
	createAccumulator(requestedModel: string): AnswerAccumulator<Answer>;
}

export interface AnswerAccumulator<Answer extends TextAnswer> {
	/**
	 * @param name The event's name, where it has one.
	 * @returns the text that this event adds.
	 */
	add(event: Record<string, unknown>, name?: string): string;
	/** Adds an answer that arrived in one piece. @returns false for a body that is not an answer. */
	addComplete(body: Record<string, unknown>): boolean;
	/** Whether nothing usable arrived: no text, no tool call, and no reason for having none. */
	isEmpty(): boolean;
	/** Whether the answer is complete. Absent for a protocol in which `[DONE]` alone marks the end. */
	isComplete?(): boolean;
	/** The error that the events so far have reported. */
	failure?(): ServiceErrorDetails | undefined;
	/** The answer so far. */
	answer(): Answer;
}

/**
 * Sends a request of either text protocol and collects its streamed answer.
 *
 * Streaming is always on, so `streaming_required` cannot happen.
 *
 * @throws ServiceError with an outcome; `truncated` when the stream reports an error, ends without its end mark or has no content,
 *   `malformed` for anything but an answer. What arrived is in `details.partial`, and is billed.
 */
export async function streamAnswer<Answer extends TextAnswer>(
	http: Http,
	request: { model: string; [field: string]: unknown },
	{ path, requestName, ...protocol }: TextProtocol<Answer>,
	onText: OnText,
): Promise<Answer> {
	const accumulator = protocol.createAccumulator(request.model);
	try {
		const body = { ...request, stream: true };
		const response = await http.send({ method: 'POST', path, body, accept: 'text/event-stream' });
		if (isErrorResponse(response)) throw await readErrorResponse(response);
		const lookahead = await openBody(response);
		try {
			if (isEventStream(lookahead))
				await collectEvents(response, lookahead, accumulator, protocol.endMark, onText);
			else await readCompleteAnswer(response, lookahead, accumulator, onText);
			if (accumulator.isEmpty()) throw emptyAnswerError(response, accumulator.answer());
		} catch (cause) {
			const requestId = getRequestId(response.headers);
			throw mapServiceError(cause, (error) =>
				withPartialAnswer(withDetails(error, requestId), lookahead, accumulator.answer()),
			);
		}
		return { ...accumulator.answer(), ...getRequestId(response.headers) };
	} catch (cause) {
		throw mapServiceError(cause, (error) =>
			withAdvice(withOutcome(error, requestName), request.model),
		);
	}
}

/**
 * Some services answer with one JSON object although a stream was requested, or with a web page. The answer is billed, so the
 * beginning of the body decides, whatever its `Content-Type` says.
 */
function isEventStream({ start, type }: LookaheadBody): boolean {
	if (/^((data|event|id|retry)\s*(:|$)|:)/.test(start)) return true;
	return type.includes('event-stream') && !['{', '[', '<'].includes(start.charAt(0));
}

async function collectEvents(
	response: HttpResponse,
	lookahead: LookaheadBody,
	accumulator: AnswerAccumulator<TextAnswer>,
	endMark: string,
	onText: OnText,
): Promise<void> {
	const isComplete = () => accumulator.isComplete?.() ?? false;
	let hasEvents = false;
	for await (const { data: eventData, event: name } of readEvents(response, {
		chunks: lookahead.trimStart(),
	})) {
		hasEvents = true;
		for (const data of splitEventData(eventData)) {
			if (data.trim() === '[DONE]') {
				if (!accumulator.isComplete || isComplete() || accumulator.isEmpty()) return;
				throw truncatedAnswerError(`The stream ended before "${endMark}" arrived.`);
			}
			for (const event of parseEventObjects(data, name)) {
				if (reportsError(event) || name === 'error')
					throw reportedError(parseErrorBody(event), event);
				const text = accumulator.add(event, name);
				if (text) await onText(text);
				const failure = accumulator.failure?.();
				if (failure) throw reportedError(failure, event);
				if (isComplete()) return;
			}
		}
	}
	const received = lookahead.received();
	if (!hasEvents)
		throw malformedResponseError(
			response,
			hasNonEventText(received) ? received : 'No event arrived.',
		);
	throw truncatedAnswerError(`The connection closed before the end mark "${endMark}" arrived.`);
}

/** An empty `error` object only counts as an error if the event has no other field. */
function reportsError(event: Record<string, unknown>): boolean {
	const { error } = event;
	if (isErrorValue(error)) return true;
	return isPlainObject(error) && Object.keys(error).length > 0 && Object.keys(event).length === 1;
}

/** The objects in the data of an event; none for a keep-alive message, a number or a text. */
function parseEventObjects(data: string, name: string | undefined): Array<Record<string, unknown>> {
	if (!data.trim() && name !== 'error') return [];
	const value = tryParseJson(data);
	if (name === 'error' && !isPlainObject(value)) {
		const reason = typeof value === 'string' ? value : data.trim();
		throw reportedError(parseErrorBody(reason), data);
	}
	if (value === undefined && !isKeepAlive(data))
		throw unreadableChunkError(`An event could not be read: ${data.slice(0, 200)}`, data);
	if (isPlainObject(value)) return [value];
	return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

function reportedError({ reason, ...more }: ServiceErrorDetails, event: unknown) {
	return withDetails(
		unreadableChunkError(reason || 'The router reported an error without a reason.', event),
		more,
	);
}

/** Reads one JSON body, or chunks as a list or as lines. */
async function readCompleteAnswer(
	response: HttpResponse,
	lookahead: LookaheadBody,
	accumulator: AnswerAccumulator<TextAnswer>,
	onText: OnText,
): Promise<void> {
	const text = await readText(response, undefined, lookahead.chunks);
	const body = tryParseJson(text.trim());
	const reportedFailure =
		isPlainObject(body) && isErrorValue(body['error']) ? parseErrorBody(body) : undefined;
	if (reportedFailure) throw withDetails(malformedResponseError(response, text), reportedFailure);
	const isAnswer = isPlainObject(body)
		? accumulator.addComplete(body)
		: addChunks(text, body, accumulator);
	const failure = accumulator.failure?.();
	if (!isAnswer || failure)
		throw withDetails(malformedResponseError(response, text), failure ?? {});
	const said = accumulator.answer().text;
	if (said) await onText(said);
}

function addChunks(
	text: string,
	body: unknown,
	accumulator: AnswerAccumulator<TextAnswer>,
): boolean {
	const lines = Array.isArray(body)
		? body
		: text
				.split('\n')
				.filter((line) => line.trim())
				.map(tryParseJson);
	const chunks = lines.filter(isPlainObject);
	if (!chunks.length) return false;
	for (const chunk of chunks) accumulator.add(chunk);
	// a list has an end mark, lines have none
	if (Array.isArray(body) || accumulator.isEmpty()) return !accumulator.isEmpty();
	throw truncatedAnswerError('The lines of the answer have no end mark.');
}

/** With a finish reason or token counts the model has worked, and the request counts as started. */
function emptyAnswerError(
	response: HttpResponse,
	{ usage, finishReason }: TextAnswer,
): ServiceError {
	const reason = 'It ended without any content.';
	return usage || finishReason
		? truncatedAnswerError(reason)
		: malformedResponseError(response, reason);
}
