import { unreadableChunkError } from '../core/body';
import { startsWithEvents, openBody, type LookaheadBody } from '../core/bodyLookahead';
import { malformedResponseError, isWebPage } from '../core/errorResponses';
import { type ServiceError, truncatedAnswerError } from '../core/errors';
import type { HttpResponse } from '../core/http';
import {
	isTruncatedJson,
	isPlainObject,
	isKeepAlive,
	parseConcatenatedObjects,
	tryParseJson,
} from '../core/json';
import { hasNonEventText, readEvents, splitEventData } from '../core/sse';
import { splitEventList, parseEvent, type ParsedEvent } from './parseEvent';

export type WireFormat = 'sse' | 'ndjson' | 'json' | 'text';

/** One chunk of an answer: what was parsed from it, its format, and the raw value. */
export interface AnswerChunk extends ParsedEvent {
	form: WireFormat;
	raw: unknown;
}

interface ReadAnswerOptions {
	/** Path of the text in an event, as the user entered it, e.g. `data.reply`. */
	answerPath?: string | undefined;
	/** The message that was sent. */
	question?: string;
	/** The body, if its beginning was already read. */
	lookahead?: LookaheadBody;
}

type EventParser = (value: unknown, eventName?: string) => ParsedEvent;

/**
 * Reads an answer chunk by chunk in any format: server-sent events with JSON or text, JSON lines, one JSON body, plain text.
 * The content type is a hint; the beginning of the body decides. A body in which nothing is found in its apparent format is
 * treated as plain text.
 *
 * @throws ServiceError `malformed` for a web page or an empty body, `truncated` for a broken one.
 */
export async function* readAnswer(
	response: HttpResponse,
	{ answerPath, question, lookahead: opened }: ReadAnswerOptions = {},
): AsyncGenerator<AnswerChunk> {
	const lookahead = opened ?? (await openBody(response));
	const parse = (value: unknown, name?: string) => parseEvent(value, name, answerPath, question);
	const buffered = bufferBody(lookahead.chunks);
	try {
		if (!lookahead.start) throw await emptyBodyError(response, lookahead);
		if (isWebPage(await readPageStart(lookahead), lookahead.type))
			throw malformedResponseError(response, lookahead.received());
		const form = await detectFormat(lookahead);
		if (form !== 'text') lookahead.trimStart();
		if (form === 'json') yield* readJsonLines(buffered, lookahead.type, parse);
		else if (form === 'sse') yield* readEventChunks(response, buffered, parse);
		else for await (const text of buffered.chunks) if (text) yield { form, raw: text, text };
	} finally {
		// closes the connection, even if a generator above was left early or never started
		await buffered.chunks.return(undefined);
		await lookahead.chunks.return?.();
	}
}

/** Reads the body to its end, since one that broke off throws its own error there. */
async function emptyBodyError(
	response: HttpResponse,
	{ chunks }: LookaheadBody,
): Promise<ServiceError> {
	let text = '';
	for await (const chunk of chunks) text += chunk;
	return malformedResponseError(response, text);
}

/** Enough of the beginning to tell a web page from a text with markup. */
async function readPageStart(lookahead: LookaheadBody): Promise<string> {
	if (!/^<(!d|ht|\?x)/i.test(lookahead.start)) return lookahead.start;
	return await lookahead.readAhead((text) => text.length >= 1024);
}

async function detectFormat(lookahead: LookaheadBody): Promise<'json' | 'sse' | 'text'> {
	const { start, type } = lookahead;
	const openers = ['{', '[', RECORD_SEPARATOR, ...(type.includes('json') ? ['"'] : [])];
	if (openers.includes(start.charAt(0))) return 'json';
	return type.includes('event-stream') || (await startsWithEvents(lookahead)) ? 'sse' : 'text';
}

async function* readEventChunks(
	response: HttpResponse,
	buffered: BufferedBody,
	parse: EventParser,
): AsyncGenerator<AnswerChunk> {
	/** Whether the data is JSON; undefined until the first data. */
	let isJson: boolean | undefined;
	/** Whether JSON data had any content: a text that happens to be in quotes parses as JSON, too. */
	let isCertain = false;
	/** Possible keep-alive messages that arrived before the format was known. */
	let earlyKeepAlives: string[] = [];
	const events = readEvents(response, { allowEmptyData: true, chunks: buffered.chunks });
	for await (const { data: eventData, event, isLineIncomplete, isUnterminated } of events) {
		if (eventData || event) buffered.discard();
		for (const data of splitEventData(eventData)) {
			if (data.trim() === '[DONE]') {
				for (const text of earlyKeepAlives.filter(isPossibleAnswer))
					yield { form: 'sse', raw: text, text };
				yield { form: 'sse', raw: data, end: 'stream' };
				return;
			}
			const parsed: unknown = isJson === false || !data ? undefined : tryParseJson(data);
			if (data && parsed === undefined && isJson !== false && isKeepAlive(data)) {
				if (isCertain) continue;
				if (isJson === undefined) {
					if (earlyKeepAlives.length < MAX_EARLY_KEEP_ALIVES) earlyKeepAlives.push(data);
					continue;
				}
			}
			if (data)
				isJson ??= isPlainObject(parsed) || Array.isArray(parsed) || typeof parsed === 'string';
			if (isJson && data && parsed === undefined) {
				if (isCertain)
					throw unreadableChunkError(`An event could not be read: ${data.slice(0, 200)}`, data);
				isJson = false;
			}
			if (!isJson && (isLineIncomplete || (isUnterminated && isTruncatedJson(data))))
				throw unreadableChunkError('The stream ended in the middle of an event.', data);
			if (isJson === false)
				for (const text of earlyKeepAlives) yield { form: 'sse', raw: text, text };
			if (isJson !== undefined) earlyKeepAlives = [];
			const value = isJson && data ? parsed : data;
			const parsedEvent = parse(value, event);
			isCertain ||= isJson === true && Object.keys(parsedEvent).length > 0;
			yield { form: 'sse', raw: event ? { event, data: value } : value, ...parsedEvent };
		}
	}
	for (const text of earlyKeepAlives.filter(isPossibleAnswer))
		yield { form: 'sse', raw: text, text };
	const text = buffered.text();
	if (text === undefined) return;
	if (!hasNonEventText(text)) throw malformedResponseError(response, 'No event arrived.');
	yield { form: 'text', raw: text, text };
}

