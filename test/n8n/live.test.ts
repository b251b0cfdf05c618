import { randomUUID } from 'node:crypto';

import { messages, model, nodesFor, openBridge, secretsOf, type Bridge } from './bridge.ts';
import type { SavedWorkflow } from './editor.ts';
import { exampleFor, withModels } from './example.ts';
import { itemsOf } from './execution.ts';
import { dataTableScopes } from './instanceOn.ts';
import { callLive, type Chunk } from './liveCaller.ts';
import { hasSimpleMemory } from './shared.ts';
import { node, workflow, type WorkflowFile, type WorkflowNode } from './workflow.ts';

// the service says word n+1 only after the caller of the workflow has read word n: no clock is needed to see that it is live
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const WORDS = 6;
const question = `[[gate]] [[words:${WORDS}]]`;
const answer = Array.from({ length: WORDS }, (_, index) => `word${index + 1}`).join(' ');

const chat = (parameters: Record<string, unknown>, settings: Record<string, unknown> = {}) =>
	nodesFor(bridge.accounts).router(
		'Chat',
		['text', 'message'],
		{ model: model('northwind/quill-2.5'), ...parameters },
		settings,
	);

/** A workflow that begins at a webhook which streams. */
async function published(tested: WorkflowNode, ...more: WorkflowNode[]): Promise<string> {
	const path = `live-${Math.random().toString(36).slice(2)}`;
	const file = workflow(path, [], tested, ...more);
	Object.assign(file.nodes[0]!, {
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		webhookId: path,
		parameters: { path, httpMethod: 'POST', responseMode: 'streaming', options: {} },
	});
	await activated({ ...file, pinData: {} });
	return `${bridge.editor.url}/webhook/${path}`;
}

let latest: SavedWorkflow;
async function activated(file: WorkflowFile): Promise<void> {
	latest = await bridge.editor.importWorkflow(file);
	await bridge.editor.activate(latest);
}

/** The execution that a call of the latest workflow has started. */
const execution = async (call = 1) => await bridge.editor.finishedOf(latest.id, call);

/** Reads along, and lets the service go on each time that a further word has come. */
async function readAlong(
	url: string,
	body: unknown,
	piecesBefore = 1,
): Promise<{ text: string; chunks: Chunk[] }> {
	const chunks: Chunk[] = [];
	let text = '';
	let seen = 0;
	const wordsIn = () => text.split(/\s+/).filter(Boolean).length;
	// the pieces before the first word hold no text
	const started = (async () => {
		await bridge.service.gated();
		bridge.service.step(piecesBefore);
	})();
	for await (const chunk of callLive(url, body)) {
		chunks.push(chunk);
		if (chunk.type !== 'item') continue;
		text += chunk.content ?? '';
		// never more words than the service was allowed to send
		expect(wordsIn()).toBeLessThanOrEqual(seen + 1);
		for (; seen < wordsIn(); seen++) bridge.service.step();
		if (seen === WORDS) bridge.service.step(10);
	}
	await started;
	return { text, chunks };
}

it('word by word to the caller of a streaming webhook', async () => {
	const url = await published(chat(messages('={{ $json.body.q }}')));
	const { text, chunks } = await readAlong(url, { q: question });
	expect(text).toBe(answer);
	const own = chunks.filter(({ metadata }) => metadata?.nodeName === 'Chat');
	expect(own[0]?.type).toBe('begin');
	expect(own.at(-1)?.type).toBe('end');
	expect(own.filter(({ type }) => type === 'begin')).toHaveLength(1);
	expect(itemsOf(await execution(), 'Chat')).toMatchObject([
		{ json: { output: answer, complete: true } },
	]);
});

/** Imports an example that begins at a chat. @returns the address that the chat talks to */
async function openChat(example: string, accounts = bridge.accounts): Promise<string> {
	const file = withModels(exampleFor(accounts, example));
	const trigger = file.nodes.find(({ type }) => type.endsWith('.chatTrigger'));
	// as its note says for a chat outside of the editor
	if (trigger) trigger.parameters = { ...trigger.parameters, public: true, mode: 'webhook' };
	await activated(file);
	return `${bridge.editor.url}/webhook/${String(trigger?.['webhookId'])}/chat`;
}

