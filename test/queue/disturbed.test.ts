import { setTimeout as pause } from 'node:timers/promises';

import { nodesFor, payingOperations } from '../n8n/bridge.ts';
import { until } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { workflow } from '../n8n/workflow.ts';
import {
	GENERATE_ONCE,
	newText,
	openPaidBridge,
	paidWork,
	START_ONCE,
	type PaidBridge,
} from './paidWork.ts';
import { startQueue, type Queue } from './queue.ts';
import { CONCURRENCY, type Worker } from './worker.ts';

// what happens to workers that n8n survives: nothing is sent twice, and what was sent has its answer
const WORKERS = 4;
/** So many seconds n8n lets a worker that is asked to end go on with what it executes; by default 30. */
const GRACE = 8;

let queue: Queue;
let bridge: PaidBridge;
beforeAll(async () => {
	const env = { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: String(GRACE) };
	queue = await startQueue({ workers: WORKERS, env });
	bridge = await openPaidBridge(queue);
});
beforeEach(() => bridge.ledger.reset());
afterAll(async () => {
	await queue?.stop();
	await bridge?.service.stop();
});

const hold = () => bridge.service.fault({ match: { method: 'POST' }, do: { type: 'hold' } });
const isSent = async (texts: readonly string[]) =>
	await until('everything is sent', () =>
		texts.every((text) => bridge.service.received(text) === 1),
	);

/** Starts one agent's answer, and waits until the service has the message. @returns the execution's id and the text */
async function startOne(): Promise<[string, string]> {
	const text = newText();
	const { editor, accounts } = bridge;
	const node = nodesFor(accounts).agent('Node', ['message', 'send'], { message: text });
	const id = await editor.start(await editor.importWorkflow(workflow('one', [{}], node)));
	await isSent([text]);
	return [id, text];
}

it.each([START_ONCE, GENERATE_ONCE])(
	'%s: of twenty rivals on four workers one starts',
	async (start) => {
		const { editor, service } = bridge;
		hold();
		const text = newText();
		const work = paidWork.find(({ name }) => name === start)!;
		const saved = await editor.importWorkflow(work.nodes(bridge, text, {}));
		const ids = await queue.startTimes(saved, WORKERS * CONCURRENCY);
		// none ends before the one has its answer, so each worker has as many as it takes
		await until('all of them are under way', () =>
			ids.every((id) => queue.workersOf(id).length === 1),
		);
		await isSent([text]);
		service.release();

		const ended = [];
		for (const id of ids) ended.push(await editor.finished(id));
		const jobs = ended.map((execution) => itemsOf(execution, 'Start')[0]?.json);
		expect(service.received(text)).toBe(1);
		expect(service.starts(text)).toBe(1);
		const { jobId } = service.world.starts[0]!;
		expect(jobs.map((job) => job?.['jobId'])).toEqual(ids.map(() => jobId));
		expect(jobs.filter((job) => job?.['startedBefore'])).toHaveLength(ids.length - 1);
		expect(new Set(ids.flatMap((id) => queue.workersOf(id)))).toEqual(new Set(queue.workers));
	},
);

it('Redis is killed and comes back empty with everything that may cost under way: each ends well, and was sent once', async () => {
	const { editor, service } = bridge;
	hold();
	const texts: string[] = [];
	const ids: string[] = [];
	for (const work of paidWork) {
		const text = newText();
		texts.push(text);
		ids.push(await editor.start(await editor.importWorkflow(work.nodes(bridge, text, {}))));
	}
	await isSent(texts);
	await queue.redis.kill();
	await queue.redis.boot();
	service.release();
	for (const [at, id] of ids.entries()) {
		const { error, status } = await editor.finished(id);
		expect([paidWork[at]!.name, error?.message, status]).toEqual([
			paidWork[at]!.name,
			undefined,
			'success',
		]);
	}
	expect(texts.map((text) => service.received(text))).toEqual(texts.map(() => 1));

	service.reset();
	const text = newText();
	const node = nodesFor(bridge.accounts).agent('Node', ['message', 'send'], { message: text });
	expect(await editor.runOnce(workflow('after', [{}], node))).toMatchObject({ status: 'success' });
});

describe('workers that are asked to end', () => {
	let [first, second]: Array<Worker | undefined> = [];
	beforeAll(async () => {
		// so that it is known who executes
		[first, second] = queue.workers;
		await Promise.all(queue.workers.slice(1).map((worker) => worker.kill()));
	});

	it('three items, of which nobody knows what became of the last, and Retry elsewhere: none is sent again', async () => {
		const { editor, service, accounts } = bridge;
		const last = 'the last one';
		service.fault({
			match: { method: 'POST', bodyIncludes: last },
			do: { type: 'reset_peer', effect: true },
		});
		const executions = [];
		for (const [name, make] of payingOperations) {
			const texts = [newText(), newText(), `${newText()} ${last}`];
			const items = texts.map((text) => ({ text }));
			const node = make(accounts, '={{ $json.text }}');
			const saved = await editor.importWorkflow(workflow(name, items, node));
			executions.push({ name, texts, id: await editor.start(saved) });
		}
		for (const { id } of executions) {
			expect((await editor.finished(id)).status).toBe('error');
			expect(queue.workersOf(id)).toEqual([first]);
		}
		await Promise.all([first!.stop(), second!.boot()]);
		const sent = [];
		for (const { id, name, texts } of executions) {
			const retried = await editor.retryExecution(id);
			expect(queue.workersOf(retried.id)).toEqual([second]);
			sent.push([name, texts.map((text) => service.received(text))]);
		}
		expect(sent).toEqual(executions.map(({ name }) => [name, [1, 1, 1]]));
	});

	/** Asks a worker to end, and waits until it has heard it. */
	async function ask(worker: Worker) {
		const gone = worker.stop();
		await until('it waits for its execution', () => worker.log().includes('Waiting for 1 active'));
		return { gone };
	}

	it('a request that is answered soon ends well', async () => {
		hold();
		const [id, text] = await startOne();
		const { gone } = await ask(second!);
		bridge.service.release();
		await gone;
		expect(queue.workersOf(id)).toEqual([second]);
		expect(await bridge.editor.finished(id)).toMatchObject({ status: 'success' });
		expect(bridge.service.received(text)).toBe(1);
	});

	it('a request that takes longer than n8n lets the worker go on is cut off, and not sent again', async () => {
		const [first] = queue.workers;
		await first!.boot();
		hold();
		const [id, text] = await startOne();
		await (
			await ask(first!)
		).gone;
		expect(queue.workersOf(id)).toEqual([first]);
		expect((await bridge.editor.execution(id)).status).not.toBe('success');
		const [request] = bridge.service.requests.filter(({ bodyText }) => bodyText.includes(text));
		expect(request?.abandoned).toBe(true);
		expect(bridge.service.received(text)).toBe(1);
	});

	it('the same ends well where N8N_GRACEFUL_SHUTDOWN_TIMEOUT is longer', async () => {
		const patient = await queue.addWorker({ N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '40' });
		hold();
		const [id, text] = await startOne();
		const { gone } = await ask(patient);
		await pause((GRACE + 3) * 1000);
		bridge.service.release();
		await gone;
		expect(queue.workersOf(id)).toEqual([patient]);
		expect(await bridge.editor.finished(id)).toMatchObject({ status: 'success' });
		expect(bridge.service.received(text)).toBe(1);
	});
});
