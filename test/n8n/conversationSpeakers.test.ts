import { randomUUID } from 'node:crypto';

import { openBridge, type Bridge } from './bridge.ts';
import { callWith, chatModel } from './chatModel.ts';
import {
	agentTool,
	asked,
	codeTool,
	conversationFile,
	outcomeOf,
	saidIn,
	speakersOf,
	workflowTool,
	type Attached,
	type Talk,
} from './conversationWorkflow.ts';
import { mcpClientTool, publishMcpTools } from './mcpTools.ts';
import { node, workflow, type WorkflowNode } from './workflow.ts';

// who can speak in a conversation, in a real n8n: our own nodes, and every kind of tool that n8n brings
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge({
		further: ({ method, path, body }) =>
			method === 'POST' && path === '/echo'
				? {
						status: 200,
						headers: { 'content-type': 'application/json' },
						body: JSON.stringify({ answer: `HTTP heard: ${(body as { said: string }).said}` }),
					}
				: undefined,
	});
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const own = () => speakersOf(bridge.accounts);
const posts = (path: RegExp) =>
	bridge.service.requests.filter((request) => request.method === 'POST' && path.test(request.path));
const sessionsOf = () => posts(/\/session\//).map(({ path }) => /session\/([^/]+)/.exec(path)?.[1]);

/** Holds one conversation. */
const hold = async (talk: Talk) => {
	const execution = await bridge.editor.runOnce(conversationFile(talk));
	return { execution, outcome: outcomeOf(execution) };
};

it('our own nodes talk with only a credential and a model, each in its own conversation', async () => {
	const { agent, secondAgent, assistant, model, response } = own();
	const { outcome } = await hold({
		parameters: { turnLimit: 10, options: { hearing: 'lastMessage' } },
		speakers: [
			agent('Agent'),
			assistant('Market'),
			model('Model'),
			response('Response'),
			secondAgent('Other Agent'),
		],
	});
	const [agent1, market1, model1, response1, other1, agent2, market2] = outcome.transcript;
	expect(outcome).toMatchObject({ ended: 'turnLimit', turns: 10 });
	expect(agent1?.text).toBe('You said: "Hello". This is message 1 of this session.');
	expect(market1?.text).toContain(
		`You said: "Agent: ${agent1?.text}". This is message 1 of this chat.`,
	);
	expect(model1?.text).toBe(`You said: "Market: ${market1?.text}".`);
	expect(response1?.text).toBe(`You said: "Model: ${model1?.text}".`);
	expect(other1?.text).toContain('This is message 1 of this session');
	// the second time, each continues its own
	expect(agent2?.text).toContain('This is message 2 of this session');
	expect(market2?.text).toContain('This is message 2 of this chat');
	const [first, other, again] = sessionsOf();
	expect([again, first === other]).toEqual([first, false]);
	const [, chat] = posts(/invoke_assistant/);
	expect(chat?.body).toMatchObject({ chat_id: market1?.sessionId });
	// a model remembers nothing: it is told what was said to it and what it said
	const history = [
		{ role: 'user', content: `Market: ${market1?.text}` },
		{ role: 'assistant', content: model1?.text },
		{ role: 'user', content: `Market: ${market2?.text}` },
	];
	expect(posts(/chat\/completions/)[1]?.body).toMatchObject({ messages: history });
	expect(JSON.stringify(posts(/responses$/)[1]?.body)).toContain(JSON.stringify(response1?.text));
	expect(outcome['speakersWithoutCost']).toEqual(['Agent', 'Market', 'Other Agent']);
});

/** A conversation of a workspace agent with one other, which has three turns in all. */
const withAgent = async (speaker: WorkflowNode, more: Partial<Talk> = {}) =>
	await hold({
		...more,
		parameters: { turnLimit: 3, ...more.parameters },
		speakers: [own().agent('Ann'), speaker],
	});
const ANN = 'You said: "Hello". This is message 1 of this session.';

describe("n8n's own tools", () => {
	it('a Code Tool gets what was said as "query"', async () => {
		const { outcome } = await withAgent(codeTool('Code', "return 'Code heard: ' + query;"));
		expect(saidIn(outcome)[1]).toEqual(['Code', `Code heard: ${ANN}`]);
	});

	it('an HTTP Request Tool, with a field that the model is to define', async () => {
		const http = node(
			'HTTP',
			'n8n-nodes-base.httpRequestTool',
			{
				toolDescription: 'Echo',
				method: 'POST',
				url: `${bridge.service.url}/echo`,
				sendBody: true,
				bodyParameters: { parameters: [{ name: 'said', value: asked('parameters0_Value') }] },
				options: {},
			},
			{ typeVersion: 4.2 },
		);
		const { outcome } = await withAgent(http);
		expect(saidIn(outcome)[1]).toEqual(['HTTP', `HTTP heard: ${ANN}`]);
	});

	describe('Call n8n Workflow Tool', () => {
		const called = async (trigger: Record<string, unknown>, field: string) => {
			const file = workflow(
				`called ${randomUUID()}`,
				[],
				node(
					'Answer',
					'n8n-nodes-base.set',
					{
						...{ mode: 'raw', options: {} },
						jsonOutput: `={{ JSON.stringify({ output: 'Workflow heard: ' + $json.${field} }) }}`,
					},
					{ typeVersion: 3.4 },
				),
			);
			Object.assign(file.nodes[0]!, {
				...{ type: 'n8n-nodes-base.executeWorkflowTrigger', typeVersion: 1.1 },
				parameters: trigger,
			});
			const { id, versionId } = await bridge.editor.importWorkflow({ ...file, pinData: {} });
			await bridge.editor.activate({ id, versionId });
			return id;
		};
		it('without inputs gets what was said as "query"', async () => {
			const id = await called({ inputSource: 'passthrough' }, 'query');
			const { outcome } = await withAgent(workflowTool('Workflow', id));
			expect(saidIn(outcome)[1]).toEqual(['Workflow', `Workflow heard: ${ANN}`]);
		});

		it('with an input that the model is to define', async () => {
			const inputs = { values: [{ name: 'question', type: 'string' }] };
			const id = await called({ workflowInputs: inputs }, 'question');
			const workflowInputs = {
				...{ mappingMode: 'defineBelow', matchingColumns: [] },
				value: { question: asked('question') },
				schema: [
					{
						...{ id: 'question', displayName: 'question', type: 'string' },
						...{ required: false, display: true, defaultMatch: false, canBeUsedToMatch: true },
					},
				],
			};
			const { outcome } = await withAgent(workflowTool('Workflow', id, { workflowInputs }));
			expect(saidIn(outcome)[1]).toEqual(['Workflow', `Workflow heard: ${ANN}`]);
		});
	});

	describe('an MCP Client Tool, connected to the MCP Server Trigger of another workflow', () => {
		let endpointUrl: string;
		beforeAll(async () => {
			const tools = [codeTool('Shout', 'return query.toUpperCase();'), own().agent('Ask_Agent')];
			endpointUrl = await publishMcpTools(bridge.editor, tools);
		});
		const client = (parameters: Record<string, unknown>) =>
			mcpClientTool('Client', endpointUrl, parameters);

		it('with one tool selected', async () => {
			const { outcome } = await withAgent(client({ include: 'selected', includeTools: ['Shout'] }));
			expect(saidIn(outcome)[1]).toEqual(['Client', ANN.toUpperCase()]);
		});

		it('with one of our own tools selected: what the conversation says of the session does not get through', async () => {
			const selected = { include: 'selected', includeTools: ['Ask_Agent'] };
			const { outcome } = await withAgent(client(selected));
			expect(outcome.transcript[1]?.text).toContain('This is message 1 of this session');
			const [ann, asked] = sessionsOf();
			expect([asked === ann, asked === outcome.transcript[1]?.sessionId]).toEqual([false, false]);
		});

		it('with several tools: which one speaks has to be chosen, and nothing is sent', async () => {
			const execution = await bridge.editor.runOnce(
				conversationFile({ speakers: [own().agent('Ann'), client({})] }),
			);
			expect(execution.error).toMatchObject({
				message: 'Client offers 2 tools, and a speaker has to be one',
				description: expect.stringMatching(
					/choose one of them: (Shout, Ask_Agent|Ask_Agent, Shout)\./,
				),
			});
			expect(posts(/./)).toEqual([]);
		});
	});
});

describe("n8n's AI Agent Tool", () => {
	const memory = () =>
		node('Memory', '@n8n/n8n-nodes-langchain.memoryBufferWindow', {}, { typeVersion: 1.3 });
	const below = async (...more: Attached[]) => [
		{
			...{ node: await chatModel(bridge, 'Chat Model'), to: 'Agent Tool' },
			as: 'ai_languageModel' as const,
		},
		...more,
	];
	const prompts = () => posts(/chat\/completions/).map(({ body }) => JSON.stringify(body));

	it('with a memory remembers its own turns, with nothing set, and not those of another conversation', async () => {
		const attached = await below({ node: memory(), to: 'Agent Tool', as: 'ai_memory' });
		const talk = { attached, parameters: { turnLimit: 4 } };
		const { outcome } = await withAgent(agentTool('Agent Tool'), talk);
		expect(saidIn(outcome)[1]).toEqual(['Agent Tool', `You said: "${ANN}".`]);
		const [first, second] = prompts();
		expect(first).not.toContain('"role":"assistant"');
		expect(second).toContain(JSON.stringify(`You said: "${ANN}".`));
		bridge.service.reset();
		await withAgent(agentTool('Agent Tool'), talk);
		expect(prompts()[0]).not.toContain('"role":"assistant"');
	});

	it('uses a tool of its own, which is one of our nodes: its caller is the AI agent', async () => {
		const attached = await below({
			node: own().agent('Colleague'),
			to: 'Agent Tool',
			as: 'ai_tool',
		});
		callWith(bridge, 'Colleague', { Message: 'What do you think?', sessionId: STRANGER });
		const { outcome } = await withAgent(agentTool('Agent Tool'), {
			...{ attached, parameters: { turnLimit: 2 } },
		});
		expect(outcome.transcript[1]?.text).toMatch(/^The tool said: .*What do you think\?/);
		const [ann, colleague] = sessionsOf();
		expect([colleague === ann, colleague === STRANGER]).toEqual([false, false]);
		expect(outcome.transcript[1]?.text).toContain('"sessionSource":"new"');
	});
});

/** A session, or a chat, of somebody else. */
const STRANGER = '0b8f9e4e-6d0e-4c57-9d0b-6f7f6f1d2a3b';

describe('a speaker that is also a tool of an AI agent before the conversation', () => {
	const history = [{ role: 'user', content: 'of another' }];
	const given = { sessionId: STRANGER, chatId: STRANGER, history, showLive: true };

	it.each([
		['a workspace agent', 'agent', 'Message'],
		['the market assistant', 'assistant', 'Question'],
		['a model', 'model', 'Prompt'],
	] as const)('%s: what the model of the agent gives does not count', async (_who, kind, key) => {
		const speaker = own()[kind]('Colleague');
		const agent = node(
			'AI Agent',
			'@n8n/n8n-nodes-langchain.agent',
			{ promptType: 'define', text: 'Ask your colleague', options: {} },
			{ typeVersion: 3 },
		);
		callWith(bridge, 'Colleague', { [key]: 'Asked by the AI agent', ...given });
		const { outcome, execution } = await hold({
			before: [agent],
			parameters: { turnLimit: 2, openingMessageSource: 'define', openingMessage: 'Hello' },
			speakers: [speaker, own().secondAgent('Bob')],
			attached: [
				{ node: await chatModel(bridge, 'Chat Model'), to: 'AI Agent', as: 'ai_languageModel' },
				{ node: speaker, to: 'AI Agent', as: 'ai_tool' },
			],
		});
		expect(execution.runData['Colleague']).toHaveLength(2);
		const sent = bridge.service.requests
			// without what the chat model of the AI agent was asked
			.filter(({ bodyText }) => /Asked by the AI agent|Hello/.test(bodyText))
			.filter(({ bodyText }) => !bodyText.includes('"tools"'))
			.map(({ path, bodyText }) => `${path} ${bodyText}`);
		expect(sent).toHaveLength(3);
		expect(sent.join()).not.toContain(STRANGER);
		expect(sent.join()).not.toContain('of another');
		expect(outcome.transcript[0]).toMatchObject({ speaker: 'Colleague' });
		expect(outcome.transcript[0]?.text).toContain('You said: "Hello"');
		if (kind === 'agent') {
			const [asTool, asSpeaker] = sessionsOf();
			expect([asSpeaker, asTool === asSpeaker]).toEqual([outcome.transcript[0]?.sessionId, false]);
		}
	});
});
