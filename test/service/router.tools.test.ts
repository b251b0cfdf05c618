import { askRouter, user, type Chunk } from './routerProbe.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const post = (body: object) => askRouter(service).chat(body);
const chunks = (body: object) => askRouter(service).chunks(body);

describe('C chat: tools (4C)', () => {
	const parameters = { type: 'object', properties: { city: { type: 'string' } } };
	const tools = ['weather', 'time'].map((name) => ({
		type: 'function',
		function: { name, parameters },
	}));

	it.each([
		['the message asks', 'hi [[tool:time]]', undefined, 'time'],
		['required', 'hi', 'required', 'weather'],
		['a specific one', 'hi', { type: 'function', function: { name: 'time' } }, 'time'],
		['auto', 'hi', 'auto', undefined],
		['none', 'hi [[tool:time]]', 'none', undefined],
	])('%s', async (_case, message, tool_choice, expected) => {
		const { data } = await post({ messages: user(message), tools, tool_choice });
		expect(data.choices[0].message.tool_calls?.[0].function.name).toBe(expected);
	});

	it('come in fragments that join to the plain call', async () => {
		const body = { messages: user('rain? [[tool:weather]]'), tools };
		const [call] = (await post(body)).data.choices[0].message.tool_calls;
		const parts = (await chunks(body)).flatMap(
			({ choices }) => choices[0]?.delta.tool_calls?.[0] ?? [],
		);
		expect(parts.length).toBeGreaterThan(3);
		expect(parts[0]).toMatchObject({ id: call.id, function: { name: 'weather' } });
		const joined = parts.map((part) => part.function.arguments).join('');
		expect(joined).toBe(call.function.arguments);
		expect(JSON.parse(joined)).toEqual({ city: 'rain? [[tool:weather]]' });
	});

	it('goes on after the result of a tool', async () => {
		const messages = [
			...user('[[tool:weather]]'),
			{ role: 'assistant', content: null, tool_calls: [] },
			{ role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
		];
		const { data } = await post({ messages, tools });
		expect(data.choices[0].message.content).toBe('The tool said: sunny');
	});
});

describe('C: parallel calls', () => {
	const parameters = { type: 'object', properties: { city: { type: 'string' } } };
	const named = ['weather', 'time'].map((name) => ({ name, parameters }));
	const tools = named.map((tool) => ({ type: 'function', function: tool }));
	const names = (calls: Array<{ function: { name: string } }>) =>
		calls.map((call) => call.function.name);
	const deltas = (list: Chunk[]) =>
		list.flatMap(({ choices = [] }) => choices[0]?.delta.tool_calls?.[0] ?? []);

	it.each([
		['[[tools:2]]', ['weather', 'time']],
		['[[tools:3]]', ['weather', 'time', 'weather']],
		['[[tools:2]] [[tool:time]]', ['time', 'weather']],
		['[[tools:1]]', ['weather']],
	])('%s calls %j, each with its own id and arguments', async (message, expected) => {
		const [choice] = (await post({ messages: user(message), tools })).data.choices;
		const calls = choice.message.tool_calls as Array<{
			id: string;
			function: { name: string; arguments: string };
		}>;
		expect(choice).toMatchObject({ message: { content: null }, finish_reason: 'tool_calls' });
		expect(names(calls)).toEqual(expected);
		expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
		expect(calls.map((call) => JSON.parse(call.function.arguments) as unknown)).toEqual(
			expected.map((_name, index) => ({
				city: index ? `#${index + 1} ${message}` : message,
			})),
		);
	});

	it('[[tools:0]] calls none', async () => {
		const { data } = await post({ messages: user('[[tools:0]]'), tools });
		expect(data.choices[0].finish_reason).toBe('stop');
	});

	it('streamed: both are named first, then their arguments come in turn', async () => {
		const body = { messages: user('[[tools:2]]'), tools };
		const parts = deltas(await chunks(body));
		expect(parts.slice(0, 6)).toEqual([
			{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } },
			{ index: 1, id: 'call_2', type: 'function', function: { name: 'time', arguments: '' } },
			{ index: 0, function: { arguments: '{"cit' } },
			{ index: 1, function: { arguments: '{"cit' } },
			{ index: 0, function: { arguments: 'y":"[' } },
			{ index: 1, function: { arguments: 'y":"#' } },
		]);
		const plain = (await post(body)).data.choices[0].message.tool_calls;
		for (const [index, call] of plain.entries()) {
			const own = parts.filter((part) => part.index === index);
			expect(own.map((part) => part.function.arguments).join('')).toBe(call.function.arguments);
		}
	});

	it('responses: one item for each, the arguments in turn', async () => {
		const body = { input: '[[tools:2]]', tools: named };
		const { output } = (await askRouter(service).respond(body)).data;
		expect(output).toMatchObject([
			{ type: 'function_call', call_id: 'call_1', name: 'weather', status: 'completed' },
			{ type: 'function_call', call_id: 'call_2', name: 'time', status: 'completed' },
		]);
		expect(output[0].id).not.toBe(output[1].id);
		const events = await askRouter(service).events(body);
		const shape = events.map(({ type, output_index: at }) => `${type} ${at ?? ''}`.trim());
		expect(shape.slice(2, 8)).toEqual([
			'response.output_item.added 0',
			'response.output_item.added 1',
			'response.function_call_arguments.delta 0',
			'response.function_call_arguments.delta 1',
			'response.function_call_arguments.delta 0',
			'response.function_call_arguments.delta 1',
		]);
		expect(shape.slice(-5)).toEqual([
			'response.function_call_arguments.done 0',
			'response.output_item.done 0',
			'response.function_call_arguments.done 1',
			'response.output_item.done 1',
			'response.completed',
		]);
		for (const [index, item] of output.entries()) {
			const own = events.filter(({ output_index: at }) => at === index);
			const fragments = own.filter(({ type }) => type === 'response.function_call_arguments.delta');
			expect(fragments.map(({ delta }) => delta).join('')).toBe(item.arguments);
			expect(own[0]?.item).toEqual({
				...item,
				id: expect.any(String),
				status: 'in_progress',
				arguments: '',
			});
			expect(own.at(-2)).toMatchObject({ arguments: item.arguments });
			expect(own.at(-1)?.item).toEqual({ ...item, id: expect.any(String) });
			const { id } = own[0]?.item as { id: string };
			expect(new Set(own.map((event) => event.item_id ?? id))).toEqual(new Set([id]));
		}
	});

	it('calls that do not fit the cap are left out whole', async () => {
		const body = { messages: user('[[tools:2]]'), tools };
		const { completion_tokens: tokens } = (await post(body)).data.usage;
		const fitting = (await post({ ...body, max_tokens: tokens })).data;
		expect(fitting.choices[0].finish_reason).toBe('tool_calls');
		const [cut] = (await post({ ...body, max_tokens: tokens - 1 })).data.choices;
		expect(cut).toMatchObject({ finish_reason: 'length', message: { content: '' } });
	});

	it.each([0, 3])('the backend may fail after %i fragments', async (count) => {
		const message = `[[tools:2]] [[break:${count}]]`;
		const list = await chunks({ messages: user(message), tools });
		expect(deltas(list)).toHaveLength(count);
		expect(list.at(-1)).toHaveProperty('error');
		const events = await askRouter(service).events({ input: message, tools: named });
		expect(events.filter(({ delta }) => delta !== undefined)).toHaveLength(count);
		expect(events.at(-1)).toHaveProperty('error');
	});
});
