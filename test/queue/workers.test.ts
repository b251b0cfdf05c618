import { randomUUID } from 'node:crypto';

// before the tests that are to run on it
import { queue } from './rigOfFile.ts';

import '../n8n/examples.test.ts';
import '../n8n/chatModelLive.test.ts';
import '../n8n/nodes.test.ts';
import {
	bridgeOfFile,
	createWithLedger,
	messages,
	model,
	nodesFor,
	openBridge,
	secretsOf,
	type Bridge,
} from '../n8n/bridge.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { callLive } from '../n8n/liveCaller.ts';
import { beginAt, webhook, workflow } from '../n8n/workflow.ts';
import { CONCURRENCY } from './worker.ts';

const bridge = bridgeOfFile();

const chat = (content: string) =>
	nodesFor(bridge.accounts).router('Chat', ['text', 'message'], {
		model: model('northwind/quill-2.5'),
		...messages(content),
	});

it('all workers take part as soon as there is more than the others can do', async () => {
	const saved = await queue.editor.importWorkflow(workflow('held', [{}], chat('[[gate]] hello')));
	const tooMany = CONCURRENCY * (queue.workers.length - 1) + 1;
	const ids = await queue.startTimes(saved, tooMany);
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
		const file = beginAt(workflow(path, [], chat('={{ $json.body.q }}')), webhook(path));
		const saved = await queue.editor.publish(file);
		const pieces: string[] = [];
		const url = `${called().url}/webhook/${path}`;
		for await (const { type, content } of callLive(url, { q: '[[words:200]]' })) {
			if (type === 'item' && content) pieces.push(content);
			// n8n may leave the response open, if the job has ended just when it begins to wait for that (bull 4, Job.finished)
			if (pieces.join('').endsWith('word200')) break;
		}
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

/** What the callers and the service have seen of questions that were asked at once. */
interface Asked {
	/** the state of each execution, and how many answers it has */
	answered: Array<[string, number]>;
	/** how many workers took part */
	workers: number;
	accepted: number;
	refused: number;
	/** from the first to the last that was accepted */
	seconds: number;
}

// The rate limit of Crypto Q&A, over all workers; the service counts. Asking takes minutes, and almost nothing of the machine: it begins with
// the first test of the file, and goes on beside the others.
/** Where the limit is shared. */
let together: Bridge;
let alone: Promise<Asked>;
let atOnce: Promise<Asked>;

beforeAll(async () => {
	together = await openBridge({}, queue.editor);
	const sharing = await accountAt(together, { plan: 'pro', shareLimit: true });
	// the first execution creates the table of the limit
	alone = ask(together, sharing, 1, 120);
	atOnce = alone.then(async () => await ask(together, sharing, 3, 40));
	// they are looked at in their tests
	for (const asked of [alone, atOnce]) asked.catch(() => undefined);
});
afterAll(async () => await together?.service.stop());

const accountAt = async ({ service }: Bridge, fields: Record<string, unknown>) =>
	await createWithLedger(queue.editor, secretsOf(service).assistant, fields);

/** Runs so many executions at once, each with so many questions. */
async function ask(
	{ accounts, service }: Bridge,
	account: SavedCredential,
	executions: number,
	questions: number,
): Promise<Asked> {
	const before = service.requests.length;
	const { assistant } = nodesFor({ ...accounts, assistant: account });
	const items = Array.from({ length: questions }, (_, index) => ({ q: `question ${index}` }));
	const node = assistant('Ask', ['question', 'ask'], { question: '={{ $json.q }}' });
	const saved = await queue.editor.importWorkflow(workflow('questions', items, node));
	const ids = await queue.startTimes(saved, executions);
	const answered: Asked['answered'] = [];
	for (const id of ids) {
		const execution = await queue.editor.finished(id, 300);
		answered.push([execution.status, itemsOf(execution, 'Ask').length]);
	}
	const posts = service.requests.slice(before).filter(({ method }) => method === 'POST');
	const accepted = posts.filter(({ status }) => status === 200).map(({ at }) => at);
	return {
		answered,
		workers: new Set(ids.flatMap((id) => queue.workersOf(id))).size,
		accepted: accepted.length,
		refused: posts.length - accepted.length,
		seconds: ((accepted.at(-1) ?? 0) - (accepted[0] ?? 0)) / 1000,
	};
}

describe('the rate limit of Crypto Q&A, over three workers', () => {
	it('one execution on one of them gets the whole limit, and none is refused', async () => {
		const { answered, accepted, refused, seconds } = await alone;
		expect(answered).toEqual([['success', 120]]);
		expect([accepted, refused]).toEqual([120, 0]);
		// 25.6 s at 90 % of 300 a minute, after five at once; the third of one worker would take 80 s
		expect(seconds).toBeGreaterThan(24);
		expect(seconds).toBeLessThan(60);
	});

	it('three executions at once stay below the limit together', async () => {
		const { answered, accepted, refused, seconds, workers } = await atOnce;
		expect(answered).toEqual(Array.from({ length: 3 }, () => ['success', 40]));
		expect([accepted, refused]).toEqual([120, 0]);
		expect(workers).toBeGreaterThan(1);
		// at 90 % of 300 a minute, after five at once, and not a second earlier than reserved; each with the whole limit needs 9 s
		expect(seconds).toBeGreaterThan(22);
		// on a machine with much else to do, 69 s were seen
		expect(seconds).toBeLessThan(120);
	});
});
