import { parseErrorBody } from './errorResponses';
import { joinSentences, ServiceError, withDetails } from './errors';
import {
	contentTypeOf,
	type Http,
	type HttpRequest,
	type HttpResponse,
	parseRetryAfter,
	readFirstChunk,
	readWait,
	toBody,
} from './http';
import { type End, MS_PER_MINUTE, type RateLimiter, type Turn } from './rateLimit';
import { backOffWithJitter } from './retry';
import { isTooLarge, isUsedUp } from './usedUp';

const MAX_ATTEMPTS = 4;

/**
 * Sends every request through a limiter, and again only where that is safe:
 *
 * - a GET after a broken connection, 408, 429 or 5xx;
 * - a POST that was certainly not received, or was answered with 429. Every POST of this service costs money or has effects.
 *
 * A 429 that says that money, or what is free per day, is used up is returned at once, as is one for a request that never fits. Any other
 * delays all requests of the same limiter until its `Retry-After` is over. When the wait would be longer than `maxRateLimitWait`, the 429
 * is returned at once.
 */
export function withRetries(
	http: Http,
	limiter: RateLimiter,
	turn: Omit<Turn, 'signal'>,
): Pick<Http, 'send'> {
	const { clock, maxRateLimitWait, perMinute } = turn;

	/** @returns with the milliseconds after which the request may follow once more, if it may and has to. */
	const sendOnce = async (request: HttpRequest, backOff: number, end: End) => {
		let pause: number | undefined;
		try {
			const answered = await http.send(request);
			const isLimited = answered.status === 429;
			if (!isLimited && !isRetryableResponse(request, answered)) return { response: answered };
			const { response, isRefused, bodyWait } = isLimited
				? await readRefusal(answered)
				: { response: answered, isRefused: false, bodyWait: undefined };
			const now = clock.now();
			// without the header: a limit per minute of the clock is free again in the next minute
			const unasked = isRefused && perMinute ? MS_PER_MINUTE - (now % MS_PER_MINUTE) : 0;
			const asked = parseRetryAfter(response.headers['retry-after'], now) ?? bodyWait ?? unasked;
			const wait = Math.max(asked, backOff);
			if (isRefused) pause = wait;
			const isTooLong = (isRefused ? wait : asked) > maxRateLimitWait;
			const isFinal = isTooLong || (isLimited && (!isRefused || request.isUnsureAfter429));
			return { response, isRefused, wait: isFinal ? undefined : wait };
		} finally {
			end(pause);
		}
	};

	return {
		async send(request) {
			for (let attempt = 1; ; attempt++) {
				const isLast = attempt === MAX_ATTEMPTS;
				const backOff = backOffWithJitter(attempt, clock);
				const end = await limiter.acquire({ ...turn, signal: request.signal });
				try {
					const { response, isRefused, wait } = await sendOnce(request, backOff, end);
					if (isLast || wait === undefined) return response;
					// closes the connection; a broken one is closed already
					await readFirstChunk(response).catch(() => {});
					// after 429 the limiter waits
					if (!isRefused) await clock.sleep(wait);
				} catch (cause) {
					if (isLast || !(cause instanceof ServiceError) || !isRetryableError(request, cause))
						throw withAttemptCount(cause, attempt);
					await clock.sleep(backOff);
				}
			}
		},
	};
}

/**
 * A limit that is not free again in the seconds that Google names for it in words.
 *
 * @see https://ai.google.dev/gemini-api/docs/rate-limits, UKGovernmentBEIS/inspect_ai#5526 and googleapis/python-genai#2044 (GenerateRequestsPerDayPerProjectPerModel), Gitlawb/openclaude#1549
 *   (OpenRouter)
 */
const PER_DAY = /per[ -]?day|\bdaily\b/i;

/** Bytes of a refusal that are read. */
const MAX_REFUSAL = 64 * 1024;

/** Reads a 429. @returns the same with what was read, whether it may be sent again later, and the milliseconds that its body asks for. */
async function readRefusal(response: HttpResponse) {
	const chunks: Uint8Array[] = [];
	let length = 0;
	try {
		for await (const chunk of response.body) {
			chunks.push(chunk);
			length += chunk.length;
			if (length > MAX_REFUSAL) break;
		}
	} catch {
		// the status is enough
	}
	const { status, headers } = response;
	const hasHeader = headers['retry-after'] !== undefined;
	const bytes = Buffer.concat(chunks);
	const body = bytes.toString();
	const details = parseErrorBody(body, contentTypeOf(response));
	return {
		response: { ...response, body: toBody(bytes) },
		isRefused:
			!isUsedUp({ status, ...details }) &&
			!isTooLarge({ status, ...details }) &&
			(hasHeader || !PER_DAY.test(body)),
		bodyWait: readWait(status, body),
	};
}

function isRetryableResponse({ method }: HttpRequest, { status }: HttpResponse): boolean {
	return method === 'GET' && (status === 408 || status >= 500);
}

function isRetryableError({ method }: HttpRequest, { kind, details }: ServiceError): boolean {
	if (kind !== 'unreachable' || details.permanent) return false;
	return method === 'GET' || details.sent === false;
}

function withAttemptCount(cause: unknown, attempts: number): unknown {
	if (attempts === 1 || !(cause instanceof ServiceError)) return cause;
	const reason = joinSentences(cause.details.reason, `Tried ${attempts} times.`);
	return withDetails(cause, { reason });
}
