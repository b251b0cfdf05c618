import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createChatAccumulator } from '../../../src/router/chatCompletions';
import { toToolCall } from '../../../src/router/textAnswer';
import fc, { character } from '../../support/fastCheck';
import { chunk, chunkOf, part, says, type Event } from './protocolEvents';

function answerTo(...chunks: Event[]) {
	const joiner = createChatAccumulator('asked/for', 1);
	const readAlong = chunks.map((one) => joiner.add(structuredClone(one))).join('');
	return { ...joiner.answer(), readAlong };
}

it.each<[string, Event[], Event]>([
	['nothing', [], {}],
	['the last chunk counts', [{ id: 'a', created: 1 }, { id: 'b' }], { id: 'b', created: 1 }],
	['unknown fields', [{ new: { a: 1 }, b: false }], { new: { a: 1 }, b: false }],
	['the type of the stream', [{ object: 'chat.completion.chunk' }], {}],
	['an empty value takes nothing back', [{ id: 'a' }, { id: '' }, { id: null }], { id: 'a' }],
	['a model', [{ model: 'v/m' }], { model: 'v/m' }],
	['usage that is null', [{ usage: { a: 1 } }, { usage: null }], { usage: { a: 1 } }],
	['no list of choices', [{ choices: null }, { choices: 'x' }, { choices: [null] }], {}],
])('the fields of a completion: %s', (_what, chunks, expected) => {
	const { completion, ...answer } = answerTo(...chunks);
	expect(completion).toEqual({ ...expected, object: 'chat.completion', choices: [] });
	const { model = 'asked/for', usage } = expected;
	expect(answer).toMatchObject({ model, ...(usage ? { usage } : {}), text: '', toolCalls: [] });
});

/** The deltas, and what is in the message; text, refusal and reasoning are the same. */
it.each<[string, Event[], Event]>([
	['pieces', [{ content: '' }, { content: 'a' }, { content: 'b' }], { content: 'ab' }],
	['one part', [{ content: { type: 'text', text: 'a' } }], { content: 'a' }],
	['odd content', [{ content: 5 }, { content: {} }], { content: '' }],
	['another role', [{ role: 'x' }, { role: 'x' }, { role: '' }], { role: 'x', content: '' }],
	['a refusal', [{ refusal: 'I ' }, { refusal: 'do' }], { refusal: 'I do', content: null }],
	['thoughts', [{ reasoning: 'h' }, { reasoning: 'm' }], { reasoning: 'hm', content: '' }],
	['lists', [{ list: [1] }, { list: [2] }, { list: null }], { list: [1, 2], content: '' }],
	['objects', [{ o: { a: 'x' } }, { o: { a: 'y', b: 1 } }], { o: { a: 'xy', b: 1 }, content: '' }],
	['fields without a value', [{ o: { a: 1 } }, { o: { a: null } }], { o: { a: 1 }, content: '' }],
	['another type', [{ n: 'a' }, { n: { b: 1 } }, { n: [1] }], { n: [1], content: '' }],
	['false', [{ flag: false }], { flag: false, content: '' }],
])('the message of a completion: %s', (_what, deltas, expected) => {
	const answer = answerTo(...deltas.map((one) => chunk(one)));
	const message = { role: 'assistant', ...expected };
	expect(answer.completion['choices']).toEqual([{ index: 0, message, finish_reason: null }]);
	const { content, refusal, reasoning } = expected;
	const text = content ?? '';
	expect({ refusal: undefined, reasoning: undefined, ...answer }).toMatchObject({
		text,
		readAlong: text,
		refusal,
		reasoning,
	});
});

const thought = (text: string) => [{ type: 'text', text }];

