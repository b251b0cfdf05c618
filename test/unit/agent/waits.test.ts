import { sendMessage } from '../../../src/agent/client';
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
