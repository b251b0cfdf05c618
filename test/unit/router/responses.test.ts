import { createResponse, createResponseAccumulator } from '../../../src/router/responses';
import fc, { character } from '../../support/fastCheck';
import { nameOf, recordings } from '../agent/recordings';
import { events, inMemory } from '../inMemoryHttp';
import {
	added,
	call,
	delta,
	done,
	fragment,
	itemDone,
	message,
	said,
	type Event,
} from './protocolEvents';

type Given = Event | [name: string, event: Event];

function answerTo(...given: Given[]) {
	const joiner = createResponseAccumulator('asked/for');
	const readAlong = given
		.map((one) => (Array.isArray(one) ? joiner.add(one[1], one[0]) : joiner.add(one)))
		.join('');
	return { ...joiner.answer(), readAlong, whole: joiner.isComplete(), failure: joiner.failure() };
}

const a = message(said('a'));
const event = (kind: string, more: object = {}): Event => ({ type: `response.${kind}`, ...more });
const partDone = (text: string) => event('output_text.done', { text });
const refusal = (text: unknown) => event('refusal.delta', { delta: text });

it.each<[string, Given[], text: string]>([
	['pieces of another type', [delta(5), delta(null), delta({ text: 'a' })], ''],
	['parts that come once they are whole', [partDone('a'), partDone('b')], 'ab'],
	['a part once more', [delta('a'), partDone('a'), partDone('b')], 'ab'],
	['a name in place of a type', [['response.output_text.delta', { delta: 'a' }]], 'a'],
	['a type before another name', [['response.failed', delta('a')]], 'a'],
	['unknown events', [event('x.delta', { delta: 'x' }), { type: 'toString' }, { delta: 'y' }], ''],
	['a name of JavaScript', [['constructor', {}], delta('a')], 'a'],
	['an end with an empty output', [delta('a'), done({ output: [] })], 'a'],
])('reads along: %s', (_what, given, text) => {
	expect(answerTo(...given)).toMatchObject({ text, readAlong: text, failure: undefined });
	const whole = answerTo(...given, ['response.completed', { type: 5 }]);
	expect(whole).toMatchObject({ text, whole: true, failure: undefined });
});

it.each<[string, unknown, text: string]>([
	['messages', [message(said('ab'), said('c')), message(said('d'))], 'abc\n\nd'],
	['content as a text', [{ role: 'assistant', content: 'ab' }], 'ab'],
	['odd entries', [null, 'x', [a], {}, message(null, 'x', said('ab'))], 'ab'],
])('the text of the end counts before that of the pieces: %s', (_what, output, text) => {
	expect(answerTo(delta('a'), done({ output }))).toMatchObject({ text, readAlong: 'a' });
	expect(answerTo(done({ output }))).toMatchObject({ text, readAlong: '' });
});

it.each([
	['items that are none', [added(0, 'text'), added(1, ['x']), itemDone(2, null)], {}],
	['of events in between', [event('created', { response: { id: 'r' } }), done()], { id: 'r' }],
	['nothing after something', [event('x', { response: { x: 1 } }), done({ x: null })], { x: 1 }],
	['usage beside it', [{ ...done({ usage: null }), usage: { a: 1 } }], { usage: { a: 1 } }],
])('the fields of a response: %s', (_what, given, fields) => {
	const { response, ...answer } = answerTo(...given);
	expect(response).toEqual({ ...fields, output: [] });
	expect(answer).toMatchObject({
		model: 'asked/for',
		...('x' in fields || 'id' in fields ? {} : fields),
	});
});

it.each(['', 5])('the model %j is the one that was asked for', (model) => {
	expect(answerTo(done({ model }))).toMatchObject({ model: 'asked/for' });
});

it.each(['', 'ab'])('a call that the end leaves out is kept, beside the text %j', (text) => {
	const given = [
		delta(text),
		added(1, { type: 'function_call', call_id: 'c', name: 'f', arguments: '' }),
		event('function_call_arguments.done', { output_index: 1, arguments: '{"a":1}' }),
		done({ output: [message(said(text))] }),
	];
	expect(answerTo(...given)).toMatchObject({
		text,
		finishReason: 'tool_calls',
		toolCalls: [{ id: 'c', name: 'f', arguments: { a: 1 } }],
		response: { output: [...(text ? [message(said(text))] : []), { type: 'function_call' }] },
	});
});

