import { startService, type Service } from '../service/service';
import { posts, secretsOf } from './rig/calls';
import { collect, useModel, type ModelOptions } from './rig/chatModel';

// what an AI agent gets from the model, and what the model's node shows of it
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const ask = (options: Partial<ModelOptions> & Pick<ModelOptions, 'use'>) =>
	useModel({ secrets: secretsOf(service), ...options });

const weather = {
	type: 'function',
	function: {
		name: 'get_weather',
		description: 'The weather of a city',
		parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
	},
};
const time = { type: 'function', function: { name: 'get_time', parameters: { type: 'object' } } };

describe.each(['chat', 'responses'])('with the protocol %s', (protocol) => {
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
		expect(given).toEqual([
			{
				content: expect.stringContaining('You said'),
				usage_metadata: expect.objectContaining({ input_tokens: 7 }),
			},
		]);
		expect(calls).toEqual([
			{
				input: {
					messages: ['Human: [[cached:3]] a b c d e f'],
					estimatedTokens: expect.any(Number),
					options: { model: 'northwind/quill-2.5', protocol },
				},
				output: {
					response: expect.anything(),
					tokenUsage: {
						promptTokens: 7,
						completionTokens: expect.any(Number),
						totalTokens: expect.any(Number),
						cachedTokens: 3,
						reasoningTokens: 0,
					},
					model: 'northwind/quill-2.5',
					requestId: expect.stringMatching(/^req-/),
					costUsd: expect.any(Number),
					costComputed: true,
					finishReason: 'stop',
				},
				error: undefined,
				hints: undefined,
			},
		]);
		expect(customData).toEqual({ modelCostUsd: Number(calls[0]?.output?.['costUsd']).toFixed(6) });
		expect(posts(service).map(({ path }) => path)).toEqual([
			protocol === 'chat' ? '/v1/chat/completions' : '/v1/responses',
		]);
	});

	it('answers as a stream, with the same', async () => {
		const { given, calls } = await ask({
			parameters,
			use: async (model) => {
				const pieces = await collect(model.stream('one two three'));
				return {
					text: pieces.map(({ content }) => content).join(''),
					counts: pieces.flatMap(({ usage_metadata }) => usage_metadata ?? []),
				};
			},
		});
		expect(given).toEqual([
			{
				text: 'You said: "one two three".',
				counts: [expect.objectContaining({ input_tokens: 3, output_tokens: 5 })],
			},
		]);
		expect(calls[0]?.output).toMatchObject({
			tokenUsage: { promptTokens: 3, completionTokens: 5, totalTokens: 8 },
			costUsd: expect.any(Number),
			requestId: expect.stringMatching(/^req-/),
		});
		expect(posts(service)).toHaveLength(1);
	});

	it.each(['invoke', 'stream'] as const)('calls tools, several at once (%s)', async (way) => {
		const { given } = await ask({
			parameters,
			use: async (model) => {
				const withTools = model.bindTools([weather, time]);
				const asked = [{ role: 'user', content: '[[tools:2]]' }];
				if (way === 'invoke') return (await withTools.invoke(asked)).tool_calls;
				const [first, ...rest] = await collect(withTools.stream(asked));
				return rest.reduce((all, piece) => all.concat(piece), first!).tool_calls;
			},
		});
		expect(given).toEqual([
			[
				expect.objectContaining({ name: 'get_weather', id: expect.any(String) }),
				expect.objectContaining({ name: 'get_time', id: expect.any(String) }),
			],
		]);
		const [calls] = given as Array<Array<{ id: string; args: object }>>;
		expect(new Set(calls!.map(({ id }) => id)).size).toBe(2);
		expect(calls![0]!.args).toEqual({ city: expect.any(String) });
	});

	it('hands over the result of a tool with the ID of its call', async () => {
		const { given, error } = await ask({
			parameters,
			use: async (model) => {
				const withTools = model.bindTools([weather]);
				const called = await withTools.invoke('[[tool:get_weather]]');
				const [call] = called.tool_calls ?? [];
				const { content } = await withTools.invoke([
					{ role: 'user', content: 'What is the weather?' },
					called,
					{ role: 'tool', content: 'sunny', tool_call_id: call!.id },
				]);
				return { id: call!.id, content };
			},
		});
		expect(error).toBeUndefined();
		const [{ id }] = given as [{ id: string }];
		const body = posts(service)[1]!.body as Record<string, object[]>;
		expect(body[protocol === 'chat' ? 'messages' : 'input']).toEqual([
			expect.objectContaining({ role: 'user' }),
			...(protocol === 'chat'
				? [
						expect.objectContaining({ tool_calls: [expect.objectContaining({ id })] }),
						{ role: 'tool', content: 'sunny', tool_call_id: id },
					]
				: [
						expect.objectContaining({ type: 'function_call', call_id: id, name: 'get_weather' }),
						{ type: 'function_call_output', call_id: id, output: 'sunny' },
					]),
		]);
	});

	it('sends its settings, and those of a call before them', async () => {
		await ask({
			parameters: {
				responseFormat: 'json_object',
				options: {
					protocol,
					maxTokens: 321,
					temperature: 0.5,
					reasoningEffort: 'low',
					additionalFields: '{"user": "customer-7"}',
				},
			},
			use: async (model) => await model.withConfig({ stop: ['END'] }).invoke('Answer in JSON'),
		});
		const body = posts(service)[0]!.body;
		expect(body).toMatchObject({
			model: 'northwind/quill-2.5',
			temperature: 0.5,
			user: 'customer-7',
			stream: true,
			...(protocol === 'chat'
				? {
						max_tokens: 321,
						reasoning_effort: 'low',
						response_format: { type: 'json_object' },
						stop: ['END'],
					}
				: {
						max_output_tokens: 321,
						reasoning: { effort: 'low' },
						text: { format: { type: 'json_object' } },
					}),
		});
	});

	it('sends pictures in the form of the protocol', async () => {
		const url = 'data:image/png;base64,AAAA';
		const { error } = await ask({
			parameters: {
				...parameters,
				model: { __rl: true, mode: 'id', value: 'aurora-labs/omni-2' },
				spendingCapPerCall: 10,
				spendingCapPerExecution: 10,
			},
			use: async (model) =>
				await model.invoke([
					{
						role: 'user',
						content: [
							{ type: 'text', text: 'What is this?' },
							{ type: 'image_url', image_url: { url } },
						],
					},
				]),
		});
		expect(error).toBeUndefined();
		expect(posts(service)[0]!.body).toMatchObject(
			protocol === 'chat'
				? {
						messages: [{ content: [{ type: 'text' }, { type: 'image_url', image_url: { url } }] }],
					}
				: {
						input: [{ content: [{ type: 'input_text' }, { type: 'input_image', image_url: url }] }],
					},
		);
	});
});

