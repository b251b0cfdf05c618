import { decodeBody, type BodyText } from './body';
import { malformedResponseError } from './errorResponses';
import { mapServiceError } from './errors';
import type { HttpResponse } from './http';
import { isPlainObject, tryParseJson } from './json';

/** Characters of white space that a body may begin with. One with more is broken or hostile. */
const MAX_LEADING_WHITESPACE = 64 * 1024;

/** Characters that are enough to recognize a format: the longest field name of an event with its colon. */
const LOOKAHEAD_LENGTH = 'retry:'.length;

/** A body whose beginning has been looked at. It can still be read from the start. */
export interface LookaheadBody {
	/** What it begins with, after any white space: at least six characters, if it has as many. */
	start: string;
	/** The `Content-Type` in lower case. */
	type: string;
	/** All of its text. Leaving the loop closes the connection. */
	chunks: AsyncIterableIterator<string>;
	/** The same without the white space at the beginning. */
	trimStart(): AsyncIterableIterator<string>;
	/**
	 * Looks further ahead.
	 *
	 * @param isEnough Gets the text so far, without leading white space.
	 * @returns that text.
	 */
	readAhead(isEnough: (text: string) => boolean): Promise<string>;
	/** The beginning of what has arrived, for error details. */
	received(): string;
}

/**
 * Reads until the beginning of a body is known. If the body breaks off before that, the error is thrown later, when the body
 * is read.
 *
 * @throws ServiceError `malformed` for a body that begins with more than 64 KiB of white space.
 */
export async function openBody(response: HttpResponse): Promise<LookaheadBody> {
	const type = response.headers['content-type']?.toLowerCase() ?? '';
	const decodedBody = decodeBody(response.body, type);
	const state: LookaheadState = { leadingWhitespace: '', skippedLength: 0, text: '' };
	const readAhead: LookaheadBody['readAhead'] = async (isEnough) => {
		while (!state.end && !isEnough(state.text)) {
			await readNextChunk(decodedBody, state);
			if (state.skippedLength <= MAX_LEADING_WHITESPACE) continue;
			await decodedBody.return?.();
			throw malformedResponseError(response, 'It begins with more than 64 KiB of white space.');
		}
		return state.text;
	};
	const start = await readAhead((text) => text.length >= LOOKAHEAD_LENGTH);
	const chunks = replayChunks(decodedBody, state);
	return {
		start,
		type,
		chunks,
		trimStart() {
			state.leadingWhitespace = '';
			return chunks;
		},
		readAhead,
		received: decodedBody.received,
	};
}

/** What has been read ahead. */
interface LookaheadState {
	/** Leading white space, without byte order marks. */
	leadingWhitespace: string;
	/** Length of the leading white space, including byte order marks. */
	skippedLength: number;
	text: string;
	/** Set once the body has ended, or failed. */
	end?: 'whole' | { cause: unknown };
}

/** Only looks at the new chunk, so that a long run of white space is scanned once. */
async function readNextChunk(decodedBody: BodyText, state: LookaheadState): Promise<void> {
	try {
		const { done, value } = await decodedBody.next();
		if (done) state.end = 'whole';
		else if (state.text) state.text += value;
		else {
			state.text = value.trimStart();
			const length = value.length - state.text.length;
			state.skippedLength += length;
			state.leadingWhitespace += value.slice(0, length).replaceAll('\uFEFF', '');
		}
	} catch (cause) {
		state.end = { cause };
	}
}

function replayChunks(decodedBody: BodyText, state: LookaheadState): AsyncIterableIterator<string> {
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		async next() {
			const value = state.leadingWhitespace + state.text;
			if (value) {
				state.leadingWhitespace = '';
				state.text = '';
				return { done: false, value };
			}
			if (!state.end) return await decodedBody.next();
			if (state.end !== 'whole') throw mapServiceError(state.end.cause);
			return { done: true, value: undefined };
		},
		async return() {
			await decodedBody.return?.();
			return { done: true, value: undefined };
		},
	};
}

/** Characters within which the first event has to be complete. A longer one is assumed to be an event. */
const MAX_FIRST_EVENT_LENGTH = 16 * 1024;

const SSE_FIELD = /^(data|event|id|retry)(:|$)/;
const PARTIAL_SSE_FIELD = /^(:|(d(a(ta?)?)?|e(v(e(nt?)?)?)?|id?|r(e(t(ry?)?)?)?)$)/;

/**
 * Whether a body with another type than `text/event-stream` is an event stream. A text may begin like one (`:) Sure`,
 * `data: 5 rows were found`), so this reads ahead until the first event is complete.
 */
export async function startsWithEvents(lookahead: LookaheadBody): Promise<boolean> {
	if (!/^((data|event|id|retry)(:|\r|\n)|:)/.test(lookahead.start)) return false;
	let verdict: boolean | undefined;
	let checkedLength = 0;
	const beginning = await lookahead.readAhead((text) => {
		const hasNewLine = /[\r\n]/.test(text.slice(checkedLength));
		checkedLength = text.length;
		if (hasNewLine) verdict = detectFirstEvent(text, false);
		return verdict !== undefined || text.length > MAX_FIRST_EVENT_LENGTH;
	});
	return verdict ?? detectFirstEvent(beginning, beginning.length <= MAX_FIRST_EVENT_LENGTH) ?? true;
}

/** @returns undefined if more text is needed. */
function detectFirstEvent(text: string, isComplete: boolean): boolean | undefined {
	const lines = text.split(/\r\n|\n|\r/);
	const rest = lines.pop() ?? '';
	/** The data of the current event so far. */
	let data = '';
	let hasEventName = false;
	for (const [index, line] of lines.entries()) {
		if (line === '' && (data || hasEventName)) {
			if (isCertainEvent(data, hasEventName)) return true;
			const next = lines.slice(index + 1).find(Boolean) ?? rest;
			if (!next) return isComplete || undefined;
			return isSseLine(next) || (!isComplete && PARTIAL_SSE_FIELD.test(next) ? undefined : false);
		}
		if (line !== '' && !isSseLine(line)) return false;
		if (line.startsWith('data')) {
			const value = line.slice('data:'.length);
			if (isCertainEvent(value, false)) return true;
			data += value;
		}
		hasEventName ||= line.startsWith('event');
	}
	if (rest && !isSseLine(rest) && !PARTIAL_SSE_FIELD.test(rest)) return false;
	// a text without the blank line that ends an event may be a truncated event
	return isComplete
		? isCertainEvent(rest.startsWith('data:') ? rest.slice(5) : data, false)
		: undefined;
}

const isSseLine = (line: string) => line.startsWith(':') || SSE_FIELD.test(line);

const isCertainEvent = (data: string, hasEventName: boolean) =>
	hasEventName || data.trim() === '[DONE]' || isPlainObject(tryParseJson(data));
