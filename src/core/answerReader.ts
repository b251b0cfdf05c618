import {
	createEventReader,
	createRecordReader,
	createTextReader,
	RECORD_SEPARATOR,
	type AnswerForm,
	type AnswerPiece,
	type PieceReader,
} from './answerPieces';
import { decodeBody, withPartialBody, type BodyText } from './body';
import { getRequestId, isWebPage, malformedResponseError } from './errorResponses';
import { mapServiceError, truncatedAnswerError, withDetails } from './errors';
import type { HttpResponse } from './http';
import { createSilence, isKeepAlive, type Silence } from './silence';
import { beginsWithEvent } from './sse';

export { isWords, unreadableEventError, type AnswerForm, type AnswerPiece } from './answerPieces';

/** Builds an answer from its pieces. */
export interface AnswerFold {
	/**
	 * @returns the text that a piece adds.
	 * @throws ServiceError for a piece that reports an error, or cannot be part of the answer.
	 */
	add(piece: AnswerPiece): string;
	/** Whether the end mark has arrived, so that nothing more is read. */
	isOver(): boolean;
	/** Whether the answer has ended, although its end mark may follow: then only a few seconds are waited for it. */
	isWhole?(): boolean;
	/**
	 * The end mark has arrived, or the body has ended without one.
	 *
	 * @param received Gives the beginning of the body, for error details.
	 * @param isQuiet Whether nothing followed the end of the answer, and the connection was closed.
	 * @returns the text that this adds.
	 * @throws ServiceError for an answer that is not complete.
	 */
	end(received: () => string, isQuiet: boolean): string;
	/** What has arrived so far, for an answer that breaks off. */
	partial(): { text: string };
}

/**
 * Reads an answer to its end.
 *
 * @param emit Called after every piece with the text that it adds, and awaited.
 * @throws ServiceError with what arrived in `details.partial`.
 */
export async function foldAnswer(
	response: HttpResponse,
	fold: AnswerFold,
	emit: (text: string) => void | Promise<void>,
): Promise<void> {
	const body = decodeBody(response);
	const silence = createSilence(response);
	try {
		const batches = readAnswer(response, body, silence);
		const isQuiet = await foldPieces(batches, { response, fold, silence, emit });
		await emit(fold.end(body.received, isQuiet));
	} catch (cause) {
		const arrived = { received: body.received(), type: contentType(response) };
		throw mapServiceError(cause, (error) =>
			withPartialBody(withDetails(error, getRequestId(response.headers)), arrived, fold.partial()),
		);
	}
}

interface Folding {
	response: HttpResponse;
	fold: AnswerFold;
	silence: Silence;
	emit: (text: string) => void | Promise<void>;
}

/** @returns whether the answer had ended, and nothing followed. */
async function foldPieces(
	batches: AsyncGenerator<Iterable<AnswerPiece>>,
	{ response, fold, silence, emit }: Folding,
): Promise<boolean> {
	let isWaiting = false;
	try {
		for (;;) {
			const next = batches.next();
			const result = await (fold.isWhole?.() ? silence.endsBefore(next) : next);
			isWaiting = !result;
			if (!result || result.done) return isWaiting;
			let isSilent = true;
			for (const piece of result.value) {
				// most pieces need no wait, and a wait takes longer than the rest
				const emitted = emit(fold.add(piece));
				if (emitted) await emitted;
				if (fold.isOver()) return false;
				isSilent &&= isKeepAlive(piece);
			}
			// after the pieces: the reader's own time is no silence
			if (!isSilent) silence.end();
		}
	} finally {
		// while it waits for a silent service, the generator cannot end
		if (isWaiting) void response.body[Symbol.asyncIterator]().return?.();
		else await batches.return(undefined);
	}
}

/** Characters. A longer answer is broken or hostile. */
const MAX_ANSWER_LENGTH = 64 * 1024 * 1024;

/**
 * Reads an answer piece by piece: server-sent events with JSON or words, JSON lines, one JSON body, or plain text. The content type
 * is a hint; the beginning of the body decides.
 *
 * @returns for every piece of the body that arrives, the pieces of the answer in it. They have to be read one after another.
 * @throws ServiceError `malformed` for a web page or an empty body; `truncated` for one that breaks off, or that mixes JSON with
 *   something else.
 */
