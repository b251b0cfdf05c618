import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../service/service';
import { failPosts, model, posts, RETRIED } from './rig/calls';
import { collect, type LanguageModel, type ModelOptions } from './rig/chatModel';
import { serviceForTests } from './rig/service';

// what a chat model may cost, what it did cost, and what is never paid twice
const service = serviceForTests();

const ask = (options: Partial<ModelOptions> & Pick<ModelOptions, 'use'>) =>
	service.useModel(options);
const invoke = async (chat: LanguageModel) => (await chat.invoke('x')).content;
/** What the failure of a call says, for a caller that goes on. */
const say = async (chat: LanguageModel, text: string) =>
	await chat.invoke(text).then(
		({ content }) => String(content),
		(error: Error) => error.message,
	);
/** One call after the other. */
const sayAll = async (chat: LanguageModel, count: number, words = '') => {
	const said: string[] = [];
	for (let turn = 1; turn <= count; turn++) said.push(await say(chat, `${words} turn ${turn}`));
	return said;
};
const saidOf = (given: unknown[]) => given.flat() as string[];
const fail = (fault: Fault, times?: number) => failPosts(service, fault, times);
const status = (code: number, body?: unknown): Fault => ({ type: 'status', status: code, body });

describe('the cap per call', () => {
	it('keeps a call that could cost more from being sent', async () => {
		const { error } = await ask({ parameters: { spendingCapPerCall: 0.000001 }, use: invoke });
		expect(error?.message).toMatch(
			/could cost up to \$0\.\d+, more than the spending cap of \$0\.000001.*raise "Spending Cap per Call \(USD\)"/s,
		);
		expect(posts(service)).toEqual([]);
	});

	it('lets such a model answer if the user allows it, and says that the cost is unknown', async () => {
		const options = { allowUnknownCost: true };
		const { calls, customData } = await ask({
			parameters: { model: model('tiny/no-price-1'), options },
			use: invoke,
		});
		expect(calls[0]?.output).not.toHaveProperty('costUsd');
		expect(customData).toEqual({ unknownCosts: '1' });
	});
});

describe('the cap per execution', () => {
	const WORDS = '[[words:90]]';
	/** One call of 90 words and 100 tokens at most could cost some 200 micro-dollars. */
	const capped = (spendingCapPerExecution: number) => ({
		spendingCapPerExecution,
		options: { maxTokens: 100 },
	});
	const parameters = capped(0.0008);

	it('counts all calls of all turns, and refuses the next one', async () => {
		const { given, calls, customData } = await ask({
			parameters,
			use: async (chat) => await sayAll(chat, 12, WORDS),
		});
		const said = saidOf(given);
		const refused = said.findIndex((text) => text.includes('what is left of the spending cap'));
		expect(refused).toBeGreaterThan(1);
		expect(posts(service)).toHaveLength(refused);
		expect(said[refused]).toMatch(
			/\$0\.\d+ is spent\. This could cost up to \$0\.\d+\. .*raise "Spending Cap per Execution \(USD\)"/,
		);
		const costs = calls.map(({ output }) => Number(output?.['costUsd'] ?? 0));
		const sum = costs.reduce((one, other) => one + other, 0);
		expect(Number(customData['costUsd'])).toBeCloseTo(sum, 9);
		expect(sum).toBeLessThan(0.0008);
	});

	it('also over several nodes that use the model, one after another', async () => {
		const use = async (chat: LanguageModel) => await say(chat, `${WORDS} again`);
		const { given } = await ask({ parameters, runs: 8, use });
		expect(given).toHaveLength(8);
		expect(given.at(-1)).toContain('what is left of the spending cap');
		expect(posts(service).length).toBeLessThan(8);
	});

	it('holds for calls at the same time: together they cannot exceed it', async () => {
		const before = service.balance();
		const { given } = await ask({
			parameters,
			use: async (chat) =>
				await Promise.all(
					Array.from({ length: 20 }, async (_, at) => await say(chat, `${WORDS} at once ${at}`)),
				),
		});
		const sent = posts(service).length;
		expect(sent).toBeGreaterThan(0);
		expect(
			saidOf(given).filter((text) => text.includes('is left of the spending cap')),
		).toHaveLength(20 - sent);
		expect(before - service.balance()).toBeLessThanOrEqual(800);
	});

	it('an unknown outcome stays counted with the most that it can cost', async () => {
		fail({ type: 'reset_peer' }, 3);
		const use = async (chat: LanguageModel) => await sayAll(chat, 4);
		const { given } = await ask({ parameters: capped(0.0005), use });
		expect(saidOf(given).at(-1)).toMatch(
			/^This does not fit into what is left of .* for this execution\..* is reserved for 2 requests that are under way or of unknown cost/,
		);
	});
});

