import { createResponseAccumulator } from '../../../src/router/responses';
import {
	added,
	answerTo,
	call,
	delta,
	done,
	itemDone,
	message,
	said,
	type Event,
	type Given,
} from './responseStream';

const G = { id: 'call g', name: 'g', arguments: {} };

it.each<[string, Given[], object]>([
	['nothing', [], { text: '', whole: false, readAlong: '', response: { output: [] } }],
	['pieces', [delta('a'), delta('b')], { text: 'ab', readAlong: 'ab', whole: false }],
	[
		'the two events that are specified',
		[delta('a'), delta('b'), done({ usage: { input_tokens: 1 } })],
		{
			text: 'ab',
			whole: true,
			model: 'asked/for',
			finishReason: 'stop',
			usage: { input_tokens: 1 },
			response: { usage: { input_tokens: 1 }, output: [] },
		},
	],
	[
		'usage beside the response',
		[delta('a'), { ...done({ usage: null }), usage: { input_tokens: 1 } }],
		{ text: 'a', usage: { input_tokens: 1 }, response: { usage: { input_tokens: 1 } } },
	],
	[
		'a piece in an object',
		[delta({ text: 'a' }), delta({ type: 'text', text: 'b' }), done()],
		{ text: 'ab', readAlong: 'ab' },
	],
	[
		'a message with an end and one without',
		[delta('a'), itemDone(0, message(said('a'))), delta('b'), done()],
		{ text: 'ab', whole: true },
	],
	[
		'a completed response that has failed',
		[delta('a'), done({ status: 'failed', error: { code: 'c', message: 'm' } })],
		{ text: 'a', whole: false, failure: { code: 'c', reason: 'm' } },
	],
	['no response in the last event', [delta('a'), done()], { text: 'a', finishReason: 'stop' }],
	[
		'names in place of types',
		[
			['response.output_text.delta', { delta: 'a' }],
			['response.completed', { response: { model: 'v/m' } }],
		],
		{ text: 'a', whole: true, model: 'v/m' },
	],
	[
		'a type before another name',
		[
			['message', delta('a')],
			['response.failed', done()],
		],
		{ text: 'a', whole: true },
	],
	['a type that is no text', [['response.completed', { type: 5 }]], { whole: true }],
	[
		'unknown events',
		[
			delta('a'),
			{ type: 'response.new_thing.delta', delta: 'x' },
			{ type: 'toString' },
			{ type: '__proto__' },
			['constructor', {}],
			{},
			{ delta: 'y' },
			delta('b'),
		],
		{ text: 'ab', readAlong: 'ab', whole: false },
	],
	['a delta of another type', [delta(5), delta(null), delta({ other: 'a' })], { text: '' }],
	[
		'the text of the end before that of the pieces',
		[delta('a'), done({ output: [message(said('ab'), said('c')), message(said('d'))] })],
		{ text: 'abcd', readAlong: 'a' },
	],
	['only the whole text', [done({ output_text: 'a' })], { text: 'a', readAlong: '' }],
	['content as a text', [done({ output: [{ role: 'assistant', content: 'a' }] })], { text: 'a' }],
	[
		'an end with an empty output',
		[itemDone(0, message(said('a'))), done({ output: [] })],
		{ text: 'a', response: { output: [message(said('a'))] } },
	],
	[
		'an end without an output',
		[itemDone(1, message(said('b'))), itemDone(0, message(said('a'))), done({ id: 'r' })],
		{ text: 'ab', response: { id: 'r', output: [message(said('a')), message(said('b'))] } },
	],
	[
		'an output with odd entries',
		[done({ output: [null, 'x', 5, [message(said('x'))], {}, message(null, 'x', said('a'))] })],
		{ text: 'a' },
	],
	[
		'items that are none',
		[added(0, 'text'), added(1, ['x']), itemDone(2, null), done()],
		{ text: '', response: { output: [] } },
	],
	[
		'an item that stopped before its end',
		[itemDone(0, message(said('a'))), delta('ab')],
		{ text: 'ab' },
	],
	[
		'fields of events in between',
		[
			{ type: 'response.created', response: { id: 'r', model: 'v/m', created_at: 1 } },
			{ type: 'response.new_thing', response: { new_field: { a: 1 }, usage: null } },
			done({ model: null, status: 'completed' }),
		],
		{
			model: 'v/m',
			response: { id: 'r', model: 'v/m', created_at: 1, new_field: { a: 1 }, status: 'completed' },
		},
	],
	['a model that has no name', [done({ model: '' })], { model: 'asked/for' }],
	['a model of another type', [done({ model: 5 })], { model: 'asked/for' }],
	[
		'a refusal in pieces',
		[
			{ type: 'response.refusal.delta', delta: 'I ' },
			{ type: 'response.refusal.delta', delta: 'will not' },
			{ type: 'response.refusal.delta', delta: 5 },
			done(),
		],
		{ text: '', refusal: 'I will not', readAlong: '' },
	],
	[
		'a refusal in the output',
		[done({ output: [message({ type: 'refusal', refusal: 'no' })] })],
		{ text: '', refusal: 'no' },
	],
	[
		'thoughts in pieces',
		[
			{ type: 'response.reasoning_summary_text.delta', delta: 'h' },
			{ type: 'response.reasoning_text.delta', delta: 'm' },
			delta('a'),
			done(),
		],
		{ text: 'a', reasoning: 'hm', readAlong: 'a' },
	],
	[
		'thoughts in the output',
		[done({ output: [{ type: 'reasoning', summary: [{ text: 'hm' }] }, message(said('a'))] })],
		{ text: 'a', reasoning: 'hm' },
	],
	[
		'hidden thoughts',
		[done({ output: [{ type: 'reasoning', summary: [] }, message(said('a'))] })],
		{ text: 'a', reasoning: undefined },
	],
])('%s', (_name, given, expected) => {
	const { refusal, reasoning, ...answer } = answerTo(...given);
	expect({ ...answer, refusal, reasoning }).toMatchObject({ failure: undefined, ...expected });
	const { response = {} } = expected as { response?: object };
	expect(answer.response).toEqual(
		'response' in expected ? { output: expect.anything(), ...response } : answer.response,
	);
});

