import { cut, explained, withDetails } from '../service/errors';
import { readEvents } from '../service/events';
import { isRefusal, type Http, type HttpResponse } from '../service/http';
import { isObject, tryParseJson } from '../service/json';
import { withOutcome } from '../service/outcome';
import { readJson, readRefusal, readText } from '../service/readBody';
import { garbled, readReportedError, requestIdOf } from '../service/refusals';
import { listenToAssistant, type AssistantAnswer, type EventListening } from './events';
import type { ToolCall } from './toolCalls';
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
			if (response.headers['content-type']?.includes('json')) {
				const { text, chatId, ...whole } = readWhole(response, await readJson(response));
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
			return await collect(response, { onText, onToolCall, onChat, ...listening, time });
		},
	);
}

export interface AskListening extends Pick<EventListening, 'keepEvents' | 'language'> {
	/** Called with every piece of text as it arrives, and awaited. */
	onText?: (text: string) => void | Promise<void>;
	/** Called when a tool is first seen to be used, and awaited. */
	onToolCall?: (call: ToolCall) => void | Promise<void>;
	/** Called with the id of the chat the moment the service gives it. */
	onChat?: (chatId: string) => void;
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

type Collecting = Required<Pick<AskListening, 'onText' | 'onToolCall' | 'onChat'>> &
	Omit<EventListening, 'onToolCall'>;

async function collect(
	response: HttpResponse,
	{ onText, onToolCall, onChat, ...listening }: Collecting,
): Promise<AssistantAnswer> {
	const requestId = requestIdOf(response.headers);
	if (response.headers['content-type']?.includes('html'))
		throw garbled(response, await readText(response));
	const begun: ToolCall[] = [];
	const heard = listenToAssistant({ ...listening, onToolCall: (call) => begun.push(call) });
	let arrived = 0;
	try {
		for await (const { event = '', data } of readEvents(response, { bareEvents: true })) {
			arrived++;
			// whatever follows `finish` is none of our business: leaving closes the connection
			if (event === 'finish') return { ...heard.answer(), ...requestId };
			const parsed = tryParseJson(data);
			if (parsed === undefined && data && heard.knows(event))
				throw cut(`An event could not be read: ${event} ${data.slice(0, 200)}`);
			const payload = parsed === undefined && data ? data : parsed;
			if (/error/.test(event) || (isObject(payload) && payload['error'])) {
				const { reason = 'The assistant reported an error without a reason.', ...more } =
					readReportedError(payload);
				throw withDetails(cut(reason), more);
			}
			const text = heard.take(event, payload);
			const chatId = event === 'chat' ? heard.answer().chatId : undefined;
			if (chatId) onChat(chatId);
			for (const call of begun.splice(0)) await onToolCall(call);
			if (text) await onText(text);
		}
		if (!arrived) throw garbled(response, 'No event arrived.');
		throw cut('The stream ended without its "finish" event.');
	} catch (cause) {
		const partial = heard.answer();
		const ids = partial.chatId ? { chatId: partial.chatId } : {};
		throw explained(cause, (error) =>
			withDetails(error, { ...(error.kind !== 'garbled' && { partial }), ids, ...requestId }),
		);
	}
}
