import { randomUUID } from 'node:crypto';

import {
	messages,
	model,
	nodesFor,
	oneOfEachKind,
	openBridge,
	type Bridge,
} from '../n8n/bridge.ts';
import { until } from '../n8n/editor.ts';
import { exampleFor } from '../n8n/example.ts';
import { itemsOf } from '../n8n/execution.ts';
import { callLive } from '../n8n/liveCaller.ts';
import { workflow } from '../n8n/workflow.ts';
import { noticeKilledWorkersSoon, startQueue, type Queue } from './queue.ts';
import { CONCURRENCY } from './worker.ts';

let queue: Queue;
let bridge: Bridge;
beforeAll(async () => {
	queue = await startQueue({ webhookProcessor: true, env: noticeKilledWorkersSoon });
	bridge = await openBridge({}, queue.editor);
});
beforeEach(() => bridge.service.reset());
afterAll(async () => {
	await queue?.stop();
	await bridge?.service.stop();
});

const chat = (content: string) =>
	nodesFor(bridge.accounts).router('Chat', ['text', 'message'], {
		model: model('northwind/quill-2.5'),
		...messages(content),
	});

it.each([
	['message-an-agent.json', 'Ask Again', 'This is message 2 of this session'],
	['ask-the-market-assistant.json', 'Ask Again', 'message 2 of this chat'],
	['chat-with-a-model.json', 'Chat', 'You said: "What is a model router?".'],
])('%s runs on a worker', async (file, last, said) => {
	const execution = await queue.editor.runOnce(exampleFor(bridge.accounts, file));
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, last)).toMatchObject([
		{ json: { output: expect.stringContaining(said), complete: true } },
	]);
	expect(queue.workersOf(execution.id)).toHaveLength(1);
});

it('both workers take part as soon as there is more than one of them can do', async () => {
	const saved = await queue.editor.importWorkflow(workflow('held', [{}], chat('[[gate]] hello')));
	const started = Array.from({ length: CONCURRENCY + 1 }, () => queue.editor.start(saved));
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

it('nothing that a killed worker had sent is sent again, by n8n or by Retry', async () => {
	const [killed, other] = queue.workers;
	// so that all executions are where the kill is
	await other!.stop();
	bridge.service.fault({ match: { method: 'POST' }, do: { type: 'timeout', effect: true } });
	const sent = oneOfEachKind.map(([name]) => `killed ${name}`);
	const received = () => sent.map((text) => bridge.service.received(text));
	const ids: string[] = [];
	for (const [name, type, operation, parameters] of oneOfEachKind) {
		const node = nodesFor(bridge.accounts)[type]('Node', operation, parameters(`killed ${name}`));
		const saved = await queue.editor.importWorkflow(workflow(name, [{}], node));
		ids.push(await queue.editor.start(saved));
	}
	await until('everything is sent', () => received().every((count) => count === 1));
	for (const id of ids) expect(queue.workersOf(id)).toEqual([killed]);
	await other!.boot();
	await killed!.kill();

	/** n8n keeps nothing of such an execution, so Retry has no node to run. */
	const ended = {
		status: 'error',
		runData: {},
		error: expect.objectContaining({
			message: expect.stringContaining('failed to be processed too many times'),
		}),
	};
	for (const id of ids)
		expect(await queue.editor.finished(id, 150)).toEqual(expect.objectContaining(ended));
	for (const id of ids)
		expect(await queue.editor.retryExecution(id)).toEqual(expect.objectContaining(ended));
	expect(received()).toEqual([1, 1, 1, 1]);

	// what the killed one knows when it is back changes nothing
	await killed!.boot();
	for (const id of ids)
		expect(await queue.editor.execution(id)).toEqual(expect.objectContaining(ended));
	expect(received()).toEqual([1, 1, 1, 1]);
});
