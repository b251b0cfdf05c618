import { askRouter, REASONER, textOf, user, without, type Chunk } from './routerProbe.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const post = async (body: object) => (await askRouter(service).chat(body)).data;
const chunks = (body: object) => askRouter(service).chunks(body);
const deltasOf = (list: Chunk[], index = 0) =>
	list.flatMap(({ choices = [] }) =>
		choices.filter((choice) => choice.index === index).map(({ delta }) => delta),
	);

describe('C chat: thoughts that are shown', () => {
	it('come before the text, one delta each', async () => {
		const list = await chunks({ messages: user('[[thinks:3]] [[say:ok]]') });
		expect(deltasOf(list)).toEqual([
			{ role: 'assistant', content: '' },
			{ reasoning_content: 'thought1 ' },
			{ reasoning_content: 'thought2 ' },
			{ reasoning_content: 'thought3' },
			{ content: 'ok' },
			{},
		]);
	});

	it('plain: beside the text', async () => {
		const { choices } = await post({ messages: user('[[thinks:2]] [[say:ok]]') });
		expect(choices[0].message).toEqual({
			role: 'assistant',
			reasoning_content: 'thought1 thought2',
			content: 'ok',
		});
	});

	it.each(['[[say:ok]]', '[[thinks:0]] [[say:ok]]', '[[thinks:-1]] [[say:ok]]'])(
		'none with %s',
		async (message) => {
			const { choices } = await post({ messages: user(message) });
			expect(choices[0].message).toEqual({ role: 'assistant', content: 'ok' });
		},
	);

	it('before a tool call too', async () => {
		const tools = [{ type: 'function', function: { name: 'f' } }];
		const body = { messages: user('[[thinks:1]] [[tool:f]]'), tools };
		const [choice] = (await post(body)).choices;
		expect(choice.message).toMatchObject({
			reasoning_content: 'thought1',
			content: null,
			tool_calls: [{ id: 'call_1' }],
		});
		const [, thought, call] = deltasOf(await chunks(body));
		expect([thought, call]).toMatchObject([
			{ reasoning_content: 'thought1' },
			{ tool_calls: [{ id: 'call_1' }] },
		]);
	});

	it('each choice has its own', async () => {
		const body = { messages: user('[[thinks:2]]'), n: 2 };
		const { choices } = await post(body);
		const thoughts = (choices as Array<{ message: { reasoning_content: string } }>).map(
			({ message }) => message.reasoning_content,
		);
		expect(thoughts).toEqual(['thought1 thought2', '(2) thought1 thought2']);
		const second = deltasOf(await chunks(body), 1);
		expect(second.map((delta) => delta.reasoning_content ?? '').join('')).toBe(thoughts[1]);
	});

	it.each([
		[{ messages: user('[[thinks:10]] [[say:ok]]') }, 10, 11],
		// those of the effort are more than what is shown of them
		[{ messages: user('[[thinks:10]] [[say:ok]]'), model: REASONER }, 256, 257],
		[{ messages: user('[[thinks:300]] [[say:ok]]'), model: REASONER }, 300, 301],
	])('%j: %i hidden tokens of %i', async (body, hidden, output) => {
		expect((await post(body)).usage).toMatchObject({
			completion_tokens: output,
			completion_tokens_details: { reasoning_tokens: hidden },
		});
	});

	it('the cap cuts them as it cuts words', async () => {
		const { choices, usage } = await post({ messages: user('[[thinks:9]]'), max_tokens: 4 });
		expect(choices[0]).toMatchObject({
			message: { reasoning_content: 'thought1 thought2 thought3 thought4', content: '' },
			finish_reason: 'length',
		});
		expect(usage.completion_tokens).toBe(4);
	});

	it('do not count for where the backend fails', async () => {
		const list = await chunks({ messages: user('[[thinks:3]] [[words:4]] [[break:2]]') });
		expect(textOf(list)).toBe('word1 word2 ');
	});
});

