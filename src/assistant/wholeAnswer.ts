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
	const type = response.headers['content-type']?.toLowerCase() ?? '';
	if (/json|html/.test(type)) return await readJson(response);
	const text = await readText(response);
	const parsed = tryParseJson(text);
	if (parsed !== undefined) return parsed;
	// half a JSON body, a web page or a stream of events is no text for a reader
	const isWords = type.startsWith('text/plain') || !/^(event:|data:|[<{[])/.test(text.trimStart());
	if (!isWords || !text.trim()) throw garbled(response, text);
	return text;
}

/**
 * Finds the text and the chat in a body whose shape is not specified.
 *
 * @throws ServiceError `garbled` for a body that is empty, or reports an error.
 */
export function readWhole(response: HttpResponse, body: unknown): CompleteAnswer {
	const reported = isObject(body) && (body['error'] || body['detail'] || body['errors']);
	const text = findAnswerText(body);
	if (body === null || body === '' || saysItFailed(body) || (reported && !text))
		throw garbled(response, JSON.stringify(body));
	const chatId = findChatId(body);
	return {
		text: text ?? JSON.stringify(body, null, 2),
		...(chatId !== undefined && { chatId }),
		body,
		...requestIdOf(response.headers),
	};
}

function saysItFailed(body: unknown): boolean {
	if (!isObject(body)) return false;
	return body['success'] === false || /^(error|failed|failure)$/i.test(String(body['status']));
}

/** Wherever it stands: the chat could not be continued without it. */
function findChatId(body: unknown, depth = 0): string | undefined {
	if (typeof body !== 'object' || body === null || depth > MAX_DEPTH) return undefined;
	if (isObject(body)) {
		const chat = body['chat'];
		const own = [
			body['chat_id'],
			body['chatId'],
			isObject(chat) && (chat['chat_id'] ?? chat['id']),
		];
		const id = own.find(
			(value) => (typeof value === 'string' && value) || typeof value === 'number',
		);
		if (id !== undefined) return String(id);
	}
	return Object.values(body)
		.map((value) => findChatId(value, depth + 1))
		.find(Boolean);
}

/** How deep it may be hidden. */
const MAX_DEPTH = 4;
