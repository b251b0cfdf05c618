import type { Http } from '../service/http';
import { joinEvents, type ResponseAnswer } from './responseEvents';
import { streamAnswer, type OnText } from './streamedAnswer';

/** What `POST /v1/responses` takes. Every further protocol field is forwarded as sent. */
export interface ResponseRequest {
	/** A model `id` from the catalog, e.g. `vendor/model`. */
	model: string;
	/** The whole conversation: responses are not stored. */
	input: string | object[];
	instructions?: string;
	/** Cap on output tokens, hidden reasoning included. Unset, the balance hold assumes 4096. */
	max_output_tokens?: number;
	temperature?: number;
	[field: string]: unknown;
}

/**
 * Asks a text model in the responses protocol and collects its streamed answer.
 *
 * @throws ServiceError with an outcome; `cut` when the stream reports an error or ends without `response.completed` (what
 *   arrived is in `details.partial`, and is billed).
 * @see POST /v1/responses
 */
export async function respond(
	http: Http,
	request: ResponseRequest,
	onText: OnText = () => {},
): Promise<ResponseAnswer> {
	const path = '/v1/responses';
	const thing = 'request for a response';
	const protocol = { path, thing, endMark: 'response.completed', join: joinEvents };
	return await streamAnswer(http, request, protocol, onText);
}