it('word by word into a chat: the example with a model, which remembers', async () => {
	const url = await openChat('chat-live-with-a-model.json');
	const said = (sessionId: string, chatInput: string) => ({
		action: 'sendMessage',
		sessionId,
		chatInput,
	});
	const { text } = await readAlong(url, said('a-chat', question));
	expect(text).toBe(answer);
	if (!hasSimpleMemory()) return;
	for (const message of ['My coin is called Lighthouse.', 'And now?'])
		for await (const chunk of callLive(url, said('another', message)))
			expect(chunk.type).not.toBe('error');
	const sent = bridge.service.requests.at(-1)?.body as {
		messages: Array<{ role: string; content: string }>;
	};
	expect(sent.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
	expect(sent.messages[1]?.content).toBe('My coin is called Lighthouse.');
});

it.each([
	['an agent', 'agent', ['message', 'send'], 'message', 0],
	['the assistant', 'assistant', ['question', 'askStreaming'], 'question', 3],
] as const)('%s, word by word', async (_who, who, operation, field, piecesBefore) => {
	const tested = nodesFor(bridge.accounts)[who]('Chat', operation, {
		[field]: '={{ $json.body.q }}',
	});
	const { text } = await readAlong(await published(tested), { q: question }, piecesBefore);
	expect(text).toBe(answer);
	expect(itemsOf(await execution(), 'Chat')).toMatchObject([
		{ json: { output: answer, complete: true } },
	]);
});

it('word by word into a chat: the example with an agent, one session per chat', async () => {
	const url = await openChat('chat-live-with-an-agent.json');
	const sessionId = '6f1c2b1e8d3a4c0e9a550d2f6b7c8e90';
	const say = { action: 'sendMessage', sessionId };
	const { text } = await readAlong(url, { ...say, chatInput: question }, 0);
	expect(text).toBe(answer);
	let second = '';
	for await (const { type, content } of callLive(url, { ...say, chatInput: 'And now?' }))
		if (type === 'item') second += content ?? '';
	expect(second).toContain('This is message 2 of this session');
	expect(itemsOf(await execution(2), 'Agent')[0]?.json).toMatchObject({
		sessionId: expect.not.stringContaining('6f1c2b1e'),
		sessionSource: 'chatTrigger',
	});
});

it('the example with the assistant remembers each chat, with a job ledger', async () => {
	const { editor, service } = bridge;
	const { assistant } = secretsOf(service);
	const account = await editor.createCredential({
		...assistant,
		data: {
			...assistant.data,
			// the table is created at its first use
			...{ useJobLedger: true, n8nUrl: editor.url, ledgerTable: `Chats ${randomUUID()}` },
			n8nApiKey: await editor.createApiKey(dataTableScopes),
		},
	});
	const accounts = { ...bridge.accounts, assistant: account };
	const url = await openChat('chat-with-the-market-assistant.json', accounts);
	const say = async (sessionId: string) => {
		let said = '';
		const message = { action: 'sendMessage', sessionId, chatInput: 'And now?' };
		for await (const { type, content } of callLive(url, message))
			if (type === 'item') said += content ?? '';
		return said;
	};
	const [mine, other] = [randomUUID().replaceAll('-', ''), randomUUID()];
	expect(await say(mine)).toMatch(/Reading market data…[^]*This is message 1 of this chat/);
	expect(await say(mine)).toContain('This is message 2 of this chat');
	expect(await say(other)).toContain('This is message 1 of this chat');
	expect(await say(mine)).toContain('This is message 3 of this chat');
	expect(itemsOf(await execution(4), 'Assistant')[0]?.json).toMatchObject({
		chatId: expect.any(String),
		sessionSource: 'chatTrigger',
	});
});

it('a response, too', async () => {
	const tested = nodesFor(bridge.accounts).router('Chat', ['text', 'message'], {
		model: model('northwind/quill-2.5'),
		options: { protocol: 'responses' },
		prompt: '={{ $json.body.q }}',
	});
	const url = await published(tested);
	let text = '';
	for await (const { type, content } of callLive(url, { q: '[[words:20]]' }))
		if (type === 'item') text += content ?? '';
	expect(text).toMatch(/^word1 .*word20$/);
});

it('a chat that does not stream shows "output"', async () => {
	const tested = chat(messages('={{ $json.chatInput }}'));
	const file = workflow('quiet', [], tested);
	const webhookId = `quiet-${Math.random().toString(36).slice(2)}`;
	Object.assign(file.nodes[0]!, {
		type: '@n8n/n8n-nodes-langchain.chatTrigger',
		typeVersion: 1.4,
		webhookId,
		parameters: { public: true, mode: 'webhook', options: { responseMode: 'lastNode' } },
	});
	await activated({ ...file, pinData: {} });
	const { status, body } = await bridge.editor.webhook(`${webhookId}/chat`, {
		action: 'sendMessage',
		sessionId: 'a-chat',
		chatInput: 'hello',
	});
	expect([status, body]).toMatchObject([200, { output: 'You said: "hello".' }]);
});

it('items follow one another while it streams', async () => {
	const items = node(
		'Items',
		'n8n-nodes-base.splitOut',
		{ fieldToSplitOut: 'body.items', options: {} },
		{},
	);
	const tested = chat(messages('={{ $json.q }}'));
	const url = await published(items, tested);
	const order: Array<string | number> = [];
	const body = { items: [{ q: '[[words:30]]' }, { q: '[[words:30]]' }, { q: '[[words:30]]' }] };
	for await (const { type, metadata } of callLive(url, body)) {
		if (type === 'item' && order.at(-1) !== metadata?.itemIndex)
			order.push(metadata?.itemIndex ?? -1);
	}
	expect(order).toEqual([0, 1, 2]);
	expect(bridge.service.mostInFlight).toBe(1);
});

it('an answer that breaks off: what came, and an error that can be read', async () => {
	bridge.service.fault({
		match: { method: 'POST' },
		do: { type: 'limit_data', bytes: 1500 },
	});
	const url = await published(chat(messages('={{ $json.body.q }}')));
	const chunks: Chunk[] = [];
	for await (const chunk of callLive(url, { q: '[[words:50]]' })) chunks.push(chunk);
	expect(chunks.find(({ type }) => type === 'item')?.content).toMatch(/^word1/);
	expect(chunks.find(({ type }) => type === 'error')?.content).toMatch(/connection broke/);
	const text = chunks
		.filter(({ type }) => type === 'item')
		.map(({ content }) => content)
		.join('');
	const run = await execution();
	expect(JSON.stringify(run.runData['Chat']?.[0]?.error?.context)).toContain(text);
});
