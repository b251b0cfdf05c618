import { cut, explained, withDetails } from '../service/errors';
import { readEvents } from '../service/events';
import type { HttpResponse } from '../service/http';
import { readText } from '../service/readBody';
import { garbled, readReportedError, requestIdOf } from '../service/refusals';
import { namedEvent, reportsError } from './eventForms';
import { listenToAssistant, type AssistantAnswer, type EventListening } from './events';
import type { ToolCall } from './toolCalls';

export interface Collecting extends Omit<EventListening, 'onToolCall'> {
	/** Called with every piece of text as it arrives, and awaited. */
	onText(text: string): void | Promise<void>;
	/** Called when a tool is first seen to be used, and awaited. */
	onToolCall(call: ToolCall): void | Promise<void>;
	/** Called with the id of the chat the moment the service gives it. */
	onChat(chatId: string): void;
}

/**
 * Puts an answer together from its stream.
 *
 * @param text The whole body, where it has been read already.
 * @throws ServiceError `cut` with what arrived, `garbled` where nothing did.
 */
export async function collect(
	response: HttpResponse,
	{ onText, onToolCall, onChat, ...listening }: Collecting,
	text?: string,
): Promise<AssistantAnswer> {
	const requestId = requestIdOf(response.headers);
	if (response.headers['content-type']?.includes('html'))
		throw garbled(response, await readText(response));
	const begun: ToolCall[] = [];
	const heard = listenToAssistant({ ...listening, onToolCall: (call) => begun.push(call) });
	const events = readEvents(response, {
		bareEvents: true,
		...(text !== undefined && { pieces: inOnePiece(text) }),
	});
	let arrived = 0;
	try {
		for await (const { event: called, data: raw } of events) {
			arrived++;
			const { event, data, payload } = namedEvent(called, raw);
			// whatever follows `finish` is none of our business: leaving closes the connection
			if (event === 'finish') return { ...heard.answer(), ...requestId };
			if (payload === data && heard.knows(event))
				throw cut(`An event could not be read: ${event} ${data.slice(0, 200)}`);
			if (reportsError(event, payload)) {
				const { reason = 'The assistant reported an error without a reason.', ...more } =
					readReportedError(payload);
				throw withDetails(cut(reason), more);
			}
			const piece = heard.take(event, payload);
			const chatId = event === 'chat' ? heard.answer().chatId : undefined;
			if (chatId) onChat(chatId);
			for (const call of begun.splice(0)) await onToolCall(call);
			if (piece) await onText(piece);
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

async function* inOnePiece(text: string) {
	yield text;
}
