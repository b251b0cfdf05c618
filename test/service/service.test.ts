import { request } from 'node:http';

import fc from '../support/fastCheck';
import { ask } from './contract/ask.ts';
import { chat, respond } from './contract/calls.ts';
import { mediaFile } from './media/file.ts';
import { client } from './probe.ts';
import { roundedUp } from './router/money.ts';
import { startService, type Service } from './service.ts';

// what no single request shows: time, money, streams that wait
let clock = 0;
let service: Service;
beforeAll(async () => (service = await startService({ now: () => clock })));
beforeEach(() => {
	clock = Date.UTC(2026, 0, 1);
	service.reset();
});
afterAll(() => service.stop());

const live = { stream: true, max_tokens: 900 };
const account = (key = service.router.keys.main) => {
	const { balance, held } = service.world.accounts.get(key) ?? {};
	return { balance, held };
};

describe('B: requests per minute (8)', () => {
	const asked = async (key: string) =>
		await ask(service, {
			path: '/api/ai-assistant/v1/invoke_assistant',
			body: { message: 'x' },
			headers: { 'x-api-key': key },
		});
	/** So many requests that were let in. */
	const spent = (key: string, count: number) =>
		service.world.calls.set(key, Array<number>(count).fill(clock));

	it.each([
		['free', 60],
		['pro', 300],
		['enterprise', 40],
	] as const)('%s: %i', async (tier, limit) => {
		service.forms.enterpriseLimit = 40;
		const key = service.assistant.keys[tier];
		spent(key, limit - 1);
		const statuses = [await asked(key), await asked(key)].map(({ status }) => status);
		expect(statuses).toEqual([200, 429]);
		expect((await asked(`${key}-another-account`)).status).toBe(200);
	});

	it.each([
		['fixed', 30],
		['sliding', 60],
		['bucket', 1],
	] as const)('a window that is %s lets in again after the time it told', async (window, wait) => {
		service.forms.rateWindow = window;
		clock += 30_000;
		const { free } = service.assistant.keys;
		spent(free, 60);
		expect(await asked(free)).toMatchObject({ status: 429, headers: { 'retry-after': `${wait}` } });
		clock += wait * 1000 - 1;
		expect((await asked(free)).status).toBe(429);
		clock++;
		expect((await asked(free)).status).toBe(200);
	});
});

describe('C: time of jobs', () => {
	it('they may complete by the clock', async () => {
		service.forms.jobSeconds = 10;
		const body = { model: 'canvas/sketch-1', prompt: 'x' };
		const started = await ask(service, { path: '/v1/images/jobs', body });
		const state = { path: `/v1/images/jobs/${(started.body as { id: string }).id}` };
		clock += 9999;
		expect((await ask(service, state)).body).toMatchObject({ status: 'processing' });
		clock++;
		expect((await ask(service, state)).body).toMatchObject({ status: 'completed' });
	});

	it.each([
		['images', 'canvas/sketch-1', 7 * 24],
		['videos', 'reel/clip-3', 7 * 24],
		['music', 'tune/melody-1', 1],
		['audio', 'voice/speaker-1', 1],
	])('%s are kept for the time of section 8', async (segment, model, hours) => {
		service.forms.jobSteps = 0;
		const path = `/v1/${segment}/jobs`;
		const { body } = await ask(service, { path, body: { model, prompt: 'x' } });
		const file = { path: `${path}/${(body as { id: string }).id}/content` };
		clock += hours * 3_600_000;
		expect((await ask(service, file)).status).toBe(200);
		clock++;
		expect(await ask(service, file)).toMatchObject({ status: 410, code: 'content_expired' });
	});

	it.each(['image', 'video', 'music', 'audio'] as const)('%s: a file for each', (kind) => {
		const bytesOf = (id: string) => mediaFile({ kind, id, prompt: 'x' }).bytes;
		expect(bytesOf('job-1')).toEqual(bytesOf('job-1'));
		expect(bytesOf('job-1')).not.toEqual(bytesOf('job-2'));
		expect(bytesOf('job-1')).toHaveLength(bytesOf('job-2').length);
	});
});

