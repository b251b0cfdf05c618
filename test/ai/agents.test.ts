import {
	bridgeOfFile,
	createWithLedger,
	model,
	nodesFor,
	oneOfEachKind,
	secretsOf,
} from '../n8n/bridge.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import type { WorkflowNode } from '../n8n/workflow.ts';
import { createAgent } from './n8nAgent.ts';
import { startModel } from './standInModel.ts';

// the three nodes as tools of n8n Agents, in the n8n of test/host-ai
const bridge = bridgeOfFile();
let standIn: Awaited<ReturnType<typeof startModel>>;
let openAi: SavedCredential;
beforeAll(async () => {
	standIn = await startModel();
	openAi = await bridge.editor.createCredential({
		name: 'The stand-in model',
		type: 'openAiApi',
		data: { apiKey: 'any', url: standIn.url, header: false },
	});
});
beforeEach(() => {
	bridge.service.forms.jobSteps = 0;
	standIn.reset();
});
afterAll(async () => await standIn?.stop());

const NAME = 'Colleague';
const ONLY = expect.anything() as unknown;
const asked = "={{ $fromAI('question', 'What to ask', 'string') }}";
const HELLO = { tool: NAME, given: { question: 'hello there' } };
/** What a tool returns that has run, be it with an error. */
const item = (json: object) => ({ status: 'success', data: [expect.objectContaining({ json })] });
const failure = (error: RegExp, more: object = {}) =>
	item(expect.objectContaining({ error: expect.stringMatching(error), ...more }) as object);

interface ItemResult {
	data: [{ json: { jobId?: unknown } }];
}

/** The tools by their credential, as `oneOfEachKind` has them. */
const toolsOf = () =>
	oneOfEachKind.map(([kind, make]) => {
		const node = make(bridge.accounts, asked, { id: NAME, name: NAME });
		return { kind, node: { ...node, parameters: { ...node.parameters, allowAgents: true } } };
	});
const toolFor = (kind: RegExp) => toolsOf().find((tool) => kind.test(tool.kind))!.node;
/** What may cost, and reached the service. */
const posts = () => bridge.service.requests.filter(({ method }) => method === 'POST');
const withTool = async (node: WorkflowNode, requireApproval = false) =>
	await createAgent(bridge, openAi, [{ node, requireApproval }]);

it.each(oneOfEachKind.map(([kind]) => [kind]))('%s: the tool answers', async (kind) => {
	const { node } = toolsOf().find((tool) => tool.kind === kind)!;
	const agent = await withTool(node);
	standIn.plan(HELLO);
	const { results, said } = await agent.say('Go');
	const output = kind.includes('start')
		? { jobId: expect.any(String) }
		: { output: expect.stringContaining('hello there') };
	expect(results).toEqual([item(expect.objectContaining(output) as object)]);
	expect(said).toContain(`The tool said: ${JSON.stringify(results[0]).slice(0, 60)}`);
	expect(posts()).toEqual([
		expect.objectContaining({ bodyText: expect.stringContaining('hello there') }),
	]);
	expect(standIn.toolsShown()).toContainEqual(
		expect.objectContaining({
			name: NAME,
			parameters: expect.objectContaining({
				properties: { question: { type: 'string', description: 'What to ask' } },
			}),
		}),
	);
});

describe('a job with a Unique Key and a ledger', () => {
	const keyed = async () => {
		const account = await createWithLedger(bridge.editor, secretsOf(bridge.service).router);
		return nodesFor({ ...bridge.accounts, router: account }).router(NAME, ['media', 'start'], {
			mediaType: 'images',
			model: model('canvas/sketch-1'),
			prompt: asked,
			allowAgents: true,
			useLedger: true,
			uniqueKey: 'order 7',
		});
	};

	it('asked twice in a chat and once more in another, it is started once', async () => {
		const agent = await withTool(await keyed());
		standIn.plan(HELLO, HELLO);
		const { results } = await agent.say('Go');
		standIn.plan(HELLO);
		results.push(...(await agent.say('Go again')).results);
		expect(posts()).toHaveLength(1);
		const ids = results.map((result) => (result as ItemResult).data[0].json.jobId);
		expect(ids).toEqual([expect.any(String), ids[0], ids[0]]);
	});

	it('called twice at once, it is started once', async () => {
		const agent = await withTool(await keyed());
		standIn.plan([HELLO, HELLO]);
		const { results } = await agent.say('Go');
		expect(results).toHaveLength(2);
		expect(posts()).toHaveLength(1);
	});
});

describe('a tool that needs approval', () => {
	it.each(oneOfEachKind.map(([kind]) => [kind]))(
		'%s: nothing is sent before it, and one request after it',
		async (kind) => {
			const agent = await withTool(toolsOf().find((tool) => tool.kind === kind)!.node, true);
			standIn.plan(HELLO);
			const held = await agent.say('Go');
			expect(held).toMatchObject({ results: [], waiting: { toolName: NAME } });
			expect(posts()).toEqual([]);
			const { results } = await agent.resume(held, true);
			expect(results).toEqual([item(expect.not.objectContaining({ error: ONLY }) as object)]);
			expect(posts()).toHaveLength(1);
		},
	);

	it('declined, it sends nothing', async () => {
		const agent = await withTool(toolFor(/start$/), true);
		standIn.plan(HELLO);
		const held = await agent.say('Go');
		const { results } = await agent.resume(held, false);
		expect(results).toEqual([expect.objectContaining({ declined: true })]);
		expect(posts()).toEqual([]);
	});
});

it('a tool that is not allowed to start paid jobs starts none, even when a person approves the call', async () => {
	const start = toolFor(/start$/);
	const tool = { ...start, parameters: { ...start.parameters, allowAgents: false } };
	const agent = await withTool(tool, true);
	standIn.plan(HELLO);
	const { results } = await agent.resume(await agent.say('Go'), true);
	expect(results).toEqual([failure(/This tool is not set up to start media jobs/)]);
	expect(posts()).toEqual([]);
});
