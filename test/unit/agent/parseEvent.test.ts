import { parseEvent, type ParsedEvent } from '../../../src/agent/parseEvent';

it.each<[unknown, string | undefined, ParsedEvent]>([
	// pieces of the answer
	['Hello', undefined, { text: 'Hello' }],
	['Hello', 'token', { text: 'Hello' }],
	[{ content: 'a' }, undefined, { text: 'a' }],
	[{ type: 'message', text: 'a' }, undefined, { text: 'a' }],
	[{ type: 'something.new', delta: { text: 'a' } }, undefined, { text: 'a' }],
	[{ event: 'delta', data: { t: 'a' } }, undefined, { text: 'a' }],
	[{ type: 'response.output_text.delta', delta: 'a' }, undefined, { text: 'a' }],
	[{ role: 'assistant', content: 'a' }, undefined, { text: 'a' }],
	[{ content: 'a', error: null }, undefined, { text: 'a' }],
	// beside the answer
	[{ type: 'tool_call', content: 'searching' }, undefined, {}],
	['reading', 'status', {}],
	[{ content: 'hm' }, 'thinking', {}],
	[{ type: 'ping' }, undefined, {}],
	[{ type: 'usage', value: '12' }, undefined, {}],
	[{ role: 'user', content: 'the question' }, undefined, {}],
	[{ message: { role: 'user', content: 'the question' } }, undefined, {}],
	[{ event: 'message', data: { role: 'user', content: 'the question' } }, undefined, {}],
	[{ sender: 'user', content: 'the question' }, undefined, {}],
	[{ role: 'tool', content: 'found' }, undefined, {}],
	// the agent may answer all the same
	[{ type: 'tool_result', error: 'not found' }, undefined, {}],
	[{ type: 'tool_call_failed', message: 'not found' }, undefined, {}],
	[{ price: 1 }, undefined, { unknown: true }],
	['', undefined, { text: '' }],
	[null, undefined, {}],
	// ends
	['', 'done', { end: 'stream' }],
	[null, 'finish', { end: 'stream' }],
	[{}, 'stream_end', { end: 'stream' }],
	[{ type: 'complete', output: 'whole' }, undefined, { end: 'stream', summary: 'whole' }],
	[{ type: 'message_end' }, undefined, { end: 'message' }],
	[
		{ type: 'response.completed', response: { output_text: 'whole' } },
		undefined,
		{ end: 'message', summary: 'whole' },
	],
	['', 'message_stop', { end: 'message' }],
	[{ content: 'z', done: true }, undefined, { text: 'z', end: 'message' }],
	[{ is_final: true }, undefined, { end: 'message' }],
	// errors
	[{ success: false, message: 'x' }, undefined, { error: { success: false, message: 'x' } }],
	[{ status: 'error', message: 'x' }, undefined, { error: { status: 'error', message: 'x' } }],
	['boom', 'error', { error: 'boom' }],
	['', 'error', { error: '' }],
	[{ error: 'boom' }, undefined, { error: { error: 'boom' } }],
	[
		{ type: 'run.failed', message: 'm' },
		undefined,
		{ error: { type: 'run.failed', message: 'm' } },
	],
])('%j under the name %j says %j', (value, name, said) => {
	expect(parseEvent(value, name)).toEqual(said);
});

it.each<[unknown, string | undefined, string, ParsedEvent]>([
	[{ a: { b: 'x' }, content: 'y' }, undefined, 'a.b', { text: 'x' }],
	[{ a: [{ b: 'x' }] }, undefined, 'a.0.b', { text: 'x' }],
	[{ a: { content: 'x' } }, undefined, 'a', { text: 'x' }],
	[{ a: 'x' }, 'thinking', 'a', { text: 'x' }],
	[{ content: 'y' }, undefined, 'a.b', { unknown: true }],
	[{ a: 'x' }, undefined, 'a.length', { unknown: true }],
	[{ a: {} }, undefined, 'a.constructor.name', {}],
	[{ a: null }, undefined, 'a.b', {}],
	['plain', undefined, 'a', { text: 'plain' }],
	[{ a: 'whole', content: 'y' }, 'done', 'a', { end: 'stream', summary: 'whole' }],
	[{ a: 'x', role: 'user' }, undefined, 'a', {}],
	[{ error: 'x', a: 'y' }, undefined, 'a', { error: { error: 'x', a: 'y' } }],
])('%j under the name %j says in "%s": %j', (value, name, answerPath, said) => {
	expect(parseEvent(value, name, answerPath)).toEqual(said);
});
