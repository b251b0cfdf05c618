import { sendMessage } from '../../../src/agent/client';
import { serverOf } from '../../../src/agent/servers';
import type { ServiceError } from '../../../src/core/errors';
import { failureOf, inMemory } from '../inMemoryHttp';

const CALL = { type: 'tool-input-available', toolCallId: 'c1', toolName: 'delete', input: {} };
const APPROVAL = { type: 'tool-approval-request', toolCallId: 'c1' };
const FINISH = { type: 'finish' };

/** Sends a message to an agent of the AI SDK that answers with these parts. */
async function read(parts: readonly object[], breaks = false) {
	const events = [{ type: 'start' }, ...parts];
	const http = inMemory({
		headers: { 'content-type': 'text/event-stream' },
		breaks,
		chunks: events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
	});
	return await sendMessage(http, { sessionId: 's', content: 'q' }).catch(
		({ kind, details }: ServiceError) => ({ kind, text: '', ...details.partial }),
	);
}

const text = async (parts: readonly object[]) => (await read(parts)).text;

it('tells every call that waits, after all that the agent says', async () => {
	const other = { ...CALL, toolCallId: 'c2', toolName: 'send', input: { to: 'a' } };
	const said = { type: 'text-delta', delta: 'Done soon.' };
	expect(await text([CALL, APPROVAL, other, said, FINISH])).toBe(
		[
			'Done soon.',
			'The agent waits for approval to call the tool "delete".',
			'The agent waits for the result of the tool "send" with {"to":"a"}.',
		].join('\n\n'),
	);
});

it.each(['tool-output-available', 'tool-output-error', 'tool-output-denied', 'tool-result'])(
	'a call waits for nothing after its %s',
	async (type) => {
		expect(await text([CALL, APPROVAL, { type, toolCallId: 'c1' }, FINISH])).toBe('');
	},
);

it('a call waits while its result is a preliminary one', async () => {
	const preliminary = { type: 'tool-output-available', toolCallId: 'c1', preliminary: true };
	expect(await text([CALL, preliminary, FINISH])).toMatch(/^The agent waits for the result/);
});

it('what the server approves by itself, or the provider runs unasked, waits for nobody', async () => {
	expect(await text([{ ...CALL, providerExecuted: true }, FINISH])).toBe('');
	expect(await text([{ ...CALL, providerExecuted: true }, APPROVAL, FINISH])).toBe(
		'The agent waits for approval to call the tool "delete".',
	);
	const automatic = { ...APPROVAL, isAutomatic: true };
	expect(await text([{ ...CALL, providerExecuted: true }, automatic, FINISH])).toBe('');
});

it('cuts what the model wrote', async () => {
	const long = { ...CALL, toolName: 'n'.repeat(1000), input: { text: 'x'.repeat(10_000) } };
	expect((await text([long, APPROVAL, FINISH])).length).toBeLessThan(700);
});

it('an agent that has failed waits for nothing', async () => {
	const failed = { type: 'error', errorText: 'It broke' };
	expect(await read([CALL, APPROVAL, failed])).toMatchObject({ text: '' });
});

it('a call whose result may have been lost with the connection is not said to wait', async () => {
	expect(await read([CALL], true)).toMatchObject({ kind: 'truncated', text: '' });
});

/** An agent that answers with these events. */
function sse(events: readonly unknown[], line = '') {
	const head = line && `event: ${line}\n`;
	return inMemory({
		headers: { 'content-type': 'text/event-stream' },
		chunks: events.map((event) => `${head}data: ${JSON.stringify(event)}\n\n`),
	});
}

/** The same with the name of each event on its line. */
const sseOf = (...events: Array<[line: string, value: unknown]>) =>
	inMemory({
		headers: { 'content-type': 'text/event-stream' },
		chunks: events.map(([line, value]) => `event: ${line}\ndata: ${JSON.stringify(value)}\n\n`),
	});

