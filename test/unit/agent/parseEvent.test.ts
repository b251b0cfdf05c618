import { nameEvent, parseEvent as parse, type ParsedEvent } from '../../../src/agent/parseEvent';
import { isAmbiguousName } from '../../../src/core/eventNames';

const parseEvent = (data: unknown, name?: string, path?: string) =>
	parse(nameEvent(data, name, path), path);

const words = (list: string) => list.trim().split(/\s+/);

it.each(
	words(`
		dialog dialogue catalog blog changelog backlog.entry subtitle entitled
		feedback background package tracking definition initial answer.initial
		resource_text resource outsourced shipping mapping pinged shopping_list
		session.message.delta session_message init_message step.text agent_step_output
		metaphor metabolism reasonable season rethinking toolbox functional
		suggestive lively sweetheart progressive statuses logical stepwise usages
		message_start text-start response.created search_message agent question final_answer
		delta token something.new response.output_text.delta message messageDelta`),
)('an event named %s is a piece of the answer', (name) => {
	expect(parseEvent({ text: 'a' }, name)).toEqual({ text: 'a' });
	expect(parseEvent({ type: name, text: 'a' })).toEqual({ text: 'a' });
	expect(parseEvent('a', name)).toEqual({ text: 'a' });
});

it.each(
	words(`
		tool tool_call tool.result tool-input-delta toolCall toolcall tool_message
		function_call functionCallArguments response.function_call_arguments.delta
		thinking thinking_delta thought reasoning reasoning.delta reason
		response.reasoning_summary_text.delta reasoningContent status status_update
		statusUpdate message.status progress ping heartbeat heart_beat keep-alive
		keepalive session session.created sessionStarted init step start-step
		usage message.usage meta metadata message_metadata debug log log_line
		title chat_title title.delta source sources source-url citation citations
		citations_delta suggestions suggested_reply ack typing Trace STATUS start
		run_started connected ready queued info notification warning search documents
		context history input plan action observation STATE_DELTA custom
		follow_up related_questions annotation user user_message data-weather
		thread_id message_id version`),
)('an event named %s is beside the answer', (name) => {
	const expected = isAmbiguousName(name) ? { aside: 'a' } : {};
	expect(parseEvent({ text: 'a' }, name)).toEqual(expected);
	expect(parseEvent({ type: name, text: 'a' })).toEqual(expected);
	expect(parseEvent('a', name)).toEqual(expected);
});

it.each(
	words(`
		tool_call.completed tool_result_end thinking_end reasoning.done title.final
		response.function_call_arguments.done usage.final status.done node_finished`),
)('an end of something beside the answer (%s) neither ends it nor adds to it', (name) => {
	expect(parseEvent({ output: 'found 3 rows' }, name)).toEqual({});
});

it.each([
	['done', 'stream'],
	['streamEnd', 'stream'],
	['stream_end', 'stream'],
	['message_end', 'message'],
	['messageEnd', 'message'],
	['message_stop', 'message'],
	['answer.completed', 'message'],
	['session.completed', 'message'],
	['finish', 'stream'],
])('%s is the end of a %s', (name, end) => {
	for (const nothing of [{}, '', null]) expect(parseEvent(nothing, name)).toEqual({ end });
});

const QUESTION = { role: 'user', content: 'the question' };
const A: ParsedEvent = { text: 'a' };

