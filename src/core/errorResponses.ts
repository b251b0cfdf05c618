import { isUndefinedStatus, ServiceError, shortenText, type ServiceErrorDetails } from './errors';
import { extractText } from './extractText';
import { contentTypeOf, type HttpResponse, parseRetryAfter, readWait } from './http';
import { isMissing, isPlainObject, type JsonObject, tryParseJson } from './json';
import { isUsedUp, USED_UP_ADVICE } from './usedUp';
import { describeWebPage, isWebPage } from './webPage';

/** Characters of the service's message that are shown. */
const MAX_REASON_LENGTH = 2000;

export function refusedRequestError(response: HttpResponse, body: string): ServiceError {
	const { status, headers } = response;
	const { location = '' } = headers;
	const isLeading = status < 400 && URL.canParse(location);
	const retryAfter = parseRetryAfter(headers['retry-after'], Date.now()) ?? readWait(status, body);
	const details: ServiceErrorDetails = {
		status,
		...parseErrorBody(body, contentTypeOf(response)),
		...readOutcome(status, body),
		...getRequestId(headers),
	};
	if (isUsedUp(details)) {
		const usedUp = { ...details, advice: USED_UP_ADVICE, needsOperator: true } as const;
		return new ServiceError('refused', `The balance or a limit is used up (${status})`, usedUp);
	}
	return new ServiceError('refused', describeStatus(status), {
		...details,
		...(retryAfter !== undefined && { retryAfter }),
		// without the path and the query, which may contain a token
		...(isLeading && { reason: `It leads to ${new URL(location).origin}.` }),
	});
}

/**
 * What a refusal says of an answer that was made. Portkey: a guardrail after the request keeps back one that is paid. OpenAI and Azure: thinking
 * has used up the maximum. Groq: what the model wrote is no call of a tool. Anthropic and Alibaba: its answer was filtered. xAI charges for what
 * violates its guidelines, and Azure for a prompt that its filter keeps back.
 *
 * @see https://portkey.ai/docs/product/guardrails, Portkey-AI/gateway#1740
 * @see decolua/9router#972 (Azure), vercel/ai#6916 and HunorLaczko/ha-groq-cloud-api#20 (Groq), anthropics/claude-code#58367,
 *   langgenius/dify-official-plugins#1651 (Alibaba)
 * @see https://docs.x.ai/developers/pricing (Usage Guidelines Violation Fee), UKGovernmentBEIS/inspect_ai#2267
 * @see https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter ("status": 400), microsoft/TinyTroupe#85
 */
function readOutcome(status: number, body: string): Pick<ServiceErrorDetails, 'outcome'> {
	if (HAS_RUN.test(body)) return { outcome: 'started' };
	const hooks = Object(Object(tryParseJson(body)).hook_results) as JsonObject;
	const hasRefused = (name: string) =>
		[hooks[name]].flat().some((hook) => isPlainObject(hook) && hook['verdict'] === false);
	if (hasRefused('after_request_hooks')) return { outcome: 'started' };
	return status === 446 && hasRefused('before_request_hooks') ? { outcome: 'not_started' } : {};
}

