import { randomUUID } from 'node:crypto';

import { model, nodesFor, openBridge, packageName, type Bridge } from '../n8n/bridge.ts';
import { itemsOf, type Execution } from '../n8n/execution.ts';
import { callLive, type Chunk } from '../n8n/liveCaller.ts';
import { start, workflow, node, type WorkflowFile, type WorkflowNode } from '../n8n/workflow.ts';
import { describeRefusing, describeWorking, has } from './tested.ts';

const describeWith = has('chatModel') ? describeWorking : describe.skip;
const describeWithout = has('chatModel') ? describe.skip : describeWorking;

const MODEL = 'Model Router Chat Model';
const ROOT = 'Root';

let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

/** A node of n8n with the chat model below it, and tools. */
function above(root: WorkflowNode, tools: WorkflowNode[] = []): WorkflowFile {
	const { id, name, type } = bridge.accounts.router;
	const chatModel = node(
		MODEL,
		`${packageName}.lmChatModelRouter`,
		{ model: model('northwind/quill-2.5') },
		{ credentials: { [type]: { id, name } } },
	);
	const below = (connection: string) => ({
		[connection]: [[{ node: ROOT, type: connection, index: 0 }]],
	});
	const file = workflow(`chat model ${randomUUID()}`, [{}], root);
	return {
		...file,
		nodes: [...file.nodes, chatModel, ...tools],
		connections: {
			...file.connections,
			[MODEL]: below('ai_languageModel'),
			...Object.fromEntries(tools.map((tool) => [tool.name, below('ai_tool')])),
		} as unknown as WorkflowFile['connections'],
	};
}

const agent = (text: string) =>
	node(
		ROOT,
		'@n8n/n8n-nodes-langchain.agent',
		{ promptType: 'define', text, options: {} },
		{ typeVersion: 3 },
	);

/** n8n's simplest node that uses a model, as the oldest version has it. */
const chain = (text: string) =>
	node(
		ROOT,
		'@n8n/n8n-nodes-langchain.chainLlm',
		{ promptType: 'define', text },
		{ typeVersion: 1.4 },
	);

const posts = () => bridge.service.requests.filter(({ method }) => method === 'POST');

/** What the chat model's node shows of each call. */
const shown = ({ runData }: Execution) =>
	(runData[MODEL] ?? []).map(({ data = {} }) => {
		const { ai_languageModel: [[item] = []] = [] } = data as {
			ai_languageModel?: Array<Array<{ json: Record<string, unknown> }>>;
		};
		return item?.json;
	});

const ofOneCall = {
	model: 'northwind/quill-2.5',
	tokenUsage: expect.objectContaining({
		promptTokens: expect.any(Number),
		completionTokens: expect.any(Number),
	}),
	costUsd: expect.any(Number),
	requestId: expect.any(String),
};

describeWith('Chat model', () => {
	it('answers a chain, in one call', async () => {
		const execution = await bridge.editor.runOnce(above(chain('a lighthouse')));
		expect(execution.error?.message).toBeUndefined();
		expect(itemsOf(execution, ROOT)[0]?.json['text']).toContain('a lighthouse');
		expect(posts()).toHaveLength(1);
		expect(shown(execution)).toEqual([expect.objectContaining(ofOneCall)]);
		expect(Number(execution.customData?.['modelCostUsd'])).toBeGreaterThan(0);
	});

	it('answers an AI agent word by word, in one call', async () => {
		const path = randomUUID();
		const file = above(agent('={{ $json.body.q }}'));
		Object.assign(file.nodes.find(({ name }) => name === start)!, {
			...{ type: 'n8n-nodes-base.webhook', typeVersion: 2.1, webhookId: path },
			parameters: { path, httpMethod: 'POST', responseMode: 'streaming', options: {} },
		});
		const saved = await bridge.editor.importWorkflow({ ...file, pinData: {} });
		await bridge.editor.activate(saved);
		// the service says the second word only after the first has come
		const started = bridge.service.gated().then(() => bridge.service.step());
		const words: string[] = [];
		for await (const { type, content } of callLive(`${bridge.editor.url}/webhook/${path}`, {
			q: '[[gate]] [[words:4]]',
		}) as AsyncGenerator<Chunk>) {
			if (type !== 'item' || !content) continue;
			words.push(content);
			bridge.service.step(words.length === 1 ? 1 : 10);
		}
		await started;
		expect(words.length).toBeGreaterThan(1);
		expect(words.join('')).toBe('word1 word2 word3 word4');
		expect(posts()).toHaveLength(1);
		const execution = await bridge.editor.finishedOf(saved.id);
		expect(shown(execution)).toEqual([expect.objectContaining(ofOneCall)]);
	});

	it('lets an AI agent call a tool, in two calls', async () => {
		const tool = nodesFor(bridge.accounts).agent('Tool', ['message', 'send'], {
			message: "={{ $fromAI('question', 'What to ask', 'string') }}",
		});
		const execution = await bridge.editor.runOnce(
			above(agent('hello [[tool:Tool]]'), [{ ...tool, type: `${tool.type}Tool` }]),
		);
		expect(execution.error?.message).toBeUndefined();
		expect(itemsOf(execution, ROOT)[0]?.json['output']).toMatch(/^The tool said: .*hello/);
		expect(posts().filter(({ path }) => path.endsWith('/chat/completions'))).toHaveLength(2);
		expect(shown(execution)).toEqual(Array(2).fill(expect.objectContaining(ofOneCall)));
	});

	it('says why a call failed, which is not repeated', async () => {
		bridge.service.fault({ match: { method: 'POST' }, do: { type: 'status', status: 401 } });
		const { error } = await bridge.editor.runOnce(above(chain('a lighthouse')));
		expect(error?.message).toMatch(/key/i);
		expect(posts()).toHaveLength(1);
	});
});

async function expectRefusal(): Promise<void> {
	const { error } = await bridge.editor.runOnce(above(chain('a lighthouse')));
	expect(error?.message).toBe('This node needs n8n 2.16 or newer');
	expect(error?.description).toContain('use the Model Router node');
	expect(bridge.service.requests).toEqual([]);
}

describeWithout('Without chat models of other packages', () => {
	it('the chat model says which version it needs, and nothing is sent', expectRefusal);

	it('its list of models works', async () => {
		const { id, name, type } = bridge.accounts.router;
		const { results } = await bridge.editor.listSearch({
			nodeType: `${packageName}.lmChatModelRouter`,
			method: 'searchChatModels',
			parameter: 'model',
			parameters: {},
			credentials: { [type]: { id, name } },
		});
		expect(results.map(({ value }) => value)).toContain('northwind/quill-2.5');
	});
});

describeRefusing('the chat model', () => {
	it('says at once which version it needs', expectRefusal);
});
