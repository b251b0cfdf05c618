import { unreadableChunkError } from './body';
import { isWebPage, malformedResponseError } from './errorResponses';
import type { ServiceError } from './errors';
import { contentTypeOf, type HttpResponse } from './http';
import { isPlainObject, isTruncatedJson, tryParseJson } from './json';

export type AnswerForm = 'sse' | 'ndjson' | 'json' | 'text';

/** One piece of an answer: an event, a line of JSON, the whole JSON body, or some text. */
export interface AnswerPiece {
	form: AnswerForm;
	/** The name of an event; empty if it has none. */
	event: string;
	/** Parsed JSON, or words as they arrived. */
	value: unknown;
	/** The same before it was parsed. */
	data: string;
	/** Why it cannot be read. */
	error?: ServiceError;
}

/** Cuts the text of an answer into pieces as it arrives. */
export interface PieceReader {
	add(text: string): AnswerPiece[];
	/**
	 * The text has ended.
	 *
	 * @param isBroken The connection broke: only what was held back is given.
	 */
	end(isBroken: boolean): AnswerPiece[];
	/** Whether the last piece has begun, and not ended. */
	isWithin(): boolean;
}

/** The data of the last event of many streams. */
export const END_MARK = /^\s*\[DONE\]\s*$/;

/** A name, or a word in place of JSON, that says that something has ended. */
export const END_WORD = /^\W*(done|end|finish(ed)?|complete(d)?)\W*$/i;

/**
 * Reads server-sent events, JSON lines, one JSON body, or plain text. The content type is a hint; the beginning of the body decides.
 *
 * @throws ServiceError from its functions: `malformed` for a web page, an empty body or an event stream without events.
 */
export function createPieceReader(response: HttpResponse): PieceReader {
	const type = contentTypeOf(response);
	let start = '';
	let reader: PieceReader | undefined;

	const open = (isEnd: boolean): AnswerPiece[] => {
		const form = findForm(start, type, isEnd);
		if (form === 'none') throw malformedResponseError(response, start);
		if (form === undefined) return [];
		if (form === 'text') reader = createTextReader();
		else reader = form === 'sse' ? createEventReader(response) : createRecordReader(type);
		return reader.add(form === 'text' ? start : start.trimStart());
	};

	return {
		add(text) {
			if (reader) return reader.add(text);
			start += text;
			return open(false);
		},
		end(isBroken) {
			const opened = reader || (isBroken && !start) ? [] : open(true);
			return [...opened, ...(reader?.end(isBroken) ?? [])];
		},
		isWithin: () => reader?.isWithin() ?? false,
	};
}

/** Characters that tell a web page from a text with markup. */
const PAGE_START_LENGTH = 1024;
/** Characters of white space after which the rest is not waited for. */
const MAX_WHITESPACE = 64 * 1024;

