import { completeChat } from '../../../src/router/chatCompletions';
import { createResponse } from '../../../src/router/responses';
import { events, failureOf, inMemory, json, type Answer } from '../inMemoryHttp';

const chat = async (answer: Answer) =>
	await completeChat(inMemory(answer), { model: 'v/m', messages: [] });
const responses = async (answer: Answer) =>
	await createResponse(inMemory(answer), { model: 'v/m', input: 'q' });
const data = (...values: unknown[]) => listed(values);
const listed = (values: unknown[]) =>
	values
		.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`)
		.join('');
const choice = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });
const USAGE = { choices: [], usage: { completion_tokens: 3 } };
const DONE = '[DONE]';

it.each<[string, Answer]>([
	['an end mark alone', events(data(DONE))],
	['a number', events(data(42, DONE))],
	['an empty object', events(data({}, DONE))],
	['an empty data line', events(`data:\n\n${data(DONE)}`)],
	['null', events(data('null', DONE))],
	['a text', events(data('"hello"', DONE))],
	['a list of nothing', events(data([], DONE))],
	['chunks without choices', events(data({ choices: [] }, { choices: [] }, DONE))],
	['a role alone', events(data(choice({ role: 'assistant', content: '' }), DONE))],
	['an empty list', json([])],
	['an empty object as a body', json({})],
	['no choices', json({ choices: [] })],
	['a choice without a message', json({ choices: [{}] })],
	['another form', json({ choices: 'none' })],
])('a chat of nothing is no answer: %s', async (_what, answer) => {
	expect(await failureOf(chat(answer))).toMatchObject({
		kind: 'malformed',
		details: { outcome: 'unknown' },
	});
});

it.each<[string, Answer]>([
	['a stop', events(data(choice({}, { finish_reason: 'stop' }), DONE))],
	[
		'a stop after a role',
		events(
			data(choice({ role: 'assistant', content: '' }), choice({}, { finish_reason: 'stop' }), DONE),
		),
	],
	[
		'a call for tools without any',
		events(data(choice({ tool_calls: [] }, { finish_reason: 'tool_calls' }), DONE)),
	],
	['usage alone', events(data(USAGE, DONE))],
	[
		'a whole one',
		json({
			choices: [{ message: { content: '' }, finish_reason: 'stop' }],
			usage: { total_tokens: 1 },
		}),
	],
])(
	'a chat that ends with nothing said was charged, and is no answer: %s',
	async (_what, answer) => {
		expect(await failureOf(chat(answer))).toMatchObject({
			kind: 'truncated',
			details: {
				outcome: 'started',
				reason: 'It ended without any content.',
				partial: { text: '', model: 'v/m', body: expect.anything() },
			},
		});
	},
);

it.each<[string, Answer, object]>([
	[
		'thoughts cut off',
		events(data(choice({}, { finish_reason: 'length' }), DONE)),
		{ finishReason: 'length' },
	],
	[
		'a filter',
		events(data(choice({}, { finish_reason: 'content_filter' }), DONE)),
		{ finishReason: 'content_filter' },
	],
	[
		'a refusal',
		events(data(choice({ refusal: 'no' }, { finish_reason: 'stop' }), DONE)),
		{ refusal: 'no' },
	],
	['thoughts', events(data(choice({ reasoning_content: 'hm' }), DONE)), { reasoning: 'hm' }],
	[
		'a picture',
		events(data(choice({ images: [{ url: 'x' }] }), DONE)),
		{ completion: { choices: [{ message: { images: [{ url: 'x' }] } }] } },
	],
	[
		'a second choice',
		events(data({ choices: [{ index: 1, delta: { content: 'b' } }] }, DONE)),
		{ text: 'b' },
	],
	[
		'errors that report nothing',
		events(
			data(
				{ ...choice({ content: 'a' }), error: null },
				{ ...choice({ content: 'b' }), error: {} },
				{ ...choice({}), error: false },
				DONE,
			),
		),
		{ text: 'ab' },
	],
	[
		'a whole one with an empty error',
		json({ choices: [{ message: { content: 'a' } }], error: {} }),
		{ text: 'a' },
	],
	['a list of chunks', json([choice({ content: 'a' }), choice({ content: 'b' })]), { text: 'ab' }],
	['a wrapper', json({ data: { choices: [{ message: { content: 'a' } }] } }), { text: 'a' }],
	['a text beside', json({ choices: [{ text: 'a', finish_reason: 'stop' }] }), { text: 'a' }],
])('a chat of %s is an answer', async (_what, answer, expected) => {
	expect(await chat(answer)).toMatchObject(expected);
});

it.each<[string, Answer, string]>([
	['an end of nothing', events(data({ type: 'response.completed', response: {} })), 'truncated'],
	[
		'an end with an empty message',
		events(
			data({
				type: 'response.completed',
				response: { output: [{ type: 'message', content: [] }], usage: { output_tokens: 1 } },
			}),
		),
		'truncated',
	],
	['an empty output', json({ output: [] }), 'truncated'],
	['an end mark alone', events(data(DONE)), 'malformed'],
	['a number', events(data(42, {}, DONE)), 'malformed'],
])('a response of nothing is no answer: %s', async (_what, answer, kind) => {
	expect(await failureOf(responses(answer))).toMatchObject({ kind });
});

it.each<[string, object]>([
	['a picture', { output: [{ type: 'image_generation_call', result: 'x' }] }],
	['a call', { output: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] }],
	[
		'one that was cut off',
		{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
	],
])('a response of %s is an answer', async (_what, response) => {
	const type = 'status' in response ? 'response.incomplete' : 'response.completed';
	expect(await responses(events(data({ type, response })))).toMatchObject({ text: '' });
});

it.each<[string, Answer, string | undefined]>([
	[
		'plain text',
		{ headers: { 'content-type': 'text/plain' }, chunks: ['MARK and more'] },
		'MARK and more',
	],
	['plain text as a stream', events('MARK and more'), 'MARK and more'],
	['another protocol', json({ candidates: [{ content: { parts: [{ text: 'MARK' }] } }] }), 'MARK'],
	[
		'a whole answer of another form',
		json({ message: { role: 'assistant', content: 'MARK' } }),
		'MARK',
	],
	[
		'half a body',
		{
			headers: { 'content-type': 'application/json' },
			chunks: ['{"choices":[{"message":{"content":"MARK'],
		},
		undefined,
	],
	[
		'lines without an end',
		{
			chunks: [
				`${JSON.stringify(choice({ content: 'MARK' }))}\n${JSON.stringify(choice({ content: '!' }))}\n`,
			],
		},
		'MARK!',
	],
	[
		'a web page',
		{
			headers: { 'content-type': 'text/html' },
			chunks: ['<!doctype html><script>x</script><p>MARK</p>'],
		},
		undefined,
	],
	[
		'words within JSON, even if they are no more than a sign of life',
		events(data(choice({ content: 'a' }), 'ping MARK', choice({ content: 'b' }), DONE)),
		'a',
	],
	['words alone', events(data('ping MARK', DONE)), undefined],
	[
		'an unreadable event',
		events(data(choice({ content: 'a' }), '{"choices":[{"delta":{"content":"MARK', DONE)),
		'a',
	],
	[
		'an error event',
		events(data(choice({ content: 'a' }), { error: { message: 'x' }, more: 'MARK' }, DONE)),
		'a',
	],
	[
		'events of another protocol',
		events(data({ type: 'content_block_delta', delta: { text: 'MARK' } }, DONE)),
		undefined,
	],
])('what came in an unexpected form is kept: %s', async (_what, answer, text) => {
	for (const asked of [chat, responses]) {
		const { details, kind } = await failureOf(asked(answer));
		expect(JSON.stringify(details.partial)).toContain('MARK');
		expect(['truncated', 'malformed']).toContain(kind);
		expect(['started', 'unknown']).toContain(details.outcome);
		if (asked === chat && text) expect(details.partial).toMatchObject({ text });
	}
});

it('what is kept of a long body is its beginning', async () => {
	const long = {
		headers: { 'content-type': 'text/plain' },
		chunks: [`MARK${'x'.repeat(1_000_000)}`],
	};
	const { partial } = (await failureOf(chat(long))).details as {
		partial: { body: string; text: string };
	};
	expect(partial.body).toHaveLength(100_000);
	expect(partial.text).toHaveLength(100_000);
});

it.each<[string, (n: number) => Answer, (answer: Answer) => Promise<unknown>]>([
	[
		'items without a place',
		(n) =>
			events(
				listed(
					Array.from({ length: n }, (_, i) => ({
						type: 'response.output_item.added',
						item: { id: `i${i}`, type: 'message' },
					})),
				),
			),
		responses,
	],
	[
		'calls without a place',
		(n) =>
			events(
				listed(
					Array.from({ length: n }, (_, i) =>
						choice({ tool_calls: [{ id: `c${i}`, function: { name: 'f', arguments: '' } }] }),
					),
				),
			),
		chat,
	],
	[
		'calls in one chunk',
		(n) =>
			events(
				data(
					choice({
						tool_calls: Array.from({ length: n }, () => ({
							function: { name: 'f', arguments: '' },
						})),
					}),
				),
			),
		chat,
	],
	[
		'choices',
		(n) =>
			events(
				listed(
					Array.from({ length: n }, (_, index) => ({
						choices: [{ index, delta: { content: 'a' } }],
					})),
				),
			),
		chat,
	],
])('a stream of more than five thousand %s is given up', async (_what, stream, asked) => {
	expect(await failureOf(asked(stream(200_000)))).toMatchObject({
		kind: 'truncated',
		details: { reason: expect.stringContaining('more than 5000'), partial: expect.any(Object) },
	});
});

it('a call whose fragments all have ids of their own takes linear time', async () => {
	const part = 'x'.repeat(200);
	const fragments = Array.from({ length: 50_000 }, (_, i) =>
		choice({
			tool_calls: [{ index: 0, id: `c${i}`, function: { name: 'f', arguments: `"${part}` } }],
		}),
	);
	expect(await failureOf(chat(events(listed(fragments))))).toMatchObject({ kind: 'truncated' });
});

it('a response whose parts come only once they are whole is read', async () => {
	const done = (text: string) => ({ type: 'response.output_text.done', text });
	const delta = (text: string) => ({ type: 'response.output_text.delta', delta: text });
	const end = { type: 'response.completed', response: {} };
	const read = async (...parts: object[]) => (await responses(events(data(...parts, end)))).text;
	expect(await read(done('Hello '), done('you'))).toBe('Hello you');
	expect(await read(delta('Hel'), delta('lo'), done('Hello'), done(' you'))).toBe('Hello you');
});
