import { randomUUID } from 'node:crypto';

// before the tests that are to run on it
import { queue } from './rigOfFile.ts';

import '../n8n/examples.test.ts';
import '../n8n/chatModelLive.test.ts';
import '../n8n/nodes.test.ts';
import { messages, model, nodesFor, openBridge, type Bridge } from '../n8n/bridge.ts';
import { callLive } from '../n8n/liveCaller.ts';
import { workflow } from '../n8n/workflow.ts';
import { rateLimitCases } from './rateLimitCases.ts';
import { CONCURRENCY } from './worker.ts';

let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge?.service.stop());

const chat = (content: string) =>
	nodesFor(bridge.accounts).router('Chat', ['text', 'message'], {
		model: model('northwind/quill-2.5'),
		...messages(content),
	});

it('all workers take part as soon as there is more than the others can do', async () => {
	const saved = await queue.editor.importWorkflow(workflow('held', [{}], chat('[[gate]] hello')));
	const tooMany = CONCURRENCY * (queue.workers.length - 1) + 1;
	const started = Array.from({ length: tooMany }, () => queue.editor.start(saved));
	const ids = await Promise.all(started);
	await bridge.service.gated(ids.length);
	expect(new Set(ids.flatMap((id) => queue.workersOf(id)))).toEqual(new Set(queue.workers));
	bridge.service.step(20);
	for (const id of ids) {
		expect((await queue.editor.finished(id)).status).toBe('success');
		expect(queue.workersOf(id)).toHaveLength(1);
	}
	expect(bridge.service.received('hello')).toBe(ids.length);
});

it.each([
	['main', () => queue.main],
	['a webhook processor', () => queue.webhookProcessor!],
] as const)(
	'a worker streams 200 words to the caller of a webhook of %s, in their order',
	async (_called, called) => {
		const path = `live-${randomUUID()}`;
		const file = workflow(path, [], chat('={{ $json.body.q }}'));
		Object.assign(file.nodes[0]!, {
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2.1,
			webhookId: path,
			parameters: { path, httpMethod: 'POST', responseMode: 'streaming', options: {} },
		});
		const saved = await queue.editor.importWorkflow({ ...file, pinData: {} });
		await queue.editor.activate(saved);
		const pieces: string[] = [];
		for await (const { type, content } of callLive(`${called().url}/webhook/${path}`, {
			q: '[[words:200]]',
		}))
			if (type === 'item' && content) pieces.push(content);
		const words = Array.from({ length: 200 }, (_, index) => `word${index + 1}`);
		expect(pieces.join('').trim().split(/\s+/)).toEqual(words);
		expect(pieces.length).toBeGreaterThan(1);
		const { id, status } = await queue.editor.finishedOf(saved.id);
		expect(status).toBe('success');
		expect(queue.workersOf(id)).toHaveLength(1);
	},
);

it('every execution of these tests ran on a worker, and on one only', async () => {
	const { results } = await queue.editor.call<{ results: Array<{ id: string }> }>(
		'GET',
		'/rest/executions?limit=100',
	);
	const workers = results.map(({ id }) => queue.workersOf(id));
	expect(results.length).toBeGreaterThan(40);
	expect(new Set(workers.map(({ length }) => length))).toEqual(new Set([1]));
	expect(new Set(workers.flat())).toEqual(new Set(queue.workers));
});

rateLimitCases(() => queue);