const MAX_EARLY_KEEP_ALIVES = 10;

/** Whether a keep-alive message may also be an answer, unlike `ping`. */
const isPossibleAnswer = (text: string) => /^(ok|ready|open|none|wait)\b/i.test(text.trim());

/** Reads JSON lines or, if the first line alone is not JSON, one JSON body over several lines. */
async function* readJsonLines(
	buffered: BufferedBody,
	type: string,
	parse: EventParser,
): AsyncGenerator<AnswerChunk> {
	let rest = '';
	let lineCount = 0;
	let isDocument = false;
	/** Whether the body is a text that only begins like JSON. Not if its type is JSON, or JSON with content has arrived. */
	const isText = () =>
		buffered.text() !== undefined && !type.includes('json') && !isTruncatedJson(trimRecord(rest));
	for await (const text of buffered.chunks) {
		rest += text;
		if (isDocument || !text.includes('\n')) continue;
		const lines = rest.split('\n');
		rest = lines.pop() ?? '';
		for (const [index, line] of lines.entries()) {
			const value = tryParseJson(trimRecord(line));
			if (value === undefined && trimRecord(line)) {
				if (lineCount && isKeepAlive(trimRecord(line)) && buffered.text() === undefined) continue;
				rest = [...lines.slice(index), rest].join('\n');
				if (lineCount && !isText())
					throw unreadableChunkError(`A line could not be read: ${line.slice(0, 200)}`, line);
				isDocument = true;
				break;
			}
			if (value === undefined) continue;
			lineCount++;
			const parsedEvent = parse(value);
			if (hasContentOrError(parsedEvent) && !isScalarValue(value)) buffered.discard();
			yield { form: 'ndjson', raw: value, ...parsedEvent };
		}
	}
	if (!trimRecord(rest)) return;
	const value = isDocument && lineCount ? undefined : tryParseJson(trimRecord(rest));
	const values =
		value === undefined ? parseConcatenatedObjects(trimRecord(rest)) : splitEventList(value);
	if (values) {
		const form = lineCount || value === undefined ? 'ndjson' : 'json';
		for (const entry of values) yield { form, raw: entry, ...parse(entry) };
		return;
	}
	if (!isText()) throw unreadableChunkError('The answer ended in the middle of JSON.', rest);
	const text = buffered.text() ?? rest;
	yield { form: 'text', raw: text, text };
}

const hasContentOrError = ({ text, summary, error, unknown }: ParsedEvent) =>
	Boolean(text || summary || error !== undefined || unknown);

/** Whether a text may begin with this value, e.g. `[1]`, a footnote. */
const isScalarValue = (value: unknown) =>
	!isPlainObject(value) && !(Array.isArray(value) && value.some(isPlainObject));

/** Removes white space and record separators. */
const trimRecord = (line: string) => line.replaceAll(RECORD_SEPARATOR, '').trim();

/** Precedes every record in some JSON streams (RFC 7464). */
const RECORD_SEPARATOR = String.fromCharCode(0x1e);

/** Characters. */
const MAX_BODY_LENGTH = 64 * 1024 * 1024;

/** Characters of a body that are kept until content is found in it: it may turn out to be plain text. */
const MAX_BUFFERED_LENGTH = 1024 * 1024;

/** A body that is kept until content is found in it. */
interface BufferedBody {
	chunks: AsyncGenerator<string>;
	/** Everything that has arrived; undefined once discarded, or too long. */
	text(): string | undefined;
	discard(): void;
}

function bufferBody(chunks: AsyncIterable<string>): BufferedBody {
	let text: string | undefined = '';
	const limited = async function* () {
		let length = 0;
		for await (const chunk of chunks) {
			length += chunk.length;
			if (length > MAX_BODY_LENGTH) throw truncatedAnswerError('the answer grew past 64 MiB');
			if (text !== undefined) text = length > MAX_BUFFERED_LENGTH ? undefined : text + chunk;
			yield chunk;
		}
	};
	return { chunks: limited(), text: () => text, discard: () => (text = undefined) };
}
