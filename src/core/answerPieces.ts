import { unreadableChunkError } from './body';
import { malformedResponseError } from './errorResponses';
import type { HttpResponse } from './http';
import { isPlainObject, isTruncatedJson, tryParseJson } from './json';
import {
	createEventParser,
	hasNonEventText,
	isEndMark,
	isEndWord,
	splitEventData,
	type SseEvent,
} from './sse';

export type AnswerForm = 'sse' | 'ndjson' | 'json' | 'text';

/** One piece of an answer: an event, a line of JSON, the whole JSON body, or some text. */
export interface AnswerPiece {
	form: AnswerForm;
	/** The name of an event; empty if it has none. */
	event: string;
	/** Parsed JSON, or the text as it arrived. */
	value: unknown;
	/** The same before it was parsed. */
	data: string;
}

/** Turns the text of an answer into pieces as it arrives. */
export interface PieceReader {
	/** The pieces have to be read before more text is added. */
	add(text: string): Iterable<AnswerPiece>;
	/** The text has ended. */
	finish(): Iterable<AnswerPiece>;
	/** What was held back until the next piece, for a text that breaks off. */
	release(): Iterable<AnswerPiece>;
	/** Whether what arrived last is within a piece: a JSON body over several lines. */
	isWithin(): boolean;
}

/** Whether a piece is plain words, as opposed to JSON. */
export const isWords = ({ value, data }: Pick<AnswerPiece, 'value' | 'data'>) => value === data;

export const createTextReader = (): PieceReader => ({
	add: (text) => (text ? [toTextPiece(text)] : []),
	finish: () => [],
	release: () => [],
	isWithin: () => false,
});

const toTextPiece = (text: string): AnswerPiece => ({
	form: 'text',
	event: '',
	value: text,
	data: text,
});

/** Reads server-sent events. A body without any may be plain text. */
export function createEventReader(response: HttpResponse): PieceReader {
	const parser = createEventParser();
	const { read, release } = createEventInterpreter();
	/** What arrived before the first event. */
	let unclaimed: string | undefined = '';

	return {
		add(text) {
			const events = parser.add(text);
			if (events.length) unclaimed = undefined;
			else if (unclaimed !== undefined) unclaimed += text;
			return read(events);
		},
		*finish() {
			const events = parser.finish();
			yield* read(events);
			yield* release();
			if (events.length || unclaimed === undefined) return;
			if (!hasNonEventText(unclaimed)) throw malformedResponseError(response, 'No event arrived.');
			yield toTextPiece(unclaimed);
		},
		release,
		isWithin: parser.isWithin,
	};
}

/**
 * Tells JSON from plain words in the data of events.
 *
 * Words may happen to be in quotes, so a first JSON text is held back until the next data decides. Where words have come under a name,
 * everything under it is words; where JSON has, words are an error, but for one such as `DONE` at the end.
 */
function createEventInterpreter() {
	let form: 'unknown' | 'json' | 'words' = 'unknown';
	let held: AnswerPiece | undefined;
	/** Names of events whose data was words, and of those whose data was JSON. */
	const names = { words: new Set<string>(), json: new Set<string>() };

	function* release(): Generator<AnswerPiece> {
		if (held) yield form === 'words' ? { ...held, value: held.data } : held;
		held = undefined;
	}

	function* readWords(piece: AnswerPiece, cut: SseEvent['cut']): Generator<AnswerPiece> {
		const { data, event } = piece;
		const name = standardName(event);
		if (names.json.has(name) && isEndWord(data)) return void (yield piece);
		if (names.json.has(name) || (form === 'json' && LOOKS_LIKE_JSON.test(data)))
			throw unreadableEventError(event, data);
		if (cut === 'line' || (cut && LOOKS_LIKE_JSON.test(data)))
			throw unreadableChunkError('The stream ended in the middle of an event.', data);
		if (form === 'unknown') form = 'words';
		names.words.add(name);
		yield* release();
		yield piece;
	}

	function* readJson(piece: AnswerPiece, name: string): Generator<AnswerPiece> {
		const isText = typeof piece.value === 'string';
		if (isText && !held && form === 'unknown') return void (held = piece);
		names.json.add(name);
		if (form === 'unknown' && (name === '' || isText)) form = 'json';
		if (form !== 'unknown') yield* release();
		yield piece;
	}

	function* readData(data: string, { event = '', cut }: SseEvent): Generator<AnswerPiece> {
		const name = standardName(event);
		const isMark = data === '' || isEndMark(data);
		const parsed = isMark || names.words.has(name) ? undefined : tryParseJson(data);
		const piece: AnswerPiece = { form: 'sse', event, value: parsed, data };
		if (isMark) return void (yield* release(), yield { ...piece, value: data });
		// in a stream of words, a number in its last event counts tokens
		const isAside = typeof parsed === 'number' && (form === 'json' || isEndWord(name));
		if (parsed === null || isAside) return void (yield piece);
		const isJson = typeof parsed === 'object' || (typeof parsed === 'string' && form !== 'words');
		yield* isJson ? readJson(piece, name) : readWords({ ...piece, value: data }, cut);
	}

	function* read(events: SseEvent[]): Generator<AnswerPiece> {
		for (const sseEvent of events) {
			const { event = '', data } = sseEvent;
			// most events of most streams: nothing is left to decide
			const isJson = form === 'json' && !held && data.startsWith('{');
			const value = isJson ? tryParseJson(data) : undefined;
			if (value !== undefined) yield { form: 'sse', event, value, data };
			else for (const part of splitEventData(data)) yield* readData(part, sseEvent);
		}
	}

	return { read, release };
}