it('what did not come is not there', () => {
	expect(Object.keys(answerTo(delta('a'))).sort()).toEqual(
		['failure', 'model', 'readAlong', 'response', 'text', 'toolCalls', 'whole'].sort(),
	);
});

it.each<[string, object | undefined, string]>([
	['nothing said', undefined, 'stop'],
	['completed', { status: 'completed' }, 'stop'],
	[
		'the cap',
		{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
		'length',
	],
	['the cap by its other name', { incomplete_details: { reason: 'max_tokens' } }, 'length'],
	['the filter', { incomplete_details: { reason: 'content_filter' } }, 'content_filter'],
	['no details', { status: 'incomplete', incomplete_details: null }, 'incomplete'],
	['odd details', { incomplete_details: { reason: 5 } }, 'stop'],
	['a call', { output: [call('f')] }, 'tool_calls'],
])('finish reason: %s', (_name, response, finishReason) => {
	expect(answerTo(done(response))).toMatchObject({ whole: true, finishReason });
});

it.each<[Event | undefined, string]>([
	[undefined, 'incomplete'],
	[{ id: 'r' }, 'incomplete'],
	[{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
])('response.incomplete with %j is whole, and says so', (response, finishReason) => {
	const begun = { type: 'response.created', response: { status: 'in_progress' } };
	const answer = answerTo(begun, delta('a'), { type: 'response.incomplete', response });
	expect(answer).toMatchObject({ whole: true, text: 'a', finishReason });
	expect(answer.response).toMatchObject({ status: 'incomplete' });
});

it.each<[string, Event, object]>([
	[
		'response.failed',
		{ type: 'response.failed', response: { error: { code: 'server_error', message: 'boom' } } },
		{ code: 'server_error', reason: 'boom' },
	],
	['a text', { type: 'response.failed', response: { error: 'boom' } }, { reason: 'boom' }],
	[
		'no reason',
		{ type: 'response.failed', response: { error: null } },
		{ reason: 'The response failed.' },
	],
	['no response', { type: 'response.failed' }, { reason: 'The response failed.' }],
	[
		'an error event',
		{ type: 'error', code: 'backend_failed', message: 'boom', meta: { a: 1 } },
		{ code: 'backend_failed', reason: 'boom', meta: { a: 1 } },
	],
	[
		'an error event without a code',
		{ type: 'error', code: null, message: 'boom' },
		{ reason: 'boom' },
	],
])('%s is a failure', (_name, event, failure) => {
	const answer = answerTo(delta('a'), event);
	expect(answer).toMatchObject({ whole: false, text: 'a' });
	expect(answer.failure).toEqual(failure);
	expect(answer).not.toHaveProperty('finishReason');
});

it.each<[string, Event, object]>([
	['bare', { model: 'v/m', output: [message(said('a'))] }, { text: 'a', model: 'v/m' }],
	['in a field', { response: { output: [message(said('a'))] } }, { text: 'a' }],
	['as a text', { output_text: 'a', usage: { a: 1 } }, { text: 'a', usage: { a: 1 } }],
	['empty', { output: [] }, { text: '', finishReason: 'stop' }],
	['cut off', { output: [], status: 'incomplete' }, { finishReason: 'incomplete' }],
	[
		'a call',
		{ output: [call('g', { arguments: '{}' })] },
		{ toolCalls: [G], finishReason: 'tool_calls' },
	],
	['thoughts', { output: [{ type: 'reasoning', content: [{ text: 'hm' }] }] }, { reasoning: 'hm' }],
])('a whole response: %s', (_name, body, expected) => {
	const joiner = createResponseAccumulator('asked/for');
	expect([joiner.addComplete(body), joiner.isComplete(), joiner.failure()]).toEqual([
		true,
		true,
		undefined,
	]);
	expect(joiner.answer()).toMatchObject(expected);
});

it.each<[Event]>([
	[{ response: { status: 'failed', error: { message: 'boom' }, output: [] } }],
	[{ status: 'failed', error: { message: 'boom' }, output_text: '' }],
])('%j failed', (body) => {
	const joiner = createResponseAccumulator('asked/for');
	joiner.addComplete(body);
	expect(joiner.failure()).toEqual({ reason: 'boom' });
});

it.each<[Event]>([
	[{}],
	[{ output: 'a' }],
	[{ output_text: null }],
	[{ choices: [] }],
	[{ response: [] }],
])('%j is no response', (body) => {
	const joiner = createResponseAccumulator('asked/for');
	expect([joiner.addComplete(body), joiner.isComplete()]).toEqual([false, false]);
});

it('a service that adds to its response with every event costs no more than what it sends', () => {
	const accumulator = createResponseAccumulator('asked/for');
	// copied with each event, this would take minutes
	for (let at = 0; at < 30_000; at++)
		accumulator.add({ type: 'response.in_progress', response: { [`f${at}`]: at } });
	expect(accumulator.answer().response).toMatchObject({ f0: 0, f29999: 29_999 });
});
