import type { Answer } from '../answer.ts';
import { partsOf, type Call } from '../call.ts';
import { uuidOf } from '../ids.ts';
import type { World } from '../world.ts';
import { completeChat } from './chat.ts';
import { routerError } from './error.ts';
import { jobsEndpoint } from './jobs.ts';
import { listModels, readModel } from './serving.ts';
import { createResponse } from './response.ts';

/** Section 4C; undefined when the path is none of C. */
export function routerEndpoint(world: World, call: Call): Promise<Answer> | undefined {
	const parts = partsOf(call.path) ?? [];
	if (parts[0] !== 'v1') return undefined;
	return answered(world, call, parts.slice(1));
}

/** Section 1: every response carries an `X-Request-ID`. */
export function withRequestId(world: World, answer: Answer): Answer {
	const id = `req-${uuidOf('request', world.next())}`;
	return { ...answer, headers: { 'x-request-id': id, ...answer.headers } };
}

async function answered(world: World, call: Call, parts: string[]) {
	return withRequestId(world, await route(world, call, parts));
}

function route(world: World, call: Call, parts: string[]): Answer | Promise<Answer> {
	// section 5: X-API-KEY on every request; `Authorization` does not count
	const key = call.headers['x-api-key'];
	if (typeof key !== 'string' || !world.accounts.has(key)) {
		return routerError(401, 'unauthorized', 'X-API-KEY is missing or not valid');
	}
	const [first, second, ...rest] = parts;
	if (first === 'models') {
		if (call.method !== 'GET') return wrongMethod(call);
		return second === undefined ? listModels(world) : readModel(parts.slice(1).join('/'));
	}
	const name = parts.join('/');
	if (name === 'chat/completions' || name === 'responses') {
		if (call.method !== 'POST') return wrongMethod(call);
		return first === 'chat' ? completeChat(world, call, key) : createResponse(world, call, key);
	}
	if (second === 'jobs') {
		const answer = jobsEndpoint(world, call, key, first ?? '', rest);
		if (answer) return answer;
	}
	return routerError(404, 'not_found', `no such path: ${call.path}`);
}

export const wrongMethod = (call: Call): Answer =>
	routerError(405, 'method_not_allowed', `${call.method} is not for this path`);