it.each<[string, Event[]]>([
	['a text', [{ reasoning_content: 'I ' }, { reasoning_content: 'look.' }]],
	[
		'parts of Mistral',
		[
			{ content: [{ type: 'thinking', thinking: thought('I ') }] },
			{ content: [{ type: 'thinking', thinking: thought('look.') }] },
		],
	],
	['a text in a part of Mistral', [{ content: [{ type: 'thinking', thinking: 'I look.' }] }]],
	[
		'the summary of Databricks',
		[{ content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'I look.' }] }] }],
	],
	[
		'details alone',
		[
			{ reasoning_details: [{ type: 'reasoning.text', text: 'I ' }] },
			{ reasoning_details: [{ type: 'reasoning.text', text: 'look.' }] },
		],
	],
	['details that are a summary', [{ reasoning_details: [{ summary: 'I look.' }] }]],
	['blocks of LiteLLM', [{ thinking_blocks: [{ type: 'thinking', thinking: 'I look.' }] }]],
	['a list of Snowflake', [{ content_list: [{ type: 'anthropic', thinking: 'I look.' }] }]],
	['pieces of Snowflake', [{ thinking: 'I ' }, { thinking: 'look.' }]],
])('what the model thought is its reasoning: %s', (_what, deltas) => {
	const { reasoning, text } = answerTo(...deltas.map((one) => chunk(one)), says('Hm.'));
	expect({ reasoning, text }).toEqual({ reasoning: 'I look.', text: 'Hm.' });
});

it('the token counts that Groq has in a field of its own are the usage', () => {
	const usage = { prompt_tokens: 18, completion_tokens: 439, total_tokens: 457 };
	expect(answerTo(says('a'), { x_groq: { id: 'r' } }, { x_groq: { usage } })).toMatchObject({
		usage,
	});
	const own = { prompt_tokens: 1 };
	expect(answerTo(says('a'), { usage: own, x_groq: { usage } })).toMatchObject({ usage: own });
});

it.each(['length', 'max_output_tokens', 'max_tokens', 'MAX_TOKENS'])(
	'a call that its provider ends by %s is cut off',
	(end) => {
		const call = chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f' } }] });
		const last = chunk({}, { finish_reason: 'tool_calls', native_finish_reason: end });
		expect(answerTo(call, last)).toMatchObject({ finishReason: 'length' });
		const vendors = chunk({}, { finish_reason: end });
		expect(answerTo(call, vendors)).toMatchObject({ finishReason: 'length' });
	},
);

it.each([{ toString: 1 }, [[{ toString: 1 }]]])('a count %j is none', (count) => {
	const usage = { total_tokens: count, completion_tokens: 3 };
	expect(answerTo(says('a'), { choices: [], usage })).toMatchObject({ text: 'a', usage });
});

it('the token counts that Moonshot has in the choice are the usage, unless they come again', () => {
	const usage = { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32 };
	const last = chunk({}, { finish_reason: 'stop', usage });
	expect(answerTo(says('a'), last)).toMatchObject({ usage });
	expect(answerTo(chunk({ content: 'a' }, { usage }))).not.toHaveProperty('usage');
	const own = { prompt_tokens: 1 };
	expect(answerTo(says('a'), last, { choices: [], usage: own })).toMatchObject({ usage: own });
	// of two choices, each may have its own
	const other = { index: 1, delta: { content: 'b' }, finish_reason: 'stop', usage: own };
	expect(answerTo(says('a'), { choices: [other] }, last)).not.toHaveProperty('usage');
});

/** As Perplexity, and Snowflake's Cortex, send what they do not have. */
const EMPTY = { role: 'assistant', content: '' };
const UNNAMED = { arguments: '', name: '' };

it.each<[string, Event, text: string]>([
	['no delta', {}, ''],
	['a text beside the delta', { text: 'a' }, ''],
	['a whole message', { message: { content: 'a' } }, 'a'],
	[
		'JSON that is not written as a text',
		{ message: { content: { a: 1, text: 'b' } } },
		'{"a":1,"text":"b"}',
	],
	['a whole message and an empty delta', { delta: EMPTY, message: { content: 'a' } }, 'a'],
	['an empty message and delta', { delta: EMPTY, message: EMPTY }, ''],
	['a call without a name', { message: { content: 'a', function_call: UNNAMED } }, 'a'],
])('a choice with %s', (_what, choice, text) => {
	const answer = { text, readAlong: text, toolCalls: [] };
	expect(answerTo({ choices: [choice] })).toMatchObject(answer);
	expect(answerTo({ choices: [choice] }, says('b'))).toMatchObject({ text: `${text}b` });
});

