import { explained, withDetails } from '../service/errors';
import { isRefusal, type Http, type HttpResponse } from '../service/http';
import { tryParseJson } from '../service/json';
import { withOutcome } from '../service/outcome';
import { readRefusal, readText } from '../service/readBody';
import { garbled } from '../service/refusals';
import type { AssistantAnswer } from './events';
import { looksLikeEvents } from './eventForms';
import { collect, type Collecting } from './streamedAnswer';
import { readBody, readWhole, type CompleteAnswer } from './wholeAnswer';

export interface Question {
	/** What is asked, in plain words. */
	message: string;
	/** A chat to continue: goes back exactly as it came. */
	chat_id?: string;
	/** Unset, the service takes `svc_v1.2`. */
	model?: string;
}

/**
 * Asks, and waits for the whole answer.
 *
 * @throws ServiceError with an outcome.
 * @see POST {assistant_base_url}/invoke_assistant
 */
export async function ask(http: Http, question: Question): Promise<CompleteAnswer> {
	return await askAt(
		http,
		'/v1/invoke_assistant',
		'application/json',
		question,
		async (response) => {
			return readWhole(response, await readBody(response));
		},
	);
}

/**
 * Asks, and reads the answer as it is made.
 *
 * @throws ServiceError with an outcome; `cut` when the stream ends without its `finish` event (what arrived is in
 *   `details.partial`).
 * @see POST {assistant_base_url}/invoke_assistant_stream
 */
export async function askStreaming(
	http: Http,
	question: Question,
	{
		onText = () => {},
		onToolCall = () => {},
		onChat = () => {},
		now,
		...listening
	}: AskListening = {},
): Promise<AssistantAnswer & { body?: unknown }> {
	const begun = now?.() ?? 0;
	const time = () => (now?.() ?? 0) - begun;
	return await askAt(
		http,
		'/v1/invoke_assistant_stream',
		'text/event-stream',
		question,
		async (response) => {
			const hear = { onText, onToolCall, onChat, ...listening, time };
			if (response.headers['content-type']?.toLowerCase().includes('json')) {
				const said = await readText(response);
				if (looksLikeEvents(said)) return await collect(response, hear, said);
				const { text, chatId, ...whole } = readWhole(response, parsedAs(response, said));
				if (chatId) onChat(chatId);
				await onText(text);
				return {
					text,
					messageIds: [],
					toolCalls: [],
					events: [],
					...(chatId && { chatId }),
					...whole,
				};
			}
			return await collect(response, hear);
		},
	);
}

export interface AskListening extends Partial<Omit<Collecting, 'time'>> {
	/** Milliseconds, for the timeline of the tools. */
	now?: () => number;
}

async function askAt<Answer>(
	http: Http,
	path: string,
	accept: string,
	question: Question,
	read: (response: HttpResponse) => Promise<Answer>,
): Promise<Answer> {
	try {
		const response = await http.send({ method: 'POST', path, body: question, accept });
		if (isRefusal(response)) throw await readRefusal(response);
		return await read(response);
	} catch (cause) {
		const ids = question.chat_id ? { chatId: question.chat_id } : {};
		throw explained(cause, (error) =>
			withOutcome(withDetails(error, { ids: { ...ids, ...error.details.ids } }), 'question'),
		);
	}
}

function parsedAs(response: HttpResponse, text: string): unknown {
	const parsed = tryParseJson(text);
	if (parsed === undefined) throw garbled(response, text);
	return parsed;
}
