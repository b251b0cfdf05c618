import { unreadableChunkError } from './body';
import type { ServiceError } from './errors';
import { tryParseJson } from './json';

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
	const toEvent = createDataReader();
	let name = '';
	let data: string | undefined;
	/** Whether the data begin as JSON, which may go on over several lines. */
	let isJson = false;

	const endEvent = (isCut = false): void => {
		if (name || data !== undefined) push(toEvent(name, data ?? '', isCut));
		name = '';
		data = undefined;
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
			isJson = data === undefined ? JSON_START.test(value) : isJson;
			data = data === undefined ? value : `${data}\n${value}`;
		} else if (field === 'event') name = value;
		else if (field === 'error' && value.startsWith('{')) {
			name = 'error';
			data = value;
		}
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

const JSON_START = /^[{[]/;

/** A line of JSON that has no `data:` before it, as some servers of Agno send it. No field begins so. */
const JSON_LINE = /^[\s"{}[\]]/;

type DataKind = 'json' | 'words';

/** Tells JSON from plain words in the data of events: under each name, the first data that is certain decides. */
function createDataReader() {
	const kinds = new Map<string, DataKind>();

	const findError = ({ event, data }: AnswerPiece, isCut: boolean, kind?: DataKind) => {
		if (isCut) return unreadableChunkError('The stream ended in the middle of an event.', data);
		const isHalf = kind === undefined && /^\s*\{/.test(data);
		const isForeign = kind === 'json' && !END_WORD.test(data);
		return isHalf || isForeign ? unreadable('An event', `${event} ${data}`.trimStart()) : undefined;
	};

	return (event: string, data: string, isCut: boolean): AnswerPiece => {
		const piece: AnswerPiece = { form: 'sse', event, value: data, data };
		if (data === '' || END_MARK.test(data)) return piece;
		// `message` is the standard's default name
		const name = event === 'message' ? '' : event;
		const kind = kinds.get(name);
		const value = kind === 'words' ? undefined : tryParseJson(data);
		if (typeof value === 'object' && value) kinds.set(name, 'json');
		if (value !== undefined && (kind || !/^(number|boolean)$/.test(typeof value))) {
			piece.value = value;
			return piece;
		}
		const error = findError(piece, isCut, kind);
		if (error) return { ...piece, error };
		if (!kind) kinds.set(name, 'words');
		return piece;
	};
}

export const unreadable = (what: string, data: string) =>
	unreadableChunkError(`${what} could not be read: ${data.slice(0, 200)}`, data);