const CODED_START = /^([\da-k]:["[{]|aui-[a-z])/;

/** A field of an event. Genkit (@genkit-ai/express 1.42) sends events as text/plain, and a failure on a line `error: {…}`. */
const FIELD = /^((data|event|id|retry|error):|:\s)/;
const FIELD_OF_JSON = /^((data|error): ?[{["]|event: ?[\w./-]+\s)/;

/** @returns undefined if more is needed, `none` for a body that is empty, null or binary, or a web page. */
function findForm(given: string, type: string, isEnd: boolean) {
	const start = given.trimStart();
	const isStream = type.includes('event-stream');
	const field = start.replace(/^((:|id:|retry:).*[\r\n]\s*)+/, '');
	let enough = isStream ? 1 : field.startsWith('event:') ? 64 : 'error: {'.length;
	if (/^<[!h?]/i.test(start)) enough = PAGE_START_LENGTH;
	if (!isEnd && (isStream ? start : field).length < enough && given.length < MAX_WHITESPACE)
		return undefined;
	if (!start || start.includes('\0') || (isEnd && /^null\s*$/.test(start))) return 'none';
	if (isWebPage(start, type)) return 'none';
	if (/^[{[]/.test(start) || CODED_START.test(start)) return 'json';
	if (type.includes('json') && start.startsWith('"')) return 'json';
	if (isStream) return 'sse';
	return (/^text\/(plain|markdown)/.test(type) ? FIELD_OF_JSON : FIELD).test(field)
		? 'sse'
		: 'text';
}

const toPiece = (form: AnswerForm, value: unknown, data: string, event = ''): AnswerPiece => ({
	...{ form, event, value, data },
});

const createTextReader = (): PieceReader => ({
	add: (text) => (text ? [toPiece('text', text, text)] : []),
	end: () => [],
	isWithin: () => false,
});

/** Cuts a text into its lines as it arrives. */
function createLines() {
	let rest = '';
	let endsWithReturn = false;
	return {
		/** @returns the lines that are complete. */
		add(text: string): string[] {
			const more = endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
			if (text) endsWithReturn = text.endsWith('\r');
			if (!/[\r\n]/.test(more)) {
				rest += more;
				return [];
			}
			const lines = (rest + more).split(/\r\n|\n|\r/);
			rest = lines.pop() ?? '';
			return lines;
		},
		rest: () => rest,
	};
}

/**
 * Reads server-sent events. The standard drops events without a data line. The assistant's `finish` is one, so here they count, with
 * `data` "".
 */
function createEventReader(response: HttpResponse): PieceReader {
	const lines = createLines();
	const toEvent = createDataReader();
	let name: string | undefined;
	let data: string | undefined;
	let count = 0;

	const readLine = (line: string) => {
		const colon = line.indexOf(':');
		const field = colon < 0 ? line : line.slice(0, colon);
		const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
		if (field === 'data') data = data === undefined ? value : `${data}\n${value}`;
		else if (field === 'event') name = value;
		else if (field === 'error' && value.startsWith('{')) [name, data] = ['error', value];
	};

	const endEvent = (pieces: AnswerPiece[], isCut = false): void => {
		const [event, given] = [name, data];
		name = data = undefined;
		if (!event && given === undefined) return;
		count++;
		pieces.push(toEvent(event ?? '', given ?? '', isCut));
	};

	return {
		add(text) {
			const pieces: AnswerPiece[] = [];
			for (const line of lines.add(text))
				if (line === '') endEvent(pieces);
				else readLine(line);
			return pieces;
		},
		end(isBroken) {
			const pieces: AnswerPiece[] = [];
			if (isBroken) return pieces;
			const rest = lines.rest();
			// a name that ends inside its line may be incomplete: "finish" begins "finished_tool_call"
			if (!rest.startsWith('event')) readLine(rest);
			endEvent(pieces, rest !== '');
			if (!count) throw malformedResponseError(response, 'No event arrived.');
			return pieces;
		},
		isWithin: () => lines.rest() !== '' && !lines.rest().startsWith(':'),
	};
}

/** Tells JSON from plain words in the data of events: under each name, the first data that is certain decides. */
function createDataReader() {
	const kinds = new Map<string, 'json' | 'words'>();
	return (event: string, data: string, isCut: boolean): AnswerPiece => {
		// `message` is the standard's default name
		const name = event === 'message' ? '' : event;
		const kind = kinds.get(name);
		const piece: AnswerPiece = { form: 'sse', event, value: data, data };
		if (data === '' || END_MARK.test(data)) return piece;
		const value = kind === 'words' ? undefined : tryParseJson(data);
		if (typeof value === 'object' && value) kinds.set(name, 'json');
		if (value !== undefined && (kind || !/^(number|boolean)$/.test(typeof value))) {
			piece.value = value;
			return piece;
		}
		const isHalf = kind !== 'words' && value === undefined && /^\s*\{/.test(data);
		const what = `An event could not be read: ${event ? `${event} ` : ''}${data.slice(0, 200)}`;
		if (isCut)
			piece.error = unreadableChunkError('The stream ended in the middle of an event.', data);
		else if (isHalf || (kind === 'json' && !END_WORD.test(data)))
			piece.error = unreadableChunkError(what, data);
		else if (!kind) kinds.set(name, 'words');
		return piece;
	};
}

/** A line of the data streams of Vercel's AI SDK 4: a code, and JSON. assistant-stream adds `aui-state:[]` and the like. */
const CODED_LINE = /^([\da-k]|aui-[a-z-]+):(["[{].*)$/s;

/** Reads lines of JSON or, if the first line alone is not JSON, one JSON body over several lines. A text may begin like JSON. */
function createRecordReader(type: string): PieceReader {
	const isJsonType = type.includes('json');
	const lines = createLines();
	/** Of a body that may be one document: all that has arrived. */
	let body = '';
	let form: 'unknown' | 'lines' | 'document' = 'unknown';
	/** The first line, which may be the whole body. */
	let first: AnswerPiece | undefined;

	const readLine = (pieces: AnswerPiece[], line: string): void => {
		const data = line.trim();
		if (!data || form === 'document') return;
		const [, code, json = data] = CODED_LINE.exec(data) ?? [];
		const value = tryParseJson(json);
		const isFirst = form === 'unknown' && !first;
		const isRecord = isJsonType ? value !== undefined : [value].flat().some(isPlainObject);
		if (isFirst && !code && !isRecord) return void (form = 'document');
		const piece = toPiece('ndjson', value === undefined ? data : value, data, code && `${code}:`);
		if (value === undefined && !END_MARK.test(data))
			piece.error = unreadableChunkError(`A line could not be read: ${data.slice(0, 200)}`, line);
		if (isFirst && !code && !/ndjson|jsonl|json-?lines/.test(type)) return void (first = piece);
		form = 'lines';
		if (first) pieces.push(first);
		first = undefined;
		pieces.push(piece);
	};

	const readDocument = (): AnswerPiece => {
		const data = body.trim();
		const value = tryParseJson(data);
		if (value !== undefined) return toPiece('json', value, data);
		if (!isJsonType && !isTruncatedJson(data)) return toPiece('text', body, body);
		return { ...toPiece('json', data, data), error: halfError(data) };
	};

	return {
		add(text) {
			const pieces: AnswerPiece[] = [];
			if (form !== 'lines') body += text;
			if (form !== 'document') for (const line of lines.add(text)) readLine(pieces, line);
			return pieces;
		},
		end(isBroken) {
			const pieces: AnswerPiece[] = [];
			const rest = lines.rest().trim();
			const isLine = first !== undefined || form === 'lines' || CODED_LINE.test(rest);
			if (isBroken || (isLine && !rest)) {
				if (first) pieces.push({ ...first, form: isBroken ? 'ndjson' : 'json' });
			} else if (isLine) {
				readLine(pieces, rest);
				const last = pieces.at(-1);
				if (last?.error && isTruncatedJson(rest)) last.error = halfError(rest);
			} else pieces.push(readDocument());
			return pieces;
		},
		isWithin: () => form === 'document' || lines.rest() !== '',
	};
}

const halfError = (data: string) =>
	unreadableChunkError('The answer ended in the middle of JSON.', data);
