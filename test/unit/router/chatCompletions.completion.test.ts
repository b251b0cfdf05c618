import { createChatAccumulator } from '../../../src/router/chatCompletions';

type Fields = Record<string, unknown>;

const chunk = (index: unknown, delta: unknown, more: object = {}): Fields => ({
	choices: [{ index, delta, ...more }],
});

function answerTo(...chunks: Fields[]) {
	const joiner = createChatAccumulator('asked/for');
	const readAlong = chunks.map((one) => joiner.add(structuredClone(one))).join('');
	return { ...joiner.answer(), readAlong };
}

const completionOf = (...chunks: Fields[]) => answerTo(...chunks).completion;
const firstOf = (...chunks: Fields[]) => completionOf(...chunks)['choices'] as Fields[];
const messageOf = (...chunks: Fields[]) => firstOf(...chunks)[0]?.['message'];

it('nothing is a completion without choices', () => {
	expect(completionOf()).toEqual({ object: 'chat.completion', choices: [] });
});

it.each<[string, Fields[], object]>([
	[
		'of all chunks, the last one counts',
		[
			{ id: 'a', object: 'chat.completion.chunk', created: 1, new_field: { a: 1 } },
			{ id: 'b', created: 2, usage: { total_tokens: 3 } },
		],
		{ id: 'b', created: 2, new_field: { a: 1 }, usage: { total_tokens: 3 } },
	],
	[
		'what is missing or empty takes nothing back',
		[
			{ id: 'a', system_fingerprint: 'f', usage: { a: 1 } },
			{ id: '', system_fingerprint: null, usage: null },
		],
		{ id: 'a', system_fingerprint: 'f', usage: { a: 1 } },
	],
	[
		'another type takes nothing back',
		[
			{ id: 'a', model: 'v/m' },
			{ id: 5, model: {} },
		],
		{ id: 'a', model: 'v/m' },
	],
	['zero and false are there', [{ a: 0, b: false }], { a: 0, b: false }],
])('the fields of a completion: %s', (_name, chunks, expected) => {
	expect(completionOf(...chunks)).toEqual({ ...expected, object: 'chat.completion', choices: [] });
});

it.each<[string, Fields[], object]>([
	['text', [chunk(0, { content: 'a' }), chunk(0, { content: 'b' })], { content: 'ab' }],
	['no text', [chunk(0, { content: null })], { content: '' }],
	['another role', [chunk(0, { role: 'tool', content: 'a' })], { role: 'tool', content: 'a' }],
	[
		'a role that is said again, or left out',
		[
			chunk(0, { role: 'assistant', content: 'a' }),
			chunk(0, { role: 'assistant', content: 'b' }),
			chunk(0, { role: null, content: 'c' }),
			chunk(0, { role: '', content: 'd' }),
		],
		{ role: 'assistant', content: 'abcd' },
	],
	[
		'a refusal',
		[chunk(0, { refusal: 'I ', content: null }), chunk(0, { refusal: 'will not' })],
		{ content: null, refusal: 'I will not' },
	],
	[
		'thoughts',
		[chunk(0, { reasoning_content: 'h' }), chunk(0, { reasoning_content: 'm', content: 'a' })],
		{ reasoning_content: 'hm', content: 'a' },
	],
	[
		'lists and objects of fields that nobody names',
		[
			chunk(0, { annotations: [{ a: 1 }], audio: { data: 'x', expires_at: 1 } }),
			chunk(0, { annotations: [{ b: 2 }], audio: { data: 'y', expires_at: null, more: 1 } }),
			chunk(0, { annotations: null, audio: null, flag: false }),
		],
		{
			content: '',
			annotations: [{ a: 1 }, { b: 2 }],
			audio: { data: 'xy', expires_at: 1, more: 1 },
			flag: false,
		},
	],
	[
		'a field that changes its type',
		[chunk(0, { note: 'a' }), chunk(0, { note: { b: 1 } }), chunk(0, { note: [1] })],
		{ content: '', note: [1] },
	],
])('the message of a completion: %s', (_name, chunks, message) => {
	expect(messageOf(...chunks)).toEqual({ role: 'assistant', ...message });
});