it('what came so far, beside each piece, is not told twice', () => {
	const soFar = (content: string, all: string) => ({
		delta: { content },
		message: { content: all },
	});
	const { text, completion } = answerTo(
		...[soFar('a', 'a'), soFar('b', 'ab'), soFar('', 'ab')].map((one) => ({ choices: [one] })),
	);
	expect([text, completion['choices']]).toMatchObject(['ab', [{ message: { content: 'ab' } }]]);
});

it('a text whose pieces grow is told as it came', () => {
	const pieces = ['=', '==', '===', '====', '====='].map((piece) => says(piece));
	expect(answerTo(...pieces)).toMatchObject({ text: '='.repeat(15), readAlong: '='.repeat(15) });
});

/** A fragment as `index id name arguments`, with `-` for what is left out. */
function readPart(written: string) {
	const [index, ...fields] = written.split(' ').map((field) => (field === '-' ? '' : field));
	return part(index ? Number(index) : undefined, ...fields);
}

/** The fragments, each in a chunk, or several with ` + ` between them, and the calls as `id name arguments`. */
it.each([
	['in fragments', ['0 c f -', '0 - - {"a"', '0 - - :1}'], ['c f {"a":1}']],
	['woven', ['0 c f - + 1 d g -', '1 - - {} + 0 - - []'], ['c f []', 'd g {}']],
	[
		'with one index',
		['0 c f {', '0 - - }', '0 d g [', '0 - - ]', '1 e h 1'],
		['c f {}', 'd g []', 'e h 1'],
	],
	[
		'with one index, the first without arguments',
		['0 c f -', '0 d g -', '0 - - {"a":1}'],
		['c f ', 'd g {"a":1}'],
	],
	[
		'that come again at another index',
		['0 c f {}', '1 c f -', '1 - - {}', '2 c g {}'],
		['c f {}', 'c g {}'],
	],
	['with an id before the name', ['0 c - -', '0 d f {}'], ['c f {}']],
	['with an id for every fragment', ['0 c f {"a"', '0 d - :1}'], ['c f {"a":1}']],
	['with a name for every fragment', ['0 c f {', '0 d g }'], ['c f {}']],
	['with the same id and name', ['0 c f {', '0 c f }'], ['c f {}']],
	['whole, without an index', ['- c f {} + - d g {}'], ['c f {}', 'd g {}']],
	['one after another, without an index', ['- c f {}', '- d g {', '- - - }'], ['c f {}', 'd g {}']],
	['in turn, without an index', ['- c f {', '- d g {}', '- c - }'], ['c f {}', 'd g {}']],
	['without an index and an id', ['- - f 1 + - - g 2'], [' f 1', ' g 2']],
	['in the other order', ['1 d g 1', '0 c f 2'], ['c f 2', 'd g 1']],
	['of no JSON', ['0 c f {"a":'], ['c f {"a":']],
	['that say all so far anew', ['0 c f {"a"', '0 - - {"a":', '0 - - {"a":1}'], ['c f {"a":1}']],
	['said whole at the end', ['0 c f {"a"', '0 - - :1}', '0 - - {"a":1}'], ['c f {"a":1}']],
	['after an empty object', ['0 c f {}', '0 - - {"a":1}'], ['c f {"a":1}']],
	['with one name within another', ['0 c f {"a":', '0 - - {"a":1}}'], ['c f {"a":{"a":1}}']],
	['cut off so', ['0 c f {"a":', '0 - - {"a":1'], ['c f {"a":{"a":1']],
	['of two names in one place', ['0 - f {}', '0 - g {"b":2}'], [' f {}{"b":2}']],
	['of two names in pieces', ['0 - f {}', '0 - g -', '0 - - {"b":2}'], [' f {}{"b":2}']],
	['of two in one place', ['0 c f {"a":1}', '0 - - {"b":2}'], ['c f {"a":1}{"b":2}']],
	['without arguments', ['0 c f -'], ['c f ']],
])('tool calls %s', (_what, fragments, expected) => {
	const chunks = fragments.map((one) => chunk({ tool_calls: one.split(' + ').map(readPart) }));
	const { toolCalls, completion } = answerTo(...chunks);
	const calls = expected.map((one) => one.split(' '));
	const tool_calls = calls.map(([id, name, args]) => ({
		...(id && { id }),
		function: { name, arguments: args },
	}));
	const message = { role: 'assistant', content: null, tool_calls };
	expect(completion['choices']).toEqual([{ index: 0, message, finish_reason: null }]);
	expect(toolCalls).toEqual(calls.map(([id, name, args]) => toToolCall(id, name, args)));
});

