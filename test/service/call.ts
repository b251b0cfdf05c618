import type { IncomingHttpHeaders } from 'node:http';

import type { Answer } from './answer.ts';

/** One request as the endpoints see it. */
export interface Call {
	method: string;
	/** Percent-encoded as it came, without query. */
	path: string;
	query: URLSearchParams;
	/** As it came. */
	queryText: string;
	headers: IncomingHttpHeaders;
	/** Parsed JSON; the text when it is no JSON; undefined when empty. */
	body: unknown;
	bodyText: string;
	/** Aborted when the connection closes. */
	closed: AbortSignal;
	/** Runs once the answer is over, however it ended. */
	onEnd(done: () => void): void;
}

export type Endpoint = (call: Call) => Answer | Promise<Answer>;

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Path parts, decoded; undefined when an escape is broken. */
export function partsOf(path: string): string[] | undefined {
	try {
		return path.split('/').slice(1).map(decodeURIComponent);
	} catch {
		return undefined;
	}
}
