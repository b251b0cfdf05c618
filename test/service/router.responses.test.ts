import { client, eventsIn } from './probe.ts';
import { askRouter, without } from './routerProbe.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const post = (body: object) => askRouter(service).respond(body);
const events = (body: object) => askRouter(service).events(body);

describe('C responses: plain', () => {
	it('answers text', async () => {
		const { data } = await post({ input: 'hi', instructions: 'be short' });
		expect(data).toMatchObject({
			object: 'response',
			status: 'completed',
			output: [{ type: 'message', content: [{ type: 'output_text', text: 'You said: "hi".' }] }],
			usage: { input_tokens: 3, output_tokens: 3, total_tokens: 6 },
		});
	});

	it('answers messages', async () => {
		const input = [
			{ role: 'user', content: 'one' },
			{ role: 'assistant', content: [{ type: 'output_text', text: 'x' }] },
			{ role: 'user', content: [{ type: 'input_text', text: 'two' }] },
		];
		const { data } = await post({ input });
		expect(data.output[0].content[0].text).toBe('You said: "two".');
	});

	it('calls a tool and goes on after its result', async () => {
		const tools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }];
		const { data } = await post({ input: '[[tool:f]]', tools });
		expect(data.output[0]).toMatchObject({ type: 'function_call', name: 'f', arguments: '{}' });
		const input = [
			{ role: 'user', content: '[[tool:f]]' },
			data.output[0],
			{ type: 'function_call_output', call_id: 'call_1', output: 'done' },
		];
		expect((await post({ input, tools })).data.output[0].content[0].text).toBe(
			'The tool said: done',
		);
	});

	it('is incomplete under a small cap', async () => {
		const { data } = await post({ input: '[[words:9]]', max_output_tokens: 2 });
		expect(data).toMatchObject({
			status: 'incomplete',
			incomplete_details: { reason: 'max_output_tokens' },
			usage: { output_tokens: 2 },
		});
	});

	it.each<[string, object]>([
		['previous_response_id (4C: unsupported)', { input: 'hi', previous_response_id: 'resp_1' }],
		['no input', {}],
		['an empty input', { input: '' }],
		// the range is given for chat completions only (8); here it is not specified
		['temperature 3', { input: 'hi', temperature: 3 }],
		['max_output_tokens 0', { input: 'hi', max_output_tokens: 0 }],
		['instructions that are no text', { input: 'hi', instructions: 1 }],
	])('refuses %s', async (_case, body) => {
		const { status, data } = await post(body);
		expect([status, data.error.code]).toEqual([400, 'invalid_request']);
	});

	it('stores nothing: there is no reading later', async () => {
		const { data } = await post({ input: 'hi' });
		const http = client(service.router.baseUrl, { 'x-api-key': service.router.keys.main });
		expect((await http.get(`/v1/responses/${data.id}`)).status).toBe(404);
	});

	it('wrong_endpoint for a model of another kind', async () => {
		const { data } = await post({ model: 'voice/speaker-1', input: 'hi' });
		expect(data.error).toMatchObject({ code: 'wrong_endpoint' });
		expect(data.error.message).toMatch('/v1/audio/jobs');
	});
});

describe('C responses: streamed (6C)', () => {
	it('goes from created to completed, usage in the last event', async () => {
		const list = await events({ input: 'hi' });
		expect([...new Set(list.map(({ type }) => type))]).toEqual([
			'response.created',
			'response.in_progress',
			'response.output_item.added',
			'response.content_part.added',
			'response.output_text.delta',
			'response.output_text.done',
			'response.content_part.done',
			'response.output_item.done',
			'response.completed',
		]);
		expect(list.map((event) => event.sequence_number)).toEqual(list.map((_event, index) => index));
		expect(list.map(({ delta = '' }) => delta).join('')).toBe('You said: "hi".');
		const { data } = await post({ input: 'hi' });
		expect(list.at(-1)?.response).toMatchObject({ status: 'completed', usage: data.usage });
	});

	it('each event says where it belongs', async () => {
		const list = await events({ input: '[[say:one two]]' });
		const message = { type: 'message', role: 'assistant' };
		const item = list[2]?.item as { id: string };
		const place = { item_id: item.id, output_index: 0, content_index: 0 };
		const part = { type: 'output_text', text: 'one two', annotations: [] };
		expect(list.slice(2, -1).map((event) => without('sequence_number', event))).toEqual([
			{
				type: 'response.output_item.added',
				output_index: 0,
				item: { ...message, id: item.id, status: 'in_progress', content: [] },
			},
			{ type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
			{ type: 'response.output_text.delta', ...place, delta: 'one ' },
			{ type: 'response.output_text.delta', ...place, delta: 'two' },
			{ type: 'response.output_text.done', ...place, text: 'one two' },
			{ type: 'response.content_part.done', ...place, part },
			{
				type: 'response.output_item.done',
				output_index: 0,
				item: { ...message, id: item.id, status: 'completed', content: [part] },
			},
		]);
		expect(list.at(-1)?.response?.output).toEqual([
			{ ...message, id: item.id, status: 'completed', content: [part] },
		]);
	});

	it('each event has its type as its name', async () => {
		const { data } = await askRouter(service).respond({ input: 'hi', stream: true });
		for (const { event, data: line = '' } of eventsIn(data as string).slice(0, -1)) {
			expect(event).toBe((JSON.parse(line) as { type: string }).type);
		}
	});

	it('a tool call comes in fragments', async () => {
		const parameters = { type: 'object', properties: { a: { type: 'string' } } };
		const tools = [{ type: 'function', name: 'f', parameters }];
		const list = await events({ input: 'x', tools, tool_choice: 'required' });
		const deltas = list.filter(({ type }) => type === 'response.function_call_arguments.delta');
		expect(JSON.parse(deltas.map(({ delta }) => delta).join(''))).toEqual({ a: 'x' });
	});

	it.each<['completed' | 'incomplete', string]>([
		['completed', 'response.completed'],
		['incomplete', 'response.incomplete'],
	])('token cap with form %s ends with %s', async (form, type) => {
		service.forms.incomplete = form;
		const list = await events({ input: '[[words:9]]', max_output_tokens: 2 });
		expect(list.at(-1)).toMatchObject({ type, response: { status: 'incomplete' } });
	});

	it('mid-answer failure: an error line, then [DONE]', async () => {
		const list = await events({ input: '[[words:9]] [[break:2]]' });
		expect(list.at(-1)).toHaveProperty('error');
		expect(list.map(({ delta = '' }) => delta).join('')).toBe('word1 word2 ');
	});

	it('[[failed]] ends with response.failed', async () => {
		expect((await events({ input: '[[failed]]' })).at(-1)).toMatchObject({
			type: 'response.failed',
			response: { status: 'failed' },
		});
	});
});
