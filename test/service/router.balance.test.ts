import { client } from './probe.ts';
import { askRouter, user } from './routerProbe.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const post = (path: string, body: object, key = service.router.keys.poor) =>
	client(service.router.baseUrl, { 'x-api-key': key }).post(path, body);
const chat = (body: object, key?: string) =>
	post(
		'/v1/chat/completions',
		{ model: 'northwind/quill-2.5', messages: [{ role: 'user', content: 'hi' }], ...body },
		key,
	);
const account = (key = service.router.keys.poor) => {
	const { balance, held } = service.world.accounts.get(key) ?? { balance: 0, held: 0 };
	return { balance, held };
};

describe('C holds (3, 7C, 8)', () => {
	it('402 with the three amounts when the default of 4096 tokens does not fit', async () => {
		const { status, data, headers } = await chat({});
		expect(status).toBe(402);
		expect(data.error).toMatchObject({
			code: 'insufficient_balance',
			meta: {
				// one prompt token at 0.5 and 4096 at 1.5
				required_micro_usd: 6145,
				balance_micro_usd: 2000,
				held_micro_usd: 0,
			},
		});
		expect(headers['x-request-id']).toBeDefined();
		expect(account()).toEqual({ balance: 2000, held: 0 });
	});

	it('fits with a lower max_tokens, and is billed for what it consumed', async () => {
		const { status, data } = await chat({ max_tokens: 100 });
		expect(status).toBe(200);
		const { prompt_tokens: input, completion_tokens: output } = data.usage;
		expect(account()).toEqual({ balance: 2000 - Math.ceil(input * 0.5 + output * 1.5), held: 0 });
	});

	it('hidden tokens are billed as output', async () => {
		const before = account(service.router.keys.main).balance;
		const { data } = await chat({ model: 'aurora-labs/deep-reason-1' }, service.router.keys.main);
		expect(data.usage.completion_tokens).toBeGreaterThan(250);
		expect(account(service.router.keys.main).balance).toBe(
			before - (2 * data.usage.prompt_tokens + 8 * data.usage.completion_tokens),
		);
	});

	it('parallel requests cannot together spend more than the balance', async () => {
		service.forms.gate = true;
		// 1,000 tokens at 1.5 hold 1,501 of the 2,000
		const first = client(service.router.baseUrl, { 'x-api-key': service.router.keys.poor }).post(
			'/v1/chat/completions',
			{
				model: 'northwind/quill-2.5',
				messages: [{ role: 'user', content: 'hi' }],
				max_tokens: 1000,
				stream: true,
			},
			{ responseType: 'stream' },
		);
		await service.gated();
		expect(account().held).toBe(1501);
		const second = await chat({ max_tokens: 1000 });
		expect(second.status).toBe(402);
		expect(second.data.error.meta).toMatchObject({ held_micro_usd: 1501 });
		service.step(100);
		const stream = (await first).data as AsyncIterable<Buffer>;
		for await (const part of stream) void part;
		await service.settled();
		expect(account().held).toBe(0);
		expect((await chat({ max_tokens: 1000 })).status).toBe(200);
	});

	it('402 amid own requests: what they hold is told, what they cost is free again', async () => {
		service.setBalance(3000);
		service.forms.gate = true;
		const { main } = service.router.keys;
		const ask = askRouter(service, main);
		const body = { messages: user('hi'), max_tokens: 900 };
		const running = [1, 2].map(() => ask.chunks(body));
		await service.gated(2);
		const { status, data } = await ask.chat(body);
		expect([status, data.error.meta]).toEqual([
			402,
			{ required_micro_usd: 1351, balance_micro_usd: 3000, held_micro_usd: 2702 },
		]);
		service.step(100);
		await Promise.all(running);
		// one prompt token at 0.5, three words at 1.5; twice
		expect(account(main)).toEqual({ balance: 3000 - 2 * 5, held: 0 });
		expect((await ask.chat(body)).status).toBe(200);
	});

	it('a balance set while a request runs leaves what it holds', async () => {
		service.forms.gate = true;
		const running = askRouter(service).chunks({ messages: user('hi'), max_tokens: 100 });
		await service.gated();
		service.setBalance(7);
		expect(account(service.router.keys.main)).toEqual({ balance: 7, held: 151 });
		service.step(100);
		await running;
		expect(account(service.router.keys.main)).toEqual({ balance: 2, held: 0 });
	});

	it('a key of its own, until the next reset', async () => {
		const own = askRouter(service, 'router-own');
		const body = { messages: user('hi'), max_tokens: 100 };
		expect((await own.chat(body)).status).toBe(401);
		service.setBalance(151, 'router-own');
		expect((await own.chat(body)).status).toBe(200);
		expect((await own.chat(body)).status).toBe(402);
		expect(account('router-own')).toEqual({ balance: 146, held: 0 });
		service.reset();
		expect((await own.chat(body)).status).toBe(401);
		expect(account(service.router.keys.main).balance).toBe(100_000_000);
	});

	it('a stream that the client left is billed for what was sent, its hold is gone', async () => {
		service.forms.gate = true;
		const left = new AbortController();
		const { data } = await client(service.router.baseUrl, {
			'x-api-key': service.router.keys.poor,
		}).post(
			'/v1/chat/completions',
			{
				model: 'northwind/quill-2.5',
				messages: [{ role: 'user', content: '[[words:50]]' }],
				max_tokens: 100,
				stream: true,
			},
			{ responseType: 'stream', signal: left.signal },
		);
		await service.gated();
		// the role, word1, word2; word3 waits at the gate
		service.step(2);
		let seen = '';
		await expect(async () => {
			for await (const part of data as AsyncIterable<Buffer>) {
				seen += String(part);
				if (seen.includes('word2')) left.abort();
			}
		}).rejects.toThrow('canceled');
		await service.settled();
		expect(service.requests[0]?.abandoned).toBe(true);
		// one prompt token at 0.5, three words at 1.5
		expect(account()).toEqual({ balance: 2000 - 5, held: 0 });
	});

	it('a media hold has a margin at the first use of a configuration', async () => {
		const { main } = service.router.keys;
		const start = (more: object = {}) =>
			post('/v1/images/jobs', { model: 'canvas/sketch-1', prompt: 'x', ...more }, main);
		await start();
		expect(account(main).held).toBe(50_000);
		await start();
		expect(account(main).held).toBe(90_000);
		await start({ resolution: '4K' });
		expect(account(main).held).toBe(190_000);
	});

	it.each([
		[{}, 500_000],
		[{ duration: 2 }, 200_000],
		[{ seconds: '0.5' }, 50_000],
		[{ duration: 0 }, 500_000],
		[{ duration: '1e999' }, 500_000],
		[{ resolution: '4K' }, 1_000_000],
		[{ size: '3840x2160', duration: 1 }, 200_000],
	])('a clip of %j costs %i µ$ (8, rule 3)', async (body, cost) => {
		const { data } = await post(
			'/v1/videos/jobs',
			{ model: 'reel/clip-3', prompt: 'x', ...body },
			service.router.keys.main,
		);
		expect(data.estimated_cost).toBe(cost);
	});

	it('402 for a job that does not fit: nothing is started', async () => {
		const { status, data } = await post('/v1/images/jobs', {
			model: 'canvas/sketch-1',
			prompt: 'x',
		});
		expect([status, data.error.meta.required_micro_usd]).toEqual([402, 50_000]);
		expect(service.world.starts).toEqual([]);
	});

	it('a stream that broke is billed for its words', async () => {
		await chat({
			messages: [{ role: 'user', content: '[[words:50]] [[break:4]]' }],
			max_tokens: 100,
			stream: true,
		});
		// two prompt tokens at 0.5 and four at 1.5
		expect(account()).toEqual({ balance: 2000 - 7, held: 0 });
	});
});
