import { askRouter, REASONER, textOf, user, type Chunk } from './routerProbe.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const post = async (body: object) => (await askRouter(service).chat(body)).data;
const chunks = (body: object) => askRouter(service).chunks(body);
interface Choice {
	index: number;
	message: { content: string; tool_calls?: Array<{ id: string; function: { arguments: string } }> };
	finish_reason: string;
}
const choicesOf = async (body: object) => (await post(body)).choices as Choice[];
const textsOf = (choices: Choice[]) => choices.map(({ message }) => message.content);
const reasonsIn = (list: Chunk[], index: number) =>
	list.flatMap(({ choices }) =>
		choices.flatMap((choice) =>
			choice.index === index && choice.finish_reason ? [choice.finish_reason] : [],
		),
	);

describe('C chat: several choices', () => {
	it('each has its index and its own text', async () => {
		const choices = await choicesOf({ messages: user('hi'), n: 3 });
		expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
		expect(textsOf(choices)).toEqual([
			'You said: "hi".',
			'(2) You said: "hi".',
			'(3) You said: "hi".',
		]);
	});

	it.each([{ n: null }, { n: 1 }, {}])('one with %j', async (body) => {
		expect(await choicesOf({ messages: user('hi'), ...body })).toHaveLength(1);
	});

	it.each([9, 1.5, 'two', -1])('n %j is refused', async (n) => {
		const { error } = await post({ messages: user('hi'), n });
		expect(error.code).toBe('invalid_request');
	});

	it('JSON stays JSON', async () => {
		const schema = { type: 'object', properties: { a: { type: 'string' } } };
		const fitting = await choicesOf({
			messages: user('hi'),
			n: 2,
			response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
		});
		expect(textsOf(fitting)).toEqual(['{"a":"hi"}', '{"a":"(2) hi"}']);
		const objects = await choicesOf({
			messages: user('hi'),
			n: 2,
			response_format: { type: 'json_object' },
		});
		expect(textsOf(objects)).toEqual(['{"you_said":"hi"}', '{"you_said":"(2) hi"}']);
	});

	it('streamed, their pieces come in turn', async () => {
		const list = await chunks({ messages: user('[[words:2]]'), n: 2 });
		const seen = list.flatMap(({ choices }) =>
			choices.map(({ index, delta, finish_reason: finish }) => [
				index,
				delta.content ?? finish ?? '',
			]),
		);
		expect(seen).toEqual([
			[0, ''],
			[1, ''],
			[0, 'word1 '],
			[1, '(2) '],
			[0, 'word2'],
			[1, 'word1 '],
			[0, 'stop'],
			[1, 'word2'],
			[1, 'stop'],
		]);
	});

	it('streamed texts, reasons and usage are those of the plain answer', async () => {
		const body = { messages: user('hi there'), n: 3 };
		const plain = await post(body);
		const list = await chunks(body);
		for (const { index, message, finish_reason: reason } of plain.choices as Choice[]) {
			expect(textOf(list, index)).toBe(message.content);
			expect(reasonsIn(list, index)).toEqual([reason]);
		}
		expect(list.at(-1)?.usage).toEqual(plain.usage);
	});

	it.each([
		// the mark of the second makes it a word too long
		[{ messages: user('[[words:4]]'), max_tokens: 4 }, ['stop', 'length']],
		[{ messages: user('[[finish:stop,content_filter]] a b') }, ['stop', 'content_filter']],
		[{ messages: user('[[finish:content_filter]] a b') }, ['content_filter', 'content_filter']],
	])('%j ends with %j', async (body, reasons) => {
		const choices = await choicesOf({ ...body, n: 2 });
		expect(choices.map((choice) => choice.finish_reason)).toEqual(reasons);
		const list = await chunks({ ...body, n: 2 });
		expect([0, 1].flatMap((index) => reasonsIn(list, index))).toEqual(reasons);
	});

	it('each calls with ids and arguments of its own', async () => {
		const parameters = { type: 'object', properties: { a: { type: 'string' } } };
		const tools = [{ type: 'function', function: { name: 'f', parameters } }];
		const choices = await choicesOf({ messages: user('[[tools:2]]'), tools, n: 2 });
		const calls = choices.flatMap(({ message }) => message.tool_calls ?? []);
		expect(calls.map(({ id }) => id)).toEqual(['call_1', 'call_2', 'call_2_1', 'call_2_2']);
		expect(new Set(calls.map((call) => call.function.arguments)).size).toBe(4);
	});

	it('are billed together, hidden tokens of each', async () => {
		const account = service.world.accounts.get(service.router.keys.main);
		const before = account?.balance ?? 0;
		const { usage } = await post({
			model: REASONER,
			reasoning_effort: 'low',
			messages: user('[[words:4]]'),
			n: 2,
		});
		expect(usage).toMatchObject({
			prompt_tokens: 1,
			completion_tokens: 64 + 4 + 64 + 5,
			completion_tokens_details: { reasoning_tokens: 128 },
		});
		expect(account?.balance).toBe(before - 2 - 8 * 137);
	});

	it('hold the cap for each (8)', async () => {
		const ask = askRouter(service, service.router.keys.poor);
		const { data } = await ask.chat({ messages: user('hi'), max_tokens: 1000, n: 2 });
		expect(data.error.meta.required_micro_usd).toBe(3001);
	});

	it('one that is too long to come plain is enough to ask for streaming', async () => {
		service.forms.plainLimit = 4;
		const body = { messages: user('[[words:4]]') };
		expect(await choicesOf(body)).toHaveLength(1);
		expect((await post({ ...body, n: 2 })).error.code).toBe('streaming_required');
	});
});
