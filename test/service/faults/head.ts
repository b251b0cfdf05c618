import type { Answer } from '../answer.ts';
import type { Faults } from './fault.ts';

// both fields that the specification names for errors, so that any of the three can answer it
const defaultBody = (status: number) => ({
	detail: `fault: status ${status}`,
	error: { code: `fault_${status}`, message: `fault: status ${status}` },
});

/** Section 1: every response of the router has its `X-Request-ID`, so a fault leaves it there. */
function requestId(answer: Answer): Record<string, string> {
	const id = answer.headers['x-request-id'];
	return id === undefined ? {} : { 'x-request-id': id };
}

function instead(
	answer: Answer,
	status: number,
	body: unknown,
	headers: Record<string, string> = {},
): Answer {
	const isText = typeof body === 'string';
	const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
	return {
		...answer,
		status,
		headers: { ...requestId(answer), 'content-type': type, ...headers },
		body: isText ? body : JSON.stringify(body),
	};
}

/** Faults of the status and the headers. */
export const headFaults = {
	status: (answer, { status, body, headers }) =>
		instead(answer, status, body ?? defaultBody(status), headers),
	too_many_requests: (answer, { retryAfter }) =>
		instead(
			answer,
			429,
			defaultBody(429),
			retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
		),
	redirect: (answer, { status, to }) => instead(answer, status, '', { location: to }),
	/** Their names are in small letters. */
	headers: (answer, { headers }) => ({ ...answer, headers: { ...answer.headers, ...headers } }),
	empty: (answer) => ({ ...instead(answer, 204, ''), headers: requestId(answer) }),
} satisfies Partial<Faults>;
