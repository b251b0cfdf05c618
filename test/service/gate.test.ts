import { request } from 'node:http';

import { AGENT_KEYS, ASSISTANT_KEYS, ROUTER_KEYS } from './keys.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

/** A stream read piece by piece: `next` gives what came since, at least up to `until`. */
async function open(url: string, headers: Record<string, string>, body: unknown) {
	const sent = request(url, { method: 'POST', headers, agent: false });
	sent.end(JSON.stringify(body));
	const response = await new Promise<AsyncIterable<Buffer>>((resolve) =>
		sent.on('response', resolve),
	);
	const reader = response[Symbol.asyncIterator]();
	return {
		async next() {
			const { value, done } = await reader.next();
			return done ? undefined : String(value);
		},
		leave: () => sent.destroy(),
	};
}

const ROUTER = { 'x-api-key': ROUTER_KEYS.main };
const CASES: Array<[string, string, Record<string, string>, object]> = [
	[
		'A',
		'/api/v1/workspaces/ws-1/session/3f0a8f9e-6f5d-4a53-9c39-5a1f0f2b7d11/messages',
		{ authorization: `Bearer ${AGENT_KEYS['ws-1']}` },
		{ content: 'hi [[words:3]] [[form:text]]' },
	],
	[
		'B',
		'/api/ai-assistant/v1/invoke_assistant_stream',
		{ 'x-api-key': ASSISTANT_KEYS.pro },
		{ message: 'hi' },
	],
	[
		'C chat',
		'/v1/chat/completions',
		ROUTER,
		{ model: 'tiny/plain-text-1', stream: true, messages: [{ role: 'user', content: 'hi' }] },
	],
	[
		'C responses',
		'/v1/responses',
		ROUTER,
		{ model: 'tiny/plain-text-1', stream: true, input: 'hi' },
	],
];

it.each(CASES)('%s sends a piece only after a step', async (_name, path, headers, body) => {
	service.forms.gate = true;
	const stream = await open(service.url + path, headers, body);
	expect(await stream.next()).toBeDefined();
	let stepped = false;
	const second = stream.next().then((piece) => ({ piece, stepped }));
	// many turns of the loop: a piece that did not wait would be here
	for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
	stepped = true;
	service.step();
	expect(await second).toEqual({ piece: expect.any(String), stepped: true });
	service.step(1000);
	while ((await stream.next()) !== undefined);
	await service.settled();
});

it('a directive gates one stream', async () => {
	const content = '[[gate]] hi';
	const stream = await open(`${service.url}/v1/responses`, ROUTER, {
		model: 'tiny/plain-text-1',
		stream: true,
		input: content,
	});
	expect(await stream.next()).toMatch('response.created');
	service.step(1000);
	while ((await stream.next()) !== undefined);
});

it('a client that leaves a gated stream is seen', async () => {
	service.forms.gate = true;
	const stream = await open(`${service.url}/v1/responses`, ROUTER, {
		model: 'tiny/plain-text-1',
		stream: true,
		input: 'hi',
	});
	await stream.next();
	stream.leave();
	await service.settled();
	expect(service.requests[0]?.abandoned).toBe(true);
});

it('reset opens the gate', async () => {
	service.forms.gate = true;
	const stream = await open(`${service.url}/v1/responses`, ROUTER, {
		model: 'tiny/plain-text-1',
		stream: true,
		input: 'hi',
	});
	await stream.next();
	service.reset();
	while ((await stream.next()) !== undefined);
});
