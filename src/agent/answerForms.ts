import { cut } from '../service/errors';
import { garbled } from '../service/refusals';
import { readEvents } from '../service/events';
import type { HttpResponse } from '../service/http';
import { decoded } from '../service/readBody';
import { peek } from '../service/peek';
import { isObject, parseJson, tryParseJson } from '../service/json';
import { eventsIn, readEvent, type Said } from './answerEvents';

export type AnswerForm = 'sse' | 'ndjson' | 'json' | 'text';

/** One piece of an answer: what it says, in which form it came, and itself. */
export interface Piece extends Said {
	form: AnswerForm;
	raw: unknown;
}

const MAX_LENGTH = 64 * 1024 * 1024;

/**
 * Reads an answer piece by piece in any form: server-sent events with JSON or text, JSON lines, one JSON body, plain text.
 * The content type is a hint; what the body begins with decides.
 *
 * @param textField Where the user says that the text of an event is, e.g. `data.reply`.
 * @throws ServiceError `garbled` for a web page or an empty body, `cut` for a broken one.
 */
export async function* readAnswer(
	response: HttpResponse,
	textField?: string,
): AsyncGenerator<Piece> {
	const read = (value: unknown, name?: string) => readEvent(value, name, textField);
	const type = response.headers['content-type']?.toLowerCase() ?? '';
	const source = limited(decoded(response.body));
	try {
		const { start, pieces } = await peek(source);
		if (!start) throw garbled(response, '');
		if (/^<(!doctype|html|\?xml)/i.test(start) || type.includes('text/html')) {
			throw garbled(response, start);
		}
		const openers = ['{', '[', RECORD_SEPARATOR, ...(type.includes('json') ? ['"'] : [])];
		const looksLikeJson = openers.includes(start.charAt(0));
		const looksLikeEvents = /^((data|event|id|retry):|:)/.test(start);
		if (looksLikeJson) yield* readJsonLines(pieces, type, read);
		else if (type.includes('event-stream') || looksLikeEvents) {
			yield* readEventPieces(response, pieces, read);
		} else {
			for await (const text of pieces) if (text) yield { form: 'text', raw: text, text };
		}
	} finally {
		// closes the connection, whatever part of the chain above was left early
		await source.return(undefined);
	}
}

type Read = (value: unknown, eventName?: string) => Said;

async function* readEventPieces(
	response: HttpResponse,
	pieces: AsyncGenerator<string>,
	read: Read,
): AsyncGenerator<Piece> {
	/** Whether the answer comes as JSON. Sure once JSON has said something: a text that happens to be in quotes is a text. */
	let json: boolean | undefined;
	let [sure, arrived] = [false, false];
	for await (const { data, event, unfinished } of readEvents(response, {
		bareEvents: true,
		pieces,
	})) {
		arrived = true;
		if (data.trim() === '[DONE]') {
			yield { form: 'sse', raw: data, end: 'stream' };
			return;
		}
		const parsed: unknown = json === false || !data ? undefined : tryParseJson(data);
		if (data) json ??= isObject(parsed) || Array.isArray(parsed) || typeof parsed === 'string';
		if (json && data && parsed === undefined) {
			if (sure) throw cut(`An event could not be read: ${data.slice(0, 200)}`);
			json = false;
		}
		if (unfinished && !json) throw cut('The stream ended in the middle of an event.');
		const value = json && data ? parsed : data;
		const said = read(value, event);
		sure ||= json === true && Object.keys(said).length > 0;
		yield { form: 'sse', raw: event ? { event, data: value } : value, ...said };
	}
	if (!arrived) throw garbled(response, 'No event arrived.');
}

/** JSON lines; or, when the first line is not JSON by itself, one JSON body over several lines. */
async function* readJsonLines(
	pieces: AsyncGenerator<string>,
	type: string,
	read: Read,
): AsyncGenerator<Piece> {
	let [rest, lineCount, document] = ['', 0, false];
	for await (const text of pieces) {
		rest += text;
		if (document || !text.includes('\n')) continue;
		const lines = rest.split('\n');
		rest = lines.pop() ?? '';
		for (const [index, line] of lines.entries()) {
			const value = tryParseJson(bare(line));
			if (value === undefined && bare(line)) {
				if (lineCount) throw cut(`A line could not be read: ${line.slice(0, 200)}`);
				rest = [...lines.slice(index), rest].join('\n');
				document = true;
				break;
			}
			if (value !== undefined) {
				lineCount++;
				yield { form: 'ndjson', raw: value, ...read(value) };
			}
		}
	}
	if (!bare(rest)) return;
	try {
		const value = parseJson(bare(rest));
		for (const each of eventsIn(value))
			yield { form: lineCount ? 'ndjson' : 'json', raw: each, ...read(each) };
	} catch {
		// a text that only begins like JSON is a text, unless the service says otherwise
		if (lineCount || type.includes('json')) throw cut('The answer ended in the middle of JSON.');
		yield { form: 'text', raw: rest, text: rest };
	}
}

/** Without the blanks around it and the record separator that some JSON streams put first. */
const bare = (line: string) => line.replaceAll(RECORD_SEPARATOR, '').trim();

/** Some JSON streams put it before every record (RFC 7464). */
const RECORD_SEPARATOR = String.fromCharCode(0x1e);

async function* limited(pieces: AsyncIterable<string>): AsyncGenerator<string> {
	let length = 0;
	for await (const text of pieces) {
		length += text.length;
		if (length > MAX_LENGTH) throw cut('the answer grew past 64 MiB');
		yield text;
	}
}
