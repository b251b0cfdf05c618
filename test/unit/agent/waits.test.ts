import { sendMessage } from '../../../src/agent/client';
import type { ServiceError } from '../../../src/core/errors';
import { inMemory } from '../inMemoryHttp';

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
		const head = line ? `event: ${line}\n` : '';
		const http = inMemory({
			headers: { 'content-type': 'text/event-stream' },
			chunks: events.map((event) => `${head}data: ${JSON.stringify(event)}\n\n`),
		});
		expect(await sendMessage(http, { sessionId: 's', content: 'q' })).toMatchObject({
			text: 'Sunny.',
		});
	},
);
