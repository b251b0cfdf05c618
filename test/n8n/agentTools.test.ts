import { askAgent, type AgentVersion } from './aiAgent.ts';
import { model, nodesFor, openBridge, type Bridge } from './bridge.ts';

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
			nodes().router('Colleague', ['response', 'create'], {
				model: model('northwind/quill-2.5'),
				messageSource: 'prompt',
				prompt: asked,
			}),
		'Create a response with a text model in Model Router',
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

const picture = (parameters: Record<string, unknown>, operation = 'start') =>
	nodes().router('Painter', ['job', operation], {
		segment: 'images',
		model: model('canvas/sketch-1'),
		prompt: asked,
		...parameters,
	});
const starts = () => sent(/images\/jobs$/);

describe.each<[AgentVersion]>([[3], [2.2]])(
	'media jobs for an AI Agent of version %d',
	(version) => {
		const ask = async (question: string, parameters: Record<string, unknown>, operation?: string) =>
			await askAgent(bridge, question, [picture(parameters, operation)], version);

		it.each([
			['start', {}],
			['generate', {}],
			// n8n would have the model fill this one
			['start', { allowAgents: "={{ $fromAI('allowed', 'Whether it is allowed', 'boolean') }}" }],
		])('%s with %j is refused, and the agent can tell the user why', async (operation, more) => {
			const { output } = await ask('a cat [[tool:Painter]]', more, operation);
			expect(starts()).toEqual([]);
			expect(output).toMatch(/^The tool said: .*Allow Paid Jobs From AI Agents/);
			if (!('allowAgents' in more)) expect(output).toContain('Do not call it again');
		});

		it('with leave it is started, once for every call, and no more than the cap allows', async () => {
			const allowed = { allowAgents: true, options: { executionCap: 0.08 } };
			const { execution } = await ask('a cat [[tool:Painter]] [[tools:3]]', allowed);
			expect(starts()).toHaveLength(2);
			const runs = JSON.stringify(execution.runData['Painter']);
			expect(
				runs.match(/The spending cap of \$0\.08 for this execution is reached/),
			).not.toBeNull();
			const ids = execution.customData?.['mediaJob']?.split(', ');
			expect(ids).toHaveLength(2);
			for (const id of ids ?? []) expect(runs).toContain(id);
		});

		it('a file is told by its job, and stays at the service', async () => {
			const { output, execution } = await ask(
				'a cat [[tool:Painter]]',
				{ allowAgents: true },
				'generate',
			);
			expect(output).toMatch(
				/"state":"completed".*"file":\{"jobId":"job-.*is kept there for 7 days/,
			);
			expect(JSON.stringify(execution.runData)).not.toContain('"binary":{"data"');
			expect(bridge.service.requests.filter(({ path }) => path.endsWith('/content'))).toEqual([]);
		});
	},
);
