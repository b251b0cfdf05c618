import { randomUUID } from 'node:crypto';

import { model, nodesFor, openBridge, packageName, type Bridge } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { callLive, type Chunk } from './liveCaller.ts';
import { node, workflow, type WorkflowFile } from './workflow.ts';

// our three nodes as speakers in n8n's chat: only a credential, and a model, are chosen
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
afterAll(async () => await bridge.service.stop());

it('each speaker answers what was said, in a conversation of its own, and writes it under its name', async () => {
	const { agent, assistant, router } = nodesFor(bridge.accounts);
	const speakers = [
		agent('Colleague', ['message', 'send']),
		assistant('Market', ['question', 'askStreaming']),
		router('Writer', ['text', 'message'], { model: model('northwind/quill-2.5') }),
	];
	const path = `speakers-${randomUUID()}`;
	const file = workflow(
		path,
		[],
		node('Talk', `${packageName}.agentConversation`, {
			turnLimit: 6,
			options: { hearing: 'lastMessage' },
		}),
	);
	Object.assign(file.nodes[0]!, {
		...{ type: '@n8n/n8n-nodes-langchain.chatTrigger', typeVersion: 1.4, webhookId: path },
		parameters: { public: true, mode: 'webhook', options: { responseMode: 'streaming' } },
	});
	const below = { ai_tool: [[{ node: 'Talk', type: 'ai_tool', index: 0 }]] };
	const saved = await bridge.editor.importWorkflow({
		...file,
		pinData: {},
		nodes: [...file.nodes, ...speakers.map((each) => ({ ...each, type: `${each.type}Tool` }))],
		connections: {
			...file.connections,
			...Object.fromEntries(speakers.map(({ name }) => [name, below])),
		} as unknown as WorkflowFile['connections'],
	});
	await bridge.editor.activate(saved);
	const chunks: Chunk[] = [];
	const asked = { action: 'sendMessage', sessionId: randomUUID(), chatInput: 'Is it a good day?' };
	for await (const chunk of callLive(`${bridge.editor.url}/webhook/${path}/chat`, asked))
		chunks.push(chunk);
	const execution = await bridge.editor.finishedOf(saved.id);

	const [talk] = itemsOf(execution, 'Talk');
	expect(talk?.json).toMatchObject({ turns: 6 });
	const transcript = talk?.json['transcript'] as Array<{ speaker: string; text: string }>;
	const names = speakers.map(({ name }) => name);
	expect(transcript.map(({ speaker }) => speaker)).toEqual([...names, ...names]);
	const bubbles = chunks
		.map(({ type, content }) => (type === 'item' ? content : `<${type}>`))
		.join('')
		.split('<begin>')
		.slice(1);
	expect(bubbles).toEqual(transcript.map(({ speaker, text }) => `**${speaker}:**\n\n${text}<end>`));
	const writers = new Set(chunks.flatMap(({ metadata }) => metadata?.nodeName ?? []));
	expect([...writers].sort()).toEqual([...names].sort());

	const posts = bridge.service.requests.filter(({ method }) => method === 'POST');
	const bodies = posts.map(({ body }) => body as Record<string, unknown>);
	expect(bodies).toHaveLength(6);
	expect(bodies[0]).toEqual({ content: 'Is it a good day?' });
	const said = (turn: number) =>
		expect.stringContaining(transcript[turn - 1]?.text ?? '') as unknown;
	expect(bodies[1]?.['message']).toEqual(said(1));
	expect(posts[3]?.path).toBe(posts[0]?.path);
	expect(bodies[4]?.['chat_id']).toEqual(expect.any(String));
	expect(bodies[5]?.['messages']).toEqual([
		{ role: 'user', content: said(2) },
		{ role: 'assistant', content: transcript[2]?.text },
		{ role: 'user', content: said(5) },
	]);
});
