// The process of `pollProcess.ts`: the trigger, in n8n-core's own poll executor; and n8n's request helper alone.
import { OutboundHttp } from '@n8n/backend-network';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { Container } from '../engine/rig/container';
import type { Secrets } from '../engine/rig/credentials';
import { activated } from '../engine/rig/poll';
import { workThrough } from './workThrough';

/** What is to be done: to prepare a trigger, to poll, or to send requests through n8n's helper. */
export type PollOrder =
	/** @param n8n Whose requests are counted, e.g. `127.0.0.1:5678`. */
	{ secrets: Secrets; n8n: string } | 'poll' | { urls: string[]; concurrency: number };

export interface PollAnswer {
	/** Requests to n8n. */
	toN8n: number;
	error?: string;
}

let toN8n = 0;
let trigger: ReturnType<typeof activated>;

const now = Date.now;
let last = -Infinity;

/** n8n polls once a minute; here the clock is put forward instead. */
function aMinuteAfterTheLast() {
	const ahead = Math.max(0, last + 60_000 - Date.now()) + Date.now() - now();
	Date.now = () => now() + ahead;
	last = Date.now();
}

async function obey(order: PollOrder): Promise<PollAnswer> {
	toN8n = 0;
	if (order === 'poll') {
		aMinuteAfterTheLast();
		const { items, error } = await trigger.poll();
		if (error) return { toN8n, error: String(error.stack) };
		return items ? { toN8n, error: 'jobs were emitted, and none of them is done' } : { toN8n };
	}
	if ('secrets' in order) {
		trigger = activated({ parameters: {}, secrets: order.secrets });
		subscribe('http.client.request.start', (message) => {
			const { request } = message as { request: ClientRequest };
			if (request.getHeader('host') === order.n8n) toN8n++;
		});
		return { toN8n };
	}
	const client = Container.get(OutboundHttp).requests({ useDefaultSsrfPolicy: 'unsafe' });
	await workThrough(order.urls.length, order.concurrency, async (index) => {
		const options = {
			url: order.urls[index]!,
			encoding: 'stream',
			returnFullResponse: true,
		} as const;
		JSON.parse(await text((await client.request(options)).body as Readable));
	});
	return { toN8n };
}

process.on('message', (order: PollOrder) => {
	void obey(order)
		.catch((error: Error) => ({ toN8n, error: String(error.stack) }))
		.then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit(0));