it.each(['length', 'content_filter'])('a call that %s cuts off is never whole', (finish_reason) => {
	const pieces = ['{"a":', '{"a":1}'].map((piece) =>
		chunk({ tool_calls: [part(0, 'c', 'f', piece)] }),
	);
	const { toolCalls, completion } = answerTo(...pieces, chunk({}, { finish_reason }));
	expect(toolCalls).toMatchObject([{ arguments: '{"a":{"a":1}' }]);
	const tool_calls = [{ function: { arguments: '{"a":{"a":1}' } }];
	expect(completion['choices']).toMatchObject([{ message: { tool_calls } }]);
});

it.each([
	['with an object', [part(0, 'c', 'f', { a: 1 })], [part(undefined, 'c', 'f', '{"a":1}')]],
	['with a list', [part(0, 'c', 'f', [1])], [part(undefined, 'c', 'f', '[1]')]],
	[
		'of another kind',
		[
			{ index: 0, id: 'c', custom: { name: 'f', input: 'DROP' } },
			{ index: 0, custom: { input: ' it' } },
		],
		[{ id: 'c', custom: { name: 'f', input: 'DROP it' } }],
	],
	[
		'with further fields',
		[
			{ id: 'c', x: 1 },
			{ id: 'c', x: 2, y: '', constructor: { z: 3 } },
		],
		[{ id: 'c', x: 1, y: '', constructor: { z: 3 } }],
	],
	['that are odd', [null, { id: 'c' }, 'x'], [{ id: 'c' }]],
	['that are no list', {}],
])('tool calls %s', (_what, given, ...[tool_calls]) => {
	const content = tool_calls ? null : '';
	const message = { role: 'assistant', content, ...(tool_calls && { tool_calls }) };
	const { completion } = answerTo(chunk({ tool_calls: given }));
	expect(completion['choices']).toEqual([{ index: 0, message, finish_reason: null }]);
});

it('log probabilities are joined, the end is kept, and so is what nobody names', () => {
	const chunks = [
		says('a', { logprobs: { content: [{ token: 'a' }] }, finish_reason: null }),
		says('b', { logprobs: { content: [{ token: 'b' }], refusal: null } }),
		chunk({}, { logprobs: null, finish_reason: 'stop', filters: { hate: false } }),
		chunk({}, { finish_reason: null }),
	];
	const { completion, finishReason } = answerTo(...chunks);
	expect(completion['choices']).toEqual([
		{
			index: 0,
			message: { role: 'assistant', content: 'ab' },
			finish_reason: 'stop',
			filters: { hate: false },
			logprobs: { content: [{ token: 'a' }, { token: 'b' }], refusal: null },
		},
	]);
	expect(finishReason).toBe('stop');
});

it('what a filter says of every piece is told once', () => {
	const found = (severity: string) => ({
		content_filter_results: { hate: { filtered: false, severity }, violence: { severity } },
	});
	const { completion } = answerTo(
		says('', { content_filter_results: {} }),
		says('a', found('safe')),
		says('b', found('safe')),
		chunk({}, { content_filter_results: {}, finish_reason: 'stop' }),
	);
	expect(completion['choices']).toMatchObject([found('safe')]);
});

