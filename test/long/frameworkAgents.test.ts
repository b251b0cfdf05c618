import { randomUUID } from 'node:crypto';

import { nodesFor, type Accounts } from '../n8n/bridge.ts';
import type { Editor, SavedCredential } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { bubblesOf } from '../n8n/liveCaller.ts';
import { sharedEditor } from '../n8n/shared.ts';
import {
	beginAt,
	chatTrigger,
	node,
	webhook,
	workflow,
	type WorkflowNode,
} from '../n8n/workflow.ts';
import { FrameworkAgents } from './frameworkAgents.ts';

// the Remote Agent and the servers of real frameworks, with a model behind them that answers from a script. Those that the credential
// Agent Server API knows are asked by it; the others are behind an address of a workspace
let editor: Editor;
let agents: FrameworkAgents;
beforeAll(async () => {
	editor = await sharedEditor();
	agents = await FrameworkAgents.start();
});
afterAll(async () => await agents?.stop());

/** What is entered for those that the credential knows. */
const SERVERS: Record<string, { server: string; keyIn: string } | undefined> = {
	a2a: { server: 'a2a', keyIn: 'bearer' },
	a2a03: { server: 'a2a', keyIn: 'none' },
	agUi: { server: 'agUi', keyIn: 'bearer' },
	aiSdk: { server: 'aiSdk', keyIn: 'none' },
	langGraph: { server: 'langGraph', keyIn: 'xApiKey' },
	n8nChat: { server: 'n8nChat', keyIn: 'none' },
};

/** A credential for an agent. @param more What it has instead. */
async function accountOf(agent: string, more: Record<string, unknown> = {}) {
	const baseUrl = agent === 'n8nChat' ? '' : agents.baseUrl(agent);
	return await editor.createCredential({
		name: agent,
		type: SERVERS[agent] ? 'agentServerApi' : 'workspaceAgentApi',
		data: { ...SERVERS[agent], baseUrl, apiKey: 'key', ...more },
	});
}

/** One of those of the server of LangGraph: test/host-agents/graph.mjs. */
const graphOf = (value: string) => ({ agent: { __rl: true, mode: 'id', value } });

const remoteAgent = (
	account: SavedCredential,
	parameters: Record<string, unknown>,
	settings = {},
) =>
	nodesFor({ agent: account } as Accounts).agent(
		'Chat',
		['message', 'send'],
		{
			...(account.type === 'agentServerApi' && { agentOf: 'server' }),
			...(account.name === 'langGraph' && graphOf('agent')),
			...parameters,
		},
		settings,
	);

/** Publishes a workflow that tells an agent what its webhook is told. @param before Nodes between the two. */
async function publish(
	account: SavedCredential,
	more: Record<string, unknown> = {},
	...before: WorkflowNode[]
) {
	const path = randomUUID();
	const asking = remoteAgent(
		account,
		{
			message: '={{ $json.body.q }}',
			sessionMode: 'id',
			sessionId: '={{ $json.body.session }}',
			options: { includeRawEvents: true },
			...more,
		},
		{ onError: 'continueErrorOutput' },
	);
	const saved = await editor.publish(beginAt(workflow(path, [], ...before, asking), webhook(path)));
	let calls = 0;
	return {
		sessionId: path,
		say: async (
			q: string,
			session = path,
			onWord?: (count: number) => Promise<void>,
			more: object = {},
		) => {
			const url = `${editor.url}/webhook/${path}`;
			const { chunks, heard } = await agents.listen(url, { ...more, q, session }, onWord);
			const execution = await editor.finishedOf(saved.id, ++calls);
			const [[item], [failed]] = [itemsOf(execution, 'Chat'), itemsOf(execution, 'Chat', 1)];
			return { bubbles: bubblesOf(chunks), heard, item: item?.json, failed: failed?.json };
		},
	};
}

/** An agent by n8n's own Chat Trigger. @returns the credential for it */
async function chatOf(streaming: boolean): Promise<SavedCredential> {
	const path = randomUUID();
	const said = { messageSource: 'define', message: '={{ $json.chatInput }}' };
	const jsCode = `const said = $getWorkflowStaticData('global');
		const { sessionId, chatInput } = $json;
		said[sessionId] = [...(said[sessionId] ?? []), chatInput];
		return { output: \`You first asked: \${said[sessionId][0]} This is your question \${said[sessionId].length}.\` };`;
	const code = { jsCode, mode: 'runOnceForEachItem' };
	const answering = streaming
		? remoteAgent(await accountOf('ai-sdk'), { ...said, sessionMode: 'fromInput' })
		: node('Chat', 'n8n-nodes-base.code', code, { typeVersion: 2 });
	const trigger = chatTrigger(path, streaming ? 'streaming' : 'lastNode');
	await editor.publish(beginAt(workflow(path, [], answering), trigger));
	return await accountOf('n8nChat', { baseUrl: `${editor.url}/webhook/${path}/chat` });
}

