import { foldAnswer } from '../core/answerReader';
import { getRequestId } from '../core/errorResponses';
import { mapServiceError, withDetails, withOutcome } from '../core/errors';
import { contentTypeOf, type Http } from '../core/http';
import { encodePathSegment } from '../core/urls';
import { createAnswerFold, type AgentAnswer } from './answerFold';

export type { PartialAnswer } from './answerFold';

export interface SendOptions {
	/** Called with every text chunk as it arrives, and awaited. */
	onText?: (text: string) => void | Promise<void>;
	/** Keeps every event. Default: only the first ones of an answer without text. */
	includeRawEvents?: boolean;
	/** Path of the text in an event, e.g. `data.reply`. Unset, all usual fields are tried. */
	answerPath?: string | undefined;
}

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
	{ onText = () => {}, includeRawEvents = false, answerPath }: SendOptions = {},
): Promise<AgentAnswer & { requestId?: string }> {
	const path = `/session/${encodePathSegment(sessionId, 'Session ID')}/messages`;
	const accept = 'text/event-stream, application/x-ndjson, application/json, text/plain';
	try {
		const response = await http.send({ method: 'POST', path, body: { content }, accept });
		const type = contentTypeOf(response);
		const fold = createAnswerFold({ question: content, includeRawEvents, answerPath, type });
		await foldAnswer(response, fold, (text) => (text ? onText(text) : undefined));
		return { ...fold.answer(), ...getRequestId(response.headers) };
	} catch (cause) {
		throw mapServiceError(cause, (error) =>
			withOutcome(withDetails(error, { ids: { sessionId } }), 'message'),
		);
	}
}