describe('C responses: thoughts that are shown', () => {
	const summary = [{ type: 'summary_text', text: 'thought1 thought2' }];

	it('plain: an item before the message', async () => {
		const { output } = (await askRouter(service).respond({ input: '[[thinks:2]] [[say:ok]]' }))
			.data;
		expect(output).toEqual([
			{ type: 'reasoning', id: expect.any(String), summary },
			{
				type: 'message',
				id: expect.any(String),
				role: 'assistant',
				status: 'completed',
				content: [{ type: 'output_text', text: 'ok', annotations: [] }],
			},
		]);
		expect(output[0].id).not.toBe(output[1].id);
	});

	it('streamed: events of their own', async () => {
		const list = await askRouter(service).events({ input: '[[thinks:2]] [[say:ok]]' });
		const output = list.at(-1)?.response?.output as Array<{ id: string }>;
		const [item] = output;
		const place = { item_id: item?.id, output_index: 0, summary_index: 0 };
		const [part] = summary;
		const type = 'response.reasoning_summary';
		expect(list.slice(2, 9).map((event) => without('sequence_number', event))).toEqual([
			{ type: 'response.output_item.added', output_index: 0, item: { ...item, summary: [] } },
			{ type: `${type}_part.added`, ...place, part: { ...part, text: '' } },
			{ type: `${type}_text.delta`, ...place, delta: 'thought1 ' },
			{ type: `${type}_text.delta`, ...place, delta: 'thought2' },
			{ type: `${type}_text.done`, ...place, text: part?.text },
			{ type: `${type}_part.done`, ...place, part },
			{ type: 'response.output_item.done', output_index: 0, item },
		]);
		const rest = list.slice(9, -1);
		expect(new Set(rest.map((event) => event.output_index))).toEqual(new Set([1]));
		expect(new Set(rest.map((event) => event.item_id ?? output[1]?.id))).toEqual(
			new Set([output[1]?.id]),
		);
	});

	it('before calls too, whose places come after', async () => {
		const tools = ['f', 'g'].map((name) => ({ type: 'function', name }));
		const list = await askRouter(service).events({ input: '[[thinks:1]] [[tools:2]]', tools });
		const output = list.at(-1)?.response?.output as Array<{ id: string; type: string }>;
		expect(output.map(({ type }) => type)).toEqual(['reasoning', 'function_call', 'function_call']);
		expect(new Set(output.map(({ id }) => id)).size).toBe(3);
		const deltas = list.filter(({ type }) => type === 'response.function_call_arguments.delta');
		for (const { item_id: id, output_index: at = 0 } of deltas) expect(output[at]?.id).toBe(id);
		expect(new Set(deltas.map((event) => event.output_index))).toEqual(new Set([1, 2]));
	});
});

describe('C chat: logprobs', () => {
	const token = (word: string) => ({
		token: word,
		logprob: -word.length / 8,
		bytes: [...Buffer.from(word)],
		top_logprobs: [],
	});
	const likely = (list: Chunk[]) =>
		list.flatMap(({ choices }) => choices.map(({ logprobs }) => logprobs));

	it('each chunk has those of its word, the plain answer has all', async () => {
		const body = { messages: user('[[say:né ok]]'), logprobs: true };
		expect(likely(await chunks(body))).toEqual([
			null,
			{ content: [token('né ')], refusal: null },
			{ content: [token('ok')], refusal: null },
			null,
		]);
		const [choice] = (await post(body)).choices;
		expect(choice.logprobs).toEqual({ content: [token('né '), token('ok')], refusal: null });
	});

	it('those of a refusal are its own', async () => {
		const body = { messages: user('[[refusal:No.]]'), logprobs: true };
		const expected = { content: null, refusal: [token('No.')] };
		expect(likely(await chunks(body))).toEqual([null, expected, null]);
		expect((await post(body)).choices[0].logprobs).toEqual(expected);
	});

	it('top_logprobs gives alternatives, the first is what came', async () => {
		const body = { messages: user('[[say:ok]]'), logprobs: true, top_logprobs: 2 };
		const [{ logprobs }] = (await post(body)).choices;
		expect(logprobs.content[0].top_logprobs).toEqual([
			without('top_logprobs', token('ok')),
			{ token: 'ok?1', logprob: -1.5, bytes: [111, 107, 63, 49] },
		]);
		expect(likely(await chunks(body))[1]).toEqual(logprobs);
	});

	it.each([{ logprobs: false }, { logprobs: null }, { top_logprobs: 3 }, {}])(
		'none with %j',
		async (body) => {
			const all = { messages: user('hi'), ...body };
			expect((await post(all)).choices[0].logprobs).toBeNull();
			for (const choice of (await chunks(all)).flatMap(({ choices }) => choices)) {
				expect(choice).not.toHaveProperty('logprobs');
			}
		},
	);

	it('a call has none', async () => {
		const tools = [{ type: 'function', function: { name: 'f' } }];
		const { choices } = await post({ messages: user('[[tool:f]]'), tools, logprobs: true });
		expect(choices[0].logprobs).toBeNull();
	});
});
