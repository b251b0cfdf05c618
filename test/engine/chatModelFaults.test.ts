import { startService, type Fault, type Service } from '../service/service';
import { startContrary } from './contrary';
import { posts, secretsOf } from './rig/calls';
import { collect, useModel, type LanguageModel, type ModelOptions } from './rig/chatModel';

// what a chat model does when the service fails, lies or sends elsewhere, and what is said about it
let service: Service;
let elsewhere: Service;
beforeAll(async () => {
	service = await startService();
	elsewhere = await startService();
});
beforeEach(() => {
	service.reset();
	elsewhere.reset();
});
afterAll(async () => {
	await service.stop();
	await elsewhere.stop();
});

const ask = (options: Partial<ModelOptions> & Pick<ModelOptions, 'use'>) =>
	useModel({ secrets: secretsOf(service), ...options });
const key = () => String(secretsOf(service)['modelRouterApi']?.['apiKey']);

const ways: Array<[string, (chat: LanguageModel) => Promise<unknown>]> = [
	['in one piece', async (chat) => (await chat.invoke('one two three')).content],
	[
		'as a stream',
		async (chat) =>
			(await collect(chat.stream('one two three'))).map(({ content }) => content).join(''),
	],
	['with tools', async (chat) => (await chat.bindTools([tool]).invoke('one two three')).content],
];
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };

