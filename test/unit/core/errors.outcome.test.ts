import {
	ServiceError,
	type ServiceErrorDetails,
	determineOutcome,
	withOutcome,
} from '../../../src/core/errors';

const refused = (status: number, more: ServiceErrorDetails = {}) =>
	new ServiceError('refused', 'refused', { status, ...more });

const withStatus = (outcome: string, ...statuses: number[]) =>
	statuses.map((status) => [`${status}`, refused(status), outcome] as const);

// faults.md 4.1, row by row
it.each<readonly [string, ServiceError, string]>([
	['nothing left', new ServiceError('unreachable', '', { sent: false }), 'not_started'],
	['it left, and no head came', new ServiceError('unreachable', '', { sent: true }), 'unknown'],
	['nobody knows whether it left', new ServiceError('unreachable', ''), 'unknown'],
	...withStatus('not_started', 400, 401, 402, 403, 404, 405, 406, 407, 410, 413, 415, 422, 429),
	...withStatus('not_started', 301, 302, 304, 307, 308, 411, 416, 421, 423, 425, 428, 431, 451),
	...withStatus('unknown', 303, 408, 409, 424, 500, 501, 502, 503, 504, 520, 599),
	// HTTP does not define them: a gateway may have made and paid an answer that a guardrail keeps back (446)
	...withStatus('unknown', 310, 399, 418, 420, 430, 440, 446, 449, 450, 460, 463, 498, 499, 999),
	['503 with Retry-After', refused(503, { retryAfter: 1000 }), 'unknown'],
	['no status', new ServiceError('refused', ''), 'unknown'],
	['2xx that cannot be read', new ServiceError('malformed', '', { status: 200 }), 'unknown'],
	['an answer that was cut', new ServiceError('truncated', ''), 'started'],
	['work that failed', new ServiceError('failed', ''), 'started'],
	['a wait that ended', new ServiceError('timeout', ''), 'started'],
	['stopped in flight', new ServiceError('cancelled', ''), 'unknown'],
	['stopped after it left', new ServiceError('cancelled', '', { sent: true }), 'unknown'],
	['stopped before it left', new ServiceError('cancelled', '', { sent: false }), 'not_started'],
	['refused on our side', new ServiceError('invalid', ''), 'not_started'],
])('%s is %s', (_event, error, expected) => {
	expect(determineOutcome(error)).toBe(expected);
	expect(withOutcome(error, 'question').details.outcome).toBe(expected);
});

it('says of an unknown outcome what it means, after the advice that was there', () => {
	const { details } = withOutcome(refused(503, { advice: 'Be patient.' }), 'job start');
	expect(details.advice).toBe(
		'Be patient. It is not known whether the service received the job start; it may be carried out and charged. Check before sending it again.',
	);
});

it('says nothing where the outcome is known', () => {
	expect(withOutcome(refused(402), 'job start').details).toEqual({
		status: 402,
		outcome: 'not_started',
	});
});

it('keeps an outcome that was found out elsewhere', () => {
	const known = new ServiceError('truncated', 'x', { outcome: 'unknown' });
	expect(withOutcome(known, 'job start').details.outcome).toBe('unknown');
});
