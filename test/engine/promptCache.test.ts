import { chat, posts, response } from './rig/calls';
import { serviceForTests } from './rig/service';

// the system message in the cache of a vendor: its mark, the tools before it, and what it costs
const service = serviceForTests();

const TEXT = 'You are a clerk of the town. '.repeat(20);
const part = (type: string) => ({ type, text: TEXT, cache_control: { type: 'ephemeral' } });
const parameters = '{"type":"object","properties":{"city":{"type":"string"}}}';
const tools = { tool: [{ name: 'get_weather', parameters }, { name: 'get_time' }] };
/** The tools of each request, as they were written. */
const toolBytes = () =>
	posts(service).map(({ bodyText }) => /"tools":(\[.*?\])(?=[,}]"|,"tool|\}$)/.exec(bodyText)?.[1]);
const bodies = () => posts(service).map(({ body }) => body as Record<string, object[]>);

it.each([
	['chat completions', chat, 'messages', 'text', 'prompt_tokens_details'],
	['responses', response, 'input', 'input_text', 'input_tokens_details'],
] as const)('Message a Model, %s: the second call reads it from the cache', async (...row) => {
	const [, call, field, type, details] = row;
	const options = { systemMessage: TEXT, cacheSystemMessage: true, tools };
	const ask = async (text: string) =>
		await service.paidFor(async () => await service.run(call(text, { options })));
	const [first, second] = [await ask('one'), await ask('two')];
	for (const { result, paid } of [first, second])
		expect(result.items[0]?.json).toMatchObject({ costUsd: paid / 1e6, costComputed: true });
	expect(second.result.items[0]?.json['usage']).toMatchObject({
		[details]: { cached_tokens: 140 },
	});
	expect(second.paid).toBeLessThan(first.paid / 2);
	const sent = bodies().slice(-2);
	expect(sent.map((body) => body[field]?.[0])).toEqual(
		Array(2).fill({ role: 'system', content: [part(type)] }),
	);
	expect(sent.some((body) => 'instructions' in body)).toBe(false);
	expect(toolBytes()[0]).toContain('get_time');
	expect(new Set(toolBytes()).size).toBe(1);
});

it.each(['chat', 'responses'])(
	'the chat model, %s: so does each turn of an agent',
	async (protocol) => {
		const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
		const weather = { type: 'function', function: { name: 'get_weather', parameters: city } };
		const talk = [
			{ role: 'system', content: TEXT },
			{ role: 'user', content: '[[tool:get_weather]] Oslo' },
		];
		const { result, paid } = await service.paidFor(
			async () =>
				await service.useModel({
					parameters: { options: { protocol, cacheSystemMessage: true } },
					async use(model) {
						const bound = model.bindTools([weather]);
						const { tool_calls: [call] = [] } = await bound.invoke(talk);
						const result = { role: 'tool', tool_call_id: call?.id, content: 'sunny' };
						const called = { name: 'get_weather', arguments: JSON.stringify(call?.args) };
						const step = { id: call?.id, type: 'function', function: called };
						await bound.invoke([
							...talk,
							{ role: 'assistant', content: '', tool_calls: [step] },
							result,
						]);
					},
				}),
		);
		expect(result.error).toBeUndefined();
		const [, second] = result.calls.map(({ output }) => output);
		expect(second?.['tokenUsage']).toMatchObject({ cachedTokens: 140 });
		expect(Number(result.customData['costUsd'])).toBe(paid / 1e6);
		const last = bodies().at(-1)!;
		const [system] = last['messages'] ?? last['input'] ?? [];
		expect(system).toEqual({
			role: 'system',
			content: [part(protocol === 'chat' ? 'text' : 'input_text')],
		});
		expect(toolBytes()[0]).toContain('get_weather');
		expect(new Set(toolBytes()).size).toBe(1);
	},
);
