import { gzipSync } from 'node:zlib';

import { bytesOf, holding, type Answer, type Piece } from '../answer.ts';
import type { Faults } from './fault.ts';

const LOGIN_PAGE =
	'<!DOCTYPE html>\n<html><head><title>Sign in</title></head>' +
	'<body><form action="/login"><input name="password"></form></body></html>\n';

const typed = (answer: Answer, type: string): Answer => ({
	...answer,
	headers: { ...answer.headers, 'content-type': type },
});

const compressed = (answer: Answer): Answer => ({
	...answer,
	headers: { ...answer.headers, 'content-encoding': 'gzip' },
});

async function* blanks(bytes: number): AsyncGenerator<Piece> {
	const block = Buffer.alloc(65_536, ' ');
	for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, left);
}

/** Faults of what the body holds. */
export const bodyFaults = {
	body(answer, { body, contentType }) {
		const held = holding(answer, body);
		return contentType === undefined ? held : typed(held, contentType);
	},
	async cut_json(answer) {
		const whole = await bytesOf(answer.body);
		return holding(answer, whole.subarray(0, Math.floor(whole.length / 2)));
	},
	deep_json: (answer, { depth }) =>
		typed(holding(answer, '['.repeat(depth) + ']'.repeat(depth)), 'application/json'),
	login_page: (answer) => ({
		...typed(holding(answer, LOGIN_PAGE), 'text/html; charset=utf-8'),
		status: 200,
	}),
	async replace(answer, { find, with: text }) {
		return holding(answer, (await bytesOf(answer.body)).toString().replaceAll(find, text));
	},
	bomb: (answer, { bytes, gzip }) =>
		gzip
			? compressed(holding(answer, gzipSync(Buffer.alloc(bytes, ' '))))
			: holding(answer, blanks(bytes)),
} satisfies Partial<Faults>;
