import { randomUUID } from 'node:crypto';

import { agentServers, type AgentServers } from '../service/agentServers.ts';
import { A2aServer } from './a2aServer.ts';
import { model } from './bridge.ts';
import { outcomeOf, saidIn } from './conversationWorkflow.ts';
import { chatMessage } from './editor.ts';
import { galleryOfFile, given, textsOf } from './gallery.ts';
import { linkOf, openLink } from './mailServer.ts';
import { using, type WorkflowFile } from './workflow.ts';

// agents of somebody else: the workflows of the gallery that ask them, A2A 0.3 against a server of the protocol's own SDK
const { bridge, load, run, runSaved, start, finished, mailOf } = galleryOfFile({});
let elsewhere: A2aServer;
let servers: AgentServers;
beforeAll(async () => {
	elsewhere = await A2aServer.start();
	servers = await agentServers();
});
beforeEach(() => elsewhere.clear());
afterAll(async () => {
	await elsewhere?.stop();
	await servers?.stop();
});

/** A workflow whose user has made a credential for the agent elsewhere. */
async function loadWith(
	file: string,
	data: Record<string, string>,
	parameters: Record<string, unknown> = {},
): Promise<WorkflowFile> {
	const secret = { name: 'Agent Server account', type: 'agentServerApi', data };
	const account = using(await bridge.editor.createCredential(secret));
	const example = load(file);
	const nodes = example.nodes.map((node) =>
		node.parameters['agentOf'] === 'server'
			? { ...node, ...account, parameters: { ...node.parameters, ...parameters } }
			: node,
	);
	return { ...example, nodes };
}

it('an A2A agent and a model talk: one context, a task for what the agent asks, and only the model costs', async () => {
	const data = { server: 'a2a', baseUrl: elsewhere.url, keyIn: 'none' };
	const file = await loadWith('a2a-agent-and-model-agree-under-one-dollar.json', data);
	const outcome = outcomeOf(await run(file, { given: chatMessage('Book a room [ask]') }));
	expect(outcome).toMatchObject({
		ended: 'turnLimit',
		turns: 6,
		speakersWithoutCost: ['Agent Elsewhere'],
	});
	expect(outcome['costUsd']).toBeGreaterThan(0);
	expect(outcome['costUsd']).toBeLessThan(1);
	const [asks, answer, noted, reply, heard] = outcome.transcript;
	expect(saidIn(outcome).map(([who]) => who)).toEqual([
		'Agent Elsewhere',
		'Tester',
		'Agent Elsewhere',
		'Tester',
		'Agent Elsewhere',
		'Tester',
	]);
	expect(asks).toMatchObject({ text: expect.stringContaining('On which day?'), server: 'A2A' });
	expect(noted?.text).toBe(`Noted: ${answer?.text}`);
	expect(heard?.text).toBe(`I heard "${reply?.text}". This is message 3 of this context.`);
	const { messages } = elsewhere;
	const { contextId } = messages[0]!;
	expect(contextId).toMatch(/^[\da-f-]{36}$/);
	expect(messages).toMatchObject([{ contextId }, { contextId }, { contextId }]);
	// only between the question and its answer is there a task
	expect(messages.map(({ taskId }) => typeof taskId)).toEqual(['undefined', 'string', 'undefined']);
	expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(3);
	expect(outcome.transcript.map(({ sessionId }) => sessionId)[2]).toBe(contextId);
});

it('a chat with an A2A agent goes on with the next message, and another chat begins anew', async () => {
	const file = await loadWith('talk-to-an-agent-elsewhere-by-a2a.json', servers.credential('a2a'));
	const saved = await bridge.editor.importWorkflow(file);
	const say = async (text: string, chatId: string) => {
		const execution = await runSaved(saved, { given: chatMessage(text, chatId) });
		return given(execution, 'Agent Elsewhere')[0];
	};
	const chatId = randomUUID();
	expect(await say('one', chatId)).toMatchObject({
		output: 'I heard: one This is message 1.',
		server: 'A2A',
		sessionSource: 'chatTrigger',
	});
	expect((await say('two', chatId))?.['output']).toBe('I heard: two This is message 2.');
	expect((await say('three', randomUUID()))?.['output']).toBe('I heard: three This is message 1.');
});

it('an assistant of LangGraph is asked twice in one thread, which a later execution continues', async () => {
	// as its user chooses it
	const agent = model('3f0b0000-0000-4000-8000-000000000000');
	const account = servers.credential('langGraph');
	const file = await loadWith('ask-a-langgraph-agent.json', account, { agent });
	const outputs = async () => {
		const execution = await run(file);
		return ['Greet the Agent', 'Ask Again'].map((name) => given(execution, name)[0]?.['output']);
	};
	const hello = 'I heard: Hello! My project is called Lighthouse. This is message';
	const question = 'I heard: What is my project called? This is message';
	expect(await outputs()).toEqual([`${hello} 1.`, `${question} 2.`]);
	expect(await outputs()).toEqual([`${hello} 3.`, `${question} 4.`]);
});

it.each([true, false])(
	'a person decides what an agent of LangGraph waits for, and the agent goes on: %s',
	async (isApproved) => {
		const agent = model('3f0b0000-0000-4000-8000-000000000000');
		const file = await loadWith(
			'let-a-person-approve-what-a-langgraph-agent-does.json',
			servers.credential('langGraph'),
			{ agent },
		);
		const id = await start(file, { Task: 'Cancel order 7 [may]' });
		const mail = await mailOf(id);
		expect(mail.body).toContain('May I?');
		await openLink(linkOf(mail, isApproved));
		expect(textsOf(await finished(id), 'Post the Answer')).toEqual([
			expect.stringContaining(`decided: [${isApproved}]`),
		]);
	},
);
