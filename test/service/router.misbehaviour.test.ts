import { askRouter, textOf, user } from './routerProbe.ts';
import { brokenExample } from './router/brokenExample.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const name = { type: 'string' };
const age = { type: 'integer' };
const properties = { name, age };
const SCHEMA = { type: 'object', properties, required: ['age'] };
const OPEN = { type: 'object', properties };
const chatFormat = (schema?: object) => ({
	response_format: schema
		? { type: 'json_schema', json_schema: { name: 'x', schema } }
		: { type: 'json_object' },
});
const format = (schema?: object) => ({
	text: { format: schema ? { type: 'json_schema', name: 'x', schema } : { type: 'json_object' } },
});
/** The text of one answer, the same in both protocols, plain and streamed. */
async function answer(message: string, schema?: object): Promise<string> {
	const ask = askRouter(service);
	const chat = { messages: user(message), ...chatFormat(schema) };
	const respond = { input: message, ...format(schema) };
	const events = await ask.events(respond);
	const texts = [
		(await ask.chat(chat)).data.choices[0].message.content,
		textOf(await ask.chunks(chat)),
		(await ask.respond(respond)).data.output[0].content[0].text,
		events.map(({ delta = '' }) => delta).join(''),
	] as string[];
	expect(new Set(texts).size).toBe(1);
	return texts[0] ?? '';
}

describe('structured output that goes wrong', () => {
	it.each([
		['[[break_schema]] hi', SCHEMA, { name: '[[break_schema]] hi' }],
		['[[break_schema:type]] hi', SCHEMA, { name: 1, age: 1 }],
		['[[break_schema]] hi', OPEN, { name: 1, age: 1 }],
		['[[break_schema]] hi', undefined, { you_said: 1 }],
		['hi', SCHEMA, { name: 'hi', age: 1 }],
	])('%s with %j', async (message, schema, value) => {
		expect(JSON.parse(await answer(message, schema))).toEqual(value);
	});

	it.each([
		[SCHEMA, '{"name":"[[fenced]]","age":1}'],
		[undefined, '{"you_said":"[[fenced]]"}'],
	])('[[fenced]] with %j', async (schema, json) => {
		expect(await answer('[[fenced]]', schema)).toBe(`\`\`\`json\n${json}\n\`\`\``);
	});

	it('[[fenced]] with what is said', async () => {
		const { data } = await askRouter(service).respond({ input: '[[fenced]] [[say:{"a":1}]]' });
		expect(data.output[0].content[0].text).toBe('```json\n{"a":1}\n```');
	});

	it.each([SCHEMA, undefined])('[[not_json]] with %j', async (schema) => {
		expect(await answer('[[not_json]]', schema)).toBe('You said: "[[not_json]]".');
		expect(await answer('[[not_json]] [[say:{"a":]]', schema)).toBe('{"a":');
	});

	it('they go together', async () => {
		const text = await answer('[[fenced]] [[break_schema:type]]', OPEN);
		expect(text).toBe('```json\n{"name":1,"age":1}\n```');
	});

	it.each<[object, unknown]>([
		[{ type: 'string' }, 1],
		[{ type: 'array', items: { type: 'string' } }, 'of the wrong type'],
		[{ type: ['string', 'number'] }, true],
		[{ type: ['string', 'integer', 'boolean'] }, null],
		[{ enum: ['a', 'b'] }, 1],
		[{ const: 'a' }, 1],
		[{ enum: [null, 'a', 1] }, true],
		[{ anyOf: [{ type: 'string' }, { type: 'number' }] }, true],
		[{ oneOf: [{ type: 'integer' }] }, 'of the wrong type'],
		[{ allOf: [{ type: 'string' }] }, 1],
		[{ type: 'object' }, 'of the wrong type'],
		[{ type: 'object', properties: {}, required: [] }, 'of the wrong type'],
		[{ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, 1],
		[{ $ref: '#/$defs/a', $defs: { a: SCHEMA } }, { name: 'x' }],
		[{ anyOf: [SCHEMA, OPEN] }, { name: 'x' }],
		[{ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: name } }, { a: 1 }],
	])('%j is broken by %j', (schema, value) => {
		expect(brokenExample(schema, 'x')).toEqual(value);
	});
});

describe('[[refusal]]: the model will not', () => {
	const TEXT = 'I cannot help with that.';

	it('chat: refusal in place of content', async () => {
		const ask = askRouter(service);
		const body = { messages: user('[[refusal]]'), ...chatFormat(SCHEMA) };
		const [choice] = (await ask.chat(body)).data.choices;
		expect(choice).toMatchObject({
			message: { role: 'assistant', content: null, refusal: TEXT },
			finish_reason: 'stop',
		});
		const list = await ask.chunks(body);
		const deltas = list.flatMap(({ choices }) => choices.map(({ delta }) => delta));
		expect(deltas[0]).toEqual({ role: 'assistant', content: null });
		expect(deltas.slice(1).every((delta) => !('content' in delta))).toBe(true);
		expect(deltas.map(({ refusal = '' }) => refusal).join('')).toBe(TEXT);
		expect(list.at(-1)?.usage?.completion_tokens).toBe(5);
	});

	it('responses: a part of its own', async () => {
		const ask = askRouter(service);
		const body = { input: '[[refusal]]', ...format(SCHEMA) };
		const part = { type: 'refusal', refusal: TEXT };
		expect((await ask.respond(body)).data.output[0].content).toEqual([part]);
		const list = await ask.events(body);
		expect([...new Set(list.map(({ type }) => type))].slice(3, -2)).toEqual([
			'response.content_part.added',
			'response.refusal.delta',
			'response.refusal.done',
			'response.content_part.done',
		]);
		expect(list[3]).toMatchObject({ part: { type: 'refusal', refusal: '' } });
		expect(list.map(({ delta = '' }) => delta).join('')).toBe(TEXT);
		expect(list.at(-4)).toMatchObject({ content_index: 0, refusal: TEXT });
		expect(list.at(-3)).toMatchObject({ part });
		expect(list.at(-1)?.response?.output).toMatchObject([{ content: [part] }]);
	});

	it('in its own words, for each choice, rather than a tool', async () => {
		const tools = [{ type: 'function', function: { name: 'f' } }];
		const { data } = await askRouter(service).chat({
			messages: user('[[refusal:No.]] [[tool:f]] [[fenced]]'),
			tools,
			n: 2,
		});
		expect(data.choices.map((choice: { message: object }) => choice.message)).toEqual([
			{ role: 'assistant', content: null, refusal: 'No.' },
			{ role: 'assistant', content: null, refusal: '(2) No.' },
		]);
	});

	it('an answer has none', async () => {
		const { data } = await askRouter(service).chat({ messages: user('hi') });
		expect(data.choices[0].message).not.toHaveProperty('refusal');
	});
});