it.each<[unknown, string | undefined, ParsedEvent]>([
	[{ content: 'a' }, undefined, A],
	[{ type: 'something.new', delta: { text: 'a' } }, undefined, A],
	[{ event: 'delta', data: { t: 'a' } }, undefined, A],
	[{ type: 'response.output_text.delta', delta: 'a' }, undefined, A],
	[{ role: 'assistant', content: 'a' }, undefined, A],
	['', undefined, { text: '' }],
	// beside the answer
	[{ type: 'tool_call', content: 'searching' }, undefined, {}],
	[{ type: 'ping' }, undefined, {}],
	[QUESTION, undefined, {}],
	[{ message: QUESTION }, undefined, {}],
	[{ event: 'message', data: QUESTION }, undefined, {}],
	[{ sender: 'user', content: 'the question' }, undefined, {}],
	[{ role: 'tool', content: 'found' }, undefined, {}],
	// the agent may answer all the same
	[{ type: 'tool_result', error: 'not found' }, undefined, {}],
	[{ type: 'tool_call_failed', message: 'not found' }, undefined, {}],
	[{ type: 'retry', error: 'overloaded' }, undefined, {}],
	[{ type: 'log', level: 'error', error: 'x' }, undefined, {}],
	[null, undefined, {}],
	[{ price: 1 }, undefined, { unknown: true }],
	[{ type: 'something.new', detail: 'x' }, undefined, { unknown: true }],
	[{ code: 0, msg: 'success', data: 'a' }, undefined, A],
	[{ code: 1000, message: 'Processed', data: { text: 'a' } }, undefined, A],
	[{ code: 400, message: 'success' }, undefined, { text: 'success' }],
	// the end of a tool or a thought
	[{ type: 'done', output: 'found' }, 'tool_call', {}],
	[{ type: 'end', event: 'tool_call' }, undefined, {}],
	[{ event: 'reasoning', data: { type: 'done' } }, undefined, {}],
	// ends
	[{ type: 'usage' }, 'done', { end: 'stream' }],
	[{ type: 'done', text: 'z' }, 'update', { end: 'message', summary: 'z' }],
	[{ type: 'complete', output: 'z' }, undefined, { end: 'stream', summary: 'z' }],
	[{ response: { output_text: 'z' } }, 'response.completed', { end: 'message', summary: 'z' }],
	[{ content: 'z', done: true }, undefined, { text: 'z', end: 'message' }],
	[{ is_final: true }, undefined, { end: 'message' }],
])('%j under the name %j says %j', (value, name, said) => {
	expect(parseEvent(value, name)).toEqual(said);
});

it.each<[unknown]>([
	[null],
	[{}],
	[false],
	[[]],
	[{ code: null, message: '' }],
	[{ code: 0, message: 'success' }],
	['none'],
])('the error %j is none', (error) => {
	expect(parseEvent({ text: 'a', error })).toEqual(A);
});

it.each<[unknown, string?]>([
	[{ success: false, message: 'x' }],
	[{ status: 'error', message: 'x' }],
	[{ status: 'fail', data: { message: 'x' } }],
	[{ code: 4000, msg: 'x' }],
	[{ code: '500', message: 'x', data: null }],
	[{ data: null, errors: [{ message: 'x' }] }],
	[{ detail: 'x' }],
	[{ type: 'throttlingException', message: 'x' }],
	['boom', 'cancelled'],
	[{ error: 'boom' }],
	[{ type: 'run.failed', message: 'm' }],
	[{ jsonrpc: '2.0', error: { code: -32600, message: 'no' } }],
	['boom', 'error'],
	['', 'error'],
])('%j is an error', (error, ...[name]) => {
	expect(parseEvent(error, name)).toEqual({ error });
});

const parts = (text: string) => ({ parts: [{ kind: 'text', text }] });
const update = (state: string, text: string) => ({
	kind: 'status-update',
	status: { state, message: { role: 'agent', ...parts(text) } },
});

const history = [{ role: 'user', ...parts('q') }];
const task = { kind: 'task', status: { state: 'completed' }, artifacts: [parts('a')], history };

it.each<[string, object, ParsedEvent]>([
	['a message', { kind: 'message', role: 'agent', ...parts('a') }, A],
	['a piece', { kind: 'artifact-update', artifact: parts('a') }, A],
	['work in progress', update('working', 'looking'), {}],
	[
		'the last state',
		{ ...update('completed', 'a'), final: true },
		{ end: 'message', summary: 'a' },
	],
	['a task', task, A],
])('in a remote procedure call: %s', (_what, result, said) => {
	expect(parseEvent({ jsonrpc: '2.0', id: 1, result })).toEqual(said);
});

it('a task that failed is an error', () => {
	const result = { kind: 'task', status: { state: 'failed', message: parts('no') } };
	expect(parseEvent({ jsonrpc: '2.0', result })).toEqual({ error: result });
});

it.each<[unknown, string | undefined, string, ParsedEvent]>([
	[{ a: { b: 'x' }, content: 'y' }, undefined, 'a.b', { text: 'x' }],
	[{ a: [{ b: 'x' }] }, undefined, 'a.0.b', { text: 'x' }],
	[{ a: { content: 'x' } }, undefined, 'a', { text: 'x' }],
	[{ a: 'x' }, 'thinking', 'a', { text: 'x' }],
	[{ a: 'x', type: 'tool' }, undefined, 'a', { text: 'x' }],
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