it('several choices are told one by one, in their order; who reads along hears the first', () => {
	const answer = answerTo(
		chunkOf(1, { content: 'x', reasoning: 'hm' }),
		says('a'),
		{ choices: [{ delta: { content: 'b' } }, { delta: { content: 'y' } }] },
		chunkOf(2, { tool_calls: [part(0, 'c', 'f', '{}')] }, { finish_reason: 'tool_calls' }),
		chunkOf(1, { refusal: 'no' }, { finish_reason: 'length' }),
	);
	const first = { text: 'ab', toolCalls: [] };
	expect(answer).toMatchObject({ ...first, model: 'asked/for', readAlong: 'ab' });
	expect(answer).not.toHaveProperty('finishReason');
	expect(answer.choices).toEqual([
		first,
		{ text: 'xy', toolCalls: [], finishReason: 'length', refusal: 'no', reasoning: 'hm' },
		{ text: '', toolCalls: [{ id: 'c', name: 'f', arguments: {} }], finishReason: 'tool_calls' },
	]);
	expect(answer.completion['choices']).toMatchObject([{ index: 0 }, { index: 1 }, { index: 2 }]);
});

it('two choices are several', () => {
	const choices = ['a', 'b'].map((text) => ({ text, toolCalls: [] }));
	expect(answerTo(says('a'), chunkOf(1, { content: 'b' }))).toMatchObject({ text: 'a', choices });
});

it.each([['x'], [null], [undefined], [{}]])('the index %j counts by its place', (index) => {
	const answer = answerTo(says('a'), chunkOf(index, { content: 'b' }));
	expect(answer).toMatchObject({ text: 'ab', readAlong: 'ab' });
	expect(answer.completion['choices']).toMatchObject([{ index: 0 }]);
});

const wholeCall = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const call = { index: 0, ...wholeCall };

/** One line of vendors.ndjson: what a vendor's model gives beside its calls, in pieces, and what has to come back. */
interface Vendor {
	vendor: string;
	/** Where it is described. */
	source?: string;
	deltas: Event[];
	message: Event;
}
const vendors = readFileSync(join(__dirname, 'vendors.ndjson'), 'utf8')
	.trim()
	.split('\n')
	.map((line) => JSON.parse(line) as Vendor);

it.each(vendors)('the message of $vendor comes together as it was given', (given) => {
	const calling = 'tool_calls' in given.message ? [] : [{ tool_calls: [call] }];
	const { completion } = answerTo(...[...given.deltas, ...calling].map((delta) => chunk(delta)));
	const message = { role: 'assistant', content: null, tool_calls: [wholeCall], ...given.message };
	expect(completion['choices']).toEqual([{ index: 0, message, finish_reason: null }]);
});

it('an answer of many entries is not read again with every piece', () => {
	const joiner = createChatAccumulator('asked/for', 1);
	let reads = 0;
	const entry = (index: number) => ({
		index,
		text: 'x',
		type: 'reasoning.text',
		get data() {
			reads++;
			return undefined;
		},
	});
	for (let at = 0; at < 2000; at++) joiner.add(chunk({ reasoning_details: [entry(at)] }));
	const [choice] = joiner.answer().completion['choices'] as Event[];
	expect(choice?.['message']).toMatchObject({ reasoning_details: { length: 2000 } });
	expect(reads).toBeLessThan(2000 * 500);
});

it('a whole message stays as it is', () => {
	const message = { content: '', reasoning_content: '', x: null, tool_calls: [wholeCall] };
	const { completion } = answerTo({ choices: [{ index: 0, message }] });
	expect(completion['choices']).toMatchObject([{ message: { role: 'assistant', ...message } }]);
});

// A completion, cut into chunks in any way, is the same as taken whole.

