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
	const lines = createLines();
	let form: AnswerForm | undefined;
	let reader: LineReader | undefined;
	/** Until the form is known: all that has arrived. */
	let start = '';
	let pieces: AnswerPiece[] = [];
	let hasPieces = false;
	const push = (piece: AnswerPiece) => {
		hasPieces = true;
		pieces.push(piece);
	};

	const read = (text: string): void => {
		if (!reader && text) push({ form: 'text', event: '', value: text, data: text });
		if (reader) for (const line of lines.add(text)) reader.readLine(line);
	};
	const open = (isEnd: boolean): void => {
		const found = findForm(start, type, isEnd);
		if (found === 'none') throw malformedResponseError(response, start);
		form = found;
		if (form === 'sse') reader = createEventReader(push);
		if (form === 'json') reader = createRecordReader(push, type);
		if (form) read(reader ? start.trimStart() : start);
	};

	return {
		add(text) {
			pieces = [];
			if (form) read(text);
			else start += text;
			if (!form) open(false);
			return pieces;
		},
		end(isBroken) {
			pieces = [];
			if (!form && (start || !isBroken)) open(true);
			reader?.end(lines.rest(), isBroken);
			if (form === 'sse' && !isBroken && !hasPieces)
				throw malformedResponseError(response, 'No event arrived.');
			return pieces;
		},
		isWithin() {
			const rest = lines.rest();
			return (rest !== '' && !rest.startsWith(':')) || reader?.isWithin() === true;
		},
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

interface LineReader {
	readLine(line: string): void;
	/** @param rest The last line, which has no end. */
	end(rest: string, isBroken: boolean): void;
	/** Whether the lines so far are the beginning of a piece. */
	isWithin(): boolean;
}

type Push = (piece: AnswerPiece) => void;

/**
 * Reads server-sent events. The standard drops events without a data line. The assistant's `finish` is one, so here they count, with
 * `data` "".
 */
function createEventReader(push: Push): LineReader {
	const toEvent = createDataReader();
	let name = '';
	let data: string | undefined;

	const endEvent = (isCut = false): void => {
		if (name || data !== undefined) push(toEvent(name, data ?? '', isCut));
		name = '';
		data = undefined;
	};
	const readLine = (line: string): void => {
		if (line === '') return endEvent();
		const colon = line.indexOf(':');
		const field = colon < 0 ? line : line.slice(0, colon);
		const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
		if (field === 'data') data = data === undefined ? value : `${data}\n${value}`;
		else if (field === 'event') name = value;
		else if (field === 'error' && value.startsWith('{')) [name, data] = ['error', value];
	};

	return {
		readLine,
		end(rest, isBroken) {
			if (isBroken) return;
			// a name that ends inside its line may be incomplete: "finish" begins "finished_tool_call"
			if (!rest.startsWith('event')) readLine(rest);
			endEvent(rest !== '');
		},
		isWithin: () => name !== '' || data !== undefined,
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
		const isHalf = kind !== 'words' && value === undefined && /^\s*\{/.test(data);
		if (value !== undefined && (kind || !/^(number|boolean)$/.test(typeof value)))
			piece.value = value;
		else if (isCut)
			piece.error = unreadableChunkError('The stream ended in the middle of an event.', data);
		else if (isHalf || (kind === 'json' && !END_WORD.test(data)))
			piece.error = unreadable('An event', `${event} ${data}`.trimStart());
		else if (!kind) kinds.set(name, 'words');
		return piece;
	};
}

const unreadable = (what: string, data: string) =>
	unreadableChunkError(`${what} could not be read: ${data.slice(0, 200)}`, data);

/** A line of the data streams of Vercel's AI SDK 4: a code, and JSON. assistant-stream adds `aui-state:[]` and the like. */
const CODED_LINE = /^([\da-k]|aui-[a-z-]+):(["[{].*)$/s;

/** Reads lines of JSON or, if the first line alone is not JSON, one JSON body over several lines. A text may begin like JSON. */
function createRecordReader(push: Push, type: string): LineReader {
	const isJsonType = type.includes('json');
	let hasLines = /ndjson|jsonl|json-?lines/.test(type);
	/** The first line, which may be the whole body. */
	let first: AnswerPiece | undefined;
	/** The lines of a body that is one document. */
	let document: string[] | undefined;

	const readLine = (line: string): void => {
		const data = line.trim();
		if (document) document.push(line);
		if (document || !data) return;
		const [, code, json = data] = CODED_LINE.exec(data) ?? [];
		const value = tryParseJson(json);
		const isRecord = isJsonType ? value !== undefined : [value].flat().some(isPlainObject);
		const piece: AnswerPiece = { form: 'ndjson', event: code ? `${code}:` : '', value, data };
		if (value === undefined) piece.value = data;
		if (!hasLines && !first && !code) {
			if (isRecord) first = piece;
			else document = [line];
			return;
		}
		if (value === undefined && !END_MARK.test(data)) piece.error = unreadable('A line', data);
		hasLines = true;
		if (first) push(first);
		first = undefined;
		push(piece);
	};

	const toDocument = (body: string): AnswerPiece => {
		const data = body.trim();
		const value = tryParseJson(data);
		const isText = value === undefined && !isJsonType && !isTruncatedJson(data);
		if (isText) return { form: 'text', event: '', value: body, data: body };
		const reason = 'The answer ended in the middle of JSON.';
		const error = value === undefined ? { error: unreadableChunkError(reason, data) } : {};
		return { form: 'json', event: '', value, data, ...error };
	};

	return {
		readLine,
		end(rest, isBroken) {
			if (!isBroken) readLine(rest);
			if (first) push({ ...first, form: isBroken ? 'ndjson' : 'json' });
			else if (document && !isBroken) push(toDocument(document.join('\n')));
		},
		isWithin: () => document !== undefined,
	};
}
