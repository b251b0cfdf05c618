import { randomUUID } from 'node:crypto';

import { AGENT_KEY, type AgentServers, agentServers } from '../service/agentServers.ts';
import { bridgeOfFile, model, packageName } from './bridge.ts';
import { until } from './editor.ts';
import { exampleFor } from './example.ts';
import { connectMcp, publishMcp, publishMcpTools, type McpClient } from './mcp.ts';
import { sessionsAt } from './conversationWorkflow.ts';
import { node, using } from './workflow.ts';

// the example that offers our services to MCP clients, set up as its notes say, and with changes to its nodes
const bridge = bridgeOfFile();
const token = randomUUID();
let bearer: { id: string; name: string };
beforeAll(async () => {
	bearer = await bridge.editor.createCredential({
		name: 'Token of the MCP server',
		type: 'httpBearerAuth',
		data: { token },
	});
});
beforeEach(() => (bridge.service.forms.jobSteps = 0));

/** Parameters of nodes by the name of the node, and whether it is deactivated. */
type Changes = Record<string, Record<string, unknown>>;

async function publish(changes: Changes = {}) {
	const example = exampleFor(bridge.accounts, 'offer-services-to-mcp-clients.json');
	const setUp: Changes = { 'Ask a Model': { model: model('northwind/quill-2.5') }, ...changes };
	for (const node of example.nodes) {
		const { disabled = node['disabled'], ...parameters } = setUp[node.name] ?? {};
		Object.assign(node, { parameters: { ...node.parameters, ...parameters }, disabled });
		if (node.type.endsWith('.mcpTrigger'))
			node.credentials = { httpBearerAuth: { id: bearer.id, name: bearer.name } };
	}
	return await publishMcp(bridge.editor, example);
}

/** A copy of the example with changes, and a client that is connected to it. */
function clientOf(changes: Changes) {
	let server: Awaited<ReturnType<typeof publish>>;
	let client: McpClient;
	beforeAll(async () => {
		server = await publish(changes);
		client = await connectMcp(server.url, token);
	});
	afterAll(async () => await client?.close());
	return { client: () => client, url: () => server.url, id: () => server.workflow.id };
}

/** The custom data of all executions of a workflow. */
async function storedBy(id: string) {
	const { editor } = bridge;
	const all = (await editor.executions(id)).map((each) => editor.execution(each.id));
	return (await Promise.all(all)).map(({ customData = {} }) => customData);
}

/** The text of a call's answer. */
async function call(client: McpClient, name: string, given: Record<string, unknown>) {
	const { content, isError } = await client.callTool({ name, arguments: given });
	expect(content.map(({ type }) => type)).toEqual(['text']);
	return { text: content[0]?.text ?? '', isError: isError ?? false };
}

/** The items of a call that went well: a node's tool gives a list of them as text. */
async function items(client: McpClient, name: string, given: Record<string, unknown>) {
	const { text, isError } = await call(client, name, given);
	expect(isError).toBe(false);
	return JSON.parse(text) as Array<Record<string, unknown>>;
}

const posts = () => bridge.service.requests.filter(({ method }) => method === 'POST');

