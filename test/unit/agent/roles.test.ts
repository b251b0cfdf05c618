import { sendMessage } from '../../../src/agent/client';
import { events as sse, failureOf, inMemory } from '../inMemoryHttp';

// Pieces whose own event says that they are someone else's are no part of the answer, whichever row reads them.

const parts = (text: string) => [{ text }];
const typedParts = (text: string) => [{ type: 'text', text }];
const message = (name: string, id: string, content: string) => ({
	lc: 1,
	type: 'constructor',
	id: ['langchain_core', 'messages', name],
	kwargs: { content, id },
});

/** A row, how it says a text as the agent and as someone else, and how it ends. */
const ROWS: Array<[dialect: string, say: (role: string, text: string) => object[], end: object]> = [
	[
		'Chat completions',
		(role, content) => [{ id: role, choices: [{ index: 0, delta: { role, content } }] }],
		{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
	],
	[
		'Ollama',
		(role, content) => [{ model: 'm', done: false, message: { role, content } }],
		{ model: 'm', done: true },
	],
	[
		'Gemini',
		(role, text) => [{ candidates: [{ content: { role, parts: parts(text) } }] }],
		{ candidates: [{ finishReason: 'STOP' }] },
	],
	[
		'Cohere',
		(role, text) => [
			{ type: 'content-delta', delta: { message: { role, content: { type: 'text', text } } } },
		],
		{ type: 'message-end' },
	],
	[
		'Responses',
		(role, text) => [
			{
				type: 'response.output_item.done',
				item: { type: 'message', role, content: typedParts(text) },
			},
		],
		{ type: 'response.completed', response: {} },
	],
	[
		'Messages API',
		(role, text) => [{ type: 'content_block_delta', role, delta: { type: 'text_delta', text } }],
		{ type: 'message_stop' },
	],
	[
		'AI SDK',
		(role, delta) => [{ type: 'start-step' }, { type: 'text-delta', id: role, role, delta }],
		{ type: 'finish' },
	],
	[
		'AG-UI',
		(role, delta) => [
			{ type: 'TEXT_MESSAGE_START', messageId: role, role },
			{ type: 'TEXT_MESSAGE_CONTENT', messageId: role, delta },
			{ type: 'TEXT_MESSAGE_END', messageId: role },
		],
		{ type: 'RUN_FINISHED' },
	],
	[
		'AG-UI',
		(role, delta) => [{ type: 'TEXT_MESSAGE_CHUNK', messageId: role, role, delta }],
		{ type: 'RUN_FINISHED' },
	],
	[
		'A2A 0.3',
		(role, text) => [{ kind: 'message', role, parts: parts(text) }],
		{ kind: 'status-update', status: { state: 'completed' }, final: true },
	],
	[
		'Genkit',
		(role, text) => [{ message: { role, content: parts(text) } }],
		{ result: { message: { role: 'model' } } },
	],
	[
		'Google ADK',
		(role, text) => [{ invocationId: 'i', partial: true, content: { role, parts: parts(text) } }],
		{ invocationId: 'i', content: { role: 'model', parts: parts('One.') } },
	],
	[
		'LangChain messages',
		(role, text) => [
			message(role === 'assistant' ? 'AIMessageChunk' : 'ToolMessageChunk', role, text),
		],
		{},
	],
	[
		'OpenAI Agents SDK',
		(role, text) => [
			{
				type: 'run_item_stream_event',
				name: 'message_output_created',
				item: { rawItem: { role, content: typedParts(text) } },
			},
		],
		{ type: 'raw_model_stream_event', data: { type: 'response_done' } },
	],
	[
		'Claude Agent SDK',
		(role, text) => [
			{
				type: 'assistant',
				session_id: 's',
				uuid: 'u',
				message: { role, content: typedParts(text) },
			},
		],
		{ type: 'result' },
	],
];

/** What some rows call the agent. */
const AGENTS: Record<string, string> = {
	'A2A 0.3': 'agent',
	Gemini: 'model',
	Genkit: 'model',
	'Google ADK': 'model',
};

describe.each(ROWS)('%s', (dialect, say, end) => {
	const agent = AGENTS[dialect] ?? 'assistant';
	const bodyOf = (...values: object[]) =>
		sse(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join(''));
	const ask = async (...values: object[]) => {
		let live = '';
		const onText = (text: string) => void (live += text);
		const http = inMemory(bodyOf(...values));
		const answer = await sendMessage(http, { sessionId: 's', content: 'q' }, { onText });
		return { ...answer, live };
	};

	it.each(['tool', 'user', 'system', 'function'])(
		'what the role %s says is no answer',
		async (role) => {
			const answer = await ask(...say(agent, 'One.'), ...say(role, 'SECRET'), end);
			expect(answer).toMatchObject({ dialect, text: 'One.', live: 'One.' });
		},
	);
});

/** A message of AG-UI, and an artifact of A2A. */
const said = (messageId: string, ...deltas: string[]) => [
	{ type: 'TEXT_MESSAGE_START', messageId },
	...deltas.map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta })),
	{ type: 'TEXT_MESSAGE_END', messageId },
];
const made = (artifactId: string, text: string) => ({
	kind: 'artifact-update',
	artifact: { artifactId, parts: [{ kind: 'text', text }] },
});