it('beside such a call, what only the end has is kept', () => {
	const thought = { type: 'reasoning', summary: [] };
	const given = [itemDone(0, thought), itemDone(1, message(said('a'))), itemDone(2, call('f'))];
	const output = [message(said('ab')), message(said('')), message(REFUSED)];
	expect(answerTo(...given, done({ output }))).toMatchObject({
		text: 'ab',
		refusal: 'no',
		toolCalls: [{ name: 'f' }],
		response: { output: [thought, output[0], output[2], call('f')] },
	});
});

it('a call that has arrived is kept beside what the model thought', () => {
	const output = [{ type: 'reasoning', summary: [] }, message(said('a'))];
	const answer = answerTo(itemDone(0, call('f')), done({ output }));
	expect(answer).toMatchObject({ text: 'a', toolCalls: [{ name: 'f' }] });
});

it('texts that the end leaves out are kept, too', () => {
	const arrived = [message(said('one')), call('f'), message(said('two'))];
	const given = arrived.map((item, at) => itemDone(at, item));
	const { response } = answerTo(...given, done({ output: [message(said('two'))] }));
	expect(response['output']).toEqual(arrived);
});

it('where the end has no texts, those that arrived are kept', () => {
	const arrived = [message(said('a')), call('f')];
	const given = [delta('a'), ...arrived.map((item, at) => itemDone(at, item))];
	const { text, response } = answerTo(...given, done({ output: [message(said(''))] }));
	expect([text, response['output']]).toEqual(['a', arrived]);
});

// BerriAI/litellm#40121
it('a call that the service has run itself is not one of the caller', () => {
	const output = [{ type: 'mcp_call', name: 'f', output: 'x' }, message(said('a'))];
	expect(answerTo(itemDone(0, call('f')), delta('a'), done({ output }))).toMatchObject({
		text: 'a',
		finishReason: 'stop',
		toolCalls: [],
		response: { output },
	});
});

const REFUSED = { type: 'refusal', refusal: 'no' };
const THOUGHTS = { type: 'reasoning', summary: [{ text: 'h' }], content: [{ text: 'm' }] };

it.each([
	['a refusal in pieces', [refusal('I '), refusal('do'), refusal(5)], { refusal: 'I do' }],
	['a refusal', [done({ output: [message(REFUSED)] })], { refusal: 'no' }],
	['a summary', [event('reasoning_summary_text.delta', { delta: 'h' })], { reasoning: 'h' }],
	['thoughts', [event('reasoning_text.delta', { delta: 'm' })], { reasoning: 'm' }],
	[
		'the parts of a summary',
		[
			...['a', 'b'].map((delta) =>
				event('reasoning_summary_text.delta', { delta, summary_index: 0 }),
			),
			event('reasoning_summary_text.delta', { delta: 'c', summary_index: 1 }),
		],
		{ reasoning: 'ab\n\nc' },
	],
	['thoughts at the end', [done({ output: [THOUGHTS] })], { reasoning: 'h\n\nm' }],
	['hidden thoughts', [done({ output: [{ type: 'reasoning', summary: [] }] })], {}],
])('beside the text: %s', (_what, given, expected) => {
	const { text, readAlong, ...answer } = answerTo(...given);
	expect([text, readAlong]).toEqual(['', '']);
	expect({ refusal: undefined, reasoning: undefined, ...answer }).toMatchObject({
		refusal: undefined,
		reasoning: undefined,
		...expected,
	});
});

it('what did not come is not there', () => {
	expect(Object.keys(answerTo(delta('a'))).sort()).toEqual(
		['failure', 'model', 'readAlong', 'response', 'text', 'toolCalls', 'whole'].sort(),
	);
});

const because = (reason: unknown) => ({ incomplete_details: { reason } });
const completed = (response?: object) => done(response);
const incomplete = (response?: object) => event('incomplete', { response });

it.each([
	[completed(), 'stop'],
	[completed({ status: 'incomplete', ...because('max_output_tokens') }), 'length'],
	[completed(because('content_filter')), 'content_filter'],
	[completed({ status: 'incomplete', incomplete_details: null }), 'incomplete'],
	[completed(because(5)), 'stop'],
	[completed({ output: [call('f')] }), 'tool_calls'],
	[incomplete(), 'incomplete'],
	[incomplete(because('max_output_tokens')), 'length'],
])('%j is whole, and ends by %s', (end, finishReason) => {
	const begun = event('created', { response: { status: 'in_progress' } });
	const answer = answerTo(begun, delta('a'), end);
	expect(answer).toMatchObject({ whole: true, finishReason });
	if (end['type'] === 'response.incomplete')
		expect(answer.response).toMatchObject({ status: 'incomplete' });
});

