import type { Fault } from '../service/service';
import { failPosts, posts, secretsOf } from './rig/calls';
import { collect, useModel, type LanguageModel, type ModelOptions } from './rig/chatModel';
import { serviceForTests } from './rig/service';

// what a chat model does when the service fails, lies or sends elsewhere, and what is said about it
const service = serviceForTests();
const elsewhere = serviceForTests();

const ask = (options: Partial<ModelOptions> & Pick<ModelOptions, 'use'>) =>
	useModel({ secrets: secretsOf(service), ...options });
const invoke = async (chat: LanguageModel) => (await chat.invoke('one two three')).content;
const stream = async (chat: LanguageModel, text = 'one two three') =>
	(await collect(chat.stream(text))).map(({ content }) => content).join('');
const fail = async (given: Fault, use = invoke) => {
	failPosts(service, given);
	return await ask({ use });
};

const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
const ways: Array<[string, typeof invoke]> = [
	['in one piece', invoke],
	['as a stream', async (chat) => await stream(chat)],
	['with tools', async (chat) => await invoke(chat.bindTools([tool]))],
];

describe.each(ways)('%s', (_way, use) => {
	it.each([301, 307])('a redirect (%s) is not followed', async (status) => {
		const { error } = await fail({ type: 'redirect', status, to: `${elsewhere.url}/stolen` }, use);
		expect(error?.message).toContain('redirect');
		expect(elsewhere.requests).toEqual([]);
		expect(posts(service)).toHaveLength(1);
	});

	it('sends the key in one header only', async () => {
		const key = service.router.keys.main;
		await ask({ use });
		const { headers } = posts(service)[0]!;
		expect(Object.entries(headers).filter(([, value]) => value?.includes(key))).toEqual([
			['x-api-key', key],
		]);
		const foreign = /^authorization$|stainless|openai|langchain/;
		expect(Object.keys(headers).filter((name) => foreign.test(name))).toEqual([]);
	});

	it.each<[string, Fault, RegExp]>([
		['500', { type: 'status', status: 500 }, /Outcome: unknown; it may have been carried out/],
		['an error in the middle', { type: 'stream_error', after: 2 }, /stopped before its end/],
		['nothing', { type: 'empty' }, /Outcome: /],
	])('%s is said after one request', async (_what, given, sentence) => {
		expect((await fail(given, use)).error?.message).toMatch(sentence);
		expect(posts(service)).toHaveLength(1);
	});

	it('falls silent: ended by the idle timeout, and said', async () => {
		failPosts(service, { type: 'timeout', bytes: 400 });
		const { error } = await ask({ use, parameters: { requestSettings: { idleTimeout: 1 } } });
		expect(error?.description).toContain('Nothing arrived for 1 s');
		expect(posts(service)).toHaveLength(1);
	});
});

it.each<[string, Fault, RegExp]>([
	[
		'401',
		{ type: 'status', status: 401 },
		/refused the API key.*credential "modelRouterApi".*Outcome: nothing was started/s,
	],
	['403', { type: 'status', status: 403 }, /does not permit/],
	[
		'a conversation that is too long',
		{ type: 'status', status: 400, body: { error: { code: 'context_length_exceeded' } } },
		/too long for the model/,
	],
	['a timeout as a word', { type: 'status', status: 504 }, /Outcome: unknown/],
	['a broken connection', { type: 'reset_peer' }, /connection.*Outcome: unknown/s],
	['a web page', { type: 'login_page' }, /Outcome: unknown/],
	['a broken answer', { type: 'limit_data', bytes: 500 }, /stopped before its end/],
	['noise', { type: 'malformed_http', kind: 'garbage' }, /not HTTP.*Outcome: unknown/s],
])('%s is said in a sentence of its own, after one request', async (_what, given, sentence) => {
	const { error, calls } = await fail(given);
	expect(error?.message).toMatch(sentence);
	expect(error?.message).not.toContain(error?.description);
	expect(error?.description).toMatch(/\w+ \w+/);
	expect(posts(service)).toHaveLength(1);
	expect(calls.at(-1)?.error?.message).toBe(error?.message);
	if (given.type === 'status') expect(error?.message).toMatch(/Request ID: req-/);
});

it('what had arrived is in the error, with its cost as far as it is known', async () => {
	const { error, calls, customData } = await fail({ type: 'stream_error', after: 4 });
	expect(error?.description).toMatch(/What arrived before \(\d+ characters\): You said/);
	const metadata = { kind: 'truncated', outcome: 'started', requestId: expect.any(String) };
	expect(calls.at(-1)?.error).toMatchObject({ context: { metadata } });
	expect(customData).toEqual({ modelCallsOfUnknownCost: '1' });
});

it('an echoed key is in no output, no error and nothing that is stored', async () => {
	const key = service.router.keys.main;
	const { given, run: done } = await ask({
		use: async (chat) => [
			(await chat.invoke(`say ${key}`)).content,
			await stream(chat, `say ${key}`),
		],
	});
	expect(JSON.stringify(given)).toContain('***');
	expect(JSON.stringify([given, done])).not.toContain(key);
	const body = { error: { message: `the key ${key} is bad, Bearer ${key}` } };
	const { run, error } = await fail({ type: 'status', status: 400, body });
	expect(error?.description).toContain('***');
	expect(JSON.stringify(run)).not.toContain(key);
});

describe('is refused before it is sent', () => {
	afterEach(() => expect(posts(service)).toEqual([]));

	it('by a model of another kind, with the node to use', async () => {
		const model = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
		expect((await ask({ parameters: { model }, use: invoke })).error?.message).toMatch(
			/Use "Media" with the Media Type .* That is an operation of the Model Router node/,
		);
	});

	it('with a picture for a model that reads text only', async () => {
		const image_url = { url: 'data:image/png;base64,AAAA' };
		const message = { role: 'user', content: [{ type: 'image_url', image_url }] };
		const { error } = await ask({ use: async (chat) => await chat.invoke([message]) });
		expect(error?.message).toContain('does not take images');
	});
});
