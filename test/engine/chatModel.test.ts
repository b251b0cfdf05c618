import type { Fault } from '../service/service';
import { failPosts, model, posts, says } from './rig/calls';
import { collect, type LanguageModel, type ModelMessage, type ModelOptions } from './rig/chatModel';
import { serviceForTests } from './rig/service';

// what an AI agent gets from the model, what the model's node shows of it, and what happens when the service fails, lies or sends
// elsewhere
const service = serviceForTests();
const elsewhere = serviceForTests();

const ask = (options: Partial<ModelOptions> & Pick<ModelOptions, 'use'>) =>
	service.useModel(options);

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather = { type: 'function', function: { name: 'get_weather', parameters: city } };
const time = { type: 'function', function: { name: 'get_time', parameters: { type: 'object' } } };
const user = (content: unknown) => ({ role: 'user', content });
/** Of a call, in n8n. */
const ID = /^[a-z0-9]{9}$/;

describe.each(['chat', 'responses'])('with the protocol %s', (protocol) => {
	const isChat = protocol === 'chat';
	const parameters = { options: { protocol } };

	it('answers in one piece, with tokens, cost and request ID', async () => {
		const { given, error, calls, customData } = await ask({
			parameters,
			use: async (model) => {
				const { content, usage_metadata } = await model.invoke('[[cached:3]] a b c d e f');
				return { content, usage_metadata };
			},
		});
		expect(error).toBeUndefined();
		expect(given).toMatchObject([
			{ content: expect.stringContaining('You said'), usage_metadata: { input_tokens: 7 } },
		]);
		const tokenUsage = { promptTokens: 7, cachedTokens: 3, reasoningTokens: 0 };
		const cost = { costUsd: expect.any(Number), costComputed: true };
		expect(calls).toMatchObject([
			{
				input: {
					messages: ['Human: [[cached:3]] a b c d e f'],
					estimatedTokens: expect.any(Number),
					options: { model: 'northwind/quill-2.5', protocol },
				},
				output: { tokenUsage, finishReason: 'stop', requestId: expect.any(String), ...cost },
			},
		]);
		expect(customData).toEqual({ costUsd: Number(calls[0]?.output?.['costUsd']).toFixed(6) });
		const path = isChat ? '/v1/chat/completions' : '/v1/responses';
		expect(posts(service)).toMatchObject([{ path }]);
	});

	it('answers as a stream, with the same', async () => {
		const { given, calls } = await ask({
			parameters,
			use: async (model) => await collect(model.stream('one two three')),
		});
		const [pieces] = given as [Awaited<ReturnType<typeof collect>>];
		expect(pieces.map(({ content }) => content).join('')).toBe('You said: "one two three".');
		const usage = { input_tokens: 3, output_tokens: 5 };
		expect(pieces.flatMap(({ usage_metadata }) => usage_metadata ?? [])).toMatchObject([usage]);
		const tokenUsage = { promptTokens: 3, completionTokens: 5, totalTokens: 8 };
		expect(calls).toMatchObject([{ output: { tokenUsage, costUsd: expect.any(Number) } }]);
	});

	it.each(['invoke', 'stream'] as const)('calls tools, several at once (%s)', async (way) => {
		const { given } = await ask({
			parameters,
			use: async (model) => {
				const withTools = model.bindTools([weather, time]);
				if (way === 'invoke') return (await withTools.invoke('[[tools:2]]')).tool_calls;
				const [first, ...rest] = await collect(withTools.stream('[[tools:2]]'));
				return rest.reduce((all, piece) => all.concat(piece), first!).tool_calls;
			},
		});
		const [calls] = given as Array<Array<{ id: string }>>;
		expect(calls).toMatchObject([
			{ name: 'get_weather', args: { city: expect.any(String) } },
			{ name: 'get_time' },
		]);
		expect(new Set(calls!.map(({ id }) => id)).size).toBe(2);
	});

	it('sends its settings, and those of a call before them', async () => {
		const additionalFields = '{"user": "customer-7"}';
		const own = { maxTokens: 321, temperature: 0.5, reasoningEffort: 'low', additionalFields };
		const asked = [{ role: 'system', content: 'Be short.' }, user('Answer in JSON')];
		await ask({
			parameters: {
				responseFormat: 'json_object',
				options: { protocol, cacheSystemMessage: true, ...own },
			},
			use: async (model) => await model.withConfig({ stop: ['END'] }).invoke(asked),
		});
		const format = { type: 'json_object' };
		expect(posts(service)[0]?.body).toMatchObject({
			model: 'northwind/quill-2.5',
			temperature: 0.5,
			user: 'customer-7',
			stream: true,
			[isChat ? 'messages' : 'input']: [
				{ role: 'system', content: [{ cache_control: { type: 'ephemeral' } }] },
				{},
			],
			...(isChat
				? { max_tokens: 321, reasoning_effort: 'low', response_format: format, stop: ['END'] }
				: { max_output_tokens: 321, reasoning: { effort: 'low' }, text: { format } }),
		});
	});
});

/** An answer that calls a tool without an ID, with these arguments. */
const callWith = (written: string, finishReason = 'tool_calls') => {
	const call = { index: 0, type: 'function', function: { name: 'get_time', arguments: written } };
	failPosts(service, says({ tool_calls: [call] }, finishReason));
};
const WAYS: Array<[string, (model: LanguageModel) => Promise<ModelMessage>]> = [
	['in one piece', async (model) => await model.bindTools([time]).invoke('x')],
	[
		'streamed',
		async (model) =>
			(await collect(model.bindTools([time]).stream('x'))).reduce((all, piece) =>
				all.concat(piece),
			),
	],
];

