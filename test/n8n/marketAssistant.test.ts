import { nodesFor, openBridge, type Bridge } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { workflow } from './workflow.ts';

let bridge: Bridge;
let assistant: ReturnType<typeof nodesFor>['assistant'];
beforeAll(async () => {
	bridge = await openBridge();
	({ assistant } = nodesFor(bridge.accounts));
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const ask = ['question', 'ask'] as const;
const askStreaming = ['question', 'askStreaming'] as const;

it('asks and gives the whole body', async () => {
	const execution = await bridge.editor.runOnce(
		workflow('ask', [{}], assistant('Ask', ask, { question: 'Why?' })),
	);
	const [item] = itemsOf(execution, 'Ask');
	expect(item?.json).toMatchObject({
		output: 'You said: "Why?". This is message 1 of this chat.',
		complete: true,
		body: { model: 'svc_v1.2', chat_id: item?.json['chatId'] },
	});
	expect(bridge.service.requests[0]?.body).toEqual({ message: 'Why?' });
});

it('asks with streaming: title, tool calls in two languages, message ids, events', async () => {
	const execution = await bridge.editor.runOnce(
		workflow(
			'stream',
			[{}],
			assistant('Ask', askStreaming, {
				question: 'Why? [[tools:2]]',
				options: { includeRawEvents: true, model: 'svc_v1.3' },
			}),
		),
	);
	const [item] = itemsOf(execution, 'Ask');
	expect(item?.json).toMatchObject({
		output: expect.stringContaining('This is message 1 of this chat.'),
		chatId: expect.any(String),
		chatTitle: 'Why? [[tools:2]]',
		messageIds: [expect.any(String)],
		toolCalls: [
			{
				callId: expect.any(String),
				title: { en: 'Reading market data', de: 'Marktdaten werden gelesen' },
				finished: true,
			},
			{
				callId: expect.any(String),
				title: { en: 'Searching the web', de: 'Das Web wird durchsucht' },
				finished: true,
			},
		],
		complete: true,
		events: expect.any(Array),
	});
	expect(bridge.service.requests[0]?.body).toMatchObject({ model: 'svc_v1.3' });
});

it.each(['null', 'empty'] as const)('is complete on a finish event with data: %s', async (form) => {
	bridge.service.forms.finish = form;
	const execution = await bridge.editor.runOnce(
		workflow('finish', [{}], assistant('Ask', askStreaming, { question: 'Why?' })),
	);
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, 'Ask')[0]?.json).toMatchObject({ complete: true });
});

it('continues a chat with its id exactly as it came', async () => {
	const execution = await bridge.editor.runOnce(
		workflow(
			'chat',
			[{}],
			assistant('First', askStreaming, { question: 'One' }),
			assistant('Second', ask, {
				question: 'Two',
				...{ sessionMode: 'id', chatId: '={{ $json.chatId }}' },
			}),
			// the chat of the item is the default
			assistant('Third', askStreaming, { question: 'Three' }),
		),
	);
	const chatId = itemsOf(execution, 'First')[0]?.json['chatId'];
	expect(itemsOf(execution, 'Second')[0]?.json['output']).toContain(
		'message 2 of this chat; before it you said: "One"',
	);
	expect(itemsOf(execution, 'Third')[0]?.json['output']).toContain(
		'message 3 of this chat; before it you said: "Two"',
	);
	expect(
		bridge.service.requests.slice(1).map(({ body }) => (body as { chat_id: string }).chat_id),
	).toEqual([chatId, chatId]);
});

it('does not take a stream that was cut for an answer', async () => {
	bridge.service.fault({
		match: { path: 'invoke_assistant_stream' },
		do: { type: 'limit_data', bytes: 600 },
	});
	const execution = await bridge.editor.runOnce(
		workflow('cut', [{}], assistant('Ask', askStreaming, { question: 'Why? [[words:200]]' })),
	);
	expect(execution.status).toBe('error');
	expect(execution.lastNode).toBe('Ask');
});
