import { cut, explained, withDetails, type ServiceErrorDetails } from '../service/errors';
import { readEvents } from '../service/events';
import { isRefusal, type Http, type HttpResponse } from '../service/http';
import { isObject, tryParseJson } from '../service/json';
import { withOutcome } from '../service/outcome';
import { peeked, readJson, readRefusal } from '../service/readBody';
import { garbled, readReportedError, requestIdOf } from '../service/refusals';
import { advised } from './advice';
import type { TextAnswer } from './textAnswer';

/** Called with every piece of text as it arrives, and awaited. */
export type OnText = (text: string) => void | Promise<void>;

/** What the two protocols do differently. */
export interface Protocol<Answer extends TextAnswer> {
	path: string;
	/** What is sent, in a sentence: `chat request`. */
	thing: string;
	/** The event that must have come for an answer to be whole. */
	endMark: string;
	join(requestedModel: string): Joiner<Answer>;
}

export interface Joiner<Answer extends TextAnswer> {
	/**
	 * @param name The event's name, where it has one.
	 * @returns the text that this event adds.
	 */
	take(event: Record<string, unknown>, name?: string): string;
	/** Reads an answer that came in one piece; false for anything that is none. */
	takeWhole(body: Record<string, unknown>): boolean;
	/** Whether the answer was seen to be whole. Without it, `[DONE]` alone tells. */
	isWhole?(): boolean;
	/** What the events taken so far have reported as an error. */
	failure?(): ServiceErrorDetails | undefined;
	/** The answer as far as it has come. */
	answer(): Answer;
}

/**
 * Sends a request of either text protocol and collects its streamed answer.
 *
 * Streaming is always on, so `streaming_required` cannot happen.
 *
 * @throws ServiceError with an outcome; `cut` when the stream reports an error or ends without its end mark (what arrived is
 *   in `details.partial`, and is billed).
 */
export async function streamAnswer<Answer extends TextAnswer>(
	http: Http,
	request: { model: string; [field: string]: unknown },
	{ path, thing, ...protocol }: Protocol<Answer>,
	onText: OnText,
): Promise<Answer> {
	const joiner = protocol.join(request.model);
	try {
		const body = { ...request, stream: true };
		const sent = await http.send({ method: 'POST', path, body, accept: 'text/event-stream' });
		if (isRefusal(sent)) throw await readRefusal(sent);
		const requestId = requestIdOf(sent.headers);
		const { first, body: bytes } = await peeked(sent.body);
		const response = { ...sent, body: bytes };
		if (isStream(response, first)) await collect(response, joiner, protocol.endMark, onText);
		else {
			const text = await readWhole(response, joiner);
			if (text) await onText(text);
		}
		return { ...joiner.answer(), ...requestId };
	} catch (cause) {
		throw explained(cause, (error) => advised(withOutcome(error, thing), request.model));
	}
}

/**
 * Some services answer with the whole object although a stream was asked for, or with a web page. The answer is paid for: what
 * the body begins with decides, whatever type it is said to have.
 */
function isStream({ headers }: HttpResponse, first: string): boolean {
	const isJson = headers['content-type']?.toLowerCase().includes('json') ?? false;
	// events begin with a colon, or with the name of a field: data, event, id, retry
	return isJson ? first !== '' && ':deir'.includes(first) : !['{', '[', '<'].includes(first);
}

async function collect(
	response: HttpResponse,
	joiner: Joiner<TextAnswer>,
	endMark: string,
	onText: OnText,
): Promise<void> {
	const wasWhole = () => joiner.isWhole?.() ?? false;
	let arrived = 0;
	try {
		for await (const { data, event: name } of readEvents(response)) {
			arrived++;
			const isError = name === 'error';
			// a sign of life
			if (!data.trim() && !isError) continue;
			if (data.trim() === '[DONE]') {
				if (arrived === 1) throw garbled(response, 'The stream holds nothing but its end mark.');
				if (!joiner.isWhole || wasWhole()) return;
				throw cut(`The stream ended before "${endMark}" came.`);
			}
			const event = tryParseJson(data);
			if (isError && !isObject(event))
				throw reported(readReportedError(typeof event === 'string' ? event : data.trim()));
			if (event === undefined) throw cut(`An event could not be read: ${data.slice(0, 200)}`);
			// a number or a text between the events says nothing
			if (!isObject(event)) continue;
			if (event['error'] || isError) throw reported(readReportedError(event));
			const text = joiner.take(event, name);
			if (text) await onText(text);
			const failure = joiner.failure?.();
			if (failure) throw reported(failure);
			if (wasWhole()) return;
		}
		if (!arrived) throw garbled(response, 'No event arrived.');
		throw cut(`The connection closed before the end mark "${endMark}" came.`);
	} catch (cause) {
		const partial = joiner.answer();
		throw explained(cause, (error) =>
			withDetails(error, {
				...(error.kind !== 'garbled' && { partial }),
				...requestIdOf(response.headers),
			}),
		);
	}
}

function reported({ reason, ...more }: ServiceErrorDetails) {
	return withDetails(cut(reason || 'The router reported an error without a reason.'), more);
}

async function readWhole(response: HttpResponse, joiner: Joiner<TextAnswer>): Promise<string> {
	const body = await readJson(response);
	const taken = isObject(body) && joiner.takeWhole(body);
	const failed = isObject(body) && body['error'] ? readReportedError(body) : joiner.failure?.();
	if (taken && !failed) return joiner.answer().text;
	throw withDetails(garbled(response, JSON.stringify(body)), failed ?? {});
}