const A2A_END = { kind: 'status-update', status: { state: 'completed' }, final: true };

it.each<[string, object[], string]>([
	[
		'an earlier message',
		[...said('1', 'I vote for A.'), ...said('2', 'Reason: none'), ...said('3', 'I vote for A.')],
		'I vote for A.\n\nReason: none\n\nI vote for A.',
	],
	[
		'the message before, with its first piece',
		[...said('1', 'The price is '), ...said('2', 'The price is ', '6')],
		'The price is \n\nThe price is 6',
	],
	[
		'another artifact',
		[made('a', 'Status: green'), made('b', 'Status: green'), A2A_END],
		'Status: green\n\nStatus: green',
	],
])('a message that says what %s said is told', async (_what, values, text) => {
	const http = inMemory(sse(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')));
	expect(await sendMessage(http, { sessionId: 's', content: 'q' })).toMatchObject({ text });
});

const working = (messageId: string, text: string) => ({
	kind: 'status-update',
	status: {
		state: 'working',
		message: { kind: 'message', role: 'agent', messageId, parts: [{ kind: 'text', text }] },
	},
});

it.each<[string, object[], string]>([
	[
		'progress that is told again',
		[working('1', 'Looking it up'), working('2', 'Looking it up'), A2A_END],
		'Looking it up',
	],
	[
		'an artifact that has no text for once',
		[made('a', 'Hello'), made('a', ''), made('a', 'Hello world'), A2A_END],
		'Hello world',
	],
])('%s is told once', async (_what, values, text) => {
	const http = inMemory(sse(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')));
	const answer = await sendMessage(http, { sessionId: 's', content: 'q' });
	expect([answer.text, answer.notice]).toEqual([text, undefined]);
});

it("a message of a tool that has no ID makes none of the agent without one a tool's", async () => {
	const said = (name: string, content: string) =>
		`data: ${JSON.stringify({ ...message(name, '', content), kwargs: { content } })}\n\n`;
	const body =
		said('AIMessageChunk', 'One.') + said('ToolMessage', 'SECRET') + said('AIMessageChunk', 'Two.');
	expect(await sendMessage(inMemory(sse(body)), { sessionId: 's', content: 'q' })).toMatchObject({
		dialect: 'LangChain messages',
		text: 'One.\n\nTwo.',
	});
});

it('a tool that has answered is followed by the agent, also after the end of a message', async () => {
	const choice = (delta: object, more: object = {}) =>
		`data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;
	const call = { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] };
	const beginning =
		choice({ role: 'assistant', content: 'One.' }) +
		choice(call) +
		choice({}, { finish_reason: 'tool_calls' }) +
		choice({ role: 'tool', content: 'SECRET' });
	const cut = inMemory(sse(beginning));
	expect(await failureOf(sendMessage(cut, { sessionId: 's', content: 'q' }))).toMatchObject({
		kind: 'truncated',
		details: { partial: { text: 'One.' } },
	});
	const whole = inMemory(
		sse(beginning + choice({ content: 'Two.' }) + choice({}, { finish_reason: 'stop' })),
	);
	expect(await sendMessage(whole, { sessionId: 's', content: 'q' })).toMatchObject({
		text: 'One.\n\nTwo.',
	});
});

it.each(['messageId', 'message_id'])(
	'a thought of Agno, told by its %s, is no answer',
	async (id) => {
		const said = (text: string, of: string) => ({
			kind: 'message',
			role: 'agent',
			[id]: '1',
			parts: [{ kind: 'text', text }],
			metadata: { agno_content_category: of },
		});
		const body = [
			said('no', 'reasoning'),
			said('Hello', 'content'),
			{ kind: 'task', status: { state: 'completed' } },
		];
		const told = body.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
		const answer = sendMessage(inMemory(sse(told)), { sessionId: 's', content: 'the question' });
		expect(await answer).toMatchObject({ text: 'Hello', dialect: 'A2A 0.3' });
	},
);
