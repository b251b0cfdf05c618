import { omitMissing } from './json';

/**
 * - `unreachable`: no response head (connection refused, reset, timed out).
 * - `refused`: the service answered with a status other than 2xx; a redirect counts, it is never followed.
 * - `malformed`: the service answered 2xx, in a form that cannot be read.
 * - `truncated`: an answer stopped before its end; `partial` holds what arrived.
 * - `schemaMismatch`: an answer is complete, but does not match the requested schema or format.
 * - `timeout`: a wait reached its deadline; the job continues at the service.
 * - `failed`: the service accepted the request and reports that it failed (a failed media job, an expired file).
 * - `invalid`: rejected by this package before any request.
 * - `cancelled`: the execution was stopped while the request was under way.
 */
export type ServiceErrorKind =
	| 'unreachable'
	| 'refused'
	| 'malformed'
	| 'truncated'
	| 'failed'
	| 'schemaMismatch'
	| 'timeout'
	| 'invalid'
	| 'cancelled';

/** Any failure of a request to the service. The message is ours; the service's own message is in `details`. */
export class ServiceError extends Error {
	override readonly name = 'ServiceError';
	readonly kind: ServiceErrorKind;
	readonly details: ServiceErrorDetails;

	constructor(kind: ServiceErrorKind, message: string, details: ServiceErrorDetails = {}) {
		super(message);
		this.kind = kind;
		this.details = details;
	}
}

type Outcome = 'not_started' | 'unknown' | 'started';

export interface ServiceErrorDetails {
	/** HTTP status. Absent when no response head arrived. */
	status?: number;
	/** Machine-readable code from the router, e.g. `insufficient_balance`. */
	code?: string;
	/** Value of `X-Request-ID`, to be quoted to support. */
	requestId?: string;
	/** The service's own message, or the network error's. */
	reason?: string;
	/** What the user can do, as a complete sentence. */
	advice?: string;
	/** Figures that the router sends with a refusal. */
	meta?: Record<string, unknown>;
	/** What this package knows besides, such as figures that it computed from `meta`. */
	computed?: Record<string, unknown>;
	/** Figures of a budget that has no room for the request. */
	budget?: Record<string, unknown>;
	/** Milliseconds that the service asks to wait (`Retry-After`). */
	retryAfter?: number;
	/** Whether the whole request left this machine. Known for `unreachable` only. */
	sent?: boolean;
	/** Set when a retry cannot succeed: a certificate, a blocked address, a wrong protocol. */
	permanent?: boolean;
	/** Set when a retry may succeed soon, which the status does not show: the server is starting. */
	transient?: boolean;
	/** Set when an operator has to act, which the rest does not show: the runbook says how. */
	needsOperator?: true;
	/** Whether a request that starts work has started it. Set by `withOutcome`. */
	outcome?: Outcome;
	/** IDs that the service returned before the failure, e.g. `{ jobId }`, `{ chatId }`. Never dropped. */
	ids?: Record<string, string>;
	/** What arrived of an answer before the failure. */
	partial?: object;
}

/** The same error with more details. */
export function withDetails(error: ServiceError, more: ServiceErrorDetails): ServiceError {
	const ids = { ...error.details.ids, ...more.ids };
	return new ServiceError(error.kind, error.message, {
		...error.details,
		...more,
		...(Object.keys(ids).length && { ids }),
	});
}

/**
 * For `throw`: the caught error with more details if it is a `ServiceError`; anything else unchanged.
 *
 * A function, since n8n's linter forbids rethrowing a caught error.
 */
export function mapServiceError(
	cause: unknown,
	explain: (error: ServiceError) => ServiceError = (error) => error,
): unknown {
	return cause instanceof ServiceError ? explain(cause) : cause;
}

export function truncatedAnswerError(reason: string, partial?: object): ServiceError {
	const details = omitMissing({ reason, partial });
	return new ServiceError('truncated', 'The answer stopped before its end', details);
}

export function invalidInputError(message: string, advice?: string): ServiceError {
	return new ServiceError('invalid', message, advice ? { advice } : {});
}

/** Kinds of failure that only occur once the service has accepted the request. */
const KINDS_AFTER_START: ServiceErrorKind[] = ['truncated', 'failed', 'schemaMismatch', 'timeout'];

/**
 * Whether a failed request has started work.
 *
 * The services have no idempotency keys and no list of started work, so this alone decides whether a request may be
 * sent again: only after `not_started`. A refusal by the assistant or an agent is assumed to have started nothing.
 */
