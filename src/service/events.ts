import { createParser, type EventSourceMessage } from 'eventsource-parser';

import { cut, explained } from './errors';
import type { HttpResponse } from './http';
import { decoded } from './readBody';

const MIB = 1024 * 1024;
/** One event may not grow past this many characters, a whole stream not past the second; one that tries is broken or hostile. */
const [MAX_EVENT, MAX_STREAM] = [16 * MIB, 64 * MIB];

export interface ReadEvent extends EventSourceMessage {
	/** The stream ended inside the last line of this event, which may be a part of what was meant. */
	unfinished?: boolean;
}

interface ReadEventsOptions {
	/**
	 * Also gives events without a data line, with `data` "". The parser follows the standard, which drops them; the
	 * assistant's `finish` carries no data.
	 */
	bareEvents?: boolean;
	/** The text of the body where somebody reads along. */
	pieces?: AsyncIterable<string>;
}

/**
 * Reads server-sent events as they arrive.
 *
 * Ends when the body ends; a last event without its blank line still counts. Leaving the loop early closes the connection.
 *
 * An iterator by hand, as `decoded`.
 *
 * @throws ServiceError `cut` when the connection breaks, grows too large, or sends nothing but comments for too long.
 */
export function readEvents(
	{ body, silenceLimit }: Pick<HttpResponse, 'body' | 'silenceLimit'>,
	{ bareEvents = false, pieces = decoded(body) }: ReadEventsOptions = {},
): AsyncIterableIterator<ReadEvent> {
	const arrived: ReadEvent[] = [];
	const parser = createParser({
		maxBufferSize: MAX_EVENT,
		onEvent: (event) => arrived.push(event),
		onError(error) {
			if (error.type === 'max-buffer-size-exceeded') throw cut('one event grew past 16 MiB');
		},
	});
	const complete = bareEvents ? giveDataToBareEvents() : (text: string) => text;
	const texts = pieces[Symbol.asyncIterator]();
	let [given, length, lastEvent, insideLine, ended] = [0, 0, Date.now(), false, false];

	const take = (text: string) => {
		length += text.length;
		if (text) insideLine = !'\r\n'.includes(text.charAt(text.length - 1));
		if (length > MAX_STREAM) throw cut('the stream grew past 64 MiB');
		parser.feed(complete(text));
		if (arrived.length) lastEvent = Date.now();
		else if (Date.now() - lastEvent > silenceLimit) {
			throw cut(`nothing but signs of life for ${silenceLimit / 1000} s`);
		}
	};

	const finish = () => {
		ended = true;
		// a name without data that ends inside its line may have been a longer one: "finish" begins "finished_tool_call"
		parser.feed(insideLine ? '\n\n' : complete('\n\n'));
		if (insideLine) for (const event of arrived) event.unfinished = true;
	};

	const leave = async () => {
		ended = true;
		await texts.return?.();
	};

	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		async next() {
			while (given === arrived.length && !ended) {
				given = arrived.length = 0;
				try {
					const { done, value } = await texts.next();
					if (done) finish();
					else take(value);
				} catch (cause) {
					await leave();
					throw explained(cause);
				}
			}
			const value = arrived[given++];
			return value ? { done: false, value } : { done: true, value: undefined };
		},
		async return() {
			await leave();
			return { done: true, value: undefined };
		},
	};
}

/**
 * Puts an empty data line before the blank line that ends an event without one, and passes everything else on as it is.
 * Lines and line ends may be split anywhere.
 */
function giveDataToBareEvents(): (text: string) => string {
	/** The first characters of the current line: enough to know its field. */
	let head = '';
	let [named, hasData, splitLineEnd] = [false, false, false];
	return (text) => {
		let [passed, from] = ['', 0];
		for (const { 0: lineEnd, index } of text.matchAll(/\r\n|\n|\r/g)) {
			const secondHalf = splitLineEnd && index === 0 && lineEnd === '\n';
			head += text.slice(from, Math.min(index, from + 6));
			if (head) {
				named ||= /^event(:|$)/.test(head.slice(0, 6));
				hasData ||= /^data(:|$)/.test(head.slice(0, 6));
			} else if (!secondHalf) {
				if (named && !hasData) passed += 'data:\n';
				[named, hasData] = [false, false];
			}
			passed += text.slice(from, index + lineEnd.length);
			from = index + lineEnd.length;
			head = '';
		}
		if (text) splitLineEnd = text.endsWith('\r');
		head = (head + text.slice(from, from + 6)).slice(0, 6);
		return passed + text.slice(from);
	};
}
