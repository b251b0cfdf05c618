import { findAnswerText } from '../service/answerText';
import { cut, explained, withDetails } from '../service/errors';
import { garbled, readReportedError, requestIdOf } from '../service/refusals';
import { readEvents } from '../service/events';
import { isRefusal, type Http, type HttpResponse } from '../service/http';
import { readJson, readRefusal } from '../service/readBody';
import { isObject, tryParseJson } from '../service/json';
import { withOutcome } from '../service/outcome';
import { advised } from './advice';
import { joinChunks, type ChatAnswer } from './chatChunks';

/** What `POST /v1/chat/completions` takes. Every further protocol field is forwarded as sent. */
export interface ChatRequest {
	/** A model `id` from the catalog, e.g. `vendor/model`. */
	model: string;
	messages: ChatMessage[];
	/** Cap on output tokens, hidden reasoning included. Unset, the balance hold assumes 4096. */
	max_tokens?: number;
	/** 0 to 2. */
	temperature?: number;
	[field: string]: unknown;
}

export interface ChatMessage {
	role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
	content: string | object[];
}

/**
 * Asks a text model and collects its streamed answer.
 *
 * Streaming is always on, so `streaming_required` cannot happen.
 *
 * @param onText Called with every piece of text as it arrives, and awaited.
 * @throws ServiceError with an outcome; `cut` when the stream reports an error or ends without `[DONE]` (what arrived is in
 *   `details.partial`, and is billed).
 * @see POST /v1/chat/completions
 */
export async function complete(
	http: Http,
	request: ChatRequest,
	onText: (text: string) => void | Promise<void> = () => {},
): Promise<ChatAnswer> {
	const body = { ...request, stream: true };
	const path = '/v1/chat/completions';
	try {
		const response = await http.send({ method: 'POST', path, body, accept: 'text/event-stream' });
		if (isRefusal(response)) throw await readRefusal(response);
		if (!isWhole(response)) return await collect(response, request.model, onText);
		const answer = readWhole(response, request.model, await readJson(response));
		await onText(answer.text);
		return answer;
	} catch (cause) {
		throw explained(cause, (error) => advised(withOutcome(error, 'chat request')));
	}
}

/** Some services answer with the whole object although a stream was asked for. */
const isWhole = ({ headers }: HttpResponse) => headers['content-type']?.includes('json') ?? false;

async function collect(
	response: HttpResponse,
	model: string,
	onText: (text: string) => void | Promise<void>,
): Promise<ChatAnswer> {
	const requestId = requestIdOf(response.headers);
	const joined = joinChunks(model);
	let arrived = 0;
	try {
		for await (const { data } of readEvents(response)) {
			arrived++;
			if (data.trim() === '[DONE]') return { ...joined.answer(), ...requestId };
			const chunk = tryParseJson(data);
			if (!isObject(chunk)) throw cut(`An event could not be read: ${data.slice(0, 200)}`);
			if (chunk['error']) {
				const { reason = 'The router reported an error without a reason.', ...more } =
					readReportedError(chunk);
				throw withDetails(cut(reason), more);
			}
			const text = joined.take(chunk);
			if (text) await onText(text);
		}
		if (!arrived) throw garbled(response, 'No event arrived.');
		throw cut('The connection closed before the end mark "[DONE]" came.');
	} catch (cause) {
		const partial = joined.answer();
		throw explained(cause, (error) =>
			withDetails(error, { ...(error.kind !== 'garbled' && { partial }), ...requestId }),
		);
	}
}

function readWhole(response: HttpResponse, model: string, body: unknown): ChatAnswer {
	const joined = joinChunks(model);
	if (!isObject(body) || body['error'] || !Array.isArray(body['choices'])) {
		throw garbled(response, JSON.stringify(body));
	}
	const choices = body['choices'].map((choice) =>
		isObject(choice) ? { ...choice, delta: choice['message'] } : choice,
	);
	joined.take({ ...body, choices });
	const answer = joined.answer();
	return {
		...answer,
		text: answer.text || (findAnswerText(choices[0]?.delta) ?? ''),
		...requestIdOf(response.headers),
	};
}
