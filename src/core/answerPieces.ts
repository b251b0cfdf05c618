import { MAX_ANSWER_BYTES, unreadableChunkError } from './body';
import { malformedResponseError } from './errorResponses';
import { isWebPage } from './webPage';
import { truncatedAnswerError } from './errors';
import { contentTypeOf, type HttpResponse } from './http';
import { isPlainObject, isTruncatedJson, tryParseJson, isEmptyValue } from './json';
import {
	type AnswerForm,
	type AnswerPiece,
	createEventReader,
	END_MARK,
	type LineReader,
	type Push,
	unreadable,
} from './sse';

/**
 * Cuts the text of an answer into pieces as it arrives: server-sent events, JSON lines, one JSON body, or plain text. The content type is
 * a hint; the beginning of the body decides.
 *
 * @throws ServiceError from its functions: `malformed` for a web page, an empty body or an event stream without events, `truncated` for
 *   more than 64 MiB.
 */
export function createPieceReader(response: HttpResponse) {
	const type = contentTypeOf(response);
	const lines = createLines();
	let form: AnswerForm | undefined;
	let reader: LineReader | undefined;
	// until the form is known: what decides it, and what came before that and is not looked at again (white space, lines as of events)
	let start = '';
	let skipped = '';
	let hasFields = false;
	let pieces: AnswerPiece[] = [];
	let hasPieces = false;
	let length = 0;
	const push = (piece: AnswerPiece) => {
		hasPieces = true;
		pieces.push(piece);
	};

	const read = (text: string): void => {
		if (!reader && text) push(textPiece(text));
		if (reader) for (const line of lines.add(text)) reader.readLine(line);
	};
	const open = (isEnd: boolean): void => {
		const [before = '', field] = UNDECIDED.exec(start) ?? [];
		skipped += before;
		start = start.slice(before.length);
		hasFields ||= field !== undefined;
		const isLong = skipped.length + start.length >= MAX_UNDECIDED;
		const found = findForm(start, type, { hasFields, isLong, isEnd });
		if (found === 'none') throw malformedResponseError(response, start);
		form = found;
		reader = createLineReader(form, type, push);
		if (form) read(reader ? start : skipped + start);
	};

	return {
		add(text: string): AnswerPiece[] {
			pieces = [];
			length += text.length;
			if (length > MAX_ANSWER_BYTES) throw truncatedAnswerError('the answer grew past 64 MiB');
			if (form) read(text);
			else start += text;
			if (!form) open(false);
			return pieces;
		},
		/** The text has ended. @param isBroken The connection broke: only what was held back is given. */
		end(isBroken: boolean): AnswerPiece[] {
			pieces = [];
			if (!form && (start || !isBroken)) open(true);
			reader?.end(lines.rest(), isBroken);
			if (form === 'sse' && !isBroken && !hasPieces)
				throw malformedResponseError(response, 'No event arrived.');
			return pieces;
		},
		/** Whether the last piece has begun, and not ended. */
		isWithin(): boolean {
			return lines.isWithin() || reader?.isWithin() === true;
		},
	};
}

/** Characters that tell a web page from a text with markup, and a line of an event stream from a text. */
const MAX_START_LENGTH = 1024;
/** Characters that decide nothing after which the rest is not waited for. */
const MAX_UNDECIDED = 64 * 1024;

/** White space, and lines of an event stream that are no event: comments, IDs. They may also be the beginning of a text. */
const UNDECIDED = /^\s*((?::|id:|retry:)[^\r\n]*[\r\n]\s*)*/;

