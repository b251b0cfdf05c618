import { fill } from './fill.ts';
import type { Stated } from './row.ts';

/** One answer, ready to be sent. */
export interface Reply {
	status: number;
	headers: Readonly<Record<string, string>>;
	/** Sent one after the other. */
	pieces: readonly string[];
}

export const json = (
	body: unknown,
	status = 200,
	headers: Readonly<Record<string, string>> = {},
): Reply => ({
	status,
	headers: { 'content-type': 'application/json', ...headers },
	pieces: [JSON.stringify(body)],
});

/** The answer of a row with its words put in. */
export function replyOf(stated: Stated, words: Readonly<Record<string, unknown>>): Reply {
	const body = fill(stated.body, words);
	if (typeof body !== 'string') {
		return json(body, stated.status, stated.type ? { 'content-type': stated.type } : {});
	}
	return {
		status: stated.status,
		headers: { 'content-type': stated.type ?? 'text/plain; charset=utf-8' },
		pieces: [body],
	};
}

/** Stands in where no record of an answer was found: a status and nothing that we would invent. */
export const bare = (status: number): Stated => ({ status, body: '', source: 'not recorded' });
