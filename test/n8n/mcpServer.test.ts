import { randomUUID } from 'node:crypto';

import { model, openBridge, type Bridge } from './bridge.ts';
import { until, type SavedWorkflow } from './editor.ts';
import { exampleFor } from './example.ts';
import { connectMcp, type McpClient } from './mcpClient.ts';
import { onWorkers } from './shared.ts';

const file = 'offer-services-to-mcp-clients.json';
const token = randomUUID();

let bridge: Bridge;
let bearer: { id: string; name: string };
beforeAll(async () => {
	bridge = await openBridge();
	bearer = await bridge.editor.createCredential({
		name: 'Token of the MCP server',
		type: 'httpBearerAuth',
		data: { token },
	});
});
beforeEach(() => {
	bridge.service.reset();
	bridge.service.forms.jobSteps = 0;
});
afterAll(async () => await bridge.service.stop());

/** The address of one published copy of the example. */
interface Server {
	url: string;
	workflow: SavedWorkflow;
}

/** Publishes the example, set up as its notes say, with further changes to its nodes. */
async function publish(changes: Changes = {}): Promise<Server> {
	const example = exampleFor(bridge.accounts, file);
	const path = `mcp-${randomUUID()}`;
	for (const node of example.nodes) {
		const { disabled = node['disabled'], ...parameters } = changes[node.name] ?? {};
		if (node.name === 'Ask a Model') node.parameters['model'] = model('northwind/quill-2.5');
		Object.assign(node.parameters, parameters);
		node['disabled'] = disabled;
		if (!node.type.endsWith('.mcpTrigger')) continue;
		node.parameters['path'] = path;
		node['webhookId'] = randomUUID();
		node.credentials = { httpBearerAuth: { id: bearer.id, name: bearer.name } };
	}
	const workflow = await bridge.editor.importWorkflow(example);
	await bridge.editor.activate(workflow);
	const url = `${bridge.editor.url}/mcp/${path}`;
	// n8n registers the address a moment after the publication
	await until(`${url} is registered`, async () => (await fetch(url)).status !== 404);
	return { url, workflow };
}

