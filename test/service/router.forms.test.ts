import { askRouter, textOf, user, type Event } from './routerProbe.ts';
import { startService, type Forms, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const weather = { name: 'weather', parameters };
const tools = [{ type: 'function', function: weather }];
const given = { city: '[[tool:weather]]' };
const callsTool = { messages: user('[[tool:weather]]'), tools };

describe('chatChunkEnd: where the usage stands (6C: "the final chunk carries usage")', () => {
	it.each<[Forms['chatChunkEnd'], number]>([
		['usage-alone', 1],
		['usage-with-finish', 1],
		// the role, two words, the end; twice
		['usage-in-each', 9],
	])('%s', async (form, count) => {
		const ask = askRouter(service);
		service.forms.chatChunkEnd = form;
		const body = { messages: user('[[words:2]]'), n: 2 };
		const plain = (await ask.chat(body)).data;
		const list = await ask.chunks(body);
		expect(textOf(list)).toBe('word1 word2');
		expect(list.filter(({ usage }) => usage)).toHaveLength(count);
		expect(list.at(-1)?.usage).toEqual(plain.usage);
		expect(list.at(-1)?.choices.map((choice) => choice.finish_reason)).toEqual(
			form === 'usage-alone' ? [] : ['stop'],
		);
		expect(list).toHaveLength(form === 'usage-alone' ? 10 : 9);
	});

	it('usage-in-each counts what has come so far', async () => {
		service.forms.chatChunkEnd = 'usage-in-each';
		const list = await askRouter(service).chunks({ messages: user('[[words:2]]') });
		expect(list.map(({ usage }) => usage?.completion_tokens)).toEqual([0, 1, 2, 2]);
	});

	it.each<Forms['chatChunkEnd']>(['usage-alone', 'usage-with-finish', 'usage-in-each'])(
		'%s: billed alike',
		async (form) => {
			service.forms.chatChunkEnd = form;
			const account = service.world.accounts.get(service.router.keys.main);
			const before = account?.balance ?? 0;
			await askRouter(service).chunks({ messages: user('[[words:3]]') });
			expect(account).toMatchObject({ balance: before - 5, held: 0 });
		},
	);
});

describe('toolFragments: how arguments come', () => {
	const deltas = async () =>
		(await askRouter(service).chunks(callsTool)).flatMap(
			({ choices }) => choices[0]?.delta.tool_calls ?? [],
		);
	const head = { index: 0, id: 'call_1', type: 'function' };

	it('whole: one fragment', async () => {
		service.forms.toolFragments = 'whole';
		const whole = { name: 'weather', arguments: JSON.stringify(given) };
		expect(await deltas()).toEqual([{ ...head, function: whole }]);
	});

	it('object: streamed and plain', async () => {
		service.forms.toolFragments = 'object';
		const whole = { name: 'weather', arguments: given };
		expect(await deltas()).toEqual([{ ...head, function: whole }]);
		const [choice] = (await askRouter(service).chat(callsTool)).data.choices;
		expect(choice.message.tool_calls).toEqual([
			{ id: 'call_1', type: 'function', function: whole },
		]);
	});

	it.each<[Forms['toolFragments'], number, unknown]>([
		['strings', 6, JSON.stringify(given)],
		['whole', 1, JSON.stringify(given)],
		['object', 0, given],
	])('responses, %s: %i deltas', async (form, count, whole) => {
		service.forms.toolFragments = form;
		const body = { input: '[[tool:weather]]', tools: [weather] };
		const list = await askRouter(service).events(body);
		const parts = list.filter(({ type }) => type === 'response.function_call_arguments.delta');
		expect(parts).toHaveLength(count);
		if (count) expect(parts.map(({ delta }) => delta).join('')).toBe(whole);
		expect(list.at(-3)).toMatchObject({ arguments: whole });
		expect(list.at(-1)?.response?.output).toMatchObject([{ name: 'weather', arguments: whole }]);
		expect((await askRouter(service).respond(body)).data.output[0].arguments).toEqual(whole);
	});
});

describe('responseEvents: those around the two that 6C names', () => {
	const written = (input = '[[words:3]]', more: object = {}) =>
		askRouter(service).written('respond', { input, ...more });
	const parsed = (list: Array<{ data?: string }>) =>
		list.slice(0, -1).map(({ data = '' }) => JSON.parse(data) as Event);
	const DELTA = 'response.output_text.delta';

	it.each<[string, string[]]>([
		['[[words:3]]', [DELTA, DELTA, DELTA, 'response.completed']],
		['[[words:1]] [[failed]]', [DELTA, 'response.failed']],
		['[[tool:weather]]', ['response.completed']],
	])('minimal: %s', async (input, types) => {
		service.forms.responseEvents = 'minimal';
		const list = await written(input, { tools: [weather] });
		expect(list.map(({ event }) => event)).toEqual([...types, undefined]);
		expect(parsed(list).map((event) => event.sequence_number)).toEqual([...types.keys()]);
	});

	it('minimal: an end that is incomplete', async () => {
		Object.assign(service.forms, { responseEvents: 'minimal', incomplete: 'incomplete' });
		const list = await written('[[words:3]]', { max_output_tokens: 1 });
		expect(list.map(({ event }) => event)).toEqual([DELTA, 'response.incomplete', undefined]);
	});

	it('unnamed: the same without names', async () => {
		const full = parsed(await written());
		service.reset();
		service.forms.responseEvents = 'unnamed';
		const list = await written();
		expect(list.every((event) => !('event' in event))).toBe(true);
		expect(parsed(list).map(({ type }) => type)).toEqual(full.map(({ type }) => type));
		expect(parsed(list).map(({ delta }) => delta)).toEqual(full.map(({ delta }) => delta));
	});

	it('unknown: the same, one that says nothing before each', async () => {
		const full = parsed(await written());
		service.reset();
		service.forms.responseEvents = 'unknown';
		const list = parsed(await written());
		const known = list.filter((_event, index) => index % 2);
		expect(known.map(({ type }) => type)).toEqual(full.map(({ type }) => type));
		expect(known.map((event) => event.sequence_number)).toEqual([...full.keys()]);
		const strange = list.filter((_event, index) => index % 2 === 0);
		expect(strange).toEqual(
			expect.arrayContaining([42, null, true, {}, 'no text', ['no text'], { type: 'ping' }]),
		);
		expect(strange).toContainEqual({ type: 'response.mystery.delta', delta: 'no text' });
		expect(strange).toContainEqual(expect.objectContaining({ type: 'response.mystery' }));
	});
});

describe('the end of a response', () => {
	it.each(['[[words:3]]', '[[words:3]] [[failed]]'])('responseOutput absent: %s', async (input) => {
		const full = (await askRouter(service).events({ input })).at(-1)?.response;
		service.forms.responseOutput = 'absent';
		const bare = (await askRouter(service).events({ input })).at(-1)?.response;
		expect(full).toHaveProperty('output');
		expect(bare).not.toHaveProperty('output');
		expect(bare).toMatchObject({ status: full?.status, usage: full?.usage });
		// a plain answer is nothing without
		expect((await askRouter(service).respond({ input })).data).toHaveProperty('output');
	});

	it.each([
		['[[words:3]]', 'response.completed'],
		['[[failed]]', 'response.failed'],
	])('doneMark absent: %s ends with %s', async (input, type) => {
		service.forms.doneMark = 'absent';
		const list = await askRouter(service).written('respond', { input });
		expect(list.at(-1)).toMatchObject({ event: type });
	});

	it('doneMark absent: it still ends a chat, and comes after an error line (6C)', async () => {
		service.forms.doneMark = 'absent';
		expect(await askRouter(service).chunks({ messages: user('hi') })).not.toEqual([]);
		const list = await askRouter(service).events({ input: 'hi [[break:1]]' });
		expect(list.at(-1)).toHaveProperty('error');
	});
});

it('usageDetails absent: the counts only, in both protocols', async () => {
	service.forms.usageDetails = 'absent';
	const ask = askRouter(service);
	const messages = user('[[cached:1]]');
	expect(Object.keys((await ask.chat({ messages })).data.usage)).toEqual([
		'prompt_tokens',
		'completion_tokens',
		'total_tokens',
	]);
	expect(Object.keys((await ask.chunks({ messages })).at(-1)?.usage ?? {})).toHaveLength(3);
	expect(Object.keys((await ask.respond({ input: '[[cached:1]]' })).data.usage)).toEqual([
		'input_tokens',
		'output_tokens',
		'total_tokens',
	]);
});

const error = { code: 'backend_error', message: 'The backend failed' };

describe('errorLine (6C: "a data line holding an object with key error")', () => {
	it.each<[Forms['errorLine'], string | undefined, object]>([
		['object', undefined, { error }],
		['object-without-code', undefined, { error: { message: error.message } }],
		['string', undefined, { error: error.message }],
		['string-with-code', undefined, { error: error.message, code: error.code }],
		['named', 'error', { error }],
	])('%s', async (form, name, value) => {
		service.forms.errorLine = form;
		const ask = askRouter(service);
		for (const list of [
			await ask.written('chat', { messages: user('a b [[break:2]]') }),
			await ask.written('respond', { input: 'a b [[break:2]]' }),
		]) {
			const [line, done] = list.slice(-2);
			expect(line?.event).toBe(name);
			expect(JSON.parse(line?.data ?? '')).toEqual(value);
			expect(done).toEqual({ data: '[DONE]' });
		}
	});
});
