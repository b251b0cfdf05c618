import { readErrorResponse, hasUnreadableChunk, reportedError } from '../core/body';
import {
	foldAnswer,
	type AnswerFold,
	type AnswerForm,
	type AnswerPiece,
} from '../core/answerReader';
import { getRequestId } from '../core/errorResponses';
import { detectEnd } from '../core/eventNames';
import {
	truncatedAnswerError,
	mapServiceError,
	ServiceError,
	withDetails,
	withOutcome,
} from '../core/errors';
import { isErrorResponse, type Http } from '../core/http';
import { isStatusSentence } from '../core/extractText';
import { createTextAccumulator } from '../core/textAccumulator';
import { encodePathSegment } from '../core/urls';
import { nameEvent, parseEvent, splitEventList } from './parseEvent';

interface AgentAnswer {
	text: string;
	/** The format in which the answer arrived; the specification does not define it. */
	format: AnswerForm;
	/** The raw events; kept if requested, or if no text was found. */
	events: unknown[];
	requestId?: string;
}

/** What had arrived of an answer that broke off. */
export type PartialAnswer = Pick<AgentAnswer, 'text' | 'format'> & Partial<AgentAnswer>;

export interface SendOptions {
	/** Called with every text chunk as it arrives, and awaited. */
	onText?: (text: string) => void | Promise<void>;
	/** Keeps every event. Default: only the first ones of an answer without text. */
	includeRawEvents?: boolean;
	/** Path of the text in an event, e.g. `data.reply`. Unset, all usual fields are tried. */
	answerPath?: string | undefined;
}

/** Events kept of an answer without text, so that the user can see what arrived instead. */
const MAX_EVENTS_WITHOUT_TEXT = 50;

/**
 * Sends a message into a session and reads the streamed answer in any format.
 *
 * An unused session ID, a UUID, starts a new conversation; a used one continues it. An answer is complete when its end mark has arrived or, in a format without one, when the HTTP body ended regularly.
 *
 * @throws ServiceError with an outcome; `truncated` when the connection broke or the agent reported an error (what arrived is in
 *   `details.partial`).
 * @see POST {agent_base_url}/session/{session_id}/messages
 */
export async function sendMessage(
	http: Http,
	{ sessionId, content }: { sessionId: string; content: string },
	options: SendOptions = {},
): Promise<AgentAnswer> {
	const path = `/session/${encodePathSegment(sessionId, 'Session ID')}/messages`;
	const accept = 'text/event-stream, application/x-ndjson, application/json, text/plain';
	const { onText = () => {} } = options;
	const fold = createAnswerFold(content, options);
	try {
		const response = await http.send({ method: 'POST', path, body: { content }, accept });
		if (isErrorResponse(response)) throw await readErrorResponse(response);
		try {
			await foldAnswer(response, fold, (text) => (text ? onText(text) : undefined));
		} catch (cause) {
			// a connection that breaks after the end mark loses nothing
			if (!fold.hasEnded() || !isConnectionLoss(cause)) throw mapServiceError(cause);
		}
		return { ...fold.answer(), ...getRequestId(response.headers) };
	} catch (cause) {
		throw mapServiceError(cause, (error) =>
			withOutcome(withDetails(error, { ids: { sessionId } }), 'message'),
		);
	}
}

/** @param question The message that was sent. */
function createAnswerFold(question: string, { includeRawEvents = false, answerPath }: SendOptions) {
	const accumulator = createTextAccumulator();
	const { events, keepEvent } = createEventList(includeRawEvents);
	let format: AnswerForm = 'text';
	let ends: 'message' | 'stream' | undefined;
	let hasUnknown = false;
	let hasJsonText = false;
	let asides = '';
	const isRepeated = createRepeatFinder(accumulator.isKnown);
	/** After JSON, a word such as `DONE` is not part of the answer, but names its end. */
	const isEndWord = (value: unknown): value is string =>
		hasJsonText && typeof value === 'string' && detectEnd(value) === 'stream';

	const finish = (end: 'message' | 'stream', value: unknown, words: string): string => {
		ends = end;
		// "Stream completed" is not part of an answer that has arrived, nor is a word after JSON; other words may be its last ones
		const isStatus = detectEnd(words) === 'stream' || isStatusSentence(value, words);
		const isOther = isStatus || (hasJsonText && typeof value === 'string');
		if (end === 'stream' && !accumulator.text()) return accumulator.finishMessage(words || asides);
		const isOver = end === 'stream' && !answerPath;
		return accumulator.finishMessage(isOver && isOther ? '' : words);
	};
	const addEvent = (value: unknown, { event, form }: AnswerPiece, isWhole?: boolean): string => {
		const raw = event ? { event, data: value } : value;
		keepEvent(raw, accumulator.text() !== '');
		const named = nameEvent(value, isEndWord(value) ? value : event, answerPath, isWhole);
		const parsed = parseEvent(named, answerPath, question);
		const { text = '', summary = text, aside = '', error, end } = parsed;
		if (error !== undefined) throw reportedError('agent', error, raw);
		hasUnknown ||= parsed.unknown === true;
		asides += aside;
		if (end) return finish(end, value, summary);
		hasJsonText ||= text !== '' && typeof value !== 'string';
		if (isRepeated(named.names, text)) return '';
		return form === 'text' ? accumulator.append(text) : accumulator.add(text);
	};

	return {
		add(piece) {
			format = piece.form;
			if (format !== 'json') return addEvent(piece.value, piece);
			const list = splitEventList(piece.value);
			return list.map((value) => addEvent(value, piece, list.length === 1)).join('');
		},
		isOver: () => ends === 'stream',
		end() {
			const rest = accumulator.flush();
			if (!accumulator.text().trim() && !hasUnknown)
				throw truncatedAnswerError('It ended without any content.');
			return rest;
		},
		partial(): PartialAnswer {
			accumulator.flush();
			return { text: accumulator.text(), format, ...(includeRawEvents && { events }) };
		},
		answer: () => ({ text: accumulator.text(), format, events }),
		/** Whether the last message has ended, although more may follow. */
		hasEnded: () => ends !== undefined && accumulator.text() !== '',
	} satisfies AnswerFold & Record<string, unknown>;
}

/** The raw events: all of them, or the first ones, until there is a text. */
function createEventList(keepsAll: boolean) {
	const events: unknown[] = [];
	const keepEvent = (raw: unknown, hasText: boolean) => {
		if (keepsAll || (events.length < MAX_EVENTS_WITHOUT_TEXT && !hasText)) events.push(raw);
	};
	return { events, keepEvent };
}

/** Finds a text that comes again under another name, because it is whole: `delta`, `delta`, `message`. */
function createRepeatFinder(isKnown: (text: string) => boolean) {
	let last = { source: '', text: '' };
	return (names: string[], text: string): boolean => {
		const source = names.join(' ');
		const isLast = text.length > 3 && text === last.text;
		const isAgain = source !== last.source && (isLast || isKnown(text));
		if (text) last = { source, text };
		return isAgain;
	};
}

/** Whether the connection broke without an error from the service. */
const isConnectionLoss = (cause: unknown) =>
	cause instanceof ServiceError &&
	cause.kind === 'truncated' &&
	!cause.details.code &&
	!hasUnreadableChunk(cause);
