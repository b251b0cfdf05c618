// What so many requests add to the memory of a process that was small before, one after the other with eight at once: by Node alone,
// and by n8n's request helper, which a node cannot do without. Node keeps each closed connection, and all that hangs on it, until the
// next full garbage collection. `node test/bench/requestMemory.ts`, no build needed.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { OutboundHttp } from '@n8n/backend-network';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { POLL_CONCURRENCY } from './polls.ts';
import { workThrough } from './raw.ts';
import { aligned } from './table.ts';
import { mostMemory, startMemory } from './usage.ts';

const REQUESTS = 10_000;
/** MB of objects that are alive meanwhile, about as many as in n8n's main process. */
const ALIVE = 190;

const headers = { accept: 'application/json', 'accept-encoding': 'identity' };

type Send = (url: string) => Promise<unknown>;

const ways: Record<string, () => Send> = {
	'Node, one connection for many': () => byNode(new Agent({ keepAlive: true })),
	'Node, a connection for each': () => byNode(),
	"n8n's helper, JSON": () => byHelper({ headers, json: true }),
	"n8n's helper, as a stream": () =>
		byHelper({ headers, encoding: 'stream', returnFullResponse: true }),
};

function byNode(agent?: Agent): Send {
	return async (url) =>
		await new Promise((resolve, reject) =>
			get(url, { headers, agent: agent ?? new Agent() }, (answer) => resolve(text(answer))).once(
				'error',
				reject,
			),
		);
}

function byHelper(options: Partial<IHttpRequestOptions>): Send {
	const load = createRequire(import.meta.url);
	const network = load('@n8n/backend-network') as { OutboundHttp: typeof OutboundHttp };
	const { Container } = load('@n8n/di') as typeof import('@n8n/di');
	const client = Container.get(network.OutboundHttp).requests({ useDefaultSsrfPolicy: 'unsafe' });
	return async (url) => {
		const answer = await client.request<unknown>({ ...options, url });
		return options.encoding ? await text((answer as { body: Readable }).body) : answer;
	};
}

/** In the process of its own. */
async function measure(way: string, url: string): Promise<void> {
	const send = ways[way]?.();
	if (!send) throw new Error(`no way "${way}"`);
	const sendAll = async (count: number) =>
		await workThrough(count, POLL_CONCURRENCY, async () => void (await send(url)));
	const alive = Array.from({ length: ALIVE * 8192 }, (_, index) => ({ text: `object ${index}` }));
	await sendAll(200);
	gc?.();
	const before = startMemory(process.pid) ?? 0;
	await sendAll(REQUESTS);
	const most = (mostMemory(process.pid) ?? 0) - before;
	process.send?.({ most, alive: alive.length });
}

async function all(): Promise<void> {
	const job = JSON.stringify({ id: 'a-job', status: 'queued', estimated_cost: 40_000 });
	const server = createServer((_, answer) => answer.end(job)).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/images/jobs/a-job`;
	const rows = [];
	for (const way of Object.keys(ways)) {
		const child = fork(import.meta.filename, [way, url], {
			execArgv: [...process.execArgv, '--expose-gc'],
		});
		const ended = once(child, 'exit').then(() =>
			Promise.reject(new Error(`no figure of "${way}"`)),
		);
		// once there is a figure, the end is no error
		ended.catch(() => undefined);
		const [{ most }] = (await Promise.race([once(child, 'message'), ended])) as [{ most: number }];
		child.disconnect();
		rows.push([way, most.toFixed(0)]);
	}
	server.close();
	const title = `${REQUESTS} requests, ${POLL_CONCURRENCY} at once`;
	process.stdout.write(`${aligned([[title, 'RSS + MB'], ...rows])}\n`);
}

const [way, url] = process.argv.slice(2);
await (way && url ? measure(way, url) : all());