it('calls by a model without an ID get one, and empty arguments are an object', async () => {
	const call = { index: 0, type: 'function', function: { name: 'get_time', arguments: '' } };
	const chunk = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] };
	service.fault({
		match: { method: 'POST' },
		do: {
			type: 'body',
			contentType: 'text/event-stream',
			body: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
		},
	});
	const { given } = await ask({
		use: async (model) => (await model.bindTools([time]).invoke('x')).tool_calls,
	});
	expect(given).toEqual([
		[expect.objectContaining({ name: 'get_time', args: {}, id: expect.stringMatching(/^call_/) })],
	]);
});

it('a refusal of the model is its answer', async () => {
	const chunk = {
		choices: [{ index: 0, delta: { refusal: 'I will not.' }, finish_reason: 'stop' }],
	};
	service.fault({
		match: { method: 'POST' },
		do: {
			type: 'body',
			contentType: 'text/event-stream',
			body: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
		},
	});
	const { given } = await ask({
		use: async (model) => [
			(await model.invoke('x')).content,
			(await collect(model.stream('x'))).map(({ content }) => content).join(''),
		],
	});
	expect(given).toEqual([['I will not.', 'I will not.']]);
});

it('a call without words, which n8n writes as an empty list, is sent as no content', async () => {
	await ask({
		use: async (model) =>
			await model.bindTools([time]).invoke([
				{ role: 'user', content: 'What time is it?' },
				{
					role: 'assistant',
					content: [],
					tool_calls: [
						{ id: 'c1', type: 'function', function: { name: 'get_time', arguments: '{}' } },
					],
				},
				{ role: 'tool', content: 'noon', tool_call_id: 'c1' },
			]),
	});
	const { messages } = posts(service)[0]!.body as { messages: object[] };
	expect(messages[1]).toMatchObject({ content: null, tool_calls: [{ id: 'c1' }] });
});

