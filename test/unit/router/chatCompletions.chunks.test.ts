import { createChatAccumulator } from '../../../src/router/chatCompletions';

type Chunk = Record<string, unknown>;

const delta = (value: unknown, more: object = {}): Chunk => ({
	choices: [{ index: 0, delta: value, ...more }],
});
const call = (...tool_calls: unknown[]) => delta({ tool_calls });

function answerTo(...chunks: Chunk[]) {
	const joined = createChatAccumulator('asked/for');
	const readAlong = chunks.map((chunk) => joined.add(chunk)).join('');
	return { ...joined.answer(), readAlong };
}

it.each<[string, Chunk[], object]>([
	['nothing', [], { text: '', model: 'asked/for', toolCalls: [] }],
	[
		'pieces',
		[delta({ role: 'assistant', content: '' }), delta({ content: 'a' }), delta({ content: 'b' })],
		{ text: 'ab' },
	],
	[
		'content as one part',
		[delta({ content: { type: 'text', text: 'a' } }), delta({ content: { text: 'b' } })],
		{ text: 'ab' },
	],
	[
		'content in parts',
		[
			delta({
				content: [
					{ type: 'text', text: 'a' },
					{ type: 'text', text: 'b' },
				],
			}),
		],
		{ text: 'ab' },
	],
	[
		'content of another type',
		[delta({ content: null }), delta({ content: 5 }), delta({ content: {} })],
		{ text: '' },
	],
	[
		'usage in a chunk without choices',
		[delta({ content: 'a' }), { choices: [], usage: { total_tokens: 3 } }],
		{ text: 'a', usage: { total_tokens: 3 } },
	],
	[
		'usage that is null',
		[
			{ choices: [], usage: { total_tokens: 3 } },
			{ choices: [], usage: null },
		],
		{ usage: { total_tokens: 3 } },
	],
	[
		'choices missing',
		[{ usage: {} }, { choices: null }, { choices: 'x' }, { choices: [null] }],
		{ text: '' },
	],
	[
		'another choice',
		[delta({ content: 'a' }), { choices: [{ index: 1, delta: { content: 'x' } }] }],
		{
			text: 'a',
			choices: [
				{ text: 'a', toolCalls: [] },
				{ text: 'x', toolCalls: [] },
			],
		},
	],
	['a choice without an index', [{ choices: [{ delta: { content: 'a' } }] }], { text: 'a' }],
	[
		'delta missing',
		[{ choices: [{ index: 0, finish_reason: 'stop' }] }],
		{ text: '', finishReason: 'stop' },
	],
	[
		'the model by its own name',
		[{ model: 'vendor/model' }, { model: '' }, { model: 5 }],
		{ model: 'vendor/model' },
	],
	[
		'reasoning beside the answer',
		[delta({ reasoning_content: 'hm' }), delta({ content: 'a' })],
		{ text: 'a' },
	],
	...['stop', 'length', 'tool_calls', 'content_filter'].map((reason): [string, Chunk[], object] => [
		`finish reason ${reason}`,
		[
			delta({}, { finish_reason: null }),
			delta({}, { finish_reason: reason }),
			delta({}, { finish_reason: null }),
		],
		{ finishReason: reason },
	]),
])('%s', (_name, chunks, expected) => {
	const answer = answerTo(...chunks);
	expect(answer).toMatchObject(expected);
	expect(answer.readAlong).toBe(answer.text);
	expect(answer).not.toHaveProperty(['usage' in expected ? 'x' : 'usage', 'total_tokens']);
});

it.each<[string, Chunk[], unknown[]]>([
	[
		'in fragments',
		[
			call({ index: 0, id: 'c0', type: 'function', function: { name: 'f', arguments: '' } }),
			call({ index: 0, function: { arguments: '{"a"' } }),
			call({ index: 0, function: { arguments: ':1}' } }),
		],
		[{ id: 'c0', name: 'f', arguments: { a: 1 } }],
	],
	[
		'two, woven into each other',
		[
			call(
				{ index: 0, id: 'c0', function: { name: 'f' } },
				{ index: 1, id: 'c1', function: { name: 'g' } },
			),
			call(
				{ index: 1, function: { arguments: '{}' } },
				{ index: 0, function: { arguments: '[1]' } },
			),
		],
		[
			{ id: 'c0', name: 'f', arguments: [1] },
			{ id: 'c1', name: 'g', arguments: {} },
		],
	],
	[
		'all with the same index, told apart by their ids',
		[
			call({ index: 0, id: 'c0', function: { name: 'f', arguments: '{"a"' } }),
			call({ index: 0, function: { arguments: ':1}' } }),
			call({ index: 0, id: 'c1', function: { name: 'g', arguments: '[' } }),
			call({ index: 0, function: { arguments: ']' } }),
			call({ index: 1, id: 'c2', function: { name: 'h', arguments: '{}' } }),
		],
		[
			{ id: 'c0', name: 'f', arguments: { a: 1 } },
			{ id: 'c1', name: 'g', arguments: [] },
			{ id: 'c2', name: 'h', arguments: {} },
		],
	],
	[
		'with an id of its own for every fragment',
		[
			call({ index: 0, id: 'c0', function: { name: 'f', arguments: '{"a"' } }),
			call({ index: 0, id: 'c1', function: { arguments: ':1}' } }),
		],
		[{ id: 'c0', name: 'f', arguments: { a: 1 } }],
	],
	[
		'whole, without an index',
		[
			call(
				{ id: 'c0', function: { name: 'f', arguments: '{}' } },
				{ id: 'c1', function: { name: 'g', arguments: '{}' } },
			),
		],
		[
			{ id: 'c0', name: 'f', arguments: {} },
			{ id: 'c1', name: 'g', arguments: {} },
		],
	],
	[
		'id and name repeated',
		[
			call({ index: 0, id: 'c0', function: { name: 'f', arguments: '{' } }),
			call({ index: 0, id: 'c0', function: { name: 'f', arguments: '}' } }),
		],
		[{ id: 'c0', name: 'f', arguments: {} }],
	],
	[
		'arguments that are no JSON',
		[call({ index: 0, id: 'c0', function: { name: 'f', arguments: '{"a":' } })],
		[{ id: 'c0', name: 'f', arguments: '{"a":' }],
	],
	[
		'arguments as an object',
		[call({ index: 0, id: 'c0', function: { name: 'f', arguments: { a: 1 } } })],
		[{ id: 'c0', name: 'f', arguments: { a: 1 } }],
	],
	[
		'no arguments',
		[call({ index: 0, id: 'c0', function: { name: 'f' } })],
		[{ id: 'c0', name: 'f', arguments: '' }],
	],
	[
		'a large number',
		[
			call({
				index: 0,
				id: 'c0',
				function: { name: 'f', arguments: '{"id":12345678901234567890}' },
			}),
		],
		[{ id: 'c0', name: 'f', arguments: { id: '12345678901234567890' } }],
	],
	[
		'odd fragments',
		[call(null, 'x', { index: 'y' }), delta({ tool_calls: {} })],
		[{ id: '', name: '', arguments: '' }],
	],
])('tool calls: %s', (_name, chunks, expected) => {
	expect(answerTo(...chunks).toolCalls).toEqual(expected);
});