describe('set up as its notes say', () => {
	const { client, url, id } = clientOf({});

	it.each([undefined, 'another'])('refuses a client with the token %s', async (wrong) => {
		await expect(connectMcp(url(), wrong)).rejects.toMatchObject({
			code: expect.any(Number),
			message: expect.stringMatching(/Authorization|Unauthorized|Forbidden/i),
		});
		expect(bridge.service.requests).toEqual([]);
	});

	it('lists three tools, each with one text that the caller writes', async () => {
		const { tools } = await client().listTools();
		const tool = (name: string, about: string, field: string, asked: RegExp) => ({
			name,
			description: expect.stringContaining(about),
			inputSchema: expect.objectContaining({
				type: 'object',
				properties: { [field]: { type: 'string', description: expect.stringMatching(asked) } },
				required: [field],
			}),
		});
		expect([...tools].sort((one, other) => one.name.localeCompare(other.name))).toEqual([
			tool('Ask_a_Model', 'what it cost in USD', 'prompt', /whole prompt/),
			tool('Ask_About_Markets', 'crypto markets', 'question', /token, chain or wallet/),
			tool('Ask_the_Agent', 'AI agent of our workspace', 'message', /everything it needs to know/),
		]);
		expect(client().getInstructions()).toContain('Every call is a new conversation');
		expect(posts()).toEqual([]);
	});

	it('asks the agent in a new session with every call, the assistant in a new chat, and a model, which says what it cost; nothing else that a caller gives changes session or model', async () => {
		const sessionId = randomUUID();
		const more = {
			sessionId,
			sessionMode: 'id',
			sessionKey: 'mine',
			chatId: 'mine',
			chat_id: 'mine',
			model: 'aurora-labs/omni-2',
			spendingCapPerItem: 1000,
			body: { sessionId },
		};
		const answers = [
			...(await items(client(), 'Ask_the_Agent', { message: 'hello' })),
			...(await items(client(), 'Ask_the_Agent', { message: 'hello', ...more })),
			...(await items(client(), 'Ask_About_Markets', { question: 'ETH?', ...more })),
			...(await items(client(), 'Ask_a_Model', { prompt: 'hello', ...more })),
		];
		const output = 'You said: "hello". This is message 1 of this session.';
		expect(answers).toMatchObject([
			{ output, complete: true, sessionSource: 'new' },
			{ output, complete: true, sessionSource: 'new' },
			{ output: expect.stringContaining('message 1 of this chat'), complete: true },
			{ output: 'You said: "hello".', complete: true, costUsd: expect.any(Number) },
		]);
		const chat = {
			model: 'northwind/quill-2.5',
			max_tokens: 2000,
			messages: [{ role: 'user', content: 'hello' }],
		};
		expect(posts().map(({ body }) => body)).toEqual([
			{ content: 'hello' },
			{ content: 'hello' },
			{ message: 'ETH?' },
			expect.objectContaining(chat),
		]);
		const sessions = sessionsAt(bridge);
		expect(sessions).toEqual(answers.slice(0, 2).map((answer) => answer['sessionId']));
		expect(new Set([...sessions, sessionId]).size).toBe(3);
		expect(answers[2]?.['chatId']).not.toBe('mine');
	});

	it('gives calls at the same time their own answer and execution, and sends each once', async () => {
		const words = ['one', 'two', 'three', 'four'];
		const answers = await Promise.all(
			words.map(async (message) => await items(client(), 'Ask_the_Agent', { message })),
		);
		expect(answers.flat().map(({ output }) => output)).toEqual(
			words.map((word) => `You said: "${word}". This is message 1 of this session.`),
		);
		const sessions = sessionsAt(bridge);
		expect(new Set(sessions).size).toBe(words.length);
		await until('n8n has stored each in an execution of its own', async () => {
			const stored = (await storedBy(id())).map(({ session }) => session);
			return sessions.every((session) => stored.includes(session));
		});
	});
});

const keyed = (sessionKey: string) => ({ sessionMode: 'key', sessionKey });

describe('with a fixed session key, and leave to make pictures', () => {
	const key = randomUUID();
	const { client, id } = clientOf({
		'Ask the Agent': keyed(key),
		'Make a Picture': {
			disabled: false,
			model: model('canvas/sketch-1'),
			allowAgents: true,
			// as a new node has it
			prompt: undefined,
		},
	});

	it('calls go on with one conversation, which no caller can leave', async () => {
		await call(client(), 'Ask_the_Agent', { message: 'My project is called Lighthouse.' });
		const { text } = await call(client(), 'Ask_the_Agent', {
			message: 'Which project?',
			sessionMode: 'new',
			sessionId: randomUUID(),
			sessionKey: randomUUID(),
		});
		expect(text).toContain('This is message 2 of this session');
		const [session, ...others] = sessionsAt(bridge);
		expect(others).toEqual([session]);
		// a session of a key is none that somebody could name by its ID
		expect(session).not.toBe(key);
	});

	it('makes one picture per call of what the caller writes, each in an execution of its own that has its job', async () => {
		const { tools } = await client().listTools();
		expect(tools.find(({ name }) => name === 'Make_a_Picture')).toMatchObject({
			inputSchema: { properties: { Prompt: { type: 'string' } }, required: ['Prompt'] },
		});
		for (const calls of [1, 2]) {
			const given = { Prompt: 'A lighthouse by MCP' };
			const [made] = await items(client(), 'Make_a_Picture', given);
			expect(made).toMatchObject({ state: 'completed', jobId: expect.stringMatching(/^job-/) });
			expect(bridge.service.starts(given.Prompt)).toBe(calls);
			await until('n8n has stored it', async () =>
				(await storedBy(id())).some(({ mediaJob }) => mediaJob === made?.['jobId']),
			);
		}
	});
});

