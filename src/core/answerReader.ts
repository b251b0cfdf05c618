import { createPieceReader } from './answerPieces';
import { createDecoder, readErrorResponse, withPartialBody } from './body';
import { getRequestId } from './errorResponses';
import { mapServiceError, ServiceError, withDetails, truncatedAnswerError } from './errors';
import { contentTypeOf, isErrorResponse, type HttpResponse } from './http';
import { isPlainObject, isEmptyValue } from './json';
import type { AnswerPiece } from './sse';

/** Builds an answer from its pieces. */
export interface AnswerFold {
	/**
	 * @returns the text that a piece adds.
	 * @throws ServiceError for a piece that cannot be part of the answer.
	 */
	add(piece: AnswerPiece): string;
	/**
	 * Whether the end mark has arrived, so that nothing more is read.
	 *
	 * @throws ServiceError for an error that the last piece has reported.
	 */
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

/** Milliseconds for which the end mark of an answer is waited for that has ended. */
const MAX_WAIT_FOR_END = 10_000;

type Emit = (text: string) => void | Promise<void>;

/**
 * Reads an answer to its end.
 *
 * @param emit Called after every piece with the text that it adds, and awaited.
 * @throws ServiceError `refused` for any status other than 2xx, otherwise with what arrived in `details.partial`.
 */
export async function foldAnswer(response: HttpResponse, fold: AnswerFold, emit: Emit) {
	if (isErrorResponse(response)) throw await readErrorResponse(response);
	const decoder = createDecoder(response);
	try {
		const isQuiet = await foldPieces(response, decoder, fold, emit);
		await emit(fold.end(decoder.received, isQuiet));
	} catch (cause) {
		const arrived = { received: decoder.received(), type: contentTypeOf(response) };
		throw mapServiceError(cause, (error) =>
			withPartialBody(withDetails(error, getRequestId(response.headers)), arrived, fold.partial()),
		);
	}
}

/** @returns whether the answer had ended, and nothing followed. */
async function foldPieces(
	response: HttpResponse,
	{ decode }: ReturnType<typeof createDecoder>,
	fold: AnswerFold,
	emit: Emit,
): Promise<boolean> {
	const reader = createPieceReader(response);
	const bytes = response.body[Symbol.asyncIterator]();
	const silence = createSilence(response, fold);
	let isQuiet = false;

	/** @returns whether the answer is over. */
	const take = async (pieces: AnswerPiece[], isLast = false): Promise<boolean> => {
		let isAlive = false;
		for (const piece of pieces) {
			// what cannot be read after the end of the answer takes nothing away
			if (piece.error && !isLast && fold.isWhole?.()) continue;
			if (piece.error) throw piece.error;
			// most pieces need no wait, and a wait takes longer than the rest
			const added = fold.add(piece);
			const emitted = emit(added);
			if (emitted) await emitted;
			if (fold.isOver()) return true;
			isAlive ||= added.trim() !== '' || !isKeepAlive(piece);
		}
		// after the pieces: the reader's own time is no silence
		if (isAlive) silence.end();
		return false;
	};

	try {
		for (;;) {
			let result: Awaited<ReturnType<typeof silence.endsBefore>>;
			try {
				result = await silence.endsBefore(bytes);
			} catch (cause) {
				const isOver = await take(reader.end(true));
				// a connection that breaks after the end of the answer loses nothing
				if (isOver || (isBroken(cause) && fold.isWhole?.())) return false;
				throw mapServiceError(cause);
			}
			isQuiet = !result;
			if (!result) return true;
			const text = decode(result.done ? undefined : result.value);
			if (await take(reader.add(text))) return false;
			if (result.done) {
				await take(reader.end(false), true);
				return false;
			}
			if (reader.isWithin() && text.trim()) silence.end();
		}
	} finally {
		// closes the connection, however this ends; that of a silent service may end later
		const closed = bytes.return?.();
		if (!isQuiet) await closed;
	}
}

const isBroken = (cause: unknown) => cause instanceof ServiceError && cause.kind === 'truncated';

/** Measures how long nothing has come that carries anything, once the answer has ended. */
function createSilence({ clock, hear }: HttpResponse, fold: AnswerFold) {
	/** Milliseconds since 1970. */
	let waitsUntil: number | undefined;
	hear?.();
	return {
		/** Something came that carries content. */
		end(): void {
			waitsUntil = undefined;
			hear?.();
		},
		/** @returns what comes next; undefined if the silence has been too long. */
		async endsBefore(bytes: AsyncIterator<Uint8Array>) {
			if (!clock || !fold.isWhole?.()) return await bytes.next();
			waitsUntil ??= clock.now() + MAX_WAIT_FOR_END;
			const left = waitsUntil - clock.now();
			if (left <= 0) return undefined;
			const next = bytes.next();
			// a person who stops the execution ends the reading, not the wait
			const wait = clock.sleep(left).catch(async () => void (await next));
			return await Promise.race([next, wait.then(() => undefined)]);
		},
	};
}

export const keepAliveError = (idleTimeout: number) =>
	withDetails(truncatedAnswerError(`Only keep-alive messages came for ${idleTimeout / 1000} s.`), {
		advice: 'If the answer needs longer, raise Idle Timeout in Request Settings.',
	});

/** Names of events that only keep a connection open. */
const PING = /^(ping|heart-?_?beat|keep-?_?alive)$/i;

/** Fields that have the text of an event. An event with nothing in it carries nothing. */
const TEXTS = ['delta', 'content', 'text', 't', 'token'];

/**
 * Whether a piece carries nothing: a ping, an empty delta, choices without anything in them. Reasoning, tool calls, progress, status and
 * events of the service's own do carry something.
 */
export function isKeepAlive({ event, value }: Pick<AnswerPiece, 'event' | 'value'>): boolean {
	if (PING.test(event)) return true;
	if (typeof value === 'string' && !value.trim()) return event === '';
	if (!isPlainObject(value)) return value === null;
	const { type, event: named, choices, usage } = value;
	if ([type, named].some((name) => typeof name === 'string' && PING.test(name))) return true;
	if (Array.isArray(choices)) return !usage && choices.every(isEmptyChoice);
	const isText = TEXTS.some((field) => value[field] === '');
	return isText && !TEXTS.some((field) => value[field]) && !Object.values(value).some(isFilled);
}

const isFilled = (value: unknown) => typeof value === 'object' && !isEmptyValue(value);

function isEmptyChoice(choice: unknown): boolean {
	const { delta, ...fields } = isPlainObject(choice) ? choice : {};
	const more = isPlainObject(delta) ? delta : {};
	return Object.values({ ...fields, index: 0, ...more, role: '' }).every(isEmptyValue);
}
