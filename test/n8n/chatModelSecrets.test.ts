import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { openBridge, type Bridge } from './bridge.ts';
import { sharedLog } from './shared.ts';
import { publishAgent, routerChatModel, runAgent, textRequests } from './routerChatModel.ts';

// the key goes to its own origin, in one header, and is in nothing that n8n stores or shows
let bridge: Bridge;
let other: Server;
/** What came to another origin. */
const received: IncomingMessage[] = [];
beforeAll(async () => {
	bridge = await openBridge();
	other = createServer((request, response) => {
		received.push(request);
		response.end('{}');
	});
	await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
	bridge.service.reset();
	received.length = 0;
});
afterAll(async () => {
	other.close();
	await bridge.service.stop();
});

const ours = () => ({ node: routerChatModel(bridge), as: 'ai_languageModel' as const });
const key = () => bridge.service.router.keys.main;
const elsewhere = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/steal`;
/** The execution as n8n stores it, with all of its data. */
const stored = async (id: string) =>
	JSON.stringify(await bridge.editor.call('GET', `/rest/executions/${id}`));

it.each([301, 302, 303, 307, 308])('a redirect with %s is not followed', async (status) => {
	bridge.service.fault({
		match: { method: 'POST' },
		do: { type: 'redirect', status, to: elsewhere() },
	});
	const execution = await runAgent(bridge, { text: 'hello', attached: [ours()] });
	expect(execution.error?.message).toMatch(new RegExp(`redirect.*|${status}`, 'i'));
	expect(received).toEqual([]);
	expect(textRequests(bridge)).toHaveLength(1);
	expect(await stored(execution.id)).not.toContain(key());
});

it('a redirect of the catalog is not followed either', async () => {
	bridge.service.fault({
		match: { method: 'GET' },
		do: { type: 'redirect', status: 307, to: elsewhere() },
	});
	await runAgent(bridge, { text: 'hello', attached: [ours()] });
	expect(received).toEqual([]);
});

it('the key is in one header of its own, and nothing else says who asks', async () => {
	const execution = await runAgent(bridge, { text: 'hello', attached: [ours()] });
	const [request] = textRequests(bridge);
	const { headers } = request!;
	expect(headers['x-api-key']).toBe(key());
	expect(Object.entries(headers).filter(([, value]) => String(value).includes(key()))).toHaveLength(
		1,
	);
	expect(headers).not.toHaveProperty('authorization');
	expect(Object.keys(headers).filter((name) => /stainless|openai/.test(name))).toEqual([]);
	expect(await stored(execution.id)).not.toContain(key());
	expect(sharedLog()).not.toContain(key());
});

it.each([
	[
		'an answer',
		200,
		{ choices: [{ message: { role: 'assistant', content: 'KEY' }, finish_reason: 'stop' }] },
	],
	['a refusal', 400, { error: { code: 'KEY', message: 'bad key KEY' } }],
	['a failure', 500, { error: { code: 'KEY', message: 'bad key KEY' } }],
])('a key that the service repeats in %s is shown nowhere', async (_what, status, body) => {
	const text = JSON.stringify(body).replaceAll('KEY', key());
	bridge.service.fault({
		match: { method: 'POST' },
		do: { type: 'status', status, body: JSON.parse(text) as object },
	});
	const execution = await runAgent(bridge, { text: 'hello', attached: [ours()] });
	expect(await stored(execution.id)).not.toContain(key());
	const agent = await publishAgent(bridge, { way: 'a streaming chat', attached: [ours()] });
	expect(JSON.stringify(await agent.failure('hello'))).not.toContain(key());
	expect(sharedLog()).not.toContain(key());
});

it('a key in a streamed answer is shown nowhere, however it is cut', async () => {
	const pieces = [...key()].map((piece) => ({
		choices: [{ index: 0, delta: { content: piece }, finish_reason: null }],
	}));
	const events = pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('');
	bridge.service.fault({
		match: { method: 'POST' },
		do: { type: 'body', contentType: 'text/event-stream', body: `${events}data: [DONE]\n\n` },
	});
	const agent = await publishAgent(bridge, { way: 'a streaming chat', attached: [ours()] });
	const said = await agent.say('hello');
	expect(said).not.toBe('');
	expect(said).not.toContain(key());
	expect(await stored((await agent.execution()).id)).not.toContain(key());
});
