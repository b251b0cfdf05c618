import { foldAnswer, type AnswerFold } from '../core/answerReader';
import { reportedError } from '../core/body';
import {
	asReported,
	malformedResponseError,
	getRequestId,
	hasFailed,
	isErrorValue,
	reportsError,
	unexpectedBodyError,
} from '../core/errorResponses';
import {
	joinSentences,
	truncatedAnswerError,
	mapServiceError,
	withDetails,
	ServiceError,
	shortenText,
	type ServiceErrorDetails,
	withOutcome,
} from '../core/errors';
import type { Http, HttpResponse } from '../core/http';
import { isPlainObject, type JsonObject } from '../core/json';
import { type AnswerPiece, END_MARK } from '../core/sse';
import { withAdvice } from './advice';
import { withOwnFields } from './ownFields';
import { COST_HEADER } from './reportedCost';
import { COMPLETE, placeOfCut, type TextAnswer } from './textAnswer';

/** Called with every text chunk as it arrives, and awaited. */
export type OnText = (text: string) => void | Promise<void>;

/** What differs between the two protocols. */
interface TextProtocol<Answer extends TextAnswer> {
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
	add(event: JsonObject, name?: string): string;
	/** Adds an answer that arrived in one piece. @returns false for a body that is not an answer. */
	addComplete(body: JsonObject): boolean;
	/** Whether nothing usable arrived: no text, no tool call, and no reason for having none. */
	isEmpty(): boolean;
	/** Whether the answer is complete. Absent for a protocol in which `[DONE]` marks the end. */
	isComplete?(): boolean;
	/** Whether all of it has arrived, although its end mark, which may be missing, has not. */
	isWhole?(): boolean;
	/** The error that the events so far have reported. */
	failure(): ServiceErrorDetails | undefined;
	/** The answer so far. */
	answer(): Answer;
}

/**
 * Sends a request of either text protocol and collects its streamed answer.
 *
 * Some services answer with one JSON body, although `stream` is set.
 *
 * @param request With `stream`, so that `streaming_required` cannot happen. What the service refuses of our own fields is left out.
 * @throws ServiceError with an outcome; `truncated` when the stream reports an error, ends without its end mark or has no content,
 *   `malformed` for anything but an answer. What arrived is in `details.partial`, and is billed.
 */
export async function streamAnswer<Answer extends TextAnswer>(
	http: Http,
	request: { model: string; [field: string]: unknown },
	{ path, requestName, endMark, createAccumulator }: TextProtocol<Answer>,
	onText: OnText,
): Promise<Answer> {
	return await withOwnFields(http, request, async (body) => {
		const accumulator = createAccumulator(request.model);
		try {
			const accept = 'text/event-stream';
			const response = await http.send({ method: 'POST', path, body, accept });
			const fold = createAnswerFold(response, accumulator, endMark);
			await foldAnswer(response, fold, (text) => (text ? onText(text) : undefined));
			const { [COST_HEADER]: reportedUsd } = response.headers;
			const more = { ...getRequestId(response.headers), ...(reportedUsd && { reportedUsd }) };
			return { ...accumulator.answer(), ...more };
		} catch (cause) {
			throw mapServiceError(cause, (error) =>
				withAdvice(withOutcome(withPlaceOfCut(error), requestName), request.model),
			);
		}
	});
}

/** Names the call in which an answer broke off. */
function withPlaceOfCut(error: ServiceError): ServiceError {
	const { reason, partial } = error.details;
	const { toolCalls = [] } = (partial ?? {}) as Partial<TextAnswer>;
	const place = placeOfCut(toolCalls);
	const sentence = `The answer broke off${place}.`;
	return place ? withDetails(error, { reason: joinSentences(reason, sentence) }) : error;
}

function createAnswerFold(
	response: HttpResponse,
	accumulator: AnswerAccumulator<TextAnswer>,
	endMark: string,
): AnswerFold {
	/** Whether `[DONE]` has arrived, or a body that needs no end mark. */
	let isDone = false;
	let last: AnswerPiece | undefined;
	const isWhole = () => accumulator.isWhole?.() === true;

	return {
		isWhole,
		add(piece) {
			last = piece;
			const { form, event, value, data } = piece;
			const isEvent = isPlainObject(value);
			isDone = form === 'json' || (!isEvent && END_MARK.test(data));
			if (form === 'json') return addBody(response, accumulator, piece);
			if (event === 'error' || (isEvent && isErrorEvent(value)))
				throw reportedError('router', value ?? data, data);
			return isEvent ? accumulator.add(value, event || undefined) : '';
		},
		isOver() {
			const failure = accumulator.failure();
			if (failure) throw reportedError('router', '', last?.value, failure);
			return isDone || accumulator.isComplete?.() === true;
		},
		end(received) {
			if (!last || last.form === 'text') throw malformedResponseError(response, received());
			const isStream = last.form !== 'json' && accumulator.isComplete?.() !== true;
			if (isStream && !isDone && !isWhole())
				throw truncatedAnswerError(
					`The connection closed before the end mark "${endMark}" arrived.`,
				);
			if (accumulator.isEmpty()) throw emptyAnswerError(response, accumulator.answer());
			if (isStream && accumulator.isComplete)
				throw truncatedAnswerError(`The stream ended before "${endMark}" arrived.`);
			return '';
		},
		partial: () => accumulator.answer(),
	};
}

/** Adds one JSON body. @returns the text of the answer. */
function addBody(
	response: HttpResponse,
	accumulator: AnswerAccumulator<TextAnswer>,
	{ value, data }: AnswerPiece,
): string {
	if (reportsError(value)) throw unexpectedBodyError(response, value, data);
	const isAnswer = isPlainObject(value) && accumulator.addComplete(value);
	const failure = accumulator.failure();
	if (failure)
		throw asReported(malformedResponseError(response, data), { ...failure, outcome: 'started' });
	if (!isAnswer) throw malformedResponseError(response, data);
	return accumulator.answer().text;
}

/** Whether an event reports an error. One whose fields are all empty only counts if the event has no other field. */
function isErrorEvent(event: JsonObject): boolean {
	if (hasFailed(event)) return true;
	const { error } = event;
	// most events have none
	if (!error) return false;
	const isBare =
		isPlainObject(error) && Object.keys(error).length > 0 && Object.keys(event).length === 1;
	return isBare || isErrorValue(error);
}

/** With a finish reason or token counts the model has worked, and the request counts as started. */
function emptyAnswerError(response: HttpResponse, { usage, finishReason }: TextAnswer) {
	const isUsual = !finishReason || COMPLETE.includes(finishReason);
	const why = isUsual ? '' : `: ${shortenText(finishReason, 100)}`;
	const reason = `It ended without any content${why}.`;
	return usage || finishReason
		? new ServiceError('truncated', 'The answer is empty', { reason })
		: malformedResponseError(response, reason);
}