describe.each(WAYS)('%s', (_way, call) => {
	it.each(['', 'null', ' {} ', '"{}"'])(
		'a call by the model without an ID gets one, and arguments %j are an object',
		async (written) => {
			callWith(written);
			const { given } = await ask({ use: async (model) => (await call(model)).tool_calls });
			const called = { name: 'get_time', args: {}, id: expect.stringMatching(ID) };
			expect(given).toMatchObject([[called]]);
		},
	);

	it('a whole call is run, whatever the answer ended with', async () => {
		callWith('{"amount": 10}', 'length');
		const { given } = await ask({ use: async (model) => (await call(model)).tool_calls });
		expect(given).toMatchObject([[{ args: { amount: 10 } }]]);
	});

	it.each([
		['', 'length', /cut off in its call of "get_time": it reached 16384/],
		['', 'content_filter', /^The model called the tool "get_time" with arguments that are not/],
		['{"amount": 10', 'length', /cut off in its call of "get_time": it reached 16384/],
		[
			'{"to": "bob@exam',
			'tool_calls',
			/^The model called the tool "get_time" with arguments that are not complete JSON\. They may be cut off, so no tool was called\. The answer is billed\. Outcome: the service received it; what it did may be charged\. Request ID: /,
		],
		[
			'to bob',
			'stop',
			/^The model called the tool "get_time" with arguments that are not complete/,
		],
	])('a call with %j is not run: an error that says so, and is paid', async (...row) => {
		const [written, finishReason, advice] = row;
		callWith(written, finishReason);
		const { given, error, customData } = await ask({ use: call });
		expect(given).toEqual([]);
		expect(error?.message).toMatch(advice);
		expect(error?.description).toContain('The answer is not JSON');
		const partial = { text: '', toolCalls: [{ name: 'get_time', arguments: written }] };
		expect(error?.context?.['metadata']).toMatchObject({ outcome: 'started', partial });
		expect(customData).toEqual({ costUsd: expect.any(String) });
	});
});

it('a call without words, which n8n writes as an empty list, is sent as no content', async () => {
	const call = { id: 'c1', type: 'function', function: { name: 'get_time', arguments: '{}' } };
	await ask({
		use: async (model) =>
			await model
				.bindTools([time])
				.invoke([
					user('What time is it?'),
					{ role: 'assistant', content: [], tool_calls: [call] },
					{ role: 'tool', content: 'noon', tool_call_id: 'c1' },
				]),
	});
	const { messages } = posts(service)[0]!.body as { messages: object[] };
	expect(messages[1]).toMatchObject({ content: null, tool_calls: [{ id: 'c1' }] });
});

it('the facts of calls that run at the same time stay with their answers', async () => {
	const { calls } = await ask({
		use: async (model) =>
			await Promise.all(
				['[[words:40]]', 'b', 'c d e', '[[words:9]]'].map(async (text) => await model.invoke(text)),
			),
	});
	expect(calls).toHaveLength(4);
	for (const { output } of calls) {
		const { response, tokenUsage } = output as {
			response: { generations: [[{ text: string }]] };
			tokenUsage: { completionTokens: number };
		};
		const words = response.generations[0][0].text.trim().split(/\s+/);
		expect(tokenUsage.completionTokens).toBe(words.length);
	}
});

describe('the format of the answer', () => {
	const schema = {
		type: 'object',
		properties: { size: { enum: ['S', 'M'] } },
		required: ['size'],
		additionalProperties: false,
	};
	const parameters = { responseFormat: 'json_schema', jsonSchema: JSON.stringify(schema) };

	it('is checked: an answer that does not fit is an error that says where, and is paid', async () => {
		const { given } = await ask({ parameters, use: async (model) => await model.invoke('Size?') });
		expect(given).toMatchObject([{ content: '{"size":"S"}' }]);
		const { error, customData } = await ask({
			parameters,
			use: async (model) => await model.invoke('[[break_schema]]'),
		});
		expect(error?.message).toContain('not in the requested format');
		expect(error?.description).toContain('size');
		expect(customData).toEqual({ costUsd: expect.any(String) });
	});

	it('does not apply to an answer that calls tools', async () => {
		const { given } = await ask({
			parameters,
			use: async (model) =>
				(await model.bindTools([weather]).invoke('[[tool:get_weather]]')).tool_calls,
		});
		expect(given).toMatchObject([[{ name: 'get_weather' }]]);
	});
});

it.each(['model', 'messages', 'stream'])('Additional Fields must not contain %s', async (name) => {
	const { error } = await ask({
		parameters: { options: { additionalFields: JSON.stringify({ [name]: 'x' }) } },
		use: async (model) => await model.invoke('x'),
	});
	expect(error?.message).toContain(`must not contain "${name}"`);
	expect(service.requests).toEqual([]);
});

const invoke = async (chat: LanguageModel) => (await chat.invoke('one two three')).content;
const stream = async (chat: LanguageModel, text = 'one two three') =>
	(await collect(chat.stream(text))).map(({ content }) => content).join('');
const fail = async (given: Fault, use = invoke) => {
	failPosts(service, given);
	return await ask({ use });
};

const ways: Array<[string, typeof invoke]> = [
	['in one piece', invoke],
	['as a stream', async (chat) => await stream(chat)],
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
		['an error in the middle', { type: 'stream_error', after: 2 }, /reported an error: fault: /],
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
	[
		'a conversation that is too long',
		{ type: 'status', status: 400, body: { error: { code: 'context_length_exceeded' } } },
		/too long for the model/,
	],
	['a broken connection', { type: 'reset_peer' }, /connection.*Outcome: unknown/s],
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
	expect(customData).toEqual({ unknownCosts: '1' });
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
		const parameters = { model: model('canvas/sketch-1') };
		expect((await ask({ parameters, use: invoke })).error?.message).toMatch(
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