const ERROR = { code: 'c', message: 'boom' };
const BOOM = { code: 'c', reason: 'boom' };

it.each([
	[event('failed', { response: { error: ERROR } }), BOOM],
	[event('failed', { response: { error: null } }), { reason: 'The response failed.' }],
	[done({ status: 'failed', error: ERROR }), BOOM],
	[
		{ type: 'error', ...ERROR, meta: {} },
		{ ...BOOM, meta: {} },
	],
	[{ type: 'error', code: null, message: 'boom' }, { reason: 'boom' }],
])('%j is a failure', (given, failure) => {
	const answer = answerTo(delta('a'), given);
	expect(answer).toMatchObject({ whole: false, text: 'a' });
	expect(answer.failure).toEqual(failure);
	expect(answer).not.toHaveProperty('finishReason');
});

it.each([
	[
		{ output: [a], model: 'v/m' },
		{ text: 'a', model: 'v/m', finishReason: 'stop' },
	],
	[{ output: [], status: 'incomplete' }, { finishReason: 'incomplete' }],
	[{ output: [call('g', '{}')] }, { toolCalls: [{ id: 'call g', name: 'g', arguments: {} }] }],
	[{ output: [], status: 'failed', error: ERROR }, { failure: BOOM }],
])('%j is a whole response', (body, expected) => {
	const joiner = createResponseAccumulator('asked/for');
	expect([joiner.addComplete(body), joiner.isComplete()]).toEqual([true, true]);
	const answer = { ...joiner.answer(), failure: joiner.failure() };
	expect(answer).toMatchObject({ failure: undefined, ...expected });
});

it.each([{ output: 'a' }, { response: { output: [a] } }])('%j is no response', (body) => {
	const joiner = createResponseAccumulator('asked/for');
	expect([joiner.addComplete(body), joiner.isComplete()]).toEqual([false, false]);
});

it('a service that adds to its response with every event costs no more than what it sends', () => {
	const accumulator = createResponseAccumulator('asked/for');
	// copied with each event, this would take minutes
	for (let at = 0; at < 30_000; at++)
		accumulator.add(event('in_progress', { response: { [`f${at}`]: at } }));
	expect(accumulator.answer().response).toMatchObject({ f0: 0, f29999: 29_999 });
});

it.each([
	['told apart by their place', (at: number) => ({ output_index: at })],
	['told apart by their ID', (at: number) => ({ item_id: `m${at}` })],
	['told apart by their end', () => ({})],
])('a blank line is between two messages of one response, %s', (_what, place) => {
	const first = { ...message(said('I look.')), phase: 'commentary' };
	const second = { ...message(said('It is '), said('42.')), phase: 'final_answer' };
	const answer = answerTo(
		added(0, first),
		{ ...delta('I '), ...place(0) },
		{ ...delta('look.'), ...place(0) },
		itemDone(0, first),
		added(1, second),
		{ ...delta('It is '), ...place(1), content_index: 0 },
		{ ...delta('42.'), ...place(1), content_index: 1 },
		itemDone(1, second),
		done({ output: [first, second] }),
	);
	const text = 'I look.\n\nIt is 42.';
	expect(answer).toMatchObject({ text, readAlong: text });
});

const F = { id: 'call f', name: 'f', arguments: { a: 1 } };
const G = { id: 'call g', name: 'g', arguments: {} };
const NO_CALL = { name: '', arguments: '' };
const begin = (name: string, at?: number, id?: string) =>
	added(at, call(name, undefined, { ...(id && { id }) }));
const argsDone = (more: object) =>
	event('function_call_arguments.done', { output_index: 0, ...more });
const half = fragment(0, '{"a"');
const rest = fragment(0, ':1}');
const all = fragment(0, '{"a":1}', 'i');

