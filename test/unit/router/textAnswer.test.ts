import { answerWarning, toToolCall, type TextAnswer } from '../../../src/router/textAnswer';

it.each([
	['{"a":1}', { a: 1 }],
	['"a"', 'a'],
	['null', null],
	['', ''],
	['{"a":', '{"a":'],
	[{ a: 1 }, { a: 1 }],
	[[1], [1]],
	[null, ''],
	[undefined, ''],
])('the arguments %j are %j', (written, given) => {
	expect(toToolCall('c', 'f', written)).toEqual({ id: 'c', name: 'f', arguments: given });
});

it.each([[undefined], [null], [5], [{}]])('%j is no id and no name', (value) => {
	expect(toToolCall(value, value, '{}')).toEqual({ id: '', name: '', arguments: {} });
});

const CALL = { id: 'c', name: 'f', arguments: '{"a":' };
const WHOLE = { id: 'w', name: 'whole', arguments: {} };
const CUT = /^The answer is cut off: .*"Maximum Output Tokens"/;
const choice = (finishReason: string) => ({ text: 'a', toolCalls: [], finishReason });

it.each<[string, Partial<TextAnswer>, RegExp | undefined]>([
	['a whole answer', choice('stop'), undefined],
	['no reason', {}, undefined],
	[
		'calls',
		{ finishReason: 'tool_calls', toolCalls: [WHOLE, { ...CALL, arguments: '' }] },
		undefined,
	],
	[
		'a call that is broken, for no known reason',
		{ finishReason: 'tool_calls', text: '', toolCalls: [WHOLE, CALL] },
		/^The answer calls "f" with arguments that are not valid JSON/,
	],
	['the cap', choice('length'), CUT],
	[
		'the cap, and no text',
		{ finishReason: 'length', text: '' },
		/^The answer has no text, because all/,
	],
	[
		'the cap inside a call',
		{ finishReason: 'length', text: '', toolCalls: [WHOLE, CALL] },
		/^The answer is cut off in its call of "f": .*"Maximum Output Tokens"/,
	],
	[
		'the cap inside a call after one without arguments',
		{ finishReason: 'length', text: '', toolCalls: [{ ...CALL, name: 'g', arguments: '' }, CALL] },
		/^The answer is cut off in its call of "f"/,
	],
	['the cap after a call', { finishReason: 'length', text: '', toolCalls: [WHOLE] }, CUT],
	[
		'a cut inside a call',
		{ finishReason: 'incomplete', text: '', toolCalls: [CALL] },
		/^The answer is cut off in its call of "f": the model gave no reason/,
	],
	['the filter', choice('content_filter'), /^The answer was stopped .* content filter/],
	['a refusal', { refusal: 'no', text: '' }, /^The model refused .* "refusal"/],
	['another reason', choice('RECITATION'), /^The answer may be cut off: .* "finishReason"/],
	["Together's end", choice('eos'), undefined],
	['the end of others', { choices: [choice('end_turn'), choice('end')] }, undefined],
	['the end of Claude', { choices: [choice('tool_use'), choice('stop_sequence')] }, undefined],
	['the end of Gemini', choice('STOP'), undefined],
	['nothing at all', { text: '' }, /^The answer has no text\. .* Simplify/],
	['reasoning alone', { text: '', reasoning: 'x' }, /^The answer has no text\. .* "reasoning"/],
	['an empty refusal', { refusal: '' }, undefined],
	['a second choice', { choices: [choice('stop'), choice('length')] }, /^Answer 2 is cut off: /],
])('what is said of %s', (_name, answer, notice) => {
	const said = answerWarning({ text: 'a', model: 'v/m', toolCalls: [], ...answer });
	if (notice) expect(said).toMatch(notice);
	else expect(said).toBeUndefined();
});