export function determineOutcome({ kind, details: { status = 0, sent } }: ServiceError): Outcome {
	if (kind === 'invalid') return 'not_started';
	if (kind === 'unreachable' || kind === 'cancelled')
		return sent === false ? 'not_started' : 'unknown';
	if (KINDS_AFTER_START.includes(kind)) return 'started';
	if (kind === 'malformed') return 'unknown';
	return REFUSALS.has(status) ? 'not_started' : 'unknown';
}

/**
 * Statuses that say that a request was not carried out. Not among them: 303, whose result is elsewhere, 408 and 409, 424, where a server
 * behind this one failed, and what HTTP does not define, such as 446, where a guardrail keeps back an answer that was made, and 499.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15
 * @see https://www.iana.org/assignments/http-status-codes
 */
const REFUSALS = new Set([
	300, 301, 302, 304, 305, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 410, 411, 412, 413,
	414, 415, 416, 417, 421, 422, 423, 425, 426, 428, 429, 431, 451,
]);

/** Whether HTTP does not say what a status means. */
export const isUndefinedStatus = (status: number): boolean =>
	status >= 400 && status < 500 && !REFUSALS.has(status) && ![408, 409, 424].includes(status);

/** Whether a request has certainly started nothing. */
export const isUnstarted = (cause: unknown): boolean =>
	cause instanceof ServiceError &&
	(cause.details.outcome ?? determineOutcome(cause)) === 'not_started';

/** Whether a service has refused what was asked: certainly nothing has started. @param more Statuses besides. */
export const isBadRequest = (cause: unknown, ...more: number[]): cause is ServiceError =>
	cause instanceof ServiceError &&
	cause.kind === 'refused' &&
	// Mistral says so with 422: litellm#30835
	[400, 422, ...more].includes(cause.details.status ?? 0) &&
	isUnstarted(cause);

/** Adds the outcome to an error, and advice if the outcome is unknown. */
export function withOutcome(error: ServiceError, requestName: string): ServiceError {
	const outcome = error.details.outcome ?? determineOutcome(error);
	if (outcome !== 'unknown') return withDetails(error, { outcome });
	const advice = `It is not known whether the service received the ${requestName}; it may be carried out and charged. Check before sending it again.`;
	return withDetails(error, { outcome, advice: joinSentences(error.details.advice, advice) });
}

/** One text of those that are there. */
export const joinSentences = (...sentences: Array<string | false | undefined>): string =>
	sentences.filter(Boolean).join(' ');

/** The message of anything that was thrown. */
export const messageOf = (cause: unknown): string =>
	cause instanceof Error ? cause.message : String(cause);

/** What a failure says: its message, and these details. */
export function sentencesOf(cause: unknown, ...names: Array<'reason' | 'advice'>): string {
	const details = cause instanceof ServiceError ? cause.details : {};
	return [messageOf(cause), ...names.map((name) => details[name])].filter(Boolean).join('. ');
}

/** Cuts a text off after this many characters, and marks that with "…". */
export const shortenText = (text: string, length: number) =>
	text.length > length ? `${cutText(text, length)}…` : text;

/**
 * The beginning of a text, or its end, of a length at most: what people see as one character, such as an emoji of several, is never cut.
 *
 * @param length UTF-16 units. Negative: from the end.
 */
export function cutText(text: string, length: number): string {
	if (text.length <= Math.abs(length)) return text;
	const place = length < 0 ? text.length + length : length;
	const from = Math.max(0, place - MAX_CHARACTER);
	const near = text.slice(from, place + MAX_CHARACTER);
	const { index = 0, segment = '' } = segmenter.segment(near).containing(place - from) ?? {};
	const isWhole = segment.length < MAX_CHARACTER;
	const start = isWhole ? from + index : place;
	const end = start < place ? start + segment.length : place;
	const cut = length < 0 ? text.slice(end) : text.slice(0, start);
	return cut.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '').toWellFormed();
}

const segmenter = new Intl.Segmenter('en');

/** UTF-16 units. What is longer, as a letter with very many marks, is cut anywhere. */
const MAX_CHARACTER = 100;

export const cancelledError = (sent?: boolean): ServiceError =>
	new ServiceError('cancelled', 'The execution was stopped', omitMissing({ sent }));

/** A time in ISO 8601 for people, e.g. `2026-11-24 08:30 UTC`. */
export const toMinutes = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`;

/** For places that join sentences: each has to end. */
export const withFullStop = (text: string) => (/[.!?…]\s*$/.test(text) ? text : `${text}.`);

/** A sentence as the end of another one. */
export const endOfSentence = (sentence: string) =>
	`${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, '');