it.each([
	['by fragments', [added(0, call('f', '')), half, rest, done()], [F]],
	['woven', [begin('f', 0), begin('g', 1), half, fragment(1, '{}'), rest], [F, G]],
	['with an end that is empty', [begin('f', 0), half, rest, itemDone(0, call('f', ''))], [F]],
	['without a place and an id', [begin('f'), fragment(undefined, '{"a":1}')], [F]],
	[
		'without a place, told apart by their ids',
		[
			begin('f', undefined, 'i1'),
			begin('g', undefined, 'i2'),
			fragment(undefined, '{"a":1}', 'i1'),
			fragment(undefined, '{}', 'i2'),
			itemDone(undefined, call('f', undefined, { id: 'i1' })),
		],
		[F, G],
	],
	['whole at their end', [begin('f', 0), half, argsDone({ arguments: '{"a":1}' })], [F]],
	['another type', [begin('f', 0), all, fragment(0, 5), argsDone({ arguments: null })], [F]],
	['a name at the end', [all, argsDone({ name: 'f' })], [{ ...F, id: 'i' }]],
	['an end in place of a beginning', [all, itemDone(0, call('f'))], [F]],
	['an id alone', [itemDone(0, { type: 'function_call', id: 'i' })], [{ ...NO_CALL, id: 'i' }]],
])('tool calls: %s', (_what, given, expected) => {
	expect(answerTo(...given).toolCalls).toEqual(expected);
});

const piece = fc.string({ minLength: 1, maxLength: 5, unit: character });
const anItem = fc.record({
	type: fc.constantFrom('message', 'function_call'),
	pieces: fc.array(piece, { maxLength: 4 }),
	name: piece,
});
type Item = typeof anItem extends fc.Arbitrary<infer Value> ? Value : never;
const isMessage = ({ type }: Item) => type === 'message';

const wholeItem = (item: Item, index: number) =>
	isMessage(item)
		? { ...message(said(item.pieces.join(''))), id: `i${index}` }
		: call(item.name, item.pieces.join(''), { id: `i${index}` });

/** What streams an item; `needed` are the events without which it could not be put together. */
function eventsOf(item: Item, index: number): Array<{ event: Event; needed: boolean }> {
	const text = isMessage(item);
	const begun = text ? message() : { ...wholeItem(item, index), arguments: '' };
	const around = { output_index: index, item_id: `i${index}` };
	const kind = text ? 'output_text.done' : 'function_call_arguments.done';
	return [
		{ event: added(index, begun), needed: false },
		{ event: event('content_part.added', { ...around, part: said('') }), needed: false },
		...item.pieces.map((one) => ({
			event: text ? delta(one) : fragment(index, one),
			needed: text,
		})),
		{ event: event(kind, { ...around, text: item.pieces.join('') }), needed: false },
		{ event: itemDone(index, wholeItem(item, index)), needed: true },
	];
}

const essence = (items: Item[]) => ({
	text: items
		.filter(isMessage)
		.map(({ pieces }) => pieces.join(''))
		.filter(Boolean)
		.join('\n\n'),
	calls: items.filter((item) => !isMessage(item)).map(({ name }) => name),
	output: items.map(wholeItem),
});

const essenceOf = ({ text, toolCalls, response }: ReturnType<typeof answerTo>) => ({
	text,
	calls: toolCalls.map(({ name }) => name),
	output: response['output'],
});

const someItems = fc.array(anItem, { maxLength: 5 });

it('the end alone, or the items alone, make the same response', () => {
	fc.assert(
		fc.property(someItems, fc.infiniteStream(fc.boolean()), (items, kept) => {
			const all = items.flatMap(eventsOf);
			const some = all.filter(() => kept.next().value).map(({ event: one }) => one);
			const output = items.map(wholeItem);
			expect(essenceOf(answerTo(...some, done({ output })))).toEqual(essence(items));
			const needed = all.filter((one) => one.needed || kept.next().value);
			const answer = answerTo(...needed.map(({ event: one }) => one), done());
			expect(essenceOf(answer)).toEqual(essence(items));
			expect(answer.readAlong).toBe(answer.text);
		}),
	);
});

it('gives nothing but the text of a stream with built-in tools', async () => {
	const [recording] = recordings.filter((each) => nameOf(each) === 'Responses read built-in tools');
	let heard = '';
	const answer = await createResponse(
		inMemory(events(recording!.body)),
		{ model: 'v/m', input: 'q' },
		(piece) => void (heard += piece),
	);
	expect([answer.text, heard]).toEqual(['Hello world', 'Hello world']);
	expect(answer.toolCalls).toEqual([]);
});
