import type { Answer } from '../answer.ts';
import type { Faults } from './fault.ts';

/** `+30` is the HTTP date thirty seconds from now; anything else is sent as it is. */
function retryAfter(value: number | string, now: number): string {
	if (typeof value === 'string' && /^[+]\d+$/.test(value)) {
		return new Date(now + Number(value) * 1000).toUTCString();
	}
	return String(value);
}

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
	too_many_requests: (answer, { retryAfter: after }, now) =>
		instead(
			answer,
			429,
			defaultBody(429),
			after === undefined ? {} : { 'retry-after': retryAfter(after, now) },
		),
	redirect: (answer, { status, to }) => instead(answer, status, '', { location: to }),
	headers(answer, fault) {
		const headers = { ...answer.headers };
		for (const [name, value] of Object.entries(fault.headers)) {
			if (value === null) delete headers[name.toLowerCase()];
			else headers[name.toLowerCase()] = value;
		}
		return { ...answer, headers };
	},
	empty: (answer, { status = 204 }) => ({
		...instead(answer, status, ''),
		headers: requestId(answer),
	}),
} satisfies Partial<Faults>;
