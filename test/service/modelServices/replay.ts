import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { listen } from '../listen.ts';
import { chatRequest, type Body } from './chatRequest.ts';

/** One line of recorded.ndjson: what a real program answered on this machine, as it came. */
export interface Recorded {
	program: string;
	version: string;
	/** `models`, `no model`, `tool`, `wrong key` or `unknown model`; else the beginning of what the message says. */
	case: string;
	method: string;
	path: string;
	status: number;
	type: string;
	body: string;
}

export const RECORDED_ANSWERS = readFileSync(join(__dirname, 'recorded.ndjson'), 'utf8')
	.trim()
	.split('\n')
	.map((line) => JSON.parse(line) as Recorded);

/** The key that the programs were started with, in the replay. */
export const REPLAYED_KEY = ['sk', 'replay', '0123456789abcdef'].join('-');

/** The model that the programs had loaded. */
export const REPLAYED_MODEL = 'tiny';

/** Starts a server on loopback that answers as a program did. @param models The case that its list of models is */
export async function replay(program: string, models = 'models') {
	const posts: Body[] = [];
	const answers = RECORDED_ANSWERS.filter((one) => one.program === program);
	const takesKey = answers.some((one) => one.case === 'wrong key');
	const server = createServer(async (request, response) => {
		const { method = '', url: path = '', headers } = request;
		const body = await text(request);
		const fields = body ? (JSON.parse(body) as Body) : undefined;
		if (fields) posts.push(fields);
		const isRight = !takesKey || headers.authorization === `Bearer ${REPLAYED_KEY}`;
		const wanted = isRight ? (fields ? caseOf(fields) : models) : 'wrong key';
		const answer = answers.find(
			(one) => one.method === method && one.path === path && wanted.startsWith(one.case),
		);
		response.writeHead(answer?.status ?? 404, { 'content-type': answer?.type ?? 'text/plain' });
		response.end(answer?.body);
	});
	return {
		baseUrl: `http://127.0.0.1:${await listen(server)}/v1`,
		posts,
		/** Whether it refuses other keys. */
		takesKey,
		async stop() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}

function caseOf(fields: Body): string {
	const { model, tool, afterTool, lastText } = chatRequest(fields);
	if (model !== REPLAYED_MODEL) return 'unknown model';
	return tool && !afterTool ? 'tool' : lastText;
}