it.each<[string, Fields[], unknown[]]>([
	[
		'further fields',
		[
			chunk(0, { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f' } }] }),
			chunk(0, {
				tool_calls: [{ index: 0, id: '', extra: { a: 1 }, function: { arguments: '{' } }],
			}),
			chunk(0, { tool_calls: [{ index: 0, id: 'd', function: { name: 'g', arguments: '}' } }] }),
		],
		[
			{
				id: 'c',
				type: 'function',
				extra: { a: 1 },
				function: { name: 'f', arguments: '{}' },
			},
		],
	],
	[
		'a kind without a function',
		[chunk(0, { tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name: 'f' } }] })],
		[{ id: 'c', type: 'custom', custom: { name: 'f' } }],
	],
	[
		'each in a chunk, without an index',
		[
			chunk(0, { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] }),
			chunk(0, { tool_calls: [{ id: 'd', function: { name: 'g', arguments: '{' } }] }),
			chunk(0, { tool_calls: [{ function: { arguments: '}' } }] }),
		],
		[
			{ id: 'c', function: { name: 'f', arguments: '{}' } },
			{ id: 'd', function: { name: 'g', arguments: '{}' } },
		],
	],
	[
		'in turn, without an index',
		[
			chunk(0, { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{' } }] }),
			chunk(0, { tool_calls: [{ id: 'd', function: { name: 'g', arguments: '{}' } }] }),
			chunk(0, { tool_calls: [{ id: 'c', function: { arguments: '}' } }] }),
		],
		[
			{ id: 'c', function: { name: 'f', arguments: '{}' } },
			{ id: 'd', function: { name: 'g', arguments: '{}' } },
		],
	],
	[
		'at once, without an index and an id',
		[chunk(0, { tool_calls: [{ function: { name: 'f' } }, { function: { name: 'g' } }] })],
		[{ function: { name: 'f', arguments: '' } }, { function: { name: 'g', arguments: '' } }],
	],
	[
		'the second before the first',
		[
			chunk(0, { tool_calls: [{ index: 1, id: 'd', function: { name: 'g', arguments: '' } }] }),
			chunk(0, { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] }),
		],
		[
			{ id: 'c', function: { name: 'f', arguments: '' } },
			{ id: 'd', function: { name: 'g', arguments: '' } },
		],
	],
	[
		'arguments as a value',
		[chunk(0, { tool_calls: [{ id: 'c', function: { name: 'f', arguments: [1] } }] })],
		[{ id: 'c', function: { name: 'f', arguments: '[1]' } }],
	],
])('the tool calls of a completion: %s', (_name, chunks, calls) => {
	expect(messageOf(...chunks)).toEqual({ role: 'assistant', content: null, tool_calls: calls });
});

it('log probabilities are joined, the end is kept, and so is what nobody names', () => {
	const chunks = [
		chunk(0, { content: 'a' }, { logprobs: { content: [{ token: 'a' }] }, finish_reason: null }),
		chunk(0, { content: 'b' }, { logprobs: { content: [{ token: 'b' }], refusal: null } }),
		chunk(0, {}, { logprobs: null, finish_reason: 'stop', filters: { hate: false } }),
	];
	expect(firstOf(...chunks)).toEqual([
		{
			index: 0,
			message: { role: 'assistant', content: 'ab' },
			logprobs: { content: [{ token: 'a' }, { token: 'b' }] },
			finish_reason: 'stop',
			filters: { hate: false },
		},
	]);
	expect(firstOf(chunk(0, {}))).toMatchObject([{ finish_reason: null }]);
});

it('several choices are told one by one, in their order; who reads along hears the first', () => {
	const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{}' } };
	const answer = answerTo(
		chunk(1, { content: 'x', reasoning: 'hm' }),
		chunk(0, { content: 'a' }),
		{ choices: [{ delta: { content: 'b' } }, { delta: { content: 'y' } }] },
		chunk(2, { tool_calls: [call], reasoning_content: 'so' }, { finish_reason: 'tool_calls' }),
		chunk(1, { refusal: 'no' }, { finish_reason: 'length' }),
	);
	const first = { text: 'ab', toolCalls: [] };
	expect(answer).toMatchObject({ ...first, model: 'asked/for', readAlong: 'ab' });
	expect(answer).not.toHaveProperty('finishReason');
	expect(answer.choices).toEqual([
		first,
		{ text: 'xy', toolCalls: [], finishReason: 'length', refusal: 'no', reasoning: 'hm' },
		{
			text: '',
			toolCalls: [{ id: 'c', name: 'f', arguments: {} }],
			finishReason: 'tool_calls',
			reasoning: 'so',
		},
	]);
	expect(answer.completion['choices']).toMatchObject([{ index: 0 }, { index: 1 }, { index: 2 }]);
});

it.each([['x'], [null], [undefined], [{}]])(
	'a choice with the index %j counts by its place',
	(index) => {
		const answer = answerTo(chunk(0, { content: 'a' }), chunk(index, { content: 'b' }));
		expect(answer).toMatchObject({ text: 'ab', readAlong: 'ab' });
		expect(answer.completion['choices']).toMatchObject([{ index: 0 }]);
	},
);