describe('C: money while others run (3, 7C, 8)', () => {
	it('requests that run hold their part of the balance, and pay what they used', async () => {
		service.setBalance(3000);
		service.forms.gate = true;
		const running = [1, 2].map(async () => await client(service.url).request(callOf('hi', live)));
		await service.gated(2);
		const refused = await client(service.url).request(callOf('hi', { max_tokens: 900 }));
		expect([refused.status, refused.data.error.meta]).toEqual([
			402,
			{ required_micro_usd: 1351, balance_micro_usd: 3000, held_micro_usd: 2702 },
		]);
		service.setBalance(5000);
		service.step(100);
		await Promise.all(running);
		await service.settled();
		expect(account()).toEqual({ balance: 5000 - 2 * 5, held: 0 });
	});

	it('a key of its own has its balance until the next reset', async () => {
		const headers = { 'x-api-key': 'router-own' };
		const call = { ...chat('hi', { max_tokens: 100 }), headers };
		const statuses = [(await ask(service, call)).status];
		service.setBalance(151, 'router-own');
		for (let time = 0; time < 2; time++) statuses.push((await ask(service, call)).status);
		service.reset();
		expect([...statuses, (await ask(service, call)).status]).toEqual([401, 200, 402, 401]);
	});

	it('a price of four places is counted in whole numbers, rounded up once', () => {
		const number = fc.nat(1_000_000);
		fc.assert(
			fc.property(number, number, number, number, (input, inPrice, output, outPrice) => {
				const exact = BigInt(input) * BigInt(inPrice) + BigInt(output) * BigInt(outPrice);
				const sum = roundedUp([input, inPrice / 10_000], [output, outPrice / 10_000]);
				expect(BigInt(sum)).toBe((exact + 9999n) / 10_000n);
			}),
		);
		expect([roundedUp([1.1, 1.1, 100]), roundedUp([1e-7, 1e7], [1e-7])]).toEqual([121, 2]);
	});
});

const callOf = (said: string, body: object) => ({
	url: '/v1/chat/completions',
	method: 'POST',
	data: { ...(chat(said).body as object), ...body },
	headers: { 'x-api-key': service.router.keys.main },
});

describe('streams that wait at the gate', () => {
	/** A stream that is read piece by piece. */
	async function open(path: string, headers: Record<string, string>, body: unknown) {
		const sent = request(service.url + path, { method: 'POST', headers, agent: false });
		sent.end(JSON.stringify(body));
		const response = await new Promise<AsyncIterable<Buffer>>((resolve) =>
			sent.on('response', resolve),
		);
		const reader = response[Symbol.asyncIterator]();
		const next = async () => ((await reader.next()) as { value?: Buffer }).value?.toString();
		return { next, leave: () => sent.destroy() };
	}
	const openChat = async (said: string) => {
		const { url, headers, data } = callOf(said, live);
		return await open(url, headers, data);
	};
	const SESSION = '3f0a8f9e-6f5d-4a53-9c39-5a1f0f2b7d11';

	it.each([
		['A', `/api/v1/workspaces/ws-1/session/${SESSION}/messages`, { content: 'a b c' }],
		['B', '/api/ai-assistant/v1/invoke_assistant_stream', { message: 'hi' }],
		['C', '/v1/chat/completions', callOfBody(chat('hi').body)],
		['C responses', '/v1/responses', callOfBody(respond('hi').body)],
	])('%s sends a piece only after a step', async (_name, path, body) => {
		service.forms.gate = true;
		const { router, assistant, agent } = service;
		const authorization = `Bearer ${agent.key()}`;
		const key = path.startsWith('/v1/') ? router.keys.main : assistant.keys.pro;
		const stream = await open(path, { authorization, 'x-api-key': key }, body);
		expect(await stream.next()).toBeDefined();
		let stepped = false;
		const second = stream.next().then((piece) => [piece, stepped]);
		for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
		stepped = true;
		service.step();
		expect(await second).toEqual([expect.any(String), true]);
		service.reset();
		while ((await stream.next()) !== undefined);
	});

	it('[[gate]] stops one; a client that leaves pays for what was sent', async () => {
		const stream = await openChat('[[words:50]] [[gate]]');
		await stream.next();
		// word1, word2; word3 waits at the gate
		service.step(2);
		for (let seen = ''; !seen.includes('word2'); ) seen += (await stream.next()) ?? '';
		stream.leave();
		await service.settled();
		expect(service.requests).toMatchObject([{ abandoned: true }]);
		expect(account()).toEqual({ balance: 100_000_000 - 6, held: 0 });
	});
});

function callOfBody(body: unknown) {
	return { ...(body as object), stream: true };
}

it('gives the same ids again after a reset', async () => {
	const { body } = await ask(service, chat('hi'));
	expect((await ask(service, chat('hi'))).body).not.toEqual(body);
	service.reset();
	expect((await ask(service, chat('hi'))).body).toEqual(body);
});

it('a pace leaves the pieces as they are', async () => {
	const { events } = await ask(service, chat('hi', live));
	service.reset();
	service.forms.pace = 1;
	expect((await ask(service, chat('hi', live))).events).toEqual(events);
});

it('a path outside the specification is told', async () => {
	expect((await ask(service, { path: '/v2/models' })).status).toBe(404);
	expect(service.unexpected).toEqual(['GET /v2/models']);
});
