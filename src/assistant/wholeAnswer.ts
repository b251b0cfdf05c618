import { findAnswerText } from '../service/answerText';
import type { HttpResponse } from '../service/http';
import { isObject, tryParseJson } from '../service/json';
import { readJson, readText } from '../service/readBody';
import { garbled, requestIdOf } from '../service/refusals';

/** A complete answer with the body it was found in, whose shape is not specified. */
export interface CompleteAnswer {
	/** The text, where one was found; otherwise the body itself as text. */
	text: string;
	chatId?: string;
	body: unknown;
	requestId?: string;
}

/** The specification speaks of a JSON body; a plain text is taken for what it is. */
export async function readBody(response: HttpResponse): Promise<unknown> {
	if (!response.headers['content-type']?.startsWith('text/plain')) return await readJson(response);
	const text = await readText(response);
	return tryParseJson(text) ?? text;
}

/**
 * Finds the text and the chat in a body whose shape is not specified.
 *
 * @throws ServiceError `garbled` for a body that is empty, or reports an error.
 */
export function readWhole(response: HttpResponse, body: unknown): CompleteAnswer {
	const reported = isObject(body) && (body['error'] || body['detail']);
	const text = findAnswerText(body);
	if (body === null || body === '' || (reported && !text))
		throw garbled(response, JSON.stringify(body));
	const chatId = findChatId(body);
	return {
		text: text ?? JSON.stringify(body, null, 2),
		...(chatId !== undefined && { chatId }),
		body,
		...requestIdOf(response.headers),
	};
}

function findChatId(body: unknown): string | undefined {
	if (!isObject(body)) return undefined;
	const chat = body['chat'];
	const id =
		body['chat_id'] ??
		body['chatId'] ??
		(isObject(chat) ? (chat['chat_id'] ?? chat['id']) : undefined);
	if (typeof id === 'string' || typeof id === 'number') return String(id);
	return findChatId(body['data'] ?? body['result'] ?? body['response']);
}