export async function* readAnswer(
	response: HttpResponse,
	{ chunks, received }: BodyText = decodeBody(response),
	silence = createSilence(response),
): AsyncGenerator<Iterable<AnswerPiece>> {
	const lookahead = createLookahead(response, chunks);
	const type = contentType(response);
	try {
		const form = await detectForm(response, lookahead);
		if (!form) throw malformedResponseError(response, received());
		const reader: PieceReader =
			form === 'sse'
				? createEventReader(response)
				: form === 'json'
					? createRecordReader(type)
					: createTextReader();
		try {
			const start = lookahead.take(form !== 'text');
			let { length } = start;
			yield reader.add(start);
			if (reader.isWithin()) silence.end();
			lookahead.rethrow();
			for await (const text of chunks) {
				length += text.length;
				if (length > MAX_ANSWER_LENGTH) throw truncatedAnswerError('the answer grew past 64 MiB');
				yield reader.add(text);
				if (reader.isWithin() && text.trim()) silence.end();
				silence.check();
			}
		} catch (cause) {
			yield reader.release();
			throw mapServiceError(cause);
		}
		yield reader.finish();
	} finally {
		// closes the connection, however this ends
		await chunks.return();
	}
}

const contentType = ({ headers }: HttpResponse) => headers['content-type']?.toLowerCase() ?? '';

/** Characters of white space that a body may begin with. One with more is broken or hostile. */
const MAX_LEADING_WHITESPACE = 64 * 1024;
/** Characters that are enough to recognize a form: the longest field name of an event with its colon. */
const START_LENGTH = 'retry:'.length;
/** Characters that are enough to tell a web page from a text with markup. */
const PAGE_START_LENGTH = 1024;
/** Characters within which the first event has to be complete. A longer one is assumed to be an event. */
const MAX_FIRST_EVENT_LENGTH = 16 * 1024;

/** @returns undefined for a body that is empty or null, a web page, or binary. */
async function detectForm(
	response: HttpResponse,
	{ readAhead }: Lookahead,
): Promise<Exclude<AnswerForm, 'ndjson'> | undefined> {
	const type = contentType(response);
	const { start } = await readAhead((text) => text.length >= START_LENGTH);
	const isUnclear = /^<(!d|ht|\?x)/i.test(start);
	const page = isUnclear ? await readAhead((text) => text.length >= PAGE_START_LENGTH) : { start };
	if (!start || /^null\s?$|\0/.test(start) || isWebPage(page.start, type)) return undefined;
	const openers = ['{', '[', RECORD_SEPARATOR, ...(type.includes('json') ? ['"'] : [])];
	if (openers.includes(start.charAt(0)) || /^([\da-k]:["[{]|aui-[a-z])/.test(start)) return 'json';
	if (type.includes('event-stream')) return 'sse';
	if (!/^((data|event|id|retry|error)(:|\r|\n)|:)/.test(start)) return 'text';
	let isEvent: boolean | undefined;
	const { start: beginning, isEnd } = await readAhead((text) => {
		isEvent = beginsWithEvent(text, false);
		return isEvent !== undefined || text.length > MAX_FIRST_EVENT_LENGTH;
	});
	return (isEvent ?? (!isEnd || beginsWithEvent(beginning, true))) ? 'sse' : 'text';
}

/** A body whose beginning can be looked at before it is read. */
type Lookahead = ReturnType<typeof createLookahead>;

function createLookahead(response: HttpResponse, chunks: AsyncGenerator<string>) {
	/** What has been read ahead. */
	let text = '';
	/** Set once the body has ended or broken off. Its error is thrown when everything before it has been read. */
	let end: { cause?: unknown } | undefined;

	const readMore = async () => {
		try {
			const { done, value } = await chunks.next();
			if (done) end = {};
			else text += value;
		} catch (cause) {
			end = { cause };
		}
	};

	return {
		/**
		 * Reads until there is enough.
		 *
		 * @returns the beginning without white space.
		 * @throws ServiceError `malformed` for a body that begins with more than 64 KiB of white space.
		 */
		async readAhead(
			isEnough: (start: string) => boolean,
		): Promise<{ start: string; isEnd: boolean }> {
			for (;;) {
				const start = text.trimStart();
				if (end && 'cause' in end && !start) throw mapServiceError(end.cause);
				if (end || isEnough(start)) return { start, isEnd: end !== undefined };
				if (text.length - start.length > MAX_LEADING_WHITESPACE)
					throw malformedResponseError(response, 'It begins with more than 64 KiB of white space.');
				await readMore();
			}
		},
		/** What has been read ahead: all of it, or from the first character that is not white space. */
		take: (skipsWhitespace: boolean) => (skipsWhitespace ? text.trimStart() : text),
		/** @throws the error that ended the body while it was read ahead. */
		rethrow(): void {
			if (end && 'cause' in end) throw mapServiceError(end.cause);
		},
	};
}