const AI_STEP = [{ type: 'start-step' }, { type: 'text-delta', delta: 'Sunny.' }, FINISH];
const MASTRA_CALL = { type: 'tool-call', payload: { toolCallId: 'c', toolName: 'w', args: {} } };
const run = (...events: object[]) => [{ type: 'RUN_STARTED' }, ...events, { type: 'RUN_FINISHED' }];
const AG_UI_START = { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'w' };
const SAID = { id: 'b', content: 'Sunny.' };
const CALLED = { id: 'a', content: '', tool_call_chunks: [{ index: 0, id: 'c', name: 'w' }] };
const serialized = (kwargs: object) => [
	{ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessageChunk'], kwargs },
	{},
];
const streamed = (fields: object) => [{ type: 'AIMessageChunk', ...fields }, {}];

it.each<[framework: string, line: string, events: unknown[]]>([
	['AI SDK', '', [{ type: 'start' }, CALL, ...AI_STEP]],
	[
		'Mastra',
		'',
		[
			{ type: 'start', payload: { id: 'm' } },
			MASTRA_CALL,
			{ type: 'step-start', payload: { id: 'n' } },
			{ type: 'text-delta', payload: { text: 'Sunny.' } },
			{ type: 'finish', payload: {} },
		],
	],
	['AG-UI', '', run(AG_UI_START, { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', delta: 'Sunny.' })],
	[
		'AG-UI, a snapshot',
		'',
		run(AG_UI_START, {
			type: 'MESSAGES_SNAPSHOT',
			messages: [
				{ role: 'tool', toolCallId: 'c', content: 'no' },
				{ role: 'assistant', content: 'Sunny.' },
			],
		}),
	],
	['LangGraph', 'messages', [streamed(CALLED), streamed(SAID)]],
	[
		'LangGraph, parts',
		'messages',
		[streamed(CALLED), streamed({ content: [{ type: 'text', text: 'Sunny.' }] })],
	],
	['LangChain', '', [serialized(CALLED), serialized(SAID)]],
])(
	'%s: an agent that goes on after a call does not wait for its result',
	async (_name, line, events) => {
		expect(await sendMessage(sse(events, line), { sessionId: 's', content: 'q' })).toMatchObject({
			text: 'Sunny.',
		});
	},
);

const MCP_APPROVAL = { type: 'mcp_approval_request', id: 'm', name: 'w', arguments: '{"a":1}' };
const responses = (...items: object[]) => [
	{ type: 'response.created', response: {} },
	...items.map((item) => ({ type: 'response.output_item.done', item })),
	{ type: 'response.completed', response: { output: [] } },
];
const SNAKE = { invocation_id: 'i', author: 'agent' };
const asks = { jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: { message: 'Which?' } };
const elicited = (text: string) => [
	asks,
	{ jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text }] } },
];

/** As `RunPausedEvent.to_dict()` of agno has it (agno/run/team.py): what is not known is null. */
const paused = (more: object) => [
	{ event: 'TeamRunStarted', run_id: 'r' },
	{ event: 'TeamRunPaused', run_id: 'r', ...more },
];
const toolOf = (name: string, more: object = {}) => ({
	tool_call_id: name,
	tool_name: name,
	tool_args: { a: 1 },
	result: null,
	...more,
});
const asking = (tool: string) =>
	`The agent waits for approval to call the tool "${tool}" with {"a":1}.`;

it.each<[framework: string, events: object[], text: string]>([
	[
		'Responses',
		responses(MCP_APPROVAL),
		'The agent waits for approval to call the tool "w" with {"a":1}.',
	],
	[
		'Responses, approved',
		responses(MCP_APPROVAL, { type: 'mcp_call', approval_request_id: 'm' }),
		'',
	],
	[
		'Google ADK in Python',
		[
			{
				...SNAKE,
				content: {
					role: 'model',
					parts: [{ text: 'Soon.' }, { function_call: { id: 'f', name: 'w', args: { a: 1 } } }],
				},
				long_running_tool_ids: ['f'],
			},
		],
		'Soon.\n\nThe agent waits for an answer, to go on with the tool "w" with {"a":1}.',
	],
	['Agno, without its tools', paused({}), 'The agent waits for approval.'],
	[
		'Agno, a tool that has run',
		paused({ tools: [toolOf('look', { result: 'a' }), toolOf('drop')] }),
		asking('drop'),
	],
	[
		'Agno, a team',
		paused({
			tools: [toolOf('delegate_task_to_member')],
			requirements: [
				{ id: 'q', confirmation: true, tool_execution: toolOf('keep') },
				{ id: 'r', tool_execution: toolOf('drop') },
			],
		}),
		asking('drop'),
	],
	['MCP: what follows a question is not lost', elicited('Done.'), 'Which?\n\nDone.'],
])('%s: tells what waits', async (_name, events, expected) => {
	expect(await sendMessage(sse(events), { sessionId: 's', content: 'q' })).toMatchObject({
		text: expected,
	});
});

it.each<[failure: string, said: object, event: object, reason: RegExp]>([
	[
		'a limit of turns of the Claude Agent SDK',
		{ type: 'assistant', session_id: 's', uuid: 'u', message: { content: 'Soon.' } },
		{ type: 'result', subtype: 'error_max_turns', is_error: false, session_id: 's', uuid: 'u' },
		/error_max_turns/,
	],
	[
		'an error of Google ADK in Python',
		{ ...SNAKE, partial: true, content: { role: 'model', parts: [{ text: 'Soon.' }] } },
		{ ...SNAKE, error_code: 'SAFETY', error_message: 'It was blocked.' },
		/^It was blocked\.$/,
	],
	[
		'what LibreChat has broken off',
		{ event: 'on_message_delta', data: { id: 's', delta: { content: 'Soon.' } } },
		{ final: true, responseMessage: { text: 'Soon.', unfinished: true } },
		/unfinished/,
	],
	[
		'an error of LibreChat at the end',
		{ event: 'on_message_delta', data: { id: 's', delta: { content: 'Soon.' } } },
		{ final: true, responseMessage: { text: 'It was blocked.', error: true } },
		/^It was blocked\.$/,
	],
])('%s is a failure', async (_name, said, event, reason) => {
	const answer = sendMessage(sse([said, event]), { sessionId: 's', content: 'q' });
	expect(await failureOf(answer)).toMatchObject({
		details: { reason: expect.stringMatching(reason), partial: { text: 'Soon.' } },
	});
});

it('of very many calls that are open, the last ones are told', async () => {
	const calls = Array.from({ length: 1000 }, (_, at) => ({
		...CALL,
		toolCallId: `${at}`,
		toolName: `${at}`,
	}));
	const lines = (await text([...calls, { ...APPROVAL, toolCallId: '999' }, FINISH])).split('\n\n');
	expect(lines).toHaveLength(100);
	expect(lines.at(-1)).toBe('The agent waits for approval to call the tool "999".');
});

describe('what waits is told in fields, too', () => {
	const waitsFor = async (parts: readonly object[]) => {
		const answer = await read(parts);
		return 'waitsFor' in answer ? answer.waitsFor : undefined;
	};
	const graph = async (...interrupts: unknown[]) => {
		const events = interrupts.map((value, index) => ({
			__interrupt__: [{ id: String(index), value }],
		}));
		return (await sendMessage(sse(events, 'updates'), { sessionId: 's', content: 'q' })).waitsFor;
	};
	const agUi = async (...events: object[]) =>
		(await sendMessage(sse(run(...events).slice(0, -1)), { sessionId: 's', content: 'q' }))
			.waitsFor;
	const interrupt = (...interrupts: object[]) => ({
		type: 'RUN_FINISHED',
		outcome: { type: 'interrupt', interrupts },
	});
	const a2a = async (state: string, text = '') => {
		const status = { state, message: { role: 'ROLE_AGENT', parts: text ? [{ text }] : [] } };
		const events = [
			{ task: { status: { state: 'TASK_STATE_WORKING' } } },
			{ statusUpdate: { status } },
		];
		return (await sendMessage(sse(events), { sessionId: 's', content: 'q' })).waitsFor;
	};

	it('an approval, with its tool and arguments', async () => {
		const call = { ...CALL, input: { id: 7 } };
		expect(await waitsFor([call, APPROVAL, FINISH])).toEqual({
			kind: 'approval',
			text: 'delete with {"id":7}',
			calls: [{ tool: 'delete', arguments: '{"id":7}' }],
		});
	});

	it('a call whose result a program has to bring waits for no person', async () => {
		expect(await waitsFor([CALL, FINISH])).toBeUndefined();
	});

	it('an answer that is cut off says nothing: more may have come', async () => {
		expect(await read([CALL, APPROVAL], true)).not.toHaveProperty('waitsFor');
	});

	it.each([
		['TASK_STATE_INPUT_REQUIRED', 'Which day?', { kind: 'input', text: 'Which day?' }],
		['TASK_STATE_INPUT_REQUIRED', '', { kind: 'input', text: 'The agent waits for an answer.' }],
		['TASK_STATE_AUTH_REQUIRED', 'Log in', { kind: 'approval', text: 'Log in' }],
		['TASK_STATE_COMPLETED', 'Done', undefined],
	])('A2A: %s, %j', async (state, text, expected) => {
		expect(await a2a(state, text)).toEqual(expected);
	});

	it('LangGraph: what is not surely a question is an approval, and several are one', async () => {
		expect(await graph('May I?', { go: true })).toEqual({
			kind: 'approval',
			text: 'May I?\n{"go":true}',
		});
	});

	it.each<[string, unknown]>([
		['a text', streamed(SAID)],
		['the result of a tool', [{ type: 'tool', id: 't', content: 'no', tool_call_id: 'x' }, {}]],
	])('LangGraph: %s of a parallel branch answers no question', async (_name, event) => {
		const asked = sseOf(
			['updates', { __interrupt__: [{ id: '1', value: 'May I?' }] }],
			['messages', event],
		);
		expect(await sendMessage(asked, { sessionId: 's', content: 'q' })).toMatchObject({
			waitsFor: { kind: 'approval', text: 'May I?' },
		});
	});

	it('AI SDK: a step of another part of the stream approves nothing', async () => {
		expect(await waitsFor([CALL, APPROVAL, ...AI_STEP])).toMatchObject({ kind: 'approval' });
	});

	it('AG-UI: an approval of a call has its tool and arguments', async () => {
		const call = { toolCallId: 'c' };
		const asks = { id: 'i', reason: 'tool_call', message: 'May I?', ...call };
		expect(
			await agUi(
				{ type: 'TOOL_CALL_START', toolCallName: 'mail', ...call },
				{ type: 'TOOL_CALL_ARGS', delta: '{"to":', ...call },
				{ type: 'TOOL_CALL_ARGS', delta: '"a@b.c"}', ...call },
				interrupt(asks, { id: 'j', metadata: { reason: 'x' } }),
			),
		).toEqual({
			kind: 'approval',
			text: '{"id":"j","metadata":{"reason":"x"}}\nMay I?\nmail with {"to":"a@b.c"}',
			calls: [{ tool: 'mail', arguments: '{"to":"a@b.c"}' }],
		});
	});

	it.each([
		['ag_ui_langgraph', { value: 'May I?', rawEvent: { id: 'i', value: 'May I?' } }],
		['@ag-ui/mastra', { value: 'May I?' }],
		['ag_ui_crewai', { value: { id: 'i', reason: 'human_feedback', message: 'May I?' } }],
	])('AG-UI: what waits, as %s tells it, also beside the outcome', async (_name, event) => {
		const custom = { type: 'CUSTOM', name: 'on_interrupt', ...event };
		for (const end of [{ type: 'RUN_FINISHED' }, interrupt({ id: 'i', message: 'May I?' })])
			expect(await agUi(custom, end)).toEqual({ kind: 'approval', text: 'May I?' });
	});

	it.each<[string, object[], string | undefined]>([
		['asks for something else', [interrupt({ id: 'j', message: 'And now?' })], 'And now?'],
		['has ended well', [{ type: 'RUN_FINISHED' }], undefined],
	])('AG-UI: of several runs in one stream, the last one counts: it %s', async (...row) => {
		const [, end, text] = row;
		const first = interrupt({ id: 'i', message: 'May I?' });
		const found = await agUi(first, { type: 'RUN_STARTED' }, ...end);
		expect(found?.text).toBe(text);
	});

	it.each(['actionRequests', 'action_requests'])('LangChain: %s', async (requests) => {
		const actions = [
			{ name: 'mail', args: { to: 'a@b.c' }, description: 'Tool execution requires approval' },
			{ name: 'pay', args: {} },
		];
		expect(await graph({ [requests]: actions })).toEqual({
			kind: 'approval',
			text: 'mail with {"to":"a@b.c"}\npay',
			calls: [{ tool: 'mail', arguments: '{"to":"a@b.c"}' }, { tool: 'pay' }],
		});
	});

	it('is cut, and says how much more there is', async () => {
		const actions = Array.from({ length: 30 }, () => ({
			name: 'n'.repeat(500),
			args: 'x'.repeat(9_999),
		}));
		const found = await graph({ actionRequests: actions });
		expect(found?.calls).toHaveLength(20);
		expect(JSON.stringify(found).length).toBeLessThan(30_000);
		const few = await graph({
			actionRequests: actions.slice(0, 22).map(() => ({ name: 'a', args: {} })),
		});
		expect(few?.text).toMatch(/\n22 wait: (a, ){21}a\n/);
	});

	it('what is cut hides nothing that an approval is about', async () => {
		const long = { args: 'x'.repeat(9_999) };
		const actionRequests = [
			{ name: 'read_a', ...long },
			{ name: 'read_b', ...long },
			{ name: 'read_c', ...long },
			{ name: 'delete_all' },
		];
		const calls = await graph({ actionRequests });
		expect(calls?.text).toMatch(
			/\n4 wait: read_a, read_b, read_c, delete_all\nread_a.*\nread_b.*\nread_c.*…\ndelete_all$/,
		);
		const questions = await graph('May I? '.repeat(999), 'Delete all?');
		expect(questions?.text).toMatch(/\n2 wait\nDelete all\?\nMay I.*…$/);
	});

	it.each<[string, unknown]>([
		['a question', 'x'.repeat(2_401)],
		['arguments', { actionRequests: [{ name: 'sql', args: 'x'.repeat(2_401) }] }],
		['a name', { actionRequests: [{ name: 'n'.repeat(2_401) }] }],
		[
			'two questions',
			{
				actionRequests: [
					{ name: 'a', args: 'x'.repeat(1_300) },
					{ name: 'b', args: 'x'.repeat(1_300) },
				],
			},
		],
	])('what is not shown whole can only be declined: %s', async (_name, value) => {
		const found = await graph(value);
		expect(found?.onlyDecline).toBe(true);
		expect(found?.text.length).toBeGreaterThan(2_000);
		expect(found?.text.length).toBeLessThan(2_500);
	});

	it('long arguments that fit are shown whole', async () => {
		const args = 'x'.repeat(2_300);
		const found = await graph({ actionRequests: [{ name: 'sql', args }] });
		expect(found).toEqual({
			kind: 'approval',
			text: `sql with ${args}`,
			calls: [{ tool: 'sql', arguments: args }],
		});
	});

	it('nothing that a stranger writes there breaks the reading', async () => {
		for (const value of [
			null,
			7,
			[],
			[[]],
			{ actionRequests: 7 },
			{ actionRequests: [null, 7, {}] },
			{ actionRequests: [{ name: { toString: 'c' }, args: { toString: 'c' } }] },
			{ toString: 'c' },
		])
			expect(await graph(value)).toMatchObject({ kind: 'approval', text: expect.any(String) });
	});
});

/** What a server answers, with the IDs that it has for the next message. */
async function readOf(value: string, type: string, ...events: readonly object[]) {
	const server = serverOf(value)!;
	const isStream = type === 'text/event-stream';
	const chunks = events.map((event) =>
		isStream ? `data: ${JSON.stringify(event)}\n\n` : JSON.stringify(event),
	);
	const http = inMemory({ headers: { 'content-type': type }, chunks });
	const other = { server, way: { ask: server.asks[0]! }, newId: () => 'n' };
	return await sendMessage(http, { sessionId: 's', content: 'q' }, {}, other);
}

it('a response that comes whole has the ID by which it goes on', async () => {
	const whole = { object: 'response', id: 'r1', output: [] };
	expect(
		await readOf('responses', 'application/json', { ...whole, status: 'completed' }),
	).toMatchObject({ chat: 'r1' });
	const queued = readOf('responses', 'application/json', { ...whole, status: 'queued' });
	expect(await failureOf(queued)).toMatchObject({
		kind: 'malformed',
		details: { ids: { runningTaskId: 'r1' } },
	});
});

it('a workflow of Dify that has failed has no handle of work that goes on', async () => {
	const event = {
		task_id: 't1',
		event: 'workflow_finished',
		data: { status: 'failed', error: 'x' },
	};
	const failed = readOf(
		'dify',
		'text/event-stream',
		{ ...event, event: 'workflow_started' },
		event,
	);
	expect((await failureOf(failed)).details.ids).toEqual({ sessionId: 's' });
});

it.each([
	['Messages API', { type: 'message', role: 'assistant', stop_reason: 'refusal' }],
	['Responses', { object: 'response', id: 'r', incomplete_details: { reason: 'content_filter' } }],
])('%s: a whole answer that was kept back is a failure, as in a stream', async (_name, answer) => {
	const content = [{ type: 'text', text: 'Half' }];
	const output = [{ type: 'message', content }];
	const body = { ...answer, status: 'incomplete', content, output };
	const failure = await failureOf(readOf('responses', 'application/json', body));
	expect(failure).toMatchObject({
		details: {
			reason: expect.stringMatching(/^(refusal|content_filter)$/),
			partial: { text: 'Half' },
		},
	});
});

it('an answer of Text Generation Inference may be empty', async () => {
	const end = { token: { id: 1, text: '</s>', special: true }, generated_text: '' };
	expect(await sendMessage(sse([end]), { sessionId: 's', content: 'q' })).toMatchObject({
		text: '',
	});
});

it('arguments of a tool are no words where only the line has the name', async () => {
	const http = sseOf(
		['response.function_call_arguments.delta', { delta: '{"a":1}' }],
		['response.output_text.delta', { delta: 'Hello ' }],
		['response.output_text.delta', { delta: 'world' }],
	);
	expect(await sendMessage(http, { sessionId: 's', content: 'q' })).toMatchObject({
		text: 'Hello world',
	});
});

it('an agent of Agno over A2A has the ID by which it goes on', async () => {
	const message = { kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'a' }] };
	const result = { ...message, message_id: 'm1', context_id: 'c1' };
	const event = { jsonrpc: '2.0', id: 'n', result };
	expect(await readOf('a2a', 'application/json', event)).toMatchObject({ chat: 'c1' });
});