const credentialOf = async (agent: string) =>
	agent === 'n8nChat' ? await chatOf(true) : await accountOf(agent);

const BEFORE = 'One moment, please.';
const FIRST = 'Where is the key?';
const AFTER = (count: number) => `You first asked: ${FIRST} This is your question ${count}.`;
const wordByWord = (text: string) =>
	[...text.matchAll(/\S+/g)].map(({ 0: word, index }) => text.slice(0, index + word.length));

/** `server` as the credential names it; none for one behind an address of a workspace. */
type Row = [name: string, agent: string, dialect: string, server: string];
const served: Row[] = [
	['AI SDK', 'ai-sdk', 'AI SDK', ''],
	['A2A 1.0 over JSON-RPC', 'a2a', 'A2A 1.0', 'A2A'],
	['A2A 0.3 over JSON-RPC', 'a2a03', 'A2A 0.3', 'A2A'],
	['A2A 1.0 over REST', 'a2a-rest', 'A2A 1.0', ''],
	['LangGraph', 'langGraph', 'LangGraph', 'LangGraph'],
	['LangGraph with its state', 'langgraph-values', 'LangGraph', ''],
	['n8n Chat', 'n8nChat', 'n8n', 'n8n Chat'],
];

it.each(served)(
	'%s: word by word, with a tool, remembers, and begins anew in another session',
	async (_name, agent, dialect, server) => {
		const { say, sessionId } = await publish(await credentialOf(agent));
		const talk = [
			[FIRST, sessionId, 1],
			['And now?', sessionId, 2],
			[FIRST, randomUUID(), 1],
		] as const;
		for (const [question, session, count] of talk) {
			const output = `${BEFORE}\n\n${AFTER(count)}`;
			const { bubbles, heard, item, failed } = await say(question, session);
			expect(failed).toBeUndefined();
			expect(heard).toEqual(wordByWord(output));
			expect(bubbles).toEqual([['Chat', output]]);
			expect(item).toEqual({
				output,
				sessionId: session,
				sessionSource: 'id',
				...(server && { server, sessionAt: expect.any(String) }),
				complete: true,
				dialect,
				format: agent === 'n8nChat' ? 'ndjson' : 'sse',
				durationMs: expect.any(Number),
				events: expect.any(Array),
			});
			// the tool was there, and is not in the text; n8n's chat does not pass it on
			if (agent !== 'n8nChat')
				expect(JSON.stringify(item?.['events'])).toContain('the result of the tool');
		}
	},
);

const forgetful: Row[] = [
	['AG-UI', 'agUi', 'AG-UI', 'AG-UI'],
	['AI SDK with all messages', 'aiSdk', 'AI SDK', 'AI SDK'],
];

it.each(forgetful)(
	'%s: word by word, with a tool, and goes on by the history of the item alone',
	async (_name, agent, dialect, server) => {
		const item = node(
			'Item',
			'n8n-nodes-base.code',
			{
				jsCode: 'return { json: { body: $json.body, ...$json.body } };',
				mode: 'runOnceForEachItem',
			},
			{ typeVersion: 2 },
		);
		const fromInput = { sessionMode: 'fromInput' };
		const { say } = await publish(await accountOf(agent), fromInput, item);
		let carried = {};
		for (const [question, count] of [
			[FIRST, 1],
			['And now?', 2],
		] as const) {
			const output = `${BEFORE}\n\n${AFTER(count)}`;
			const { bubbles, heard, item, failed } = await say(question, undefined, undefined, carried);
			expect(failed).toBeUndefined();
			expect(heard).toEqual(wordByWord(output));
			expect(bubbles).toEqual([['Chat', output]]);
			expect(item).toMatchObject({ output, server, complete: true, dialect, format: 'sse' });
			expect(JSON.stringify(item?.['events'])).toContain('the result of the tool');
			expect(item?.['history']).toHaveLength(2 * count);
			const { sessionId, sessionAt, history } = item!;
			carried = { sessionId, sessionAt, history };
		}
		// without it, it is another conversation
		const { item: alone } = await say(FIRST);
		expect(alone?.['output']).toBe(`${BEFORE}\n\n${AFTER(1)}`);
	},
);

