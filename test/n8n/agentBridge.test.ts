import { model, nodesFor, openBridge, packageName, type Bridge } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { callLive } from './liveCaller.ts';
import { node, workflow, type WorkflowFile, type WorkflowNode } from './workflow.ts';

let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const to = (name: string) => [{ node: name, type: 'main', index: 0 }];

/** The start, the bridge, and two speakers that are wired back into it. */
function loop(parameters: Record<string, unknown>, first: WorkflowNode, second: WorkflowNode) {
	const tested = node('Bridge', `${packageName}.agentBridge`, parameters);
	const file = workflow('bridge', [{ q: 'Hello' }], tested);
	const connections = {
		...file.connections,
		Bridge: { main: [to(first.name), to(second.name)] },
		[first.name]: { main: [to('Bridge')] },
		[second.name]: { main: [to('Bridge')] },
	};
	return { ...file, nodes: [...file.nodes, first, second], connections };
}

const sent = () => bridge.service.requests.filter(({ method }) => method === 'POST');

const words = { messageSource: 'fromInput' };

it.each([[false], [true]])(
	'"Retry" of an execution in which a speaker failed goes on from there (current workflow: %j)',
	async (current) => {
		const { accounts, editor, service } = bridge;
		const { agent } = nodesFor(accounts);
		const second = nodesFor({ ...accounts, agent: accounts.secondAgent }).agent;
		service.fault({
			match: { method: 'POST', path: 'ws-2' },
			do: { type: 'status', status: 400 },
			times: 1,
		});
		const failed = await editor.runOnce(
			loop(
				{ message: '={{ $json.q }}', turnLimit: 4 },
				agent('One', ['message', 'send'], words),
				second('Two', ['message', 'send'], words),
			),
		);
		expect([failed.status, failed.lastNode]).toEqual(['error', 'Two']);
		const retried = await editor.retryExecution(failed.id, current);
		expect(retried).toMatchObject({ status: 'success', retryOf: failed.id });
		const [result] = itemsOf(retried, 'Bridge', 2);
		expect(result?.json).toMatchObject({ ended: 'turnLimit', turns: 4 });
		const said = sent().map(({ path, body }) => [
			path.split('/')[4],
			(body as { content: string }).content,
		]);
		// the refused one was sent again, no other
		expect(said.map(([workspace]) => workspace)).toEqual(['ws-1', 'ws-2', 'ws-2', 'ws-1', 'ws-2']);
		expect(said[1]).toEqual(said[2]);
		expect(new Set(sent().map(({ path }) => path)).size).toBe(2);
	},
);

it('in a chat each speaker has bubbles of its own, under a line with its name', async () => {
	const { router } = nodesFor(bridge.accounts);
	const speaker = (name: string) =>
		router(name, ['text', 'message'], {
			model: model('northwind/quill-2.5'),
			inputType: 'json',
			messagesJson: '={{ $json.messages }}',
		});
	const file = loop(
		{ message: '={{ $json.body.q }}', turnLimit: 3, firstName: 'Ada', secondName: 'Bob' },
		speaker('One'),
		speaker('Two'),
	);
	const path = `bridge-${Math.random().toString(36).slice(2)}`;
	Object.assign(file.nodes[0]!, {
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		webhookId: path,
		parameters: { path, httpMethod: 'POST', responseMode: 'streaming', options: {} },
	});
	const saved = await bridge.editor.importWorkflow({ ...file, pinData: {} } as WorkflowFile);
	await bridge.editor.activate(saved);
	const bubbles = new Map<string, string>();
	for await (const chunk of callLive(`${bridge.editor.url}/webhook/${path}`, {
		q: '[[words:3]]',
	})) {
		const { nodeName, runIndex } = chunk.metadata ?? {};
		const bubble = `${nodeName} ${runIndex}`;
		if (chunk.type === 'item')
			bubbles.set(bubble, (bubbles.get(bubble) ?? '') + String(chunk.content));
	}
	const [first, second, third] = [...bubbles].filter(([bubble]) => !bubble.startsWith('Bridge'));
	expect([...bubbles.keys()]).toEqual([
		'Bridge 0',
		'One 0',
		'Bridge 1',
		'Two 0',
		'Bridge 2',
		'One 1',
	]);
	expect([0, 1, 2].map((run) => bubbles.get(`Bridge ${run}`)?.trim())).toEqual([
		'**Ada:**',
		'**Bob:**',
		'**Ada:**',
	]);
	expect(first).toEqual(['One 0', 'word1 word2 word3']);
	expect(second?.[1]).toContain('word1 word2 word3');
	expect(third?.[1]).toContain(second?.[1]);
});
