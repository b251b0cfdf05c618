import { parseEvent } from '../../../src/agent/parseEvent';

it.each([
	...[
		'dialog',
		'dialogue',
		'catalog',
		'blog',
		'changelog',
		'backlog.entry',
		'subtitle',
		'entitled',
	],
	...['feedback', 'background', 'package', 'tracking', 'definition', 'initial', 'answer.initial'],
	...['resource_text', 'resource', 'outsourced', 'shipping', 'mapping', 'pinged', 'shopping_list'],
	...['session.message.delta', 'session_message', 'init_message', 'step.text', 'agent_step_output'],
	...['metaphor', 'metabolism', 'reasonable', 'season', 'rethinking', 'toolbox', 'functional'],
	...[
		'suggestive',
		'lively',
		'sweetheart',
		'progressive',
		'statuses',
		'logical',
		'stepwise',
		'usages',
	],
	...['delta', 'token', 'something.new', 'response.output_text.delta', 'message', 'messageDelta'],
])('an event named %s is a piece of the answer', (name) => {
	expect(parseEvent({ text: 'a' }, name)).toEqual({ text: 'a' });
	expect(parseEvent({ type: name, text: 'a' })).toEqual({ text: 'a' });
	expect(parseEvent('a', name)).toEqual({ text: 'a' });
});

it.each([
	...[
		'tool',
		'tool_call',
		'tool.result',
		'tool-input-delta',
		'toolCall',
		'toolcall',
		'tool_message',
	],
	...['function_call', 'functionCallArguments', 'response.function_call_arguments.delta'],
	...['thinking', 'thinking_delta', 'thought', 'reasoning', 'reasoning.delta', 'reason'],
	...['response.reasoning_summary_text.delta', 'reasoningContent', 'status', 'status_update'],
	...[
		'statusUpdate',
		'message.status',
		'progress',
		'ping',
		'heartbeat',
		'heart_beat',
		'keep-alive',
	],
	...['keepalive', 'session', 'session.created', 'sessionStarted', 'init', 'step', 'start-step'],
	...['usage', 'message.usage', 'meta', 'metadata', 'message_metadata', 'debug', 'log', 'log_line'],
	...[
		'title',
		'chat_title',
		'title.delta',
		'source',
		'sources',
		'source-url',
		'citation',
		'citations',
	],
	...['citations_delta', 'suggestions', 'suggested_reply', 'ack', 'typing', 'Trace', 'STATUS'],
])('an event named %s is beside the answer', (name) => {
	expect(parseEvent({ text: 'a' }, name)).toEqual({});
	expect(parseEvent({ type: name, text: 'a' })).toEqual({});
	expect(parseEvent('a', name)).toEqual({});
});

it.each([
	...['tool_call.completed', 'tool_result_end', 'thinking_end', 'reasoning.done', 'title.final'],
	...['response.function_call_arguments.done', 'usage.final', 'status.done'],
])('an end of something beside the answer (%s) neither ends it nor adds to it', (name) => {
	expect(parseEvent({ output: 'found 3 rows' }, name)).toEqual({});
});

it.each([
	['done', 'stream'],
	['streamEnd', 'stream'],
	['message_end', 'message'],
	['messageEnd', 'message'],
	['answer.completed', 'message'],
	['session.completed', 'message'],
	['finish', 'stream'],
])('%s is the end of a %s', (name, end) => {
	expect(parseEvent({}, name)).toEqual({ end });
});

it.each<[string, unknown, object]>([
	['an error that reports nothing', { text: 'a', error: {} }, { text: 'a' }],
	['an error that is false', { text: 'a', error: false }, { text: 'a' }],
	['an empty list of errors', { text: 'a', error: [] }, { text: 'a' }],
	['an error without contents', { text: 'a', error: { code: null, message: '' } }, { text: 'a' }],
	['an error of success', { text: 'a', error: { code: 0, message: 'success' } }, { text: 'a' }],
	['no error in words', { text: 'a', error: 'none' }, { text: 'a' }],
	[
		'a message in a remote procedure call',
		{
			jsonrpc: '2.0',
			id: 1,
			result: { kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'a' }] },
		},
		{ text: 'a' },
	],
	[
		'a task with artifacts',
		{
			jsonrpc: '2.0',
			id: 1,
			result: {
				kind: 'task',
				status: { state: 'completed' },
				artifacts: [{ parts: [{ kind: 'text', text: 'a' }] }],
				history: [{ role: 'user', parts: [{ text: 'q' }] }],
			},
		},
		{ text: 'a' },
	],
	[
		'a piece of an artifact',
		{ jsonrpc: '2.0', result: { kind: 'artifact-update', artifact: { parts: [{ text: 'a' }] } } },
		{ text: 'a' },
	],
	[
		'work in progress',
		{
			jsonrpc: '2.0',
			result: {
				kind: 'status-update',
				status: { state: 'working', message: { role: 'agent', parts: [{ text: 'looking' }] } },
			},
		},
		{},
	],
	[
		'the last state of a task',
		{
			jsonrpc: '2.0',
			result: {
				kind: 'status-update',
				final: true,
				status: { state: 'completed', message: { role: 'agent', parts: [{ text: 'a' }] } },
			},
		},
		{ end: 'message', summary: 'a' },
	],
	[
		'candidates',
		{ candidates: [{ content: { role: 'model', parts: [{ text: 'a' }, { text: 'b' }] } }] },
		{ text: 'ab' },
	],
])('%s', (_what, event, said) => {
	expect(parseEvent(event)).toEqual(said);
});

it('a task that failed, or a call that did, is an error', () => {
	const failed = {
		kind: 'task',
		status: { state: 'failed', message: { parts: [{ text: 'no' }] } },
	};
	expect(parseEvent({ jsonrpc: '2.0', result: failed })).toEqual({ error: failed });
	const refused = { jsonrpc: '2.0', error: { code: -32600, message: 'no' } };
	expect(parseEvent(refused)).toEqual({ error: refused });
});
