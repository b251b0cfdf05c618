import { createParser, type EventSourceMessage } from 'eventsource-parser';

import { decodeBody } from './body';
import { truncatedAnswerError, mapServiceError } from './errors';
import type { HttpResponse } from './http';
import { isPlainObject, tryParseJson } from './json';

const BYTES_PER_MIB = 1024 * 1024;
/** Characters. A longer event is broken or hostile. */
const MAX_EVENT_LENGTH = 16 * BYTES_PER_MIB;
/** Characters. A longer stream is broken or hostile. */
const MAX_STREAM_LENGTH = 64 * BYTES_PER_MIB;

interface SseEvent extends EventSourceMessage {
	/** The stream ended inside the last line of this event, so the line may be incomplete. */
	isLineIncomplete?: boolean;
	/** The stream ended before the blank line that ends an event. */
	isUnterminated?: boolean;
}

interface ReadEventsOptions {
	/**
	 * Also yields events without a data line, with `data` "". The parser follows the standard, which drops them; the
	 * assistant's `finish` event has no data.
	 */
	allowEmptyData?: boolean;
	/** The decoded body, where its beginning was already read. */
	chunks?: AsyncIterable<string>;
}

/**
 * Reads server-sent events as they arrive.
 *
 * Ends when the body ends; a last event without its blank line still counts. Leaving the loop early closes the connection.
 *
 * A hand-written iterator for speed, like `decodeBody`.
 *
 * @throws ServiceError `truncated` when the connection breaks, the stream grows too large, or only comments arrive for too long.
 */
export function readEvents(
	{ body, idleTimeout }: Pick<HttpResponse, 'body' | 'idleTimeout'>,
	{ allowEmptyData = false, chunks = decodeBody(body) }: ReadEventsOptions = {},
): AsyncIterableIterator<SseEvent> {
	const textChunks = chunks[Symbol.asyncIterator]();
	const queue = createEventQueue(idleTimeout, allowEmptyData);
	let ended = false;

	const leave = async () => {
		ended = true;
		await textChunks.return?.();
	};

	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		async next() {
			while (queue.isEmpty() && !ended) {
				try {
					const { done, value } = await textChunks.next();
					if (done) {
						ended = true;
						queue.finish();
					} else queue.add(value);
				} catch (cause) {
					await leave();
					throw mapServiceError(cause);
				}
			}
			const value = queue.shift();
			return value ? { done: false, value } : { done: true, value: undefined };
		},
		async return() {
			await leave();
			return { done: true, value: undefined };
		},
	};
}

/** Parses text as it arrives, and holds the events until they are read. More text is added only once the queue is empty. */
function createEventQueue(idleTimeout: number, allowEmptyData: boolean) {
	const events: SseEvent[] = [];
	/** Index of the next event to be read. */
	let nextIndex = 0;
	/** Characters that have arrived. */
	let length = 0;
	/** When the last event arrived, in milliseconds since 1970: comments alone do not keep a stream open. */
	let lastEventAt = Date.now();
	/** Whether the text so far ends inside a line. */
	let isInsideLine = false;

	const parser = createParser({
		maxBufferSize: MAX_EVENT_LENGTH,
		onEvent: (event) => events.push(event),
		onError(error) {
			if (error.type === 'max-buffer-size-exceeded')
				throw truncatedAnswerError('one event grew past 16 MiB');
		},
	});
	const prepareText = allowEmptyData ? padEmptyEvents() : (text: string) => text;

	return {
		isEmpty: () => nextIndex === events.length,
		shift: () => events[nextIndex++],
		add(text: string): void {
			nextIndex = events.length = 0;
			length += text.length;
			if (text) isInsideLine = !'\r\n'.includes(text.charAt(text.length - 1));
			if (length > MAX_STREAM_LENGTH) throw truncatedAnswerError('the stream grew past 64 MiB');
			parser.feed(prepareText(text));
			if (events.length) lastEventAt = Date.now();
			else if (Date.now() - lastEventAt > idleTimeout) {
				throw truncatedAnswerError(`only keep-alive messages for ${idleTimeout / 1000} s`);
			}
		},
		/** The text has ended. */
		finish(): void {
			nextIndex = events.length = 0;
			// an event name that ends inside its line may be incomplete: "finish" begins "finished_tool_call"
			parser.feed(isInsideLine ? '\n\n' : prepareText('\n\n'));
			for (const event of events) {
				event.isUnterminated = true;
				if (isInsideLine) event.isLineIncomplete = true;
			}
		},
	};
}

/** Whether a body without events contains anything but comments and fields of events, the last of which may be incomplete. */
export function hasNonEventText(text: string): boolean {
	const lines = text.split(/\r\n|\n|\r/);
	const last = lines.at(-1) ?? '';
	if (['data', 'event', 'id', 'retry'].some((field) => field.startsWith(last))) lines.pop();
	return lines.some((line) => line.trim() && !/^(:|(data|event|id|retry)(:|$))/.test(line));
}

/** The values of one event. Some services put no blank line between their events, so several of them are parsed as one. */
export function splitEventData(eventData: string): string[] {
	// a proxy may have added a field name of its own
	const data = eventData.startsWith('data:')
		? eventData.replace(/^(data:\s*)+(?=[{[])/, '')
		: eventData;
	if (!data.includes('\n') || tryParseJson(data) !== undefined) return [data];
	const lines = data.split('\n').filter((line) => line.trim());
	const areValues = lines.every(
		(line) => line.trim() === '[DONE]' || isPlainObject(tryParseJson(line)),
	);
	return areValues ? lines : [data];
}

/**
 * Puts an empty data line before the blank line that ends an event without one, and passes everything else on unchanged.
 * Lines and line ends may be split between chunks anywhere.
 */
function padEmptyEvents(): (text: string) => string {
	/** The first characters of the current line: enough to recognize its field. */
	let lineStart = '';
	let hasEventName = false;
	let hasData = false;
	/** Whether the text so far ends with "\r", which the next chunk may continue with "\n". */
	let endsWithReturn = false;
	return (text) => {
		let padded = '';
		let start = 0;
		for (const { 0: lineEnd, index } of text.matchAll(/\r\n|\n|\r/g)) {
			const isSecondHalf = endsWithReturn && index === 0 && lineEnd === '\n';
			lineStart += text.slice(start, Math.min(index, start + 6));
			if (lineStart) {
				hasEventName ||= /^event(:|$)/.test(lineStart.slice(0, 6));
				hasData ||= /^data(:|$)/.test(lineStart.slice(0, 6));
			} else if (!isSecondHalf) {
				if (hasEventName && !hasData) padded += 'data:\n';
				hasEventName = false;
				hasData = false;
			}
			padded += text.slice(start, index + lineEnd.length);
			start = index + lineEnd.length;
			lineStart = '';
		}
		if (text) endsWithReturn = text.endsWith('\r');
		lineStart = (lineStart + text.slice(start, start + 6)).slice(0, 6);
		return padded + text.slice(start);
	};
}
