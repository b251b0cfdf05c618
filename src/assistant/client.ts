import { foldAnswer } from '../core/answerReader';
import { getRequestId } from '../core/errorResponses';
import { mapServiceError, withDetails, withOutcome } from '../core/errors';
import type { Http } from '../core/http';
import { createAnswerFold, type AnswerOptions, type AssistantAnswer } from './answerFold';
import type { ToolCall } from './toolTimeline';

export interface Question {
	/** The question in plain language. */
	message: string;
	/** The chat to continue; sent back exactly as it was received. */
	chat_id?: string;
	/** Unset, the service uses `svc_v1.2`. */
	model?: string;
}

export interface AskOptions extends AnswerOptions {
	/** Called with every text chunk as it arrives, and awaited. */
	onText?: (text: string) => void | Promise<void>;
	/** Called when the first event of a tool call arrives, and awaited. */
	onToolCall?: (call: ToolCall) => void | Promise<void>;
	/** Returns the current time in milliseconds, for the timeline of the tools. */
	now?: () => number;
}

/**
 * Asks a question and waits for the complete answer.
 *
 * @throws ServiceError with an outcome; what arrived is in `details.partial`.
 * @see POST {assistant_base_url}/invoke_assistant
 */
export async function ask(
	http: Http,
	question: Question,
	options: Pick<AskOptions, 'onText' | 'onChat'> = {},
): Promise<Pick<AssistantAnswer, 'text' | 'chatId' | 'requestId'> & { body: unknown }> {
	const path = '/v1/invoke_assistant';
	const heard = { ...options, includeRawEvents: true };
	const answer = await sendQuestion(http, path, 'application/json', question, heard);
	const { text, chatId, requestId, events, body = { events } } = answer;
	return { text, ...(chatId && { chatId }), body, ...(requestId && { requestId }) };
}

/**
 * Asks a question and reads the streamed answer. A service may send a complete one in its place.
 *
 * @throws ServiceError with an outcome; `truncated` when the stream ends without its `finish` event. What arrived is in
 *   `details.partial`.
 * @see POST {assistant_base_url}/invoke_assistant_stream
 */
export async function askStreaming(
	http: Http,
	question: Question,
	options: AskOptions = {},
): Promise<AssistantAnswer> {
	const path = '/v1/invoke_assistant_stream';
	return await sendQuestion(http, path, 'text/event-stream', question, options);
}

async function sendQuestion(
	http: Http,
	path: string,
	accept: string,
	question: Question,
	{ onText, onToolCall, onChat, now = () => 0, ...options }: AskOptions,
): Promise<AssistantAnswer> {
	const startedAt = now();
	let chatId = question.chat_id;
	const hearChat = (id: string) => {
		chatId = id;
		onChat?.(id);
	};
	try {
		const response = await http.send({ method: 'POST', path, body: question, accept });
		const heard = { ...options, onChat: hearChat };
		const fold = createAnswerFold(response, heard, () => now() - startedAt);
		const tellCalls = async (text: string) => {
			for (const call of fold.newToolCalls.splice(0)) await onToolCall?.(call);
			if (text) await onText?.(text);
		};
		await foldAnswer(response, fold, (text) => {
			if (fold.newToolCalls.length) return tellCalls(text);
			return text ? onText?.(text) : undefined;
		});
		return { ...fold.answer(), ...getRequestId(response.headers) };
	} catch (cause) {
		const ids = chatId ? { chatId } : {};
		throw mapServiceError(cause, (error) =>
			withOutcome(withDetails(error, { ids: { ...ids, ...error.details.ids } }), 'question'),
		);
	}
}
