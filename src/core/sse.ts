import { unreadableChunkError } from './body';
import type { ServiceError } from './errors';
import { tryParseJson, isEmptyValue } from './json';

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

/** The data of the last event of many streams. */
export const END_MARK = /^\s*\[DONE\]\s*$/;

/** A name, or a word in place of JSON, that says that something has ended. */
export const END_WORD = /^\W*(done|end|finish(ed)?|complete(d)?)\W*$/i;

/** Reads the lines of an answer. */
export interface LineReader {
	readLine(line: string): void;
	/** @param rest The last line, which has no end. */
	end(rest: string, isBroken: boolean): void;
	/** Whether the lines so far are the beginning of a piece. */
	isWithin(): boolean;
}

export type Push = (piece: AnswerPiece) => void;

/**
 * Reads server-sent events. The standard drops events without a data line. The assistant's `finish` is one, so here they count, with
 * `data` "".
 */
export function createEventReader(push: Push): LineReader {
	const events = createDataReader(push);
	let name = '';
	let data: string | undefined;
	/** Whether the data begin as JSON, which may go on over several lines. */
	let isJson = false;
	/** Whether they may be whole after one line. More are not looked at: each look reads all of them. */
	let isOneLine = false;

	const endEvent = (isCut = false): void => {
		if (name || data !== undefined) events.add(name, data ?? '', isCut);
		name = '';
		data = undefined;
	};
	/** The data go on, or are another event with no blank line before it, as of GLM and Kimi (rexxars/eventsource-parser#31). */
	const addLine = (line: string): void => {
		const mayBeWhole = isJson && isOneLine && !name && JSON_START.test(line);
		isOneLine = mayBeWhole && hasObject(tryParseJson(data ?? ''));
		const before = isOneLine ? '' : `${data}\n`;
		if (isOneLine) endEvent();
		data = before + line;
	};
	const readLine = (line: string): void => {
		if (line === '') return endEvent();
		if (data !== undefined && isJson && JSON_LINE.test(line)) {
			data += line;
			return;
		}
		const colon = line.indexOf(':');
		const field = colon < 0 ? line : line.slice(0, colon);
		const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
		if (field === 'data') {
			if (data !== undefined) return addLine(value);
			isJson = JSON_START.test(value);
			isOneLine = true;
			data = value;
		} else if (field === 'event') name = value;
		else if (field === 'error' && value.startsWith('{')) {
			name = 'error';
			data = value;
		}
	};

	return {
		readLine,
		end(rest, isBroken) {
			// a name that ends inside its line may be incomplete: "finish" begins "finished_tool_call"
			if (!isBroken && !rest.startsWith('event')) readLine(rest);
			if (!isBroken) endEvent(rest !== '');
			events.end();
		},
		isWithin: () => name !== '' || data !== undefined,
	};
}

const JSON_START = /^[{[]/;

/** A line of JSON that has no `data:` before it, as some servers of Agno send it. No field begins so. */
const JSON_LINE = /^[\s"{}[\]]/;

type DataKind = 'json' | 'words';

/**
 * Tells JSON from plain words in the data of events: under each name, the first data that is certain decides. What a name begins with may be
 * a word, too, such as `[]` or `{`: then the next event tells.
 */
function createDataReader(push: Push) {
	const kinds = new Map<string, DataKind>();
	const names = new Set<string>();
	let held: AnswerPiece | undefined;

	const release = (piece = held): void => {
		if (piece) push(piece);
		held = undefined;
	};

	const findError = ({ event, data }: AnswerPiece, isCut: boolean, kind?: DataKind) => {
		if (isCut) return unreadableChunkError('The stream ended in the middle of an event.', data);
		const isHalf = kind === undefined && /^\s*\{/.test(data);
		const isForeign = kind === 'json' && !END_WORD.test(data);
		return isHalf || isForeign ? unreadable('An event', `${event} ${data}`.trimStart()) : undefined;
	};

	const read = (event: string, data: string, name: string, isCut: boolean): AnswerPiece => {
		const piece: AnswerPiece = { form: 'sse', event, value: data, data };
		// that "[DONE]" is no JSON costs as much as ten pieces
		if (data === '' || END_MARK.test(data)) return piece;
		const kind = kinds.get(name);
		const value = kind === 'words' ? undefined : tryParseJson(data);
		// once it is certain, the data of that name are not looked into again
		if (!kind && hasObject(value)) kinds.set(name, 'json');
		if (value !== undefined && (kind || !/^(number|boolean)$/.test(typeof value))) {
			piece.value = value;
			return piece;
		}
		const error = findError(piece, isCut, kind);
		if (error) return { ...piece, error };
		if (!kind) kinds.set(name, 'words');
		return piece;
	};

	return {
		add(event: string, data: string, isCut: boolean): void {
			const name = nameOf(event);
			if (held && nameOf(held.event) === name && isAfterWords(held, data)) {
				kinds.set(name, 'words');
				release({ form: 'sse', event: held.event, value: held.data, data: held.data });
			}
			if (held) release();
			const piece = read(event, data, name, isCut);
			if (!names.has(name) && !isCut && !kinds.has(name) && mayBeWords(piece)) held = piece;
			else push(piece);
			names.add(name);
		},
		end: () => release(),
	};
}

/** `message` is the standard's default name. */
const nameOf = (event: string) => (event === 'message' ? '' : event);

/** Whether a value is certainly JSON. */
const hasObject = (value: unknown): boolean =>
	[value].flat().some((entry) => typeof entry === 'object' && !isEmptyValue(entry));

/** Whether the data of an event may be JSON, and may be a word. */
const mayBeWords = ({ value, data, error }: AnswerPiece): boolean =>
	error ? /^\s*\{.*[^}\s]\s*$|^\s*\{\s*$/s.test(data) : value !== data && !hasObject(value);

/** Whether the next data show that these were a word. */
function isAfterWords({ error }: AnswerPiece, next: string): boolean {
	if (next === '' || END_MARK.test(next)) return false;
	const value = tryParseJson(next);
	if (error) return !hasObject(value);
	return value === undefined ? !/^\s*\{/.test(next) : /^(number|boolean)$/.test(typeof value);
}

export const unreadable = (what: string, data: string) =>
	unreadableChunkError(`${what} could not be read: ${data.slice(0, 200)}`, data);