describe.each(ways)('%s', (_way, use) => {
	const fail = async (fault: Fault) => {
		service.fault({ match: { method: 'POST' }, do: fault });
		return await ask({ use });
	};

	it.each([301, 302, 303, 307, 308])('a redirect (%s) is not followed', async (status) => {
		const { error } = await fail({ type: 'redirect', status, to: `${elsewhere.url}/stolen` });
		expect(error?.message).toContain('redirect');
		expect(elsewhere.requests).toEqual([]);
		expect(posts(service)).toHaveLength(1);
	});

	it('sends the key in one header only', async () => {
		await ask({ use });
		const { headers } = posts(service)[0]!;
		const holders = Object.entries(headers).filter(([, value]) => value?.includes(key()));
		expect(holders).toEqual([['x-api-key', key()]]);
		expect(headers).not.toHaveProperty('authorization');
		expect(Object.keys(headers).filter((name) => /stainless|openai|langchain/.test(name))).toEqual(
			[],
		);
	});

	it.each<[string, Fault, RegExp]>([
		['401', { type: 'status', status: 401 }, /refused the API key.*Outcome: nothing was started/s],
		['403', { type: 'status', status: 403 }, /does not permit/],
		[
			'402',
			{
				type: 'status',
				status: 402,
				body: {
					error: {
						code: 'insufficient_balance',
						message: 'Balance too small',
						meta: { required_micro_usd: 24_700, balance_micro_usd: 5000, held_micro_usd: 0 },
					},
				},
			},
			/needed: \$0\.0247, balance: \$0\.005.*largest "Maximum Output Tokens" that fits now is \d+/s,
		],
		[
			'a conversation that is too long',
			{
				type: 'status',
				status: 400,
				body: { error: { code: 'context_length_exceeded', message: 'maximum context length' } },
			},
			/too long for the model/,
		],
		['500', { type: 'status', status: 500 }, /Outcome: unknown; it may have been carried out/],
		['timeout as a word', { type: 'status', status: 504 }, /Outcome: unknown/],
		['a broken connection', { type: 'reset_peer' }, /connection.*Outcome: unknown/s],
		['a web page', { type: 'login_page' }, /Outcome: unknown/],
		['an answer without its end', { type: 'no_end_marker' }, /stopped before its end/],
		['an error in the middle', { type: 'stream_error', after: 2 }, /stopped before its end/],
		['a broken answer', { type: 'limit_data', bytes: 500 }, /stopped before its end/],
		['nothing', { type: 'empty' }, /Outcome: /],
		['noise', { type: 'malformed_http', kind: 'garbage' }, /not HTTP.*Outcome: unknown/s],
	])('%s is said in a sentence of its own, after one request', async (_what, fault, sentence) => {
		const { error, calls } = await fail(fault);
		expect(error?.message).toMatch(sentence);
		expect(error?.message).not.toContain(error?.description);
		expect(error?.description).toMatch(/\w+ \w+/);
		expect(posts(service)).toHaveLength(1);
		expect(calls.at(-1)?.error?.message).toBe(error?.message);
		if (fault.type === 'status') expect(error?.message).toMatch(/Request ID: req-/);
	});

	it('what had arrived is in the error, with its cost as far as it is known', async () => {
		const { error, calls, customData } = await fail({ type: 'stream_error', after: 4 });
		expect(error?.description).toMatch(/What arrived before \(\d+ characters\): You said/);
		expect(calls.at(-1)?.error).toMatchObject({
			context: {
				metadata: { kind: 'truncated', outcome: 'started', requestId: expect.any(String) },
			},
		});
		expect(customData).toEqual({ modelCallsOfUnknownCost: '1' });
	});

	it.each<[string, Fault]>([
		['comments', { type: 'comments' }],
		['gzip', { type: 'gzip' }],
		['CRLF', { type: 'line_ends', value: 'crlf' }],
		['a byte order mark', { type: 'bom' }],
		['slices of a byte', { type: 'slicer', bytes: 40 }],
		['text after the end', { type: 'after_end', text: 'data: {"error":{"message":"late"}}\n\n' }],
	])('takes %s as it comes', async (_what, fault) => {
		const { given, error } = await fail(fault);
		expect(error).toBeUndefined();
		expect(given).toEqual(['You said: "one two three".']);
	});

	it('takes a whole JSON answer where a stream was asked for', async () => {
		const body = {
			choices: [{ message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
			usage: { prompt_tokens: 3, completion_tokens: 1 },
		};
		const fault: Fault = {
			type: 'body',
			contentType: 'application/json',
			body: JSON.stringify(body),
		};
		const { given, calls } = await fail(fault);
		expect(given).toEqual(['whole']);
		expect(calls[0]?.output).toMatchObject({ tokenUsage: { promptTokens: 3 } });
	});

	it('falls silent: ended by the idle timeout, and said', async () => {
		service.fault({ match: { method: 'POST' }, do: { type: 'timeout', bytes: 400 } });
		const { error } = await ask({ use, parameters: { requestSettings: { idleTimeout: 1 } } });
		expect(error?.description).toContain('Nothing arrived for 1 s');
		expect(posts(service)).toHaveLength(1);
	});

	it('an echoed key is in no output, no error and nothing that is stored', async () => {
		const secret = key();
		const echo = async (chat: LanguageModel) => [
			(await chat.invoke(`say ${secret}`)).content,
			(await collect(chat.stream(`say ${secret}`))).map(({ content }) => content).join(''),
		];
		const { given, run: done } = await ask({ use: echo });
		expect(JSON.stringify(given)).toContain('***');
		expect(JSON.stringify([given, done])).not.toContain(secret);
		const { run, error } = await fail({
			type: 'status',
			status: 400,
			body: { error: { message: `the key ${secret} is bad, Bearer ${secret}` } },
		});
		expect(error?.description).toContain('***');
		expect(JSON.stringify(run)).not.toContain(secret);
	});
});

it('a domain that the credential does not allow is refused before anything is sent', async () => {
	const { modelRouterApi = {} } = secretsOf(service);
	const { error } = await ask({
		secrets: {
			...secretsOf(service),
			modelRouterApi: {
				...modelRouterApi,
				allowedHttpRequestDomains: 'domains',
				allowedDomains: 'example.com',
			},
		},
		use: async (chat) => await chat.invoke('x'),
	});
	expect(error?.message).toMatch(/domain/i);
	expect(service.requests).toEqual([]);
});

it.each(['canvas/sketch-1', 'voice/speaker-1'])(
	'a model of another kind (%s) is refused before it is sent, with the node to use',
	async (id) => {
		const { error } = await ask({
			parameters: { model: { __rl: true, mode: 'id', value: id } },
			use: async (chat) => await chat.invoke('x'),
		});
		expect(error?.message).toMatch(
			/Use "Media" with the Media Type .* That is an operation of the Model Router node/,
		);
		expect(posts(service)).toEqual([]);
	},
);

it('a picture for a model that reads text only is refused before it is sent', async () => {
	const { error } = await ask({
		use: async (chat) =>
			await chat.invoke([
				{
					role: 'user',
					content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
				},
			]),
	});
	expect(error?.message).toContain('does not take images');
	expect(posts(service)).toEqual([]);
});

it('a model is asked whatever its entry says in fields that the specification does not have', async () => {
	const entry = {
		id: 'northwind/quill-2.5',
		pricing: { input_per_mtok: 1, output_per_mtok: 1 },
		supported_parameters: ['temperature'],
		capabilities: { tools: false, streaming: false },
	};
	const delta = { choices: [{ index: 0, delta: { content: 'said' }, finish_reason: 'stop' }] };
	const contrary = await startContrary();
	contrary.answer(({ method }) =>
		method === 'GET'
			? { type: 'application/json', body: JSON.stringify({ data: [entry] }) }
			: { type: 'text/event-stream', body: `data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n` },
	);
	const use = async (chat: LanguageModel) => (await chat.bindTools([tool]).invoke('one')).content;
	expect(await useModel({ secrets: contrary.secrets, use })).toMatchObject({ given: ['said'] });
	await contrary.stop();
});

it('an error names the credential whose key was refused', async () => {
	service.fault({ match: { method: 'POST' }, do: { type: 'status', status: 401 } });
	const { error } = await ask({ use: async (chat) => await chat.invoke('x') });
	expect(error?.message).toContain('credential "modelRouterApi"');
});
