import { answerWarning, toToolCall, type TextAnswer } from '../../../src/router/textAnswer';
import fc from '../../support/fastCheck';

it.each<[unknown, unknown]>([
	['{"a":1}', { a: 1 }],
	['[1]', [1]],
	['"a"', 'a'],
	['5', 5],
	['false', false],
	['null', null],
	['', ''],
	['{"a":', '{"a":'],
	['{"id":12345678901234567890}', { id: '12345678901234567890' }],
	['{"__proto__":{"a":1},"b":2}', { b: 2 }],
	[{ a: 1 }, { a: 1 }],
	[[1], [1]],
	[0, 0],
	[null, ''],
	[undefined, ''],
])('the arguments %j are %j', (written, given) => {
	expect(toToolCall('c', 'f', written)).toEqual({ id: 'c', name: 'f', arguments: given });
});

it.each([[undefined], [null], [5], [{}]])('%j is no id and no name', (value) => {
	expect(toToolCall(value, value, '{}')).toEqual({ id: '', name: '', arguments: {} });
});

it('arguments that a model wrote as JSON are read as what they were', () => {
	fc.assert(
		fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
			const { arguments: read } = toToolCall('c', 'f', JSON.stringify(value));
			fc.pre(!/__proto__|constructor|\d{16}/.test(JSON.stringify(value)));
			expect(JSON.stringify(read)).toBe(JSON.stringify(value));
		}),
	);
});

const CALL = { id: 'c', name: 'f', arguments: '{"a":' };

it.each<[string, Partial<TextAnswer>, RegExp | undefined]>([
	['a whole answer', { finishReason: 'stop' }, undefined],
	['no reason', {}, undefined],
	['calls', { finishReason: 'tool_calls', toolCalls: [CALL] }, undefined],
	['the cap', { finishReason: 'length' }, /^The answer is cut off: .*"Maximum Output Tokens"/],
	[
		'the cap, and no text',
		{ finishReason: 'length', text: '' },
		/^The answer has no text, all tokens/,
	],
	[
		'the cap inside a call',
		{ finishReason: 'length', text: '', toolCalls: [CALL] },
		/^The answer is cut off: .*"Maximum Output Tokens"/,
	],
	['the filter', { finishReason: 'content_filter' }, /^The answer was stopped .* content filter/],
	[
		'a cut for no known reason',
		{ finishReason: 'incomplete' },
		/^The answer is cut off: .* no reason/,
	],
	[
		'a refusal',
		{ finishReason: 'stop', refusal: 'no', text: '' },
		/^The model refused .* "refusal"/,
	],
	['an empty refusal', { finishReason: 'stop', refusal: '' }, undefined],
	[
		'another choice that is cut off',
		{
			finishReason: 'stop',
			choices: [
				{ text: 'a', toolCalls: [], finishReason: 'stop' },
				{ text: 'b', toolCalls: [], finishReason: 'length' },
			],
		},
		/^Answer 2 is cut off: /,
	],
])('what is said of %s', (_name, answer, notice) => {
	const said = answerWarning({ text: 'a', model: 'v/m', toolCalls: [], ...answer });
	if (notice) expect(said).toMatch(notice);
	else expect(said).toBeUndefined();
});