describe('with a session key that the caller would choose', () => {
	const chosen = "={{ $('MCP Server Trigger').item.json.body.params.arguments.sessionId }}";
	const { client } = clientOf({ 'Ask the Agent': keyed(chosen) });

	it('the agent is sent nothing, whatever the caller gives', async () => {
		const given = { message: 'hello', sessionId: randomUUID() };
		expect((await call(client(), 'Ask_the_Agent', given)).text).toMatch(
			/Session Key has an expression that the model of an AI agent could fill/,
		);
		expect(posts()).toEqual([]);
	});
});

describe('an agent of another server', () => {
	let servers: AgentServers;
	beforeAll(async () => void (servers = await agentServers()));
	afterAll(async () => await servers.stop());

	it('is a tool that needs a credential and nothing else, whose session no caller chooses', async () => {
		const data = servers.credential('a2a');
		const secret = { type: 'agentServerApi', name: 'Agent Server account', data };
		const account = await bridge.editor.createCredential(secret);
		const type = `${packageName}.workspaceAgentTool`;
		const tool = node('Ask_It', type, { agentOf: 'server' }, using(account));
		const client = await connectMcp(await publishMcpTools(bridge.editor, [tool]));
		const { tools } = await client.listTools();
		expect(tools).toMatchObject([
			{ name: 'Ask_It', description: 'Send a message to a remote agent and get its answer' },
		]);
		const given = { Message: 'hello', sessionId: 'of another', taskId: 'of another' };
		const answers = await items(client, 'Ask_It', given);
		expect(answers).toMatchObject([{ output: 'I heard: hello This is message 1.', server: 'A2A' }]);
		const sent = JSON.stringify(servers.calls.map(({ path, body }) => [path, body]));
		expect(sent).not.toMatch(new RegExp(`of another|${AGENT_KEY}`));
		await client.close();
	});

	it('approves nothing, whatever a caller gives', async () => {
		const data = servers.credential('langGraph');
		const secret = { type: 'agentServerApi', name: 'LangGraph account', data };
		const account = await bridge.editor.createCredential(secret);
		const agent = model('3f0b0000-0000-4000-8000-000000000000');
		const keyed = { agentOf: 'server', agent, sessionMode: 'key', sessionKey: 'mcp' };
		const type = `${packageName}.workspaceAgentTool`;
		const tools = ['none', 'approve'].map((answerToApproval) =>
			node(
				`Ask_${answerToApproval}`,
				type,
				{ ...keyed, options: { answerToApproval } },
				using(account),
			),
		);
		const client = await connectMcp(await publishMcpTools(bridge.editor, tools));
		const [asked] = await items(client, 'Ask_none', { Message: 'Pay it [may]' });
		const { taskId, sessionId, sessionAt } = asked!;
		expect(asked).toMatchObject({ waitsFor: { kind: 'approval', text: 'May I?' } });
		const decided = { answerToApproval: 'approve', decision: 'approve', approved: true };
		const more = { ...decided, taskId, sessionId, sessionAt, waitsFor: { kind: 'input' } };
		for (const tool of ['Ask_none', 'Ask_approve']) {
			const { text } = await call(client, tool, { Message: 'approve', ...more });
			expect(text).toMatch(/waits for the decision of a person/);
		}
		expect(servers.calls.filter(({ path }) => path.endsWith('/runs/stream'))).toHaveLength(1);
		await client.close();
	});
});