const HAS_RUN =
	/could not finish the message because|\bfailed_generation\b|\btool_use_failed\b|\boutput (blocked by content|data may contain)|violates usage guidelines|\btriggering [^."]{0,40}content management policy/i;

/** The message of what a service itself reports with status 200. Its words are the reason: a title gets them once the keys are removed. */
export const REPORTED = 'The service reported an error';

/** Whether a message is that one, whatever the service is called in it. */
export const isReport = (message: string): boolean => /^The .+ reported an error$/.test(message);

/** The same for a job that has failed. */
export const JOB_FAILED = 'The media job failed';

/** The same failure as an error that the service itself reports. */
export const asReported = (
	{ kind, details }: ServiceError,
	reported: ServiceErrorDetails,
): ServiceError => new ServiceError(kind, REPORTED, { ...details, ...reported });

/** The error for a body that is not what was asked for. It may report an error. */
export function unexpectedBodyError(
	response: HttpResponse,
	body: unknown,
	text = JSON.stringify(body),
): ServiceError {
	const error = malformedResponseError(response, text);
	return reportsError(body) ? asReported(error, parseErrorBody(body)) : error;
}

/** @param body Of a web page, only the title is shown. */
export function malformedResponseError(response: HttpResponse, body: string): ServiceError {
	const { status, headers } = response;
	const isPage = isWebPage(body, contentTypeOf(response));
	const excerpt = isPage ? describeWebPage(body) : shortenText(body.trim(), 200);
	return new ServiceError('malformed', 'The service answered in a form that cannot be read', {
		status,
		reason: excerpt || 'The answer was empty.',
		...(isPage && {
			advice:
				'The response is a web page: it may come from a login page or a proxy, or the base URL may be wrong.',
		}),
		...getRequestId(headers),
	});
}

export function getRequestId(headers: HttpResponse['headers']): { requestId?: string } {
	const id = headers['x-request-id'];
	return id ? { requestId: shortenText(id, 200) } : {};
}

/**
 * A sentence for a status other than 2xx. 529 is Anthropic's own, and no proxy's.
 *
 * Each is returned as it is, and not from a table: so docs/troubleshooting.md finds it.
 */
export function describeStatus(status: number): string {
	if (status >= 300 && status < 400)
		return `The service sent a redirect (${status}), which is not followed`;
	if (status === 401) return 'The service refused the API key (401)';
	if (status === 402) return 'The balance does not cover this request (402)';
	if (status === 403) return 'The API key does not permit this request (403)';
	if (status === 404) return 'The service has nothing at this address or with this ID (404)';
	if (status === 407) return 'The proxy between n8n and the service requires a password (407)';
	if (status === 429) return 'The service is receiving too many requests (429)';
	if (isUndefinedStatus(status))
		return `The service answered with a status that HTTP does not define (${status})`;
	if (status >= 520 && status <= 530 && status !== 529)
		return `A proxy in front of the service got no answer that it could use (${status})`;
	if (status >= 500) return `The service reported an internal error (${status})`;
	return `The service refused the request (${status})`;
}

/** Our sentences about a service, said about n8n. */
export const describeN8n = (sentence: string) =>
	sentence
		.replace(/^The service\b/, 'n8n')
		.replace(/^The API key\b/, 'the n8n API key')
		.replace(/\bthe service\b/g, 'n8n');

/**
 * Reads the error that a service reports: in a refusal, with status 200, or in the middle of a stream.
 *
 * Accepts `{ error: { code, message, meta } }`, `{ code, message, meta }`, `{ error: 'text' }`, `{ error: 'code', message }`,
 * `{ detail: 'text' }`, `{ detail: [...] }`, `{ detail: { code, message, meta } }`, `{ detail: { error: { ... } } }`,
 * `{ errors: [{ ... }] }`, `{ error: [{ ... }] }` (Cloudflare's gateway, "code 2009"), `{ title: 'text' }` (NVIDIA NIM) and plain text: the
 * specification names `message`, `meta` and `detail`, but not what contains them. Gemini and Cloudflare put it into a list
 * (n4ze3m/page-assist#406).
 *
 * @param value A text, or JSON that was parsed.
 * @param type The `Content-Type` of a text, in lower case.
 */
export function parseErrorBody(value: unknown, type?: string): ServiceErrorDetails {
	const body = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
	const [parsed] = [tryParseJson(body)].flat();
	if (!isPlainObject(parsed))
		return body.trim() ? { reason: summarizeReason(body.trim(), type) } : {};
	const { error, data } = parsed;
	const inner = findInnerError(parsed) ?? parsed;
	const places = [inner, parsed, data].filter(isPlainObject);
	const messages = [
		...places.flatMap((place) => REASON_FIELDS.map((name) => place[name])),
		...places.map((place) => place['error']),
	];
	const message =
		messages.find((given) => given !== true && !isMissing(given)) ??
		extractText(parsed) ??
		// beside errors by field, a title says nothing
		((parsed['errors'] === undefined && parsed['title']) || body);
	const names = [inner['error'], error].filter((name) => name !== message);
	const code = findErrorCode([inner['code'], inner['type'], ...names, parsed['code']]);
	const meta = [inner['meta'], parsed['meta']].find(isPlainObject);
	const said = typeof message === 'string' ? message : JSON.stringify(message, withoutInput);
	return {
		reason: summarizeReason([said, ...passedOn(inner)].join(': ')),
		...(code && { code: shortenText(code, 100) }),
		...(meta && { meta }),
	};
}

/** Leaves out what FastAPI repeats of the request. @see https://docs.pydantic.dev/latest/errors/errors/ */
const withoutInput = (_name: string, value: unknown) =>
	isPlainObject(value) && Array.isArray(value['loc']) ? { ...value, input: undefined } : value;

/**
 * What a gateway passes on of the vendor's refusal, beside a message such as "Provider returned error".
 *
 * @see https://openrouter.ai/docs/api-reference/errors (metadata.raw), chatboxai/chatbox#3716 (MiMo: a sentence in param)
 */
function passedOn({ param, metadata }: JsonObject): string[] {
	const { raw } = Object(metadata) as JsonObject;
	return [param, raw].flatMap((given) => {
		const isSentence = typeof given === 'string' && /\S\s+\S/.test(given);
		return (isSentence && parseErrorBody(given).reason) || [];
	});
}

const REASON_FIELDS = ['message', 'detail', 'msg', 'errorText', 'errorMessage', 'status_msg'];

/** Some frameworks put the whole envelope into one more object. */
function findInnerError({ error, errors, detail, base_resp }: JsonObject): JsonObject | undefined {
	const inner = [[error].flat()[0], [errors].flat()[0], detail, base_resp].find(isPlainObject);
	const isEnvelope = inner && inner['message'] === undefined && inner['code'] === undefined;
	return (isEnvelope && findInnerError(inner)) || inner;
}

/**
 * Whether the value of an `error` field reports an error. Many services always send the field: null, false, empty, or with
 * code 0 and "success".
 */
export function isErrorValue(error: unknown): boolean {
	if (!error) return false;
	if (typeof error === 'string') return error.trim() !== '' && !NO_ERROR_TEXT.test(error.trim());
	if (Array.isArray(error)) return error.some(isErrorValue);
	if (isPlainObject(error)) return Object.values(error).some(isErrorValue);
	// 200 and the like only repeat the status
	return !(Number(error) >= 200 && Number(error) < 300);
}

/** Whether a value reports an error, in its field `error` or as its status. */
export const reportsError = (value: unknown): boolean =>
	isPlainObject(value) && (hasFailed(value) || isErrorValue(value['error']));

/** Whether a value without a text consists of errors. */
export const hasErrors = (value: unknown): boolean =>
	isPlainObject(value) &&
	Object.entries(value).some(([field, inner]) => ERROR_FIELD.test(field) && isErrorValue(inner));

const ERROR_FIELD = /^(errors?|detail|exception|fault|error_?(text|message|msg))$/i;

/** Whether a value says that the request, or the task, has failed. MiniMax: MiniMax-AI/MiniMax-01#15; Mistral, vLLM: an object "error". */
export function hasFailed(value: JsonObject): boolean {
	const { success, ok, status = value['state'] } = value;
	const state = status && isPlainObject(status) ? status['state'] : status;
	const flags = [success, ok, value['is_error'] !== true, value['isError'] !== true];
	if (flags.includes(false) || (typeof state === 'string' && FAILED_STATUS.test(state)))
		return true;
	const { status_code: ofMiniMax } = Object(value['base_resp']) as JsonObject;
	const hasFailedThere = ofMiniMax !== undefined && isAtLeast(ofMiniMax, 1);
	return hasFailedThere || value['object'] === 'error' || isRefusal(value);
}

/**
 * Some services answer every request with 200, and a failed one with a code and nothing but a message. RAGFlow has codes from 100 on; a status
 * of that kind is progress.
 */
function isRefusal(value: JsonObject): boolean {
	const { state, status = state, statusCode = status, code = statusCode } = value;
	const { detail, msg = detail, message = msg } = value;
	// most values have none
	if (code === undefined) return false;
	const isOfFailure = isAtLeast(code, code === value['code'] ? 100 : 400);
	if (!isOfFailure || !isErrorValue(code) || !isErrorValue(message)) return false;
	return [undefined, message].includes(extractText(value));
}

/** An object cannot be a number, and may even be none that JavaScript can try to make one. */
const isAtLeast = (value: unknown, least: number): boolean =>
	typeof value !== 'object' && Number(value) >= least;

const FAILED_STATUS = /^(task_state_)?(error|fail|failed|failure|rejected|canceled|cancelled)$/i;

const NO_ERROR_TEXT =
	/^(ok|okay|none|no|no[ _-]?errors?|null|nil|undefined|false|success|successful|0)[.!]?$/i;

const summarizeReason = (text: string, type?: string) =>
	isWebPage(text, type) ? describeWebPage(text) : shortenText(text, MAX_REASON_LENGTH);

/** Prefers a word to a number, which often only repeats the status. The word `error` says nothing. */
function findErrorCode(values: unknown[]): string | undefined {
	const given = values.filter((value) => typeof value === 'string' || typeof value === 'number');
	const codes = given.map(String).filter((code) => !/^(error)?$/i.test(code));
	return codes.find((code) => Number.isNaN(Number(code))) ?? codes[0];
}