it('n8n Chat without streaming: the whole answer, remembers, and begins anew in another session', async () => {
	const { say, sessionId } = await publish(await chatOf(false));
	for (const [session, count] of [
		[sessionId, 1],
		[sessionId, 2],
		[randomUUID(), 1],
	] as const) {
		const { item, failed } = await say(FIRST, session);
		expect(failed).toBeUndefined();
		expect(item).toMatchObject({ output: AFTER(count), sessionId: session, complete: true });
	}
});

type Broken = [name: string, agent: string, dialect: string, question: string, reason: RegExp];
const broken: Broken[] = [...served, ...forgetful]
	.filter(([, agent]) => agent !== 'n8nChat')
	.map(([name, agent, dialect]) => [
		name,
		agent,
		dialect,
		'[fail]',
		/The model broke in the middle/,
	]);
// its own server ends the body regularly then
broken.push([
	'AI SDK without an end',
	'ai-sdk',
	'AI SDK',
	'[break]',
	/AI SDK ends with .* which did not arrive/,
]);

it.each(broken)('%s: broken in the middle is an error with what it said', async (...row) => {
	const [, agent, dialect, question, reason] = row;
	const { say } = await publish(await credentialOf(agent));
	const { bubbles, item, failed } = await say(question);
	expect(item).toBeUndefined();
	// the error stands apart
	expect(bubbles).toEqual([['Chat', `${BEFORE}\n\n`]]);
	expect(failed).toMatchObject({
		error: expect.stringMatching(
			/^The ([\w-]+ )*(service|server) reported an error: .*The model broke in the middle|^The answer stopped before its end/,
		),
		details: {
			kind: 'truncated',
			outcome: 'started',
			reason: expect.stringMatching(reason),
			partial: { text: BEFORE, dialect },
		},
	});
});

it.each([...served, ...forgetful].filter(([, , , server]) => server))(
	'%s: cut in the middle is an error with what it said',
	async (_name, agent, dialect) => {
		const { say } = await publish(await credentialOf(agent));
		const { bubbles, item, failed } = await say(FIRST, undefined, async (count) => {
			if (count === 2) await agents.cut();
		});
		expect(item).toBeUndefined();
		// an agent that is an n8n does the same
		expect(bubbles).toEqual([['Chat', expect.stringMatching(/^One moment,\n\n(\n\n)?$/)]]);
		expect(failed?.['details']).toMatchObject({
			kind: 'truncated',
			outcome: 'started',
			partial: { text: expect.stringMatching(/^One moment,(\n\n)?$/), dialect },
		});
	},
);

type Refused = [
	name: string,
	agent: string,
	data: { apiKey?: string; path?: string },
	more: { agent?: string },
	reason: RegExp,
];
const refused: Refused[] = [
	['LangGraph: a wrong key', 'langGraph', { apiKey: 'wrong' }, {}, /refused the API key \(401\)/],
	['LangGraph: an agent that is gone', 'langGraph', {}, { agent: 'gone' }, /\(404\)/],
	['AG-UI: a wrong key', 'agUi', { apiKey: 'wrong' }, {}, /refused the API key \(401\)/],
	['A2A: an address without an agent', 'a2a', { path: '/nowhere' }, {}, /no card of an agent/],
	['n8n Chat: a workflow that is gone', 'n8nChat', { path: '/webhook/gone/chat' }, {}, /\(404\)/],
];

it.each(refused)(
	'%s is told, and what is known of what was started',
	async (_name, agent, { path, ...data }, more, reason) => {
		const url = agent === 'n8nChat' ? editor.url : agents.baseUrl(agent);
		const account = await accountOf(agent, { baseUrl: url + (path ?? ''), ...data });
		const chosen = more.agent ? graphOf(more.agent) : {};
		const { say } = await publish(account, chosen);
		const { item, failed } = await say(FIRST);
		expect(item).toBeUndefined();
		expect(failed).toMatchObject({
			error: expect.stringMatching(reason),
			// of an endpoint of AG-UI, any status may come after work
			details: { outcome: agent === 'agUi' ? 'unknown' : 'not_started' },
		});
	},
);

