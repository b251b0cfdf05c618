import { askAgent } from './aiAgent.ts';
import { model, nodesFor, openBridge, type Bridge } from './bridge.ts';
import { mediaToolCases } from './mediaToolCases.ts';

// the three nodes as tools of n8n's own AI Agent, whose chat model is the router of the reference service
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => {
	bridge.service.reset();
	bridge.service.forms.jobSteps = 0;
});
afterAll(async () => await bridge.service.stop());

const asked = "={{ $fromAI('question', 'What to ask', 'string') }}";
const ASSISTANT =
	'Ask the crypto market assistant about prices, tokens, wallets, trades, sentiment and news';
const nodes = () => nodesFor(bridge.accounts);
/** What reached the service, without what the agent's own chat model was asked. */
const sent = (path: RegExp) =>
	bridge.service.requests.filter((request) => request.method === 'POST' && path.test(request.path));
const toolsShown = () => {
	const [first] = sent(/chat\/completions/);
	const { tools } = first?.body as {
		tools: Array<{
			function: { name: string; description: string; parameters: { properties: object } };
		}>;
	};
	return tools.map(({ function: tool }) => tool);
};

it.each([
	[
		'a workspace agent',
		() => nodes().agent('Colleague', ['message', 'send'], { message: asked }),
		'Send a message to a workspace agent and get its answer',
		/\/session\//,
	],
	[
		'the market assistant',
		() => nodes().assistant('Colleague', ['question', 'ask'], { question: asked }),
		ASSISTANT,
		/invoke_assistant$/,
	],
	[
		'the market assistant, streaming',
		() => nodes().assistant('Colleague', ['question', 'askStreaming'], { question: asked }),
		ASSISTANT,
		/invoke_assistant_stream$/,
	],
	[
		'a model',
		() =>
			nodes().router('Colleague', ['text', 'message'], {
				model: model('northwind/quill-2.5'),
				options: { protocol: 'responses' },
				prompt: asked,
			}),
		'Message text model in Model Router',
		/\/responses$/,
	],
] as const)('asks %s, and tells what it said', async (_who, tool, description, path) => {
	const { output, chunks } = await askAgent(bridge, 'hello [[tool:Colleague]]', [tool()]);
	expect(toolsShown()).toMatchObject([
		{
			name: 'Colleague',
			description,
			parameters: { properties: { question: { type: 'string', description: 'What to ask' } } },
		},
	]);
	const [request, ...more] = sent(path);
	expect(JSON.stringify(request?.body)).toContain('hello [[tool:Colleague]]');
	expect(more).toEqual([]);
	expect(output).toMatch(/^The tool said: \[\{"output":".*hello/);
	// the stream is the agent's: a tool writes nothing into it
	expect(new Set(chunks.flatMap(({ metadata }) => metadata?.nodeName ?? []))).toEqual(
		new Set(['Agent']),
	);
});

it.each([
	['a workspace agent', () => nodes().agent('Colleague', ['message', 'send']), 'Message'],
	['the market assistant', () => nodes().assistant('Colleague', ['question', 'ask']), 'Question'],
	[
		'a model',
		() => {
			const parameters = { model: model('northwind/quill-2.5') };
			return nodes().router('Colleague', ['text', 'message'], parameters);
		},
		'Prompt',
	],
] as const)('asks %s with nothing set: the model defines the text', async (_who, tool, label) => {
	const { output } = await askAgent(bridge, 'hello [[tool:Colleague]]', [tool()]);
	expect(toolsShown()).toMatchObject([
		{ parameters: { properties: { [label]: { type: 'string' } } } },
	]);
	expect(output).toMatch(/^The tool said: \[\{"output":".*hello/);
});

it('below an agent behind a chat: the model writes the message, and the session is that of the chat', async () => {
	const { agent, assistant } = nodes();
	const fromInput = { messageSource: 'fromInput', questionSource: 'fromInput' };
	const tools = [
		agent('Colleague', ['message', 'send'], { ...fromInput, message: asked }),
		assistant('Assistant', ['question', 'ask'], { ...fromInput, question: asked }),
	];
	const sessionId = '6f1c2b1e8d3a4c0e9a550d2f6b7c8e90';
	const { output } = await askAgent(bridge, 'hello [[tool:Colleague]]', tools, 3, sessionId);
	await askAgent(bridge, 'and again [[tool:Colleague]]', tools, 3, sessionId);
	const [request, later] = sent(/\/session\//);
	expect(later?.path).toBe(request?.path);
	expect(request?.body).toEqual({ content: 'hello [[tool:Colleague]]' });
	expect(output).toContain('"sessionSource":"chatTrigger"');
});

mediaToolCases(3);