it('a call whose ID an earlier call of the conversation has gets another one', async () => {
	const { given } = await ask({
		use: async (model) => {
			const withTools = model.bindTools([time]);
			const first = await withTools.invoke('[[tool:get_time]]');
			const second = await withTools.invoke([
				{ role: 'user', content: '[[tool:get_time]]' },
				first,
				{ role: 'tool', content: 'noon', tool_call_id: first.tool_calls![0]!.id },
				{ role: 'user', content: '[[tool:get_time]]' },
			]);
			return [first, second].map(({ tool_calls: [call] = [] }) => call?.id);
		},
	});
	const ids = given.flat();
	expect(ids).toEqual([expect.any(String), expect.any(String)]);
	expect(new Set(ids).size).toBe(2);
});

it('an answer that is cut off says so in the output and beside it', async () => {
	const { calls } = await ask({
		parameters: { options: { maxTokens: 5 } },
		use: async (model) => await model.invoke('[[words:50]]'),
	});
	const notice = expect.stringContaining('is cut off');
	expect(calls[0]).toMatchObject({
		output: { finishReason: 'length', notice },
		hints: [{ message: notice }],
	});
});

it('the facts of calls that run at the same time stay with their answers', async () => {
	const { calls } = await ask({
		use: async (model) =>
			await Promise.all(
				['[[words:40]]', 'b', 'c d e', '[[words:9]]'].map(async (text) => await model.invoke(text)),
			),
	});
	const outputs = calls.map(
		({ output }) =>
			output as {
				response: { generations: [[{ text: string }]] };
				tokenUsage: { completionTokens: number };
			},
	);
	expect(outputs).toHaveLength(4);
	for (const { response, tokenUsage } of outputs)
		expect(tokenUsage.completionTokens).toBe(
			response.generations[0][0].text.trim().split(/\s+/).length,
		);
});

describe('the format of the answer', () => {
	const schema = {
		type: 'object',
		properties: { size: { enum: ['S', 'M'] } },
		required: ['size'],
		additionalProperties: false,
	};
	const parameters = { responseFormat: 'json_schema', jsonSchema: JSON.stringify(schema) };

	it('is checked: an answer that fits passes', async () => {
		const { given, error } = await ask({
			parameters,
			use: async (model) => (await model.invoke('Which size?')).content,
		});
		expect(error).toBeUndefined();
		expect(JSON.parse(String(given[0]))).toEqual({ size: 'S' });
	});

	it('is checked: one that does not fit is an error that says where, and is paid', async () => {
		const { error, customData } = await ask({
			parameters,
			use: async (model) => await model.invoke('[[break_schema]]'),
		});
		expect(error?.message).toContain('not in the requested format');
		expect(error?.description).toContain('size');
		expect(customData).toEqual({ modelCostUsd: expect.any(String) });
	});

	it('is checked before anything is sent: a schema that cannot be used', async () => {
		const { error } = await ask({
			parameters: { ...parameters, jsonSchema: '{"type": "nonsense"}' },
			use: async (model) => await model.invoke('x'),
		});
		expect(error?.message).toMatch(/schema/i);
		expect(posts(service)).toEqual([]);
	});

	it('does not apply to an answer that calls tools', async () => {
		const { given } = await ask({
			parameters,
			use: async (model) =>
				(await model.bindTools([weather]).invoke('[[tool:get_weather]]')).tool_calls,
		});
		expect(given).toEqual([[expect.objectContaining({ name: 'get_weather' })]]);
	});
});

it.each(['model', 'messages', 'tools', 'tool_choice', 'stream'])(
	'Additional Fields must not contain %s',
	async (name) => {
		const { error } = await ask({
			parameters: { options: { additionalFields: JSON.stringify({ [name]: 'x' }) } },
			use: async (model) => await model.invoke('x'),
		});
		expect(error?.message).toContain(`must not contain "${name}"`);
		expect(service.requests).toEqual([]);
	},
);