it('LangGraph: a second message in a session is refused while the first one is answered', async () => {
	const first = await publish(await accountOf('langGraph'));
	// as of another n8n: the address is another one, so that they do not wait for each other here
	const baseUrl = agents.baseUrl('langGraph').replace('127.0.0.1', 'localhost');
	const second = await publish(await accountOf('langGraph', { baseUrl }));
	let answer: Record<string, unknown> | undefined;
	const { item } = await first.say(FIRST, undefined, async (count) => {
		if (count === 1) answer = (await second.say('And now?', first.sessionId)).failed;
	});
	expect(answer).toMatchObject({
		error: expect.stringMatching(/still answers another message of this session/),
		details: { outcome: 'not_started' },
	});
	expect(item).toMatchObject({ output: `${BEFORE}\n\n${AFTER(1)}` });
});

/** Asks a graph, or decides about what it waits for: each in an execution of its own. */
async function publishDecisions(graph: string) {
	const path = randomUUID();
	const code = { jsCode: 'return $json.body;', mode: 'runOnceForEachItem' };
	const given = node('Given', 'n8n-nodes-base.code', code, { typeVersion: 2 });
	const options = { answerToApproval: '={{ $json.decision }}', includeRawEvents: true };
	const asking = remoteAgent(
		await accountOf('langGraph'),
		{ ...graphOf(graph), message: '={{ $json.q }}', options },
		{ onError: 'continueErrorOutput' },
	);
	const saved = await editor.publish(beginAt(workflow(path, [], given, asking), webhook(path)));
	let calls = 0;
	return async (q: string, decision: string, asked: object = {}) => {
		await agents.listen(`${editor.url}/webhook/${path}`, { ...asked, q, decision });
		const execution = await editor.finishedOf(saved.id, ++calls);
		const [[item], [failed]] = [itemsOf(execution, 'Chat'), itemsOf(execution, 'Chat', 1)];
		return { item: item?.json, failed: failed?.json };
	};
}

it.each([
	['approve', 'true', 'approve'],
	['decline', 'false', 'reject'],
	['text', '"only today"', 'reject'],
])(
	'LangGraph: only a person goes on with what waits, in another execution: %s',
	async (decision, value, ofTool) => {
		const say = await publishDecisions('agent');
		const cases = [
			['[may]', { kind: 'approval', text: 'May I go on?' }, `Decided: ${value}`],
			['[tools]', { kind: 'approval', calls: [{ tool: 'look_up' }] }, `"type":"${ofTool}"`],
		] as const;
		for (const [question, waitsFor, decided] of cases) {
			const { item: asked } = await say(question, 'none');
			expect(asked).toMatchObject({ waitsFor, taskId: expect.stringMatching(/^[\da-f]{32}$/) });
			const refused = await say('Yes, I approve', 'none', asked);
			expect(refused.failed).toMatchObject({ details: { outcome: 'not_started' } });
			const { item } = await say('only today', decision, asked);
			expect(item).toMatchObject({ output: expect.stringContaining(decided) });
			expect(item).not.toHaveProperty('waitsFor');
			const again = await say('only today', decision, asked);
			expect(again.failed?.['error']).toMatch(/Nothing waits for approval/);
		}
	},
);

it('LangGraph: a question is not answered by what another branch says meanwhile', async () => {
	const say = await publishDecisions('branches');
	const { item: asked } = await say(FIRST, 'none');
	expect(asked).toMatchObject({
		output: `May I go on?\n\n${BEFORE}`,
		waitsFor: { kind: 'approval', text: 'May I go on?' },
		taskId: expect.stringMatching(/^[\da-f]{32}$/),
	});
	const { item } = await say('Go on', 'approve', asked);
	expect(item).toMatchObject({ output: 'Decided: true' });
	expect(item).not.toHaveProperty('waitsFor');
});

it.each([
	['approve', 2],
	['decline', 0],
	['text', 0],
])('LangChain asks about both of its tools, and a person decides: %s', async (decision, runs) => {
	const say = await publishDecisions('approving');
	const { item: asked } = await say(FIRST, 'none');
	const call = { tool: 'look_up', arguments: '{"place":"the place that was looked up"}' };
	const line = `${call.tool} with ${call.arguments}`;
	expect(asked).toMatchObject({
		output: expect.stringMatching(`^${BEFORE}\n\n`),
		waitsFor: { kind: 'approval', text: `${line}\n${line}`, calls: [call, call] },
	});
	const { item } = await say('only today', decision, asked);
	expect(item).toMatchObject({ output: AFTER(1) });
	expect(item).not.toHaveProperty('waitsFor');
	const events = (item?.['events'] as object[]).map((event) => JSON.stringify(event));
	const withWords = (words: string) => events.filter((event) => event.includes(words)).length;
	expect(withWords('the result of the tool')).toBe(runs);
	expect(withWords('only today') > 0).toBe(decision === 'text');
});
