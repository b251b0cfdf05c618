import type { INodeParameters } from 'n8n-workflow';

import { startService, type Fault, type Service } from '../service/service';
import { posts, secretsOf } from './rig/calls';
import { collect, useModel, type LanguageModel, type ModelOptions } from './rig/chatModel';

// what a chat model may cost, what it did cost, and what is never paid twice
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const ask = (options: Partial<ModelOptions> & Pick<ModelOptions, 'use'>) =>
	useModel({ secrets: secretsOf(service), ...options });
const model = (value: string) => ({ __rl: true, mode: 'id', value });
/** What the failure of each call says, for a caller that goes on. */
const say = async (chat: LanguageModel, text: string) =>
	await chat.invoke(text).then(
		({ content }) => String(content),
		(error: Error) => error.message,
	);
const saidOf = (given: unknown[]) => given.flat() as string[];

describe('the cap per call', () => {
	it('keeps a call that could cost more from being sent', async () => {
		const { error } = await ask({
			parameters: { spendingCapPerCall: 0.000001 },
			use: async (chat) => await chat.invoke('one two three'),
		});
		expect(error?.message).toMatch(
			/could cost up to \$0\.\d+, more than the spending cap of \$0\.000001/,
		);
		expect(error?.message).toContain('raise "Spending Cap per Call"');
		expect(posts(service)).toEqual([]);
	});

	it.each(['tiny/no-price-1', 'tiny/input-price-1', 'nobody/unknown-1'])(
		'refuses a model whose cost cannot be calculated (%s)',
		async (id) => {
			const { error } = await ask({
				parameters: { model: model(id) },
				use: async (chat) => await chat.invoke('x'),
			});
			expect(error?.message).toContain('The cost cannot be calculated');
			expect(posts(service)).toEqual([]);
		},
	);

	it('lets such a model answer if the user allows it, and says that the cost is unknown', async () => {
		const { calls, customData } = await ask({
			parameters: { model: model('tiny/no-price-1'), options: { allowUnknownCost: true } },
			use: async (chat) => await chat.invoke('x'),
		});
		expect(calls[0]?.output).not.toHaveProperty('costUsd');
		expect(customData).toEqual({ modelCallsOfUnknownCost: '1' });
	});
});

describe('the cap per execution', () => {
	/** One call of 50 words and 100 tokens at most could cost some 200 micro-dollars. */
	const parameters = { spendingCapPerExecution: 0.0008, options: { maxTokens: 100 } };

	it('counts all calls of all turns, and refuses the next one', async () => {
		const { given, calls, customData } = await ask({
			parameters,
			use: async (chat) => {
				const said: string[] = [];
				for (let turn = 1; turn <= 12; turn++)
					said.push(await say(chat, `[[words:90]] turn ${turn}`));
				return said;
			},
		});
		const said = saidOf(given);
		const refused = said.findIndex((text) => text.includes('for this execution is reached'));
		expect(refused).toBeGreaterThan(1);
		expect(posts(service)).toHaveLength(refused);
		expect(said[refused]).toMatch(
			/\$0\.\d+ is spent\. This could cost up to \$0\.\d+\. .*raise "Spending Cap per Execution"/,
		);
		const costs = calls.flatMap(({ output }) => Number(output?.['costUsd'] ?? 0));
		const sum = costs.reduce((one, other) => one + other, 0);
		expect(Number(customData['modelCostUsd'])).toBeCloseTo(sum, 9);
		expect(sum).toBeLessThan(0.0008);
	});

	it('also over several nodes that use the model, one after another', async () => {
		const { given } = await ask({
			parameters,
			runs: 8,
			use: async (chat) => await say(chat, '[[words:90]] again'),
		});
		const said = saidOf(given);
		expect(said).toHaveLength(8);
		expect(said.at(-1)).toContain('for this execution is reached');
		expect(posts(service).length).toBeLessThan(8);
	});

	it('holds for calls at the same time: together they cannot exceed it', async () => {
		const balance = () => service.world.accounts.get(service.router.keys.main)?.balance ?? 0;
		const balanceBefore = balance();
		const { given } = await ask({
			parameters,
			use: async (chat) =>
				await Promise.all(
					Array.from(
						{ length: 20 },
						async (_, at) => await say(chat, `[[words:90]] at once ${at}`),
					),
				),
		});
		const said = saidOf(given);
		const sent = posts(service).length;
		expect(sent).toBeGreaterThan(0);
		expect(said.filter((text) => text.includes('is reached'))).toHaveLength(20 - sent);
		expect(balanceBefore - balance()).toBeLessThanOrEqual(800);
	});

	it('an unknown outcome stays counted with the most that it can cost', async () => {
		service.fault({ match: { method: 'POST' }, times: 3, do: { type: 'reset_peer' } });
		const { given } = await ask({
			parameters: { spendingCapPerExecution: 0.0005, options: { maxTokens: 100 } },
			use: async (chat) => {
				const said: string[] = [];
				for (let turn = 1; turn <= 4; turn++) said.push(await say(chat, `turn ${turn}`));
				return said;
			},
		});
		expect(saidOf(given).at(-1)).toMatch(
			/for this execution is reached\..* is reserved for 2 requests that are under way or of unknown cost/,
		);
	});

	it('a refusal costs nothing', async () => {
		service.fault({ match: { method: 'POST' }, times: 30, do: { type: 'status', status: 400 } });
		const { given } = await ask({
			parameters: { spendingCapPerExecution: 0.0005, options: { maxTokens: 100 } },
			use: async (chat) => {
				for (let turn = 1; turn <= 30; turn++) await say(chat, `turn ${turn}`);
				return await say(chat, 'the last');
			},
		});
		expect(saidOf(given)).toEqual(['You said: "the last".']);
	});
});

