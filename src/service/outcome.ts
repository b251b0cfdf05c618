import { ServiceError, withDetails } from './errors';

/** Kinds of failure that happen only to what the service has accepted. */
const STARTED = new Set<ServiceError['kind']>(['cut', 'failed', 'unfit', 'unfinished']);

export type Outcome = 'not_started' | 'unknown' | 'started';

/**
 * What became of a request that starts work, as far as its failure tells.
 *
 * There is no idempotency key and no list of what was started, so nothing but this decides whether a request may be
 * sent again: only `not_started` may. For the assistant and the agents, a refusal is assumed to have started nothing.
 */
export function outcomeOf({ kind, details: { status = 0, sent } }: ServiceError): Outcome {
	if (kind === 'invalid') return 'not_started';
	if (kind === 'unreachable' || kind === 'stopped')
		return sent === false ? 'not_started' : 'unknown';
	if (STARTED.has(kind)) return 'started';
	if (kind === 'garbled') return 'unknown';
	// 303 means that what was sent has been taken, and that its result is elsewhere
	const mayHaveRun = status < 300 || [303, 408, 409].includes(status) || status >= 500;
	return mayHaveRun ? 'unknown' : 'not_started';
}

/** The same error with its outcome said, and for an unknown one what that means. */
export function withOutcome(error: ServiceError, thing: string): ServiceError {
	const outcome = error.details.outcome ?? outcomeOf(error);
	if (outcome !== 'unknown') return withDetails(error, { outcome });
	const advice = `It is not known whether the service received the ${thing}; it may be carried out and charged. Check before sending it again.`;
	return withDetails(error, {
		outcome,
		advice: [error.details.advice, advice].filter(Boolean).join(' '),
	});
}