const JSON_START = /^([{[]|[\da-k]:["[{]|aui-[a-z])/;

/** A field of an event. Genkit (@genkit-ai/express 1.42) sends events as text/plain, and a failure on a line `error: {…}`. */
const FIELD = /^((data|event|id|retry|error):|:\s)/;
const FIELD_OF_JSON = /^((data|error): ?[{["]|event: ?[\w./-]+\s)/;

/** Types of texts, in which a line of an event may be an example. */
const PLAIN_TYPE = /^text\/(plain|markdown)/;

/** A line that events may have. */
const LINE_OF_EVENTS = /^((data|event|id|retry|error)?:|(data|event|id|retry)$|$|[\s"{}[\]])/;

interface Arrived {
	/** Whether lines as of events came before the start. */
	hasFields: boolean;
	/** Whether so much has come that nothing is waited for. */
	isLong: boolean;
	isEnd: boolean;
}

/**
 * @param start Without what decides nothing.
 * @returns undefined if more is needed, `none` for a body that is empty, null or binary, or a web page.
 */
function findForm(start: string, type: string, { hasFields, isLong, isEnd }: Arrived) {
	const isStream = type.includes('event-stream');
	if (isStream && hasFields) return 'sse';
	if (!isEnd && !isLong && needsMore(start, isStream)) return undefined;
	const isEvent = isStream || isEventField(start, type);
	if (hasFields) return isEvent ? 'sse' : 'text';
	const isNull = isEnd && !PLAIN_TYPE.test(type) && /^null\s*$/.test(start);
	if (!start || isNull || isWebPage(start, type)) return 'none';
	return nameForm(start, type, isEvent);
}

function nameForm(start: string, type: string, isEvent: boolean) {
	const isJson = JSON_START.test(start) || (type.includes('json') && start.startsWith('"'));
	if (isEvent && !isJson) return 'sse';
	// no text has a NUL. An event stream may: its events tell whether it is one
	if (start.includes('\0')) return 'none';
	return isJson ? 'json' : 'text';
}

const isEventField = (start: string, type: string) =>
	(PLAIN_TYPE.test(type) ? FIELD_OF_JSON : FIELD).test(start);

function needsMore(start: string, isStream: boolean): boolean {
	if (/^<[!h?]/i.test(start)) return start.length < MAX_START_LENGTH;
	if (isStream) return start === '';
	// what follows such a line decides
	if (/^(:|id:|retry:)/.test(start)) return start.length < MAX_START_LENGTH;
	return start.length < (start.startsWith('event:') ? 64 : 'error: {'.length);
}

/** @returns undefined for a plain text, which has no lines to read. */
function createLineReader(form: AnswerForm | undefined, type: string, push: Push) {
	if (form === 'json') return createRecordReader(push, type);
	const createReader = PLAIN_TYPE.test(type) ? createPlainEventReader : createEventReader;
	return form === 'sse' ? createReader(push) : undefined;
}

const textPiece = (text: string): AnswerPiece => ({
	form: 'text',
	event: '',
	value: text,
	data: text,
});

/** Reads events that come as plain text. It may be a text that only begins with an example of one: the first lines tell. */
function createPlainEventReader(push: Push): LineReader {
	let first: string[] = [];
	let hasEvents = false;
	let isText = false;
	const events = createEventReader((piece) => {
		hasEvents = true;
		push(piece);
	});

	/** @returns what the line adds to the text that it shows the answer to be. */
	const toText = (line: string): string | undefined => {
		isText ||= !hasEvents && !LINE_OF_EVENTS.test(line);
		if (!hasEvents) first.push(line);
		if (!isText) return undefined;
		const text = first.join('\n');
		first = [];
		return text;
	};

	return {
		readLine(line) {
			const text = toText(line);
			if (text === undefined) events.readLine(line);
			else push(textPiece(`${text}\n`));
		},
		end(rest, isBroken) {
			const text = toText(rest);
			if (text === undefined) events.end(rest, isBroken);
			else if (text) push(textPiece(text));
		},
		isWithin: () => !isText && events.isWithin(),
	};
}

/** Cuts a text into its lines as it arrives. */
function createLines() {
	let rest = '';
	/** The first character of `rest`: to look for it there would join all pieces of a long line, once for each. */
	let first = '';
	let endsWithReturn = false;
	return {
		/** @returns the lines that are complete. */
		add(text: string): string[] {
			const more = endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
			if (text) endsWithReturn = text.endsWith('\r');
			if (!/[\r\n]/.test(more)) {
				first ||= more.charAt(0);
				rest += more;
				return [];
			}
			const lines = (rest + more).split(/\r\n|\n|\r/);
			rest = lines.pop() ?? '';
			first = rest.charAt(0);
			return lines;
		},
		rest: () => rest,
		/** Whether a line has begun that is no comment. */
		isWithin: () => first !== '' && first !== ':',
	};
}

/** A line of the data streams of Vercel's AI SDK 4: a code, and JSON. assistant-stream adds `aui-state:[]` and the like. */
const CODED_LINE = /^([\da-k]|aui-[a-z-]+):(["[{].*)$/s;

function toRecord(data: string): AnswerPiece {
	const [, code, json = data] = CODED_LINE.exec(data) ?? [];
	const value = tryParseJson(json);
	const piece: AnswerPiece = { form: 'ndjson', event: code ? `${code}:` : '', value, data };
	if (value !== undefined) return piece;
	const isEnd = END_MARK.test(data);
	return { ...piece, value: data, ...(!isEnd && { error: unreadable('A line', data) }) };
}

/** Whether a text is `[]` or the like, which may be all that an agent has to say. */
const isBare = (value: unknown, type: string) =>
	value !== undefined && PLAIN_TYPE.test(type) && isEmptyValue(value);

/** Reads lines of JSON or, if the first line alone is not JSON, one JSON body over several lines. A text may begin like JSON. */
function createRecordReader(push: Push, type: string): LineReader {
	const isJsonType = type.includes('json');
	let hasLines = /ndjson|jsonl|json-?lines/.test(type);
	/** The first line, which may be the whole body. */
	let first: AnswerPiece | undefined;
	/** The lines of a body that is one document. */
	let document: string[] | undefined;
	/** The lines until it is known what they are. */
	const opening: string[] = [];

	/** @returns whether the whole body may be in it, or begin with it. */
	const isFirst = (piece: AnswerPiece): boolean => {
		if (hasLines || first || piece.event) return false;
		const { value, error } = piece;
		const isRecord = isJsonType ? !error : [value].flat().some(isPlainObject);
		if (isRecord) first = piece;
		else document = opening;
		return true;
	};
	const readLine = (line: string): void => {
		const data = line.trim();
		if (document) document.push(line);
		else if (!hasLines) opening.push(line);
		if (document || !data) return;
		const piece = toRecord(data);
		if (isFirst(piece)) return;
		// a text may begin with an example of JSON
		if (!hasLines && piece.error && PLAIN_TYPE.test(type) && !JSON_START.test(data)) {
			first = undefined;
			document = opening;
			return;
		}
		hasLines = true;
		if (first) push(first);
		first = undefined;
		push(piece);
	};

	const toDocument = (body: string): AnswerPiece => {
		const data = body.trim();
		const value = tryParseJson(data);
		const isNoJson = value === undefined && !isJsonType && !isTruncatedJson(data);
		if (isNoJson || isBare(value, type)) return textPiece(body);
		const reason = 'The answer ended in the middle of JSON.';
		const error = value === undefined ? { error: unreadableChunkError(reason, data) } : {};
		return { form: 'json', event: '', value, data, ...error };
	};

	return {
		readLine,
		end(rest, isBroken) {
			if (!isBroken) readLine(rest);
			if (first && isBare(first.value, type) && !isBroken) push(textPiece(opening.join('\n')));
			else if (first) push({ ...first, form: isBroken ? 'ndjson' : 'json' });
			else if (document && !isBroken) push(toDocument(document.join('\n')));
		},
		isWithin: () => document !== undefined,
	};
}