/** Parameters of nodes by the name of the node, and whether it is deactivated. */
type Changes = Record<string, Record<string, unknown>>;

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
const sessionsOf = () =>
	posts().flatMap(({ path }) => /\/session\/([^/]+)\//.exec(path)?.[1] ?? []);

describe('the example, set up as its notes say', () => {
	let url: string;
	let client: McpClient;
	beforeAll(async () => {
		({ url } = await publish());
		client = await connectMcp(url, token);
	});
	afterAll(async () => await client?.close());

	it.each([
		['no token', undefined],
		['another token', 'another'],
	])('refuses a client with %s', async (_what, wrong) => {
		await expect(connectMcp(url, wrong)).rejects.toMatchObject({
			code: expect.any(Number),
			message: expect.stringMatching(/Authorization|Unauthorized|Forbidden/i),
		});
		expect(bridge.service.requests).toEqual([]);
	});

	it('lists three tools, each with one text that the caller writes', async () => {
		const { tools } = await client.listTools();
		const asked = (field: string, description: RegExp) => ({
			type: 'object',
			properties: {
				[field]: { type: 'string', description: expect.stringMatching(description) },
			},
			required: [field],
		});
		const byName = [...tools].sort((one, other) => one.name.localeCompare(other.name));
		expect(byName).toEqual([
			{
				name: 'Ask_a_Model',
				description: expect.stringContaining('what it cost in USD'),
				inputSchema: expect.objectContaining(asked('prompt', /whole prompt/)),
			},
			{
				name: 'Ask_About_Markets',
				description: expect.stringContaining('crypto markets'),
				inputSchema: expect.objectContaining(asked('question', /token, chain or wallet/)),
			},
			{
				name: 'Ask_the_Agent',
				description: expect.stringContaining('AI agent of our workspace'),
				inputSchema: expect.objectContaining(asked('message', /everything it needs to know/)),
			},
		]);
		expect(client.getInstructions()).toContain('Every call is a new conversation');
		expect(posts()).toEqual([]);
	});

	it('asks the workspace agent, in a new session with every call', async () => {
		const given = { message: 'What is Lighthouse?' };
		const answers = [
			...(await items(client, 'Ask_the_Agent', given)),
			...(await items(client, 'Ask_the_Agent', given)),
		];
		const output = 'You said: "What is Lighthouse?". This is message 1 of this session.';
		expect(answers).toMatchObject([
			{ output, complete: true, sessionSource: 'new' },
			{ output, complete: true, sessionSource: 'new' },
		]);
		expect(posts().map(({ body }) => body)).toEqual([
			{ content: 'What is Lighthouse?' },
			{ content: 'What is Lighthouse?' },
		]);
		expect(sessionsOf()).toEqual(answers.map(({ sessionId }) => sessionId));
		expect(new Set(sessionsOf()).size).toBe(2);
	});

	it('asks the market assistant, in a new chat', async () => {
		const question = 'What moved ETH today?';
		const [answer] = await items(client, 'Ask_About_Markets', { question });
		expect(answer).toMatchObject({
			output: expect.stringContaining('message 1 of this chat'),
			complete: true,
			chatId: expect.any(String),
		});
		const [asked, ...more] = posts();
		expect(asked).toMatchObject({
			path: expect.stringMatching(/invoke_assistant$/),
			body: { message: question },
		});
		expect(asked?.body).not.toHaveProperty('chat_id');
		expect(more).toEqual([]);
	});

	it('asks a model, and says what it cost', async () => {
		const [answer] = await items(client, 'Ask_a_Model', { prompt: 'What is a model router?' });
		expect(answer).toMatchObject({
			output: 'You said: "What is a model router?".',
			complete: true,
			costUsd: expect.any(Number),
		});
		expect(posts()).toMatchObject([
			{
				path: expect.stringMatching(/chat\/completions$/),
				body: {
					model: 'northwind/quill-2.5',
					max_tokens: 2000,
					messages: [{ role: 'user', content: 'What is a model router?' }],
				},
			},
		]);
	});

	it.each([
		['Ask_the_Agent', 'message'],
		['Ask_About_Markets', 'question'],
		['Ask_a_Model', 'prompt'],
	])('%s without its %s is refused, and nothing is sent', async (name) => {
		const { text, isError } = await call(client, name, { text: 'hello' });
		// on workers, n8n leaves it to the node
		expect(isError).toBe(!onWorkers());
		expect(text).toMatch(onWorkers() ? /Nothing was sent/ : /did not match expected schema/);
		expect(bridge.service.requests).toEqual([]);
	});

	it('what a caller gives beside what it is asked for changes neither session nor model', async () => {
		const sessionId = randomUUID();
		const more = {
			...{ sessionId, sessionMode: 'id', sessionKey: 'mine', chatId: 'mine', chat_id: 'mine' },
			...{ model: 'aurora-labs/omni-2', spendingCapPerItem: 1000 },
			body: { sessionId },
		};
		const [said] = await items(client, 'Ask_the_Agent', { message: 'hello', ...more });
		const [asked] = await items(client, 'Ask_About_Markets', { question: 'ETH?', ...more });
		await items(client, 'Ask_a_Model', { prompt: 'hello', ...more });
		const [toAgent, toAssistant, toModel, ...others] = posts();
		expect(said).toMatchObject({ sessionSource: 'new' });
		expect(toAgent?.path).not.toContain(sessionId);
		expect(toAgent?.body).toEqual({ content: 'hello' });
		expect(asked?.['chatId']).not.toBe('mine');
		expect(toAssistant?.body).not.toHaveProperty('chat_id');
		expect(toModel?.body).toMatchObject({ model: 'northwind/quill-2.5', max_tokens: 2000 });
		expect(others).toEqual([]);
		expect(JSON.stringify(posts().map(({ body }) => body))).not.toContain('mine');
	});
});

describe('the example with changes', () => {
	const used = async (
		changes: Changes,
		use: (client: McpClient, workflow: SavedWorkflow) => Promise<void>,
	) => {
		const { url, workflow } = await publish(changes);
		const client = await connectMcp(url, token);
		try {
			await use(client, workflow);
		} finally {
			await client.close();
		}
	};
	const agent = 'Ask the Agent';
	const ask = async (client: McpClient, message: string, more = {}) =>
		await call(client, 'Ask_the_Agent', { message, ...more });

	it('with a fixed session key, calls go on with one conversation, which no caller can leave', async () => {
		const key = randomUUID();
		await used({ [agent]: { sessionMode: 'key', sessionKey: key } }, async (client) => {
			await ask(client, 'My project is called Lighthouse.');
			const { text } = await ask(client, 'Which project?', {
				...{ sessionId: randomUUID(), sessionKey: randomUUID(), sessionMode: 'new' },
			});
			expect(text).toContain('This is message 2 of this session');
			expect(sessionsOf()).toHaveLength(2);
			expect(new Set(sessionsOf()).size).toBe(1);
			// a session of a key is none that somebody could name by its ID
			expect(sessionsOf()).not.toContain(key);
		});
	});

	it.each([
		"={{ $fromAI('key', 'Which conversation', 'string') }}",
		'={{ $json.sessionId }}',
		'={{ $json.body.params.arguments.sessionId }}',
		"={{ $('MCP Server Trigger').item.json.body.params.arguments.sessionId }}",
	])('a session key that the caller would choose is refused: %s', async (sessionKey) => {
		await used({ [agent]: { sessionMode: 'key', sessionKey } }, async (client) => {
			const given = { key: 'mine', sessionId: randomUUID() };
			const { text } = await ask(client, 'hello', given);
			expect(text).toMatch(
				/Session Key has an expression that the model of an AI agent could fill/,
			);
			expect(bridge.service.requests).toEqual([]);
		});
	});

	const picture = { disabled: false, model: model('canvas/sketch-1') };
	const paint = { prompt: 'A lighthouse by MCP' };

	it('makes no picture until somebody allows it, whatever the caller gives', async () => {
		await used({ 'Make a Picture': picture }, async (client) => {
			const given = { ...paint, allowAgents: true };
			const { text } = await call(client, 'Make_a_Picture', given);
			expect(text).toContain('This tool is not set up to start media jobs');
			expect(text).toContain('Allow Paid Jobs From AI Agents');
			expect(posts()).toEqual([]);
		});
	});

	it('with leave, makes one picture per call, each in an execution of its own that has its job', async () => {
		await used({ 'Make a Picture': { ...picture, allowAgents: true } }, async (client, { id }) => {
			for (const calls of [1, 2]) {
				const [made] = await items(client, 'Make_a_Picture', paint);
				expect(made).toMatchObject({ state: 'completed', jobId: expect.stringMatching(/^job-/) });
				expect(bridge.service.starts(paint.prompt)).toBe(calls);
				expect(await bridge.editor.finishedOf(id, calls)).toMatchObject({
					...{ status: 'success', mode: 'webhook' },
					customData: { mediaJob: made?.['jobId'] },
				});
			}
		});
	});

	it('calls at the same time each get their own answer and execution, and each is sent once', async () => {
		await used({}, async (client, { id }) => {
			const words = ['one', 'two', 'three', 'four'];
			const answers = await Promise.all(
				words.map(async (message) => await items(client, 'Ask_the_Agent', { message })),
			);
			expect(answers.flat().map(({ output }) => output)).toEqual(
				words.map((word) => `You said: "${word}". This is message 1 of this session.`),
			);
			expect(posts()).toHaveLength(words.length);
			expect(new Set(sessionsOf()).size).toBe(words.length);
			const executions = await Promise.all(
				words.map(async (_word, index) => await bridge.editor.finishedOf(id, index + 1)),
			);
			expect(executions.map(({ customData }) => customData?.['session']).sort()).toEqual(
				[...sessionsOf()].sort(),
			);
		});
	});

	it('n8n does not publish it before a model is chosen', async () => {
		await expect(publish({ 'Ask a Model': { model: model('') } })).rejects.toThrow(
			/Ask a Model.*Missing or invalid required parameters: model/,
		);
	});

	it('a failure of the service reaches the caller with what happened, without the key', async () => {
		await used({}, async (client) => {
			const rejected = { status: 401, body: { error: 'no' } };
			bridge.service.fault({ match: { method: 'POST' }, do: { type: 'status', ...rejected } });
			const { text } = await ask(client, 'hello');
			expect(text).toMatch(/"error":"[^"]*401/);
			expect(text).not.toContain(bridge.service.agent.key('ws-1'));
			expect(posts()).toHaveLength(1);
		});
	});
});
