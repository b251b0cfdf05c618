// The process of `pollProcess.ts`: the trigger, in n8n-core's own poll executor.
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { activated } from '../engine/rig/poll';
import type { Secrets } from '../engine/rig/credentials';

/** What is to be polled. */
export interface PollOrder {
	secrets: Secrets;
	/** Whose requests are counted, e.g. `127.0.0.1:5678`. */
	n8n: string;
}

export interface PollAnswer {
	/** Milliseconds. */
	wall: number;
	/** Requests to n8n. */
	toN8n: number;
	/** How many items were emitted. */
	items: number;
	error: string | undefined;
}

const MINUTE = 60_000;

let toN8n = 0;
let trigger: ReturnType<typeof activated>;

function begin({ secrets, n8n }: PollOrder): void {
	trigger = activated({ parameters: {}, secrets });
	subscribe('http.client.request.start', (message) => {
		const { request } = message as { request: ClientRequest };
		if (request.getHeader('host') === n8n) toN8n++;
	});
}

const now = Date.now;
let last = -Infinity;

/** n8n polls once a minute; here the clock is put forward instead, so that nobody has to wait. */
function aMinuteAfterTheLast(): void {
	const ahead = Math.max(0, last + MINUTE - Date.now()) + Date.now() - now();
	Date.now = () => now() + ahead;
	last = Date.now();
}

async function poll(): Promise<PollAnswer> {
	aMinuteAfterTheLast();
	toN8n = 0;
	const started = performance.now();
	const { items, error } = await trigger.poll();
	const wall = performance.now() - started;
	return { wall, toN8n, items: items?.length ?? 0, error: error && String(error.stack) };
}

process.on('message', (message: PollOrder | 'poll') => {
	if (message === 'poll') return void poll().then((answer) => process.send?.(answer));
	begin(message);
	process.send?.({ wall: 0, toN8n: 0, items: 0, error: undefined } satisfies PollAnswer);
});
process.on('disconnect', () => process.exit(0));
