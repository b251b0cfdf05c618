// What so many requests add to the memory of a process that was small before, one after the other with eight at once: by Node alone,
// and by n8n's request helper, which a node cannot do without. Node keeps each closed connection, and all that hangs on it, until the
// next full garbage collection. `node test/bench/requestMemory.ts`, no build needed.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { OutboundHttp } from '@n8n/backend-network';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { POLL_CONCURRENCY } from './polls.ts';
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
			get(url, { headers, agent: agent ?? new Agent() }, (answer) => resolve(textOf(answer))).once(
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
		return options.encoding ? await textOf((answer as { body: AsyncIterable<Buffer> }).body) : answer;
	};
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
	let text = '';
	for await (const piece of stream) text += piece.toString();
	return text;
}

/** In the process of its own. */
async function measure(way: string, url: string): Promise<void> {
	const send = ways[way]?.();
	if (!send) throw new Error(`no way "${way}"`);
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	const sendAll = async (count: number) => {
		let left = count;
		const one = async () => {
			while (left-- > 0) await send(url);
		};
		await Promise.all(Array.from({ length: POLL_CONCURRENCY }, one));
	};
	const alive = Array.from({ length: ALIVE * 8192 }, (_, index) => ({ text: `object ${index}` }));
	await sendAll(200);
	collectGarbage();
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
		const child = fork(import.meta.filename, [way, url]);
		const [{ most }] = (await once(child, 'message')) as [{ most: number }];
		child.disconnect();
		rows.push([way, most.toFixed(0)]);
	}
	server.close();
	const title = `${REQUESTS} requests, ${POLL_CONCURRENCY} at once`;
	process.stdout.write(`${aligned([[title, 'RSS + MB'], ...rows])}\n`);
}

const [way, url] = process.argv.slice(2);
await (way && url ? measure(way, url) : all());
