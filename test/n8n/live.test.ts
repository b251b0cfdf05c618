import { randomUUID } from 'node:crypto';

import { agentFile, withModel } from './agent.ts';
import { bridgeOfFile, createWithLedger, messages, model, nodesFor, secretsOf } from './bridge.ts';
import { conversationFile, speakersOf } from './conversationWorkflow.ts';
import { chatMessage } from './editor.ts';
import { exampleFor, withModels } from './example.ts';
import { itemsOf } from './execution.ts';
import {
	bubblesOf,
	gatedAnswer,
	gatedQuestion,
	readAlong,
	readLive,
	textOf,
} from './liveCaller.ts';
import { hasSimpleMemory, sharedLog } from './shared.ts';
import { beginAt, chatTrigger, node, webhook, workflow, type WorkflowFile } from './workflow.ts';

// the service says word n+1 only after the caller of the workflow has read word n: no clock is needed to see that it is live
const bridge = bridgeOfFile();

const text = (parameters: Record<string, unknown>) =>
	nodesFor(bridge.accounts).router('Chat', ['text', 'message'], {
		model: model('northwind/quill-2.5'),
		...parameters,
	});
const TOLD = '={{ $json.body.q }}';

it.each([
	['a model', () => text(messages(TOLD)), 1],
	['a response', () => text({ prompt: TOLD, options: { protocol: 'responses' } }), 4],
	[
		'an agent',
		() => nodesFor(bridge.accounts).agent('Chat', ['message', 'send'], { message: TOLD }),
		0,
	],
	[
		'the assistant',
		() =>
			nodesFor(bridge.accounts).assistant('Chat', ['question', 'askStreaming'], { question: TOLD }),
		3,
	],
] as const)('%s, word by word to the caller of a streaming webhook', async (_who, node, before) => {
	const path = randomUUID();
	const { id } = await bridge.editor.publish(beginAt(workflow(path, [], node()), webhook(path)));
	const url = `${bridge.editor.url}/webhook/${path}`;
	const chunks = await readAlong(bridge.service, url, { q: gatedQuestion }, [before]);
	expect(bubblesOf(chunks)).toEqual([['Chat', gatedAnswer]]);
	const own = chunks.filter(({ metadata }) => metadata?.nodeName === 'Chat');
	expect([own[0]?.type, own.at(-1)?.type]).toEqual(['begin', 'end']);
	expect(itemsOf(await bridge.editor.finishedOf(id), 'Chat')).toMatchObject([
		{ json: { output: gatedAnswer, complete: true } },
	]);
});

it('a chat that does not stream shows "output"', async () => {
	const path = randomUUID();
	const file = workflow('quiet', [], text(messages('={{ $json.chatInput }}')));
	await bridge.editor.publish(beginAt(file, chatTrigger(path, 'lastNode')));
	expect(await bridge.editor.webhook(`${path}/chat`, chatMessage('hello'))).toMatchObject({
		status: 200,
		body: { output: 'You said: "hello".' },
	});
});

/** Publishes an example that begins at a chat. */
async function openChat(example: string, accounts = bridge.accounts) {
	const file = withModels(exampleFor(accounts, example));
	const trigger = file.nodes.find(({ type }) => type.endsWith('.chatTrigger'))!;
	// as its note says for a chat outside of the editor
	trigger.parameters = { ...trigger.parameters, public: true, mode: 'webhook' };
	const { id } = await bridge.editor.publish(file);
	const url = `${bridge.editor.url}/webhook/${String(trigger['webhookId'])}/chat`;
	return {
		url,
		say: async (...said: Parameters<typeof chatMessage>) =>
			textOf(await readLive(url, chatMessage(...said))),
		execution: async (call: number) => await bridge.editor.finishedOf(id, call),
	};
}

it('the example with a model: word by word, and it remembers', async () => {
	const { url, say } = await openChat('chat-live-with-a-model.json');
	const chunks = await readAlong(bridge.service, url, chatMessage(gatedQuestion), [1]);
	expect(textOf(chunks)).toBe(gatedAnswer);
	if (!hasSimpleMemory()) return;
	for (const message of ['My coin is called Lighthouse.', 'And now?']) await say(message, 'a chat');
	expect(bridge.service.requests.at(-1)?.body).toMatchObject({
		messages: [
			{ role: 'system' },
			{ role: 'user', content: 'My coin is called Lighthouse.' },
			{ role: 'assistant' },
			{ role: 'user' },
		],
	});
});

it('the example with an agent: word by word, one session per chat', async () => {
	const { url, say, execution } = await openChat('chat-live-with-an-agent.json');
	const sessionId = '6f1c2b1e8d3a4c0e9a550d2f6b7c8e90';
	const chunks = await readAlong(bridge.service, url, chatMessage(gatedQuestion, sessionId), [0]);
	expect(textOf(chunks)).toBe(gatedAnswer);
	expect(await say('And now?', sessionId)).toContain('This is message 2 of this session');
	expect(itemsOf(await execution(2), 'Agent')[0]?.json).toMatchObject({
		sessionId: expect.not.stringContaining('6f1c2b1e'),
		sessionSource: 'chatTrigger',
	});
});

