import { createParser } from 'eventsource-parser';

import { truncatedAnswerError } from './errors';
import { isPlainObject, tryParseJson } from './json';

/** Characters. A longer event is broken or hostile. */
const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

export interface SseEvent {
	/** The name in the event line, if there is one. */
	event?: string | undefined;
	data: string;
	/** The stream ended before the blank line that ends this event, or even inside its last line. */
	cut?: 'event' | 'line';
}

/**
 * Parses server-sent events as their text arrives.
 *
 * The standard drops events without a data line. The assistant's `finish` is one, so here they count, with `data` "". It ignores a line
 * `error: {…}`, in which Genkit (@genkit-ai/express 1.42) reports a failure: here it is an event of that name.
 */
export function createEventParser() {
	let events: SseEvent[] = [];
	/** The beginning of a line whose end has not arrived. */
	let rest = '';

	const parser = createParser({
		maxBufferSize: MAX_EVENT_LENGTH,
		onEvent(event) {
			if (event.data.includes(NO_DATA)) event.data = event.data.replace(NO_DATA_LINE, '');
			events.push(event);
		},
		onError({ type }) {
			if (type === 'max-buffer-size-exceeded') throw tooLargeError();
		},
	});

	return {
		/** @throws ServiceError `truncated` when an event grows too large. */
		add(text: string): SseEvent[] {
			events = [];
			const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
			if (end > 0) parser.feed(markNames(rest + text.slice(0, end)));
			rest = end > 0 ? text.slice(end) : rest + text;
			if (rest.length > MAX_EVENT_LENGTH) throw tooLargeError();
			return events;
		},
		/** Whether the last line has not ended, and is more than a comment. */
		isWithin: () => rest !== '' && !rest.startsWith(':'),
		/** The text has ended. */
		finish(): SseEvent[] {
			events = [];
			// a name that ends inside its line may be incomplete: "finish" begins "finished_tool_call"
			parser.feed(markErrors(`${rest}\n\n`));
			for (const event of events) event.cut = rest ? 'line' : 'event';
			return events;
		},
	};
}

const tooLargeError = () => truncatedAnswerError('one event grew past 16 MiB');

/** Marks an event that has a name, so that the parser does not drop it when it has no data. */
const NO_DATA = '\0';
const NO_DATA_LINE = /\0\n|\n?\0/g;
const NAME_LINE = /(?<=^|[\r\n])event:(?! ?[\r\n])[^\r\n]*(\r\n|\n|\r)/g;

const ERROR_LINE = /(?<=^|[\r\n])error: ?(?=\{)/g;

const markErrors = (lines: string) =>
	lines.includes('error:') ? lines.replace(ERROR_LINE, 'event: error\ndata: ') : lines;

const markNames = (lines: string) =>
	markErrors(lines.includes('event:') ? lines.replace(NAME_LINE, `$&data:${NO_DATA}$1`) : lines);

/** The values of one event. Some services put no blank line between their events, so several of them are parsed as one. */
export function splitEventData(eventData: string): string[] {
	// a proxy may have added another field name
	const data = eventData.startsWith('data:')
		? eventData.replace(/^(data:\s*)+(?=[{[])/, '')
		: eventData;
	if (!data.includes('\n') || tryParseJson(data) !== undefined) return [data];
	const lines = data.split('\n').filter((line) => line.trim());
	const areValues = lines.every((line) => isEndMark(line) || isPlainObject(tryParseJson(line)));
	return areValues && lines.length ? lines : [data];
}

/** The data of the last event of many streams. */
export const END_MARK = '[DONE]';

const END_WORD = 'done|end|eos|eof|stop|finish(ed)?|complete(d)?|closed?';
const MARK = new RegExp(`^\\s*(\\[|<\\|?)(${END_WORD})(\\]|\\|?>)\\s*$`, 'i');
const WORD = new RegExp(`^\\W*(${END_WORD})\\W*$`, 'i');

/** Whether a text is an end mark: `[DONE]`, or a similar one such as `<|end|>`. */
export const isEndMark = (text: string) => MARK.test(text);

/** Whether a text is such a mark, or the same word alone. That may be part of an answer in words, but not after JSON. */
export const isEndWord = (text: string) => text.length < 20 && WORD.test(text);

const FIELD_LINE = /^(:|(data|event|id|retry)(:|$)|error: ?\{)/;
const FIELD_START = /^(:|(d(a(ta?)?)?|e(v(e(nt?)?)?)?|id?|r(e(t(ry?)?)?)?|er(r(o(r(: ?)?)?)?)?)$)/;
const isFieldLine = (line: string) => FIELD_LINE.test(line);
const isFieldStart = (line: string) => isFieldLine(line) || FIELD_START.test(line);

/** Whether a body without events contains anything but comments and fields of events, the last of which may be incomplete. */
export function hasNonEventText(text: string): boolean {
	const lines = text.split(/\r\n|\n|\r/);
	if (isFieldStart(lines.at(-1) ?? '')) lines.pop();
	return lines.some((line) => line.trim() && !isFieldLine(line));
}

/**
 * Whether a text of another type than `text/event-stream` begins with an event. A text for people may begin like one
 * (`:) Sure`, `data: 5 rows were found`).
 *
 * @param isEnd Whether this is all of the text.
 * @returns undefined if more text is needed.
 */
export function beginsWithEvent(text: string, isEnd: boolean): boolean | undefined {
	const lines = text.split(/\r\n|\n|\r/);
	const rest = lines.pop() ?? '';
	if (!lines.every((line) => line === '' || isFieldLine(line))) return false;
	if (rest !== '' && !isFieldStart(rest)) return false;
	if (lines.some(hasCertainData)) return true;
	const end = lines.findIndex(
		(line, index) => line === '' && index > 0 && !isComment(lines[index - 1]),
	);
	if (end === -1) return isEnd ? hasCertainData(rest) : undefined;
	const isFollowedByEvent = lines.slice(end).some(Boolean) || isFieldLine(rest) || isEnd;
	return (
		lines.slice(0, end).some((line) => line.startsWith('event')) || isFollowedByEvent || undefined
	);
}

const isComment = (line = '') => line === '' || line.startsWith(':');

function hasCertainData(line: string): boolean {
	const [, data = ''] = /^(?:data|error):(.*)$/s.exec(line) ?? [];
	return isEndMark(data) || isPlainObject(tryParseJson(data.trim()));
}
