import {
	AGENT,
	askAgent,
	callWith,
	chatModel,
	runAgent,
	TEXT_MODEL,
	type AgentVersion,
} from './agent.ts';
import { bridgeOfFile, model, nodesFor, picture } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { asTool, type WorkflowNode } from './workflow.ts';

// the three nodes as tools of n8n's own AI Agent, whose chat model is the router of the reference service
const bridge = bridgeOfFile();
beforeEach(() => (bridge.service.forms.jobSteps = 0));

const asked = "={{ $fromAI('question', 'What to ask', 'string') }}";
const SEND = 'Send a message to a remote agent and get its answer';
const MESSAGE = 'Message text model in Model Router';
const WHOLE = /invoke_assistant$/;
const ASSISTANT =
	'Ask about the crypto market: prices, tokens, wallets, trades, sentiment and news';
const agent = (given = {}) =>
	nodesFor(bridge.accounts).agent('Colleague', ['message', 'send'], given);
const assistant = (how: string, given = {}) =>
	nodesFor(bridge.accounts).assistant('Colleague', ['question', how], given);
const text = (given = {}) =>
	nodesFor(bridge.accounts).router('Colleague', ['text', 'message'], {
		model: model(TEXT_MODEL),
		options: { protocol: 'responses' },
		...given,
	});
/** What reached the service, without what the agent's own chat model was asked. */
const sent = (path: RegExp) =>
	bridge.service.requests.filter((request) => request.method === 'POST' && path.test(request.path));
/** The tools as the agent's model is shown them. */
const toolsShown = () => {
	const [first] = sent(/chat\/completions/);
	return (first?.body as { tools: Array<{ function: object }> }).tools.map((tool) => tool.function);
};
const HELLO = 'hello [[tool:Colleague]]';
const OUR_ENDPOINTS = /\/session\/|invoke_assistant|\/responses$/;

/** Asks an agent in the editor, which has this tool. */
async function ask(text: string, tool: WorkflowNode, version: AgentVersion = 3) {
	const execution = await runAgent(bridge, {
		text,
		items: [{ chosen: 'by the workflow' }],
		settings: { typeVersion: version },
		attached: [
			{ node: await chatModel(bridge, 'Chat Model'), as: 'ai_languageModel' },
			{ node: asTool(tool), as: 'ai_tool' },
		],
	});
	return { output: String(itemsOf(execution, AGENT)[0]?.json['output']), execution };
}

// with nothing set: engine/speakers
it.each<[string, () => WorkflowNode, RegExp, string]>([
	['a workspace agent', () => agent({ message: asked }), /\/session\//, SEND],
	['the market assistant', () => assistant('ask', { question: asked }), WHOLE, ASSISTANT],
	[
		'the market assistant, streaming',
		() => assistant('askStreaming', { question: asked }),
		/invoke_assistant_stream$/,
		ASSISTANT,
	],
	['a model', () => text({ prompt: asked }), /\/responses$/, MESSAGE],
])(
	'asks %s what the model of the agent writes, and tells what it said',
	async (_who, tool, path, description) => {
		const { output } = await ask(HELLO, tool());
		const properties = { question: { type: 'string', description: 'What to ask' } };
		expect(toolsShown()).toMatchObject([
			{ name: 'Colleague', description, parameters: { properties } },
		]);
		expect(sent(OUR_ENDPOINTS)).toMatchObject([
			{ path: expect.stringMatching(path), bodyText: expect.stringContaining('hello') },
		]);
		expect(output).toMatch(/^The tool said: \[\{"output":".*hello/);
	},
);

/** The session, the chat and the history of somebody else. */
const OTHER = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
const stolen = {
	question: 'hello',
	Message: 'hello',
	conversationId: 'c',
	turn: 1,
	showLive: true,
	sessionId: OTHER,
	chatId: OTHER,
	history: [{ role: 'user', content: OTHER }],
};

// an older AI Agent gives its tools their arguments in another way
describe.each<AgentVersion>([3, 2.2])('the model of an AI Agent of version %s', (version) => {
	it('does not speak as a conversation does, with a session, a chat, a history and live output', async () => {
		callWith(bridge, 'Colleague', stolen);
		const { output, chunks } = await askAgent(bridge, 'who am I', [agent()], version);
		expect(output).toMatch(/^The tool said: .*hello/);
		expect(output).not.toMatch(/"sessionSource":"(conversation|item)"|shownLive/);
		const writers = new Set(chunks.flatMap(({ metadata }) => metadata?.nodeName ?? []));
		expect(writers).toEqual(new Set([AGENT]));
		const requests = sent(OUR_ENDPOINTS).map(({ path, bodyText }) => path + bodyText);
		expect(requests).toEqual([expect.not.stringContaining(OTHER)]);
	});

	it('starts media jobs whose IDs are with the execution, and no more than its cap allows', async () => {
		const painter = nodesFor(bridge.accounts).router('Painter', ['media', 'generate'], {
			...picture(asked, { allowAgents: true }),
			options: { spendingCapPerExecution: 0.08 },
		});
		const { execution } = await ask('a cat [[tool:Painter]] [[tools:3]]', painter, version);
		const jobIds = bridge.service.world.starts.map(({ jobId }) => jobId);
		expect(jobIds).toHaveLength(2);
		expect(execution.customData?.['mediaJob']?.split(', ').sort()).toEqual(jobIds.sort());
	});
});
