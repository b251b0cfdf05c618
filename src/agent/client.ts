import {
	readErrorResponse,
	hasUnreadableChunk,
	unreadableChunkError,
	withPartialAnswer,
} from '../core/body';
import { openBody, type LookaheadBody } from '../core/bodyLookahead';
import { parseErrorBody, getRequestId } from '../core/errorResponses';
import {
	truncatedAnswerError,
	mapServiceError,
	ServiceError,
	withDetails,
	withOutcome,
} from '../core/errors';
import { isErrorResponse, type Http, type HttpResponse } from '../core/http';
import { createTextAccumulator } from '../core/textAccumulator';
import { encodePathSegment } from '../core/urls';
import { readAnswer, type WireFormat } from './answerStream';

interface AgentMessage {
	/** UUID of the conversation. An unused one starts a new conversation, a used one continues it. */
	sessionId: string;
	/** The message. */
	content: string;
}

interface AgentAnswer {
	text: string;
	/** The format in which the answer arrived; the specification does not define it. */
	format: WireFormat;
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
 * An answer is complete when its end mark has arrived or, in a format without one, when the HTTP body ended regularly.
 *
 * @throws ServiceError with an outcome; `truncated` when the connection broke or the agent reported an error (what arrived is in
 *   `details.partial`).
 * @see POST {agent_base_url}/session/{session_id}/messages
 */
export async function sendMessage(
	http: Http,
	{ sessionId, content }: AgentMessage,
	options: SendOptions = {},
): Promise<AgentAnswer> {
	const path = `/session/${encodePathSegment(sessionId, 'Session ID')}/messages`;
	const accept = 'text/event-stream, application/x-ndjson, application/json, text/plain';
	try {
		const response = await http.send({ method: 'POST', path, body: { content }, accept });
		if (isErrorResponse(response)) throw await readErrorResponse(response);
		return await collectAnswer(response, content, options);
	} catch (cause) {
		throw mapServiceError(cause, (error) =>
			withOutcome(withDetails(error, { ids: { sessionId } }), 'message'),
		);
	}
}

async function collectAnswer(
	response: HttpResponse,
	question: string,
	{ onText = () => {}, includeRawEvents = false, answerPath }: SendOptions,
): Promise<AgentAnswer> {
	const requestId = getRequestId(response.headers);
	const answer: AgentAnswer = { text: '', format: 'text', events: [], ...requestId };
	const accumulator = createTextAccumulator();
	const emitText = async (text: string) => {
		answer.text = accumulator.text();
		if (text) await onText(text);
	};
	let ended = false;
	let hasUnknown = false;
	let lookahead: LookaheadBody | undefined;
	try {
		lookahead = await openBody(response);
		for await (const chunk of readAnswer(response, { answerPath, question, lookahead })) {
			const { form, raw, text = '', summary = '', error, end, unknown } = chunk;
			answer.format = form;
			if (includeRawEvents || (!answer.text && answer.events.length < MAX_EVENTS_WITHOUT_TEXT))
				answer.events.push(raw);
			if (error !== undefined) throw agentReportedError(error, raw);
			await emitText(end ? accumulator.finishMessage(summary || text) : accumulator.add(text));
			hasUnknown ||= unknown === true;
			ended ||= end !== undefined;
			if (end === 'stream') break;
		}
		await emitText(accumulator.flush());
		if (!answer.text.trim() && !hasUnknown)
			throw truncatedAnswerError('It ended without any content.');
	} catch (cause) {
		accumulator.flush();
		answer.text = accumulator.text();
		// a connection that breaks after the end mark loses nothing
		const isComplete = ended && answer.text && isConnectionLoss(cause);
		if (isComplete) return answer;
		const { text, format, events } = answer;
		const partial: PartialAnswer = { text, format, ...(includeRawEvents && { events }) };
		throw mapServiceError(cause, (error) => {
			const withRequestId = withDetails(error, requestId);
			return lookahead ? withPartialAnswer(withRequestId, lookahead, partial) : withRequestId;
		});
	}
	return answer;
}

/** Whether the connection broke without an error from the service. */
const isConnectionLoss = (cause: unknown) =>
	cause instanceof ServiceError &&
	cause.kind === 'truncated' &&
	!cause.details.code &&
	!hasUnreadableChunk(cause);

function agentReportedError(error: unknown, raw: unknown): ServiceError {
	const { reason = 'The agent reported an error without a reason.', ...more } =
		parseErrorBody(error);
	return withDetails(unreadableChunkError(reason, raw), more);
}