export const unreadableEventError = (event: string, data: string) =>
	unreadableChunkError(
		`An event could not be read: ${event ? `${event} ` : ''}${data.slice(0, 200)}`,
		data,
	);

const LOOKS_LIKE_JSON = /^\s*[[{"]/;

/** `message` is the standard's default name, so such an event counts as one without a name. */
const standardName = (event: string) => (event === 'message' ? '' : event);

/**
 * Reads lines of JSON or, if the first line alone is not JSON, one JSON body over several lines. A text may begin like JSON.
 *
 * @param type The content type.
 */
export function createRecordReader(type: string): PieceReader {
	const areLines = /ndjson|jsonl|json-?lines|json-seq/.test(type);
	let rest = '';
	let lineCount = 0;
	let isDocument = false;
	/** The first line, which may be the whole body. */
	let held: AnswerPiece | undefined;

	function* release(): Generator<AnswerPiece> {
		if (held) yield held;
		held = undefined;
	}

	function* readLine(value: unknown, data: string, event = ''): Generator<AnswerPiece> {
		const piece: AnswerPiece = { form: 'ndjson', event, value, data };
		yield* release();
		if (lineCount++ || areLines) yield piece;
		else held = piece;
	}

	function* readLines(): Generator<AnswerPiece> {
		const lines = rest.split('\n');
		rest = lines.pop() ?? '';
		for (const [index, line] of lines.entries()) {
			const data = trimRecord(line);
			if (!data) continue;
			const [event, value] = parseLine(data);
			isDocument = !lineCount && !event && !isRecord(value, type);
			if (isDocument) return void (rest = [...lines.slice(index), rest].join('\n'));
			if (value === undefined && !isEndWord(data))
				throw unreadableChunkError(`A line could not be read: ${data.slice(0, 200)}`, line);
			yield* readLine(value === undefined ? data : value, data, event);
		}
	}

	return {
		*add(text) {
			rest += text;
			if (!isDocument && text.includes('\n')) yield* readLines();
		},
		*finish() {
			const separated = separateObjects(rest);
			rest = separated ?? rest;
			if (separated !== undefined) yield* readLines();
			const data = trimRecord(rest);
			const [event, value] = parseLine(data);
			if (lineCount && value !== undefined) yield* readLine(value, data, event);
			else if (value !== undefined) yield { form: 'json', event: '', value, data };
			else if (!data && held) yield held.event ? held : { ...held, form: 'json' };
			else if (data && !lineCount && !type.includes('json') && !isTruncatedJson(data))
				yield toTextPiece(rest);
			else if (data) {
				yield* release();
				throw unreadableChunkError('The answer ended in the middle of JSON.', rest);
			}
		},
		release,
		isWithin: () => rest !== '',
	};
}

/** Puts line ends between objects: some services put nothing there. Within a text, the quotation mark would be escaped. */
function separateObjects(text: string): string | undefined {
	const [first = '', ...others] = text.split(/(?<=\})(?=\{"[\w-]+":)/);
	return others.length && isPlainObject(tryParseJson(first))
		? [first, ...others].join('\n')
		: undefined;
}

/** The JSON of a line, and the name of its event if it has a code, as in the data streams of Vercel's AI SDK 4: `0:"text"`, or `aui-state:[]`. */
function parseLine(line: string): [event: string, value: unknown] {
	const [, code = '', json = line] = /^([\da-k]|aui-[a-z-]+):(["[{].*)$/s.exec(line) ?? [];
	return [code && `${code}:`, json ? tryParseJson(json) : undefined];
}

/** Whether a line is JSON. A text may begin with a value such as `[1]`, a footnote. */
const isRecord = (value: unknown, type: string) =>
	type.includes('json') ? value !== undefined : [value].flat().some(isPlainObject);

/** Removes white space and record separators. */
const trimRecord = (line: string) => line.replaceAll(RECORD_SEPARATOR, '').trim();

/** Precedes every record in some JSON streams (RFC 7464). */
export const RECORD_SEPARATOR = String.fromCharCode(0x1e);
