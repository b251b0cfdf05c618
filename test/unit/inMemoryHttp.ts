import { truncatedAnswerError, ServiceError } from '../../src/core/errors';
import type { Http, HttpRequest, HttpResponse } from '../../src/core/http';

/** What a service answers, as data. */
export interface Answer {
	status?: number;
	/** Names in lower case. */
	headers?: Record<string, string>;
	/** Default: no body at all. */
	chunks?: ReadonlyArray<string | Uint8Array>;
	/** The connection breaks behind the last chunk. */
	breaks?: boolean;
}

export const bytes = (text: string) => new TextEncoder().encode(text);

/** The same bytes in several chunks, cut at these places. */
export function split(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
	const ends = [...new Set(places), whole.length].sort((one, other) => one - other);
	return ends.map((end, index) => whole.subarray(ends[index - 1] ?? 0, end));
}

export const json = (value: unknown, more: Answer = {}): Answer => ({
	...more,
	headers: { 'content-type': 'application/json', ...more.headers },
	chunks: [JSON.stringify(value)],
});

/** A body of this content type. */
export const typed = (type: string, ...chunks: Array<string | Uint8Array>): Answer => ({
	headers: { 'content-type': type },
	chunks,
});

export const events = (text: string, more: Answer = {}): Answer => ({
	...more,
	headers: { 'content-type': 'text/event-stream', ...more.headers },
	chunks: [text],
});

export function response(answer: Answer, onClose: () => void = () => {}): HttpResponse {
	const { status = 200, headers = {}, chunks = [], breaks = false } = answer;
	return { status, headers, body: bodyOf(chunks, breaks, onClose) };
}

async function* bodyOf(
	chunks: ReadonlyArray<string | Uint8Array>,
	breaks: boolean,
	onClose: () => void,
) {
	try {
		for (const chunk of chunks) yield typeof chunk === 'string' ? bytes(chunk) : chunk;
		if (breaks) throw truncatedAnswerError('The connection broke (aborted).');
	} finally {
		onClose();
	}
}

/** Gives the answers one after another, the last one for ever, and keeps what it was asked. */
export function inMemory(...answers: ReadonlyArray<Answer | ServiceError>) {
	const requests: HttpRequest[] = [];
	const closed: number[] = [];
	const http: Http & { requests: HttpRequest[]; closed: number[] } = {
		requests,
		/** Numbers of the requests whose body was read to its end or left. */
		closed,
		async send(request) {
			const number = requests.push(request);
			const answer = answers[Math.min(number, answers.length) - 1];
			if (!answer) throw new Error('no answer was given');
			if (answer instanceof ServiceError) throw answer;
			return response(answer, () => closed.push(number));
		},
	};
	return http;
}

/** What an action throws. */
export function thrownBy(action: () => unknown): ServiceError {
	try {
		action();
	} catch (error) {
		if (error instanceof ServiceError) return error;
		throw error;
	}
	throw new Error('nothing was thrown');
}

/** What a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<ServiceError> {
	const value = await promise.catch((error: unknown) => ({ error }));
	const error =
		typeof value === 'object' && value !== null && 'error' in value ? value.error : undefined;
	if (error instanceof ServiceError) return error;
	throw new Error(`expected a ServiceError, got ${error ? String(error) : JSON.stringify(value)}`, {
		cause: error,
	});
}
