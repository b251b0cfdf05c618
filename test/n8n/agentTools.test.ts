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
		'Send a message to a workspace agent in Workspace Agent',
		/\/session\//,
	],
	[
		'the market assistant',
		() => nodes().assistant('Colleague', ['question', 'ask'], { question: asked }),
		'Ask a question about crypto markets in Market Assistant',
		/invoke_assistant$/,
	],
	[
		'the market assistant, streaming',
		() => nodes().assistant('Colleague', ['question', 'askStreaming'], { question: asked }),
		'Ask about crypto markets with streaming in Market Assistant',
		/invoke_assistant_stream$/,
	],
	[
		'a model',
		() =>
			nodes().router('Colleague', ['text', 'createResponse'], {
				model: model('northwind/quill-2.5'),
				prompt: asked,
			}),
		'Create response with text model in Model Router',
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

mediaToolCases(3);
