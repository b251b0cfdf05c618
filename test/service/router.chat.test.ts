import { askRouter, REASONER, MODEL, textOf, user } from './routerProbe.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const post = (body: object) => askRouter(service).chat(body);
const chunks = (body: object) => askRouter(service).chunks(body);

describe('C chat: plain (4C, 2C)', () => {
	it('is a chat.completion that shows what was sent', async () => {
		const { data, headers } = await post({ messages: user('hello there') });
		expect(data).toMatchObject({
			object: 'chat.completion',
			model: MODEL,
			choices: [
				{
					index: 0,
					message: { role: 'assistant', content: 'You said: "hello there".' },
					finish_reason: 'stop',
				},
			],
			usage: { prompt_tokens: 2, completion_tokens: 4, total_tokens: 6 },
		});
		expect(headers['x-request-id']).toMatch(/^req-/);
	});

	it('answers the same twice', async () => {
		const one = await post({ messages: user('hi [[words:30]]') });
		const two = await post({ messages: user('hi [[words:30]]') });
		expect(two.data.choices).toEqual(one.data.choices);
	});

	it.each(['system', 'developer', 'user', 'assistant', 'tool'])(
		'takes the role %s',
		async (role) => {
			const { status } = await post({ messages: [...user('hi'), { role, content: 'x' }] });
			expect(status).toBe(200);
		},
	);

	it('fits a JSON schema', async () => {
		const schema = {
			type: 'object',
			properties: {
				name: { type: 'string' },
				age: { type: 'integer', minimum: 18 },
				tags: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 },
				who: { $ref: '#/$defs/who' },
				ok: { type: ['boolean', 'null'] },
			},
			$defs: { who: { anyOf: [{ const: 'me' }] } },
		};
		const { data } = await post({
			messages: user('hi'),
			response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
		});
		expect(JSON.parse(data.choices[0].message.content as string)).toEqual({
			name: 'hi',
			age: 18,
			tags: ['a', 'a'],
			who: 'me',
			ok: true,
		});
	});
});

describe('C chat: finish_reason (2C, 7C)', () => {
	it.each([
		['stop', { messages: user('hi') }],
		['length', { messages: user('[[words:20]]'), max_tokens: 5 }],
		['content_filter', { messages: user('[[finish:content_filter]] a b c d') }],
		[
			'tool_calls',
			{ messages: user('[[tool:f]]'), tools: [{ type: 'function', function: { name: 'f' } }] },
		],
	])('%s, plain and streamed', async (finish, body) => {
		expect((await post(body)).data.choices[0].finish_reason).toBe(finish);
		const reasons = (await chunks(body)).flatMap(({ choices }) =>
			choices.map((c) => c.finish_reason),
		);
		expect(reasons.filter(Boolean)).toEqual([finish]);
	});

	it('length gives just as many tokens as were allowed', async () => {
		const { data } = await post({ messages: user('[[words:20]]'), max_tokens: 5 });
		expect(data.usage.completion_tokens).toBe(5);
		expect((data.choices[0].message.content as string).trim().split(' ')).toHaveLength(5);
	});

	it.each([
		['minimal', 16],
		['low', 64],
		['medium', 256],
		['high', 1024],
	])('effort %s: %i hidden tokens are in completion_tokens', async (reasoning_effort, hidden) => {
		const { data } = await post({ model: REASONER, reasoning_effort, messages: user('hi there') });
		expect(data.usage.completion_tokens).toBe(hidden + 4);
		expect(data.usage.completion_tokens_details.reasoning_tokens).toBe(hidden);
	});

	it('hidden tokens that do not fit the cap are a cut, even where no word was to come', async () => {
		const body = { model: REASONER, messages: user('[[say:]]') };
		const finishOf = async (max_tokens: number) =>
			(await post({ ...body, max_tokens })).data.choices[0].finish_reason as string;
		expect([await finishOf(255), await finishOf(256)]).toEqual(['length', 'stop']);
	});

	it('a reasoning model under a small cap may end with no word (8)', async () => {
		const { data } = await post({ model: REASONER, max_tokens: 100, messages: user('hi') });
		expect(data.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '' } });
		expect(data.usage.completion_tokens).toBe(100);
	});
});

describe('C chat: streaming (6C)', () => {
	it('has the text of the plain answer, then usage with no choices, then [DONE]', async () => {
		const list = await chunks({ messages: user('hello there') });
		const plain = (await post({ messages: user('hello there') })).data;
		expect(textOf(list)).toBe(plain.choices[0].message.content);
		expect(list.at(-1)).toMatchObject({ choices: [], usage: plain.usage });
		expect(list.slice(0, -1).every((chunk) => chunk.usage === undefined)).toBe(true);
	});

	it('sends usage although stream_options says no', async () => {
		const list = await chunks({ messages: user('x'), stream_options: { include_usage: false } });
		expect(list.at(-1)).toHaveProperty('usage');
	});

	it.each([
		['[[words:500]]', 500],
		['[[events:10000]]', 10_000],
	])('%s gives as many deltas', async (message, count) => {
		const list = await chunks({ messages: user(message), max_tokens: 20_000 });
		expect(list.filter(({ choices }) => choices[0]?.delta.content)).toHaveLength(count);
	});

	it('mid-answer failure: an error line, then [DONE], no usage', async () => {
		const list = await chunks({ messages: user('[[words:9]] [[break:3]]') });
		expect(textOf(list)).toBe('word1 word2 word3 ');
		expect(list.at(-1)?.error?.code).toBe('backend_error');
	});

	it('errors before the stream are plain JSON', async () => {
		const { status, headers } = await post({ messages: [], stream: true });
		expect(status).toBe(400);
		expect(headers['content-type']).toBe('application/json');
	});
});