describe('a failed call when n8n runs the agent again', () => {
	const again = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const run = async (fault: Fault, parameters: INodeParameters = {}, times = 1) => {
		service.fault({ match: { method: 'POST' }, times, do: fault });
		return await ask({
			parameters,
			settings: again,
			use: async (chat) => (await chat.invoke('once only')).content,
		});
	};

	it.each<[string, Fault]>([
		['500', { type: 'status', status: 500 }],
		['a broken connection', { type: 'reset_peer' }],
		['a web page', { type: 'login_page' }],
		['an answer that broke off', { type: 'limit_data', bytes: 400 }],
		['an error in the middle', { type: 'stream_error', after: 2 }],
	])('is not sent again after %s', async (_what, fault) => {
		const { error } = await run(fault);
		expect(posts(service)).toHaveLength(1);
		expect(error?.message).toMatch(/Outcome: /);
		expect(error?.description).toContain('It was not sent again');
	});

	it('is sent again if the user wants it', async () => {
		const { given } = await run(
			{ type: 'status', status: 500 },
			{ requestSettings: { resendIfUnknown: true } },
		);
		expect(posts(service)).toHaveLength(2);
		expect(given.at(-1)).toBe('You said: "once only".');
	});

	it('is sent again after a refusal, which has started nothing', async () => {
		const { given } = await run({ type: 'status', status: 402 });
		expect(posts(service)).toHaveLength(2);
		expect(given.at(-1)).toBe('You said: "once only".');
	});

	it('is not sent again when a person retries the execution', async () => {
		service.fault({ match: { method: 'POST' }, times: 1, do: { type: 'status', status: 500 } });
		const use = async (chat: LanguageModel) => (await chat.invoke('once only')).content;
		const { run: failed } = await ask({ use });
		const { error } = await ask({ use, retry: failed.data });
		expect(posts(service)).toHaveLength(1);
		expect(error?.description).toContain('It was not sent again');
	});

	it('another call with the same words, after an answer, is a call of its own', async () => {
		const { given } = await ask({
			use: async (chat) => [await say(chat, 'the same'), await say(chat, 'the same')],
		});
		expect(posts(service)).toHaveLength(2);
		expect(saidOf(given)[1]).toBe('You said: "the same".');
	});
});

describe('a library that asks again by itself', () => {
	it.each<[string, (chat: LanguageModel) => Promise<unknown>]>([
		['its retries', async (chat) => await chat.withRetry({ stopAfterAttempt: 2 }).invoke('x')],
		['a fallback to the same model', async (chat) => await chat.withFallbacks([chat]).invoke('x')],
		[
			'the same call once more',
			async (chat) => await chat.invoke('x').catch(async () => await chat.invoke('x')),
		],
	])('pays once for a call whose outcome is not known: %s', async (_how, use) => {
		service.fault({ match: { method: 'POST' }, do: { type: 'reset_peer' } });
		const { error } = await ask({ use });
		expect(posts(service)).toHaveLength(1);
		expect(error?.description).toContain('Outcome: unknown');
	});

	it.each<[string, string, Fault[]]>([
		['before the answer', 'x', [{ type: 'hold' }]],
		['in the middle of it', '[[gate]] x', []],
	])(
		'ends a call that it gives up %s, and does not pay for it again',
		async (_when, text, faults) => {
			let arrive = () => {};
			const arrived = new Promise<void>((resolve) => (arrive = resolve));
			const act = () => {
				arrive();
				return faults;
			};
			service.fault({ match: { method: 'POST' }, times: 1, do: act });
			const { given, error } = await ask({
				use: async (chat) => {
					const giveUp = new AbortController();
					const asked = collect(chat.stream(text, { signal: giveUp.signal }));
					await (faults.length ? arrived : service.gated());
					giveUp.abort();
					const ended = await asked.then(
						() => 'answered',
						() => 'given up',
					);
					await service.settled();
					return [ended, await say(chat, text)];
				},
			});
			expect(error).toBeUndefined();
			expect(saidOf(given)).toEqual([
				'given up',
				expect.stringMatching(/^The execution was stopped/),
			]);
			expect(service.requests.filter(({ method }) => method === 'POST')).toMatchObject([
				{ abandoned: true },
			]);
		},
	);
});