describe('a failed call when n8n runs the agent again', () => {
	const run = async (fault: Fault, parameters: INodeParameters = {}) => {
		fail(fault, 1);
		return await ask({ parameters, settings: RETRIED, use: invoke });
	};

	it.each<[string, Fault]>([
		['500', status(500)],
		['an answer that broke off', { type: 'limit_data', bytes: 400 }],
	])('is not sent again after %s', async (_what, fault) => {
		const { error } = await run(fault);
		expect(posts(service)).toHaveLength(1);
		expect(error?.message).toMatch(/Outcome: /);
		expect(error?.description).toContain('It was not sent again');
	});

	it.each([
		['if the user wants it', status(500), { requestSettings: { resendIfUnknown: true } }],
		['after a refusal, which has started nothing', status(402), {}],
	])('is sent again %s', async (_when, fault, parameters) => {
		const { given } = await run(fault, parameters);
		expect(posts(service)).toHaveLength(2);
		expect(given.at(-1)).toBe('You said: "x".');
	});

	it('is not sent again when a person retries the execution', async () => {
		fail(status(500), 1);
		const { run: failed } = await ask({ use: invoke });
		const { error } = await ask({ use: invoke, retry: failed.data });
		expect(posts(service)).toHaveLength(1);
		expect(error?.description).toContain('It was not sent again');
	});

	it('another call with the same words, after an answer, is a call of its own', async () => {
		const { given } = await ask({ use: async (chat) => [await invoke(chat), await invoke(chat)] });
		expect(posts(service)).toHaveLength(2);
		expect(saidOf(given)[1]).toBe('You said: "x".');
	});
});

describe('a library that asks again by itself', () => {
	it.each<[string, (chat: LanguageModel) => Promise<unknown>]>([
		['its retries', async (chat) => await chat.withRetry({ stopAfterAttempt: 2 }).invoke('x')],
		['a fallback to the same model', async (chat) => await chat.withFallbacks([chat]).invoke('x')],
	])('pays once for a call whose outcome is not known: %s', async (_how, use) => {
		fail({ type: 'reset_peer' });
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
			const arrived = new Promise<void>((arrive) => {
				const act = () => {
					arrive();
					return faults;
				};
				service.fault({ match: { method: 'POST' }, times: 1, do: act });
			});
			const use = async (chat: LanguageModel) => {
				const giveUp = new AbortController();
				const asked = collect(chat.stream(text, { signal: giveUp.signal }));
				await (faults.length ? arrived : service.gated());
				giveUp.abort();
				await expect(asked).rejects.toThrow();
				await service.settled();
				return await say(chat, text);
			};
			const { given, error } = await ask({ use });
			expect(error).toBeUndefined();
			expect(given).toEqual([expect.stringMatching(/^The execution was stopped/)]);
			expect(posts(service)).toMatchObject([{ abandoned: true }]);
		},
	);
});

it('waits for 429 by itself, within the limit', async () => {
	fail({ type: 'too_many_requests', retryAfter: 0 }, 2);
	expect((await ask({ use: invoke })).given).toEqual(['You said: "x".']);
	expect(posts(service)).toHaveLength(3);
});
