import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { json } from './answer.ts';
import type { Call, Endpoint } from './call.ts';
import type { Connections } from './connections.ts';
import { applyFaults } from './faults/apply.ts';
import { hasEffect, type Fault } from './faults/fault.ts';
import type { Rules } from './faults/rules.ts';
import type { Gate } from './gate.ts';
import type { Record, RecordedRequest } from './record.ts';
import { send, type Wire } from './send.ts';

export interface Parts {
	record: Record;
	rules: Rules;
	connections: Connections;
	now: () => number;
	gate: Gate;
	/** The endpoints of the specification. */
	endpoint: Endpoint;
	/** The answer when an endpoint's work is not done: only what its headers always have. */
	untouched: Endpoint;
}

/** Takes one HTTP request through record, faults and endpoint. */
export function createListener(parts: Parts) {
	const take = async (request: IncomingMessage, response: ServerResponse) => {
		const { record, rules, connections } = parts;
		const closing = new AbortController();
		const ends: Array<() => void> = [];
		const call = readHead(request, closing.signal, ends);
		const recorded: RecordedRequest = {
			method: call.method,
			path: request.url ?? '/',
			headers: request.headers,
			body: undefined,
			bodyText: '',
			abandoned: false,
			at: parts.now(),
		};
		let broken = false;
		const wire: Wire = {
			response,
			closed: closing.signal,
			reset: () => connections.reset(request.socket),
			released: async () => await parts.gate.opened(closing.signal),
			breaking: () => (broken = true),
		};
		record.requests.push(recorded);
		record.begin();
		response.on('close', () => {
			recorded.abandoned = !response.writableFinished && !broken;
			if (response.headersSent) recorded.status = response.statusCode;
			closing.abort();
			for (const end of ends) end();
			record.end();
		});
		// a client that leaves is no error of the service
		response.on('error', () => undefined);

		if (rules.strikesUnread(call)) {
			rules.take(call, false);
			request.pause();
			return await send({ ...json({}), before: [{ act: 'reset' }] }, wire);
		}
		const bodyText = await text(request).catch(() => undefined);
		if (bodyText === undefined) return;
		call.bodyText = recorded.bodyText = bodyText;
		call.body = recorded.body = parsed(bodyText);

		await send(await answerTo(call, rules.take(call, true), parts), wire);
	};
	return (request: IncomingMessage, response: ServerResponse) => {
		take(request, response).catch((error: unknown) => {
			// an error of the service itself must be seen as one
			parts.record.unexpected.push(`${request.method} ${request.url}: ${String(error)}`);
			if (response.headersSent) response.destroy();
			else response.writeHead(500).end(`reference service: ${String(error)}`);
		});
	};
}

async function answerTo(call: Call, faults: Fault[], parts: Parts) {
	const endpoint = hasEffect(faults) ? parts.endpoint : parts.untouched;
	return await applyFaults(await endpoint(call), faults);
}

function readHead(request: IncomingMessage, closed: AbortSignal, ends: Array<() => void>): Call {
	const [path = '/', ...query] = (request.url ?? '/').split('?');
	return {
		method: request.method ?? '',
		path,
		query: new URLSearchParams(query.join('?')),
		queryText: query.join('?'),
		headers: request.headers,
		body: undefined,
		bodyText: '',
		closed,
		onEnd: (done) => ends.push(done),
	};
}

function parsed(body: string): unknown {
	if (!body) return undefined;
	try {
		return JSON.parse(body);
	} catch {
		return body;
	}
}