it('waits for 429 by itself, within the limit', async () => {
	service.fault({
		match: { method: 'POST' },
		times: 2,
		do: { type: 'too_many_requests', retryAfter: 0 },
	});
	const { given } = await ask({ use: async (chat) => await say(chat, 'patience') });
	expect(given).toEqual(['You said: "patience".']);
	expect(posts(service)).toHaveLength(3);
});

describe('fallback models', () => {
	const parameters = {
		options: {
			fallbackModels: {
				fallback: [{ model: model('northwind/quill-mini') }, { model: model('tiny/odd-price-1') }],
			},
		},
	};
	const asked = () => posts(service).map(({ body }) => (body as { model: string }).model);
	const onFirst = (fault: Fault) =>
		service.fault({ match: { bodyIncludes: '"northwind/quill-2.5"' }, do: fault });

	it.each<[string, Fault]>([
		['404', { type: 'status', status: 404, body: { error: { message: 'no such model' } } }],
		[
			'400 for a conversation that is too long',
			{
				type: 'status',
				status: 400,
				body: { error: { code: 'context_length_exceeded', message: 'too long' } },
			},
		],
		['402', { type: 'status', status: 402 }],
	])('are asked after %s, and the output says so', async (_what, fault) => {
		onFirst(fault);
		const { given, calls } = await ask({
			parameters,
			use: async (chat) => (await collect(chat.stream('x'))).map(({ content }) => content).join(''),
		});
		expect(given).toEqual(['You said: "x".']);
		expect(asked()).toEqual(['northwind/quill-2.5', 'northwind/quill-mini']);
		expect(calls[0]?.output).toMatchObject({
			model: 'northwind/quill-mini',
			refusedBy: [{ model: 'northwind/quill-2.5', reason: expect.stringMatching(/\w/) }],
		});
	});

	it('are asked after 429 that lasts', async () => {
		onFirst({ type: 'too_many_requests', retryAfter: 0 });
		const { given } = await ask({
			parameters: { ...parameters, requestSettings: { maxRateLimitWait: 0 } },
			use: async (chat) => await say(chat, 'x'),
		});
		expect(given).toEqual(['You said: "x".']);
		expect(asked().at(-1)).toBe('northwind/quill-mini');
	});

	it.each<[string, Fault]>([
		['500', { type: 'status', status: 500 }],
		['503', { type: 'status', status: 503 }],
		['a broken connection', { type: 'reset_peer' }],
		['an answer that broke off', { type: 'limit_data', bytes: 400 }],
		['a refused key', { type: 'status', status: 401 }],
		['a redirect (307)', { type: 'redirect', status: 307, to: '/elsewhere' }],
		['a redirect that was accepted (303)', { type: 'redirect', status: 303, to: '/elsewhere' }],
	])('are not asked after %s', async (_what, fault) => {
		onFirst(fault);
		const { error } = await ask({ parameters, use: async (chat) => await chat.invoke('x') });
		expect(error).toBeDefined();
		expect(asked()).toEqual(['northwind/quill-2.5']);
	});

	it('each within the caps: one that is too expensive is not asked, and the error names the others', async () => {
		onFirst({ type: 'status', status: 404 });
		const { error } = await ask({
			parameters: {
				spendingCapPerCall: 0.01,
				options: {
					fallbackModels: { fallback: [{ model: model('Aurora-Labs/Prism-4.1-Turbo') }] },
				},
			},
			use: async (chat) => await chat.invoke('x'),
		});
		expect(asked()).toEqual(['northwind/quill-2.5']);
		expect(error?.message).toContain('more than the spending cap');
		expect(error?.message).toContain('northwind/quill-2.5: ');
	});
});
