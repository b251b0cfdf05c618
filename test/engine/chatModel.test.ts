import { failPosts, posts, secretsOf } from './rig/calls';
import { collect, useModel, type ModelOptions } from './rig/chatModel';
import { serviceForTests } from './rig/service';

// what an AI agent gets from the model, and what the model's node shows of it
const service = serviceForTests();

const ask = (options: Partial<ModelOptions> & Pick<ModelOptions, 'use'>) =>
	useModel({ secrets: secretsOf(service), ...options });

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather = { type: 'function', function: { name: 'get_weather', parameters: city } };
const time = { type: 'function', function: { name: 'get_time', parameters: { type: 'object' } } };
const user = (content: unknown) => ({ role: 'user', content });

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
		expect(customData).toEqual({ modelCostUsd: Number(calls[0]?.output?.['costUsd']).toFixed(6) });
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
		await ask({
			parameters: { responseFormat: 'json_object', options: { protocol, ...own } },
			use: async (model) => await model.withConfig({ stop: ['END'] }).invoke('Answer in JSON'),
		});
		const format = { type: 'json_object' };
		expect(posts(service)[0]?.body).toMatchObject({
			...{ model: 'northwind/quill-2.5', temperature: 0.5, user: 'customer-7', stream: true },
			...(isChat
				? { max_tokens: 321, reasoning_effort: 'low', response_format: format, stop: ['END'] }
				: { max_output_tokens: 321, reasoning: { effort: 'low' }, text: { format } }),
		});
	});
});

it('hands over the result of a tool with the ID of its call', async () => {
	const { given } = await ask({
		use: async (model) => {
			const withTools = model.bindTools([weather]);
			const called = await withTools.invoke('[[tool:get_weather]]');
			const [{ id } = { id: '' }] = called.tool_calls ?? [];
			const result = { role: 'tool', content: 'sunny', tool_call_id: id };
			await withTools.invoke([user('What is the weather?'), called, result]);
			return id;
		},
	});
	const [id] = given;
	const result = { role: 'tool', content: 'sunny', tool_call_id: id };
	const messages = [{ role: 'user' }, { tool_calls: [{ id }] }, result];
	expect(posts(service)[1]?.body).toMatchObject({ messages });
});

it('a call by the model without an ID gets one, and empty arguments are an object', async () => {
	const call = { index: 0, type: 'function', function: { name: 'get_time', arguments: '' } };
	const chunk = { choices: [{ index: 0, delta: { tool_calls: [call] } }] };
	const body = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
	failPosts(service, { type: 'body', contentType: 'text/event-stream', body });
	const { given } = await ask({
		use: async (model) => (await model.bindTools([time]).invoke('x')).tool_calls,
	});
	const called = { name: 'get_time', args: {}, id: expect.stringMatching(/^call_/) };
	expect(given).toMatchObject([[called]]);
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

it('a call whose ID an earlier call of the conversation has gets another one', async () => {
	const { given } = await ask({
		use: async (model) => {
			const withTools = model.bindTools([time]);
			const asked = user('[[tool:get_time]]');
			const first = await withTools.invoke([asked]);
			const result = { role: 'tool', content: 'noon', tool_call_id: first.tool_calls![0]!.id };
			const second = await withTools.invoke([asked, first, result, asked]);
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
	expect(calls).toMatchObject([
		{ output: { finishReason: 'length', notice }, hints: [{ message: notice }] },
	]);
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
		expect(customData).toEqual({ modelCostUsd: expect.any(String) });
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
