import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

import { mostMemory, startMemory } from '../bench/usage.ts';
import { listen } from '../service/listen.ts';
import { bridgeOfFile, messages, model, nodesFor, secretsOf, type Accounts } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { onWorkers, sharedPid } from './shared.ts';
import { workflow, type WorkflowNode } from './workflow.ts';

// an event that has no end: SECURITY.md promises that it is cut off at 64 MiB, and exhausts nothing meanwhile
const bridge = bridgeOfFile();

const MB = 1024 * 1024;
/** Bytes that the service would send. */
const SIZE = 400 * MB;
/** MB by which n8n may grow meanwhile. */
const MAX_GROWTH = 350;

/** Answers every POST with the beginning of one event, and with nothing but its text then. */
async function startEndless(head: string) {
	let sent = 0;
	const block = 'lorem ipsum '.repeat(5461);
	const server: Server = createServer((request, response) => {
		request.resume();
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		response.write(head);
		const closed = once(response, 'close');
		const drained = async () =>
			await new Promise<void>((resolve) => response.once('drain', () => resolve()));
		void (async () => {
			for (; sent < SIZE && !response.destroyed; sent += block.length)
				if (!response.write(block)) await Promise.race([drained(), closed]);
			response.end();
		})();
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	return { url, sent: () => sent, stop: () => server.close() };
}

const rows: Array<[who: string, head: string, node: (accounts: Accounts) => WorkflowNode]> = [
	[
		'an agent',
		'data: {"text":"',
		(accounts) => nodesFor(accounts).agent('Node', ['message', 'send'], { message: 'hi' }),
	],
	[
		'the assistant',
		'event: message_start\ndata: {"t":"',
		(accounts) =>
			nodesFor(accounts).assistant('Node', ['question', 'askStreaming'], { question: 'hi' }),
	],
	[
		'a model',
		'data: {"choices":[{"index":0,"delta":{"content":"',
		(accounts) =>
			nodesFor(accounts).router('Node', ['text', 'message'], {
				model: model('northwind/quill-2.5'),
				...messages('hi'),
				options: { allowUnknownCost: true },
			}),
	],
];

it.each(rows)('%s: an event without end is cut off at once', async (_who, head, node) => {
	const endless = await startEndless(head);
	const secrets = secretsOf(bridge.service);
	const move = (address: unknown) => String(address).replace(bridge.service.url, endless.url);
	const accounts = { ...bridge.accounts };
	for (const name of ['agent', 'assistant', 'router'] as const) {
		const { data, ...secret } = secrets[name];
		accounts[name] = await bridge.editor.createCredential({
			...secret,
			data: { ...data, baseUrl: move(data['baseUrl']) },
		});
	}
	const pid = onWorkers() ? undefined : sharedPid();
	const before = pid && startMemory(pid);
	const execution = await bridge.editor.runOnce(
		workflow('endless', [{}], { ...node(accounts), onError: 'continueRegularOutput' }),
	);
	const most = pid && mostMemory(pid);
	endless.stop();
	expect(JSON.stringify(itemsOf(execution, 'Node')[0]?.json)).toContain('grew past 64 MiB');
	// the connection was closed: what is left was not sent
	expect(endless.sent()).toBeLessThan(SIZE / 2);
	if (before && most) expect(most - before).toBeLessThan(MAX_GROWTH);
});
