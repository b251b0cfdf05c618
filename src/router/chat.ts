import { findAnswerText } from '../service/answerText';
import type { Http } from '../service/http';
import { isObject } from '../service/json';
import { joinChunks, type ChatAnswer } from './chatChunks';
import type { ChatMessage } from './messages';
import { streamAnswer, type Joiner, type OnText } from './streamedAnswer';

/** What `POST /v1/chat/completions` takes. Every further protocol field is forwarded as sent. */
export interface ChatRequest {
	/** A model `id` from the catalog, e.g. `vendor/model`. */
	model: string;
	messages: ChatMessage[];
	/** Cap on output tokens, hidden reasoning included. Unset, the balance hold assumes 4096. */
	max_tokens?: number;
	/** 0 to 2. */
	temperature?: number;
	[field: string]: unknown;
}

/**
 * Asks a text model in the chat-completions protocol and collects its streamed answer.
 *
 * @throws ServiceError with an outcome; `cut` when the stream reports an error or ends without `[DONE]` (what arrived is in
 *   `details.partial`, and is billed).
 * @see POST /v1/chat/completions
 */
export async function complete(
	http: Http,
	request: ChatRequest,
	onText: OnText = () => {},
): Promise<ChatAnswer> {
	const path = '/v1/chat/completions';
	const protocol = { path, thing: 'chat request', endMark: '[DONE]', join };
	return await streamAnswer(http, request, protocol, onText);
}

function join(requestedModel: string): Joiner<ChatAnswer> {
	const { take, answer } = joinChunks(requestedModel);
	let whole: Record<string, unknown> | undefined;
	return {
		take,
		takeWhole(body) {
			if (!Array.isArray(body['choices'])) return false;
			whole = body;
			take(body);
			return true;
		},
		answer() {
			const joined = answer();
			if (joined.text || !whole) return joined;
			const [first] = Array.isArray(whole['choices']) ? whole['choices'] : [];
			const message = isObject(first) ? first['message'] : undefined;
			return { ...joined, text: findAnswerText(message) ?? '' };
		},
	};
}