it('the example with the assistant remembers each chat, with a job ledger', async () => {
	const { editor, service } = bridge;
	const assistant = await createWithLedger(editor, secretsOf(service).assistant);
	const file = 'chat-with-the-market-assistant.json';
	const { say, execution } = await openChat(file, { ...bridge.accounts, assistant });
	const [mine, other] = [randomUUID().replaceAll('-', ''), randomUUID()];
	expect(await say('And now?', mine)).toMatch(
		/Reading market data…[^]*This is message 1 of this chat/,
	);
	expect(await say('And now?', mine)).toContain('This is message 2 of this chat');
	expect(await say('And now?', other)).toContain('This is message 1 of this chat');
	expect(await say('And now?', mine)).toContain('This is message 3 of this chat');
	expect(itemsOf(await execution(4), 'Assistant')[0]?.json).toMatchObject({
		chatId: expect.any(String),
		sessionSource: 'chatTrigger',
	});
});

/** What a service says in its refusal, which no stranger must read. */
const INTERNAL = 'no such key at 10.0.0.7';

it.each<[string, string, (path: string) => WorkflowFile]>([
	['a model', 'Chat', () => workflow('model', [], text(messages('={{ $json.chatInput }}')))],
	[
		"n8n's AI Agent with our chat model",
		'Router Model',
		() => agentFile({ way: 'a streaming chat', attached: [withModel(bridge)] }).file,
	],
	[
		'a conversation',
		'Ann',
		() => {
			const { agent } = speakersOf(bridge.accounts);
			return conversationFile({ speakers: [agent('Ann'), agent('Bea')] });
		},
	],
	[
		'a conversation whose failures end it',
		'Conversation',
		() => {
			const { agent } = speakersOf(bridge.accounts);
			const options = { onFailure: 'fail' };
			return conversationFile({ speakers: [agent('Ann'), agent('Bea')], parameters: { options } });
		},
	],
])(
	'a visitor of %s reads of a failure that it could not answer, and nothing else',
	async (...row) => {
		const [, name, toFile] = row;
		const does = { type: 'status' as const, status: 401, body: { detail: INTERNAL } };
		bridge.service.fault({ match: { method: 'POST' }, do: does });
		const path = randomUUID();
		const { id } = await bridge.editor.publish(
			beginAt(toFile(path), chatTrigger(path, 'streaming')),
		);
		const chunks = await readLive(
			`${bridge.editor.url}/webhook/${path}/chat`,
			chatMessage('hello'),
		);
		const read = chunks.flatMap(({ content }) => content ?? []);
		expect([...new Set(read)]).toEqual(
			name === 'Conversation'
				? ['Ann could not answer.', 'Conversation could not answer.']
				: [`${name} could not answer.`],
		);
		const execution = await bridge.editor.finishedOf(id);
		expect(JSON.stringify(execution)).toContain(INTERNAL);
		const isOf = (line: string) => line.includes(`execution ${execution.id}, `);
		const logged = sharedLog().split('\n').filter(isOf).join('\n');
		expect(logged).toMatch(/(could not answer|failure): .*refused the API key \(401\)/);
	},
);

it('a visitor reads no more of a failure in a workflow that the chat calls', async () => {
	const does = { type: 'status' as const, status: 401, body: { detail: INTERNAL } };
	bridge.service.fault({ match: { method: 'POST' }, do: does });
	const called = await bridge.editor.publish(
		beginAt(workflow('called', [], text(messages('={{ $json.chatInput }}'))), {
			type: 'n8n-nodes-base.executeWorkflowTrigger',
			typeVersion: 1.1,
			parameters: { inputSource: 'passthrough' },
		}),
	);
	const call = node(
		'Call',
		'n8n-nodes-base.executeWorkflow',
		{ workflowId: { __rl: true, mode: 'id', value: called.id }, options: {} },
		{ typeVersion: 1.2 },
	);
	const path = randomUUID();
	await bridge.editor.publish(
		beginAt(workflow('caller', [], call), chatTrigger(path, 'streaming')),
	);
	const url = `${bridge.editor.url}/webhook/${path}/chat`;
	const chunks = await readLive(url, chatMessage('hello'));
	expect(JSON.stringify(chunks)).not.toContain(INTERNAL);
	expect(chunks.flatMap(({ content }) => content ?? [])).toEqual(['Chat could not answer.']);
	const { id } = await bridge.editor.finishedOf(called.id);
	expect(sharedLog()).toMatch(new RegExp(`execution ${id}, .*refused the API key \\(401\\)`));
});