const text = fc.string({ maxLength: 8, unit: character });
const value = fc.oneof(fc.integer(), fc.boolean(), fc.record({ a: fc.integer() }));
const values = fc.array(value, { maxLength: 3 });
const tokens = fc.array(fc.record({ token: text, logprob: fc.integer() }), { maxLength: 4 });
const aCall = fc.record(
	{ id: text, extra: value, function: fc.record({ name: text, arguments: text }) },
	{ requiredKeys: ['id', 'function'] },
);
const aMessage = fc.record(
	{
		role: fc.constant('assistant'),
		content: text,
		refusal: text,
		reasoning_content: text,
		annotations: values,
		audio: fc.record({ transcript: text, more: values }),
		number: value,
		// the same call twice is one where it comes whole
		tool_calls: fc.uniqueArray(aCall, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
	},
	{ requiredKeys: ['content'] },
);
const aChoice = fc.record(
	{
		message: aMessage,
		unknown: value,
		logprobs: fc.record({ content: tokens, refusal: tokens }, { requiredKeys: ['content'] }),
		finish_reason: fc.constantFrom('stop', 'length', 'tool_calls', null),
	},
	{ requiredKeys: ['message'] },
);
const aCompletion = fc.record(
	{
		id: text,
		created: fc.integer(),
		model: text,
		unknown: value,
		usage: fc.record({ total_tokens: fc.nat() }),
		choices: fc.array(aChoice, { maxLength: 3 }),
	},
	{ requiredKeys: ['choices'] },
);

/** Cuts a value into pieces that make it again: texts and lists anywhere, objects field by field. */
function* cut(whole: unknown, dice: () => boolean): Generator<unknown> {
	if (typeof whole === 'string' || Array.isArray(whole)) {
		let start = 0;
		for (let end = 1; end < whole.length; end++) {
			if (!dice()) continue;
			yield whole.slice(start, end);
			start = end;
		}
		yield whole.slice(start);
	} else if (typeof whole === 'object' && whole !== null) {
		for (const [name, field] of Object.entries(whole))
			for (const piece of cut(field, dice)) yield { [name]: piece };
	} else yield whole;
}

function* chunksOf(choice: Event, index: number, dice: () => boolean): Generator<Event> {
	const { message, logprobs, ...fields } = choice;
	const { role, tool_calls: calls, ...rest } = message as Event;
	const roleField = role === undefined ? {} : { role };
	yield { index, delta: { ...roleField, content: '' }, finish_reason: null };
	for (const delta of cut(rest, dice))
		yield { index, delta: { ...(delta as object), ...(dice() && roleField) } };
	for (const [place, call] of ((calls ?? []) as Event[]).entries()) {
		const { function: called, ...more } = call;
		const { name, arguments: written } = called as Event;
		const ofCall = (one: object) => ({ index, delta: { tool_calls: [{ index: place, ...one }] } });
		yield ofCall({ ...more, function: { name, arguments: '' } });
		for (const piece of cut(written, dice)) yield ofCall({ function: { arguments: piece } });
	}
	for (const piece of cut(logprobs ?? {}, dice)) yield { index, delta: {}, logprobs: piece };
	yield { index, delta: {}, ...fields };
}

it('a completion cut into any chunks is the same as taken whole', () => {
	fc.assert(
		fc.property(aCompletion, fc.infiniteStream(fc.boolean()), ({ choices, ...top }, coins) => {
			const dice = () => Boolean(coins.next().value);
			const ofAll = choices.map((one, index) => ({ index, ...one }));
			const end = { choices: [], usage: top.usage };
			const whole = answerTo({ ...top, choices: ofAll }, end);
			const streams = choices.map((one, index) => [...chunksOf(one, index, dice)]);
			const chunks: Event[] = [{ ...top, choices: [] }];
			while (streams.some((stream) => stream.length)) {
				const heads = streams.filter((stream) => stream.length && dice()).map((s) => s.shift());
				chunks.push({ choices: heads, ...(dice() && top), usage: null });
			}
			expect(answerTo(...chunks, end)).toEqual(whole);
			expect(whole.readAlong).toBe(whole.text);
		}),
	);
});
