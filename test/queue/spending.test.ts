import { randomUUID } from 'node:crypto';

import { bridgeOfFile, messages, model, nodesFor, picture, readWith } from '../n8n/bridge.ts';
import { until } from '../n8n/editor.ts';
import { itemsOf, type Item } from '../n8n/execution.ts';
import { TriggerHost } from '../n8n/triggers.ts';
import { workflow, type WorkflowFile } from '../n8n/workflow.ts';
import { noticeKilledWorkersSoon, startQueue, type Queue } from './queue.ts';

// what was spent, by whom, and the alarms, on two workers
let queue: Queue;
let host: TriggerHost;
beforeAll(async () => {
	queue = await startQueue({ env: noticeKilledWorkersSoon });
	const fields = {
		recordSpending: true,
		spendingTable: `Agent Spending ${randomUUID()}`,
		budgetUsd: '20',
		alarmPercents: '10, 13',
	};
	host = await TriggerHost.startIn(queue.editor, undefined, fields);
});
afterAll(async () => {
	await host?.stop();
	await queue?.stop();
});
const bridge = bridgeOfFile({}, () => queue.editor);

const ofHost = () => nodesFor({ ...bridge.accounts, router: host.account }).router;
const items = (count: number, words: number) =>
	Array.from({ length: count }, (_, at) => ({ text: `[[words:${words + at}]] ${at}` }));

/** The novelist writes as much as it may. */
const longItems = (count: number) =>
	Array.from({ length: count }, (_, at) => ({ text: `Write ${at}.` }));

const texts = (name: string, of: string, count: number, made = items): WorkflowFile => {
	const parameters = { model: model(of), ...messages('={{ $json.text }}') };
	return workflow(name, made(count, 20), ofHost()('Work', ['text', 'message'], parameters));
};
const pictures = (name: string, count: number): WorkflowFile => {
	const start = ofHost()('Work', ['media', 'start'], picture('={{ $json.text }}'));
	return workflow(name, items(count, 0), start);
};
/** How often each workflow is run, all at once. */
const runAll = async (files: Array<[file: WorkflowFile, times: number]>): Promise<string[]> => {
	const start = async (file: WorkflowFile, times: number) =>
		await queue.startTimes(await host.saved(file), times);
	return (await Promise.all(files.map(async (each) => await start(...each)))).flat();
};
const spent = async (groupBy: string[]): Promise<Array<Record<string, unknown>>> => {
	const all = { groupBy };
	return await readWith(queue.editor, host.account, ['spending', 'getSpending'], all);
};

it('300 requests of four workflows, three models and two workers: the report is the bill', async () => {
	let ids: string[] = [];
	const { paid } = await host.service.paidFor(async () => {
		// the first picture tells the budget what one costs: on a busy machine that may take longer than others wait for it
		const fourth = await host.saved(pictures('fourth', 8));
		const first = await queue.editor.start(fourth);
		await queue.editor.finished(first);
		const others = queue.startTimes(fourth, 4);
		ids = await runAll([
			[texts('first', 'aurora-labs/omni-2', 20), 5],
			[texts('second', 'aurora-labs/omni-2', 15), 4],
			[texts('third', 'northwind/quill-2.5', 10), 10],
		]);
		ids.push(first, ...(await others));
		const ran = await Promise.all(ids.map(async (id) => await queue.editor.finished(id)));
		expect(ran.flatMap(({ error }) => error ?? [])).toEqual([]);
		expect(new Set(ran.map(({ status }) => status))).toEqual(new Set(['success']));
		const jobs = ran
			.flatMap((execution) => itemsOf(execution, 'Work'))
			.flatMap(({ json }) => (json['jobId'] ? [json] : []));
		expect(jobs).toHaveLength(40);
		const wait = { mediaType: 'images', jobId: '={{ $json.jobId }}' };
		await queue.editor.runOnce(workflow('await', jobs, ofHost()('Wait', ['media', 'wait'], wait)));
	});
	expect(new Set(ids.flatMap((id) => queue.workersOf(id))).size).toBe(2);
	const [all] = await spent([]);
	process.stdout.write(`300 requests: ${paid / 1e6} USD billed, ${JSON.stringify(all)}\n`);
	expect(all).toMatchObject({ requests: 300, costUsd: paid / 1e6, unknownCosts: 0 });
	const byWorkflow = await spent(['workflow', 'model']);
	expect(byWorkflow.map(({ workflow: name, requests }) => [name, requests]).sort()).toEqual([
		['first', 100],
		['fourth', 40],
		['second', 60],
		['third', 100],
	]);
});

it('every alarm comes once, also when a worker is killed in the middle', async () => {
	const triggered = await Promise.all(
		['', 'ops'].map(
			async (label) =>
				await host.triggered(label, {
					events: ['budgetThresholdReached', 'outcomeUnknown'],
					deliveredWhen: label ? 'confirmed' : 'handedOver',
				}),
		),
	);
	for (const saved of triggered) await queue.editor.activate(saved);
	// a start that is under way when its worker is killed
	host.service.fault({
		match: { method: 'POST', bodyIncludes: 'lighthouse' },
		do: { type: 'hold', effect: true },
	});
	const start = await host.saved(
		workflow('start', [{}], host.startNode('order-7', { options: { triggerGroup: '' } })),
	);
	const held = await queue.editor.start(start);
	await until('the start is under way', () =>
		host.service.requests.some(({ method, path }) => method === 'POST' && path.includes('jobs')),
	);
	const before = host.service.requests.length;
	const ids = await runAll([[texts('race', 'verbose/novelist-1', 4, longItems), 8]]);
	await until('some are paid', () => host.service.requests.length >= before + 12);
	const [holder] = queue.workersOf(held);
	const killed = holder ?? queue.workers[0];
	await killed!.kill();
	await Promise.all([...ids, held].map(async (id) => await queue.editor.finished(id)));
	host.service.reset();
	await killed!.boot();
	// in place of waiting for the end of the lease
	await (await host.table()).change({ all: [['state', 'eq', 'sending']] }, { leaseUntil: 1 });

	const told = async (at: number): Promise<Item[]> =>
		(await host.ended(triggered[at]!.id)).flatMap((execution) => itemsOf(execution, 'After'));
	const events = async (at: number) =>
		(await told(at)).map(({ json }) => String(json['jobId'])).sort();
	const month = new Date().toISOString().slice(0, 7);
	const thresholds = [`budget:${month}:10`, `budget:${month}:13`];
	await until(
		'all are told',
		async () => {
			const [plain, ops] = [await events(0), await events(1)];
			return plain.length + ops.length >= 5;
		},
		1200,
	).catch(async (cause: unknown) => {
		throw new Error(JSON.stringify([await events(0), await events(1)]), { cause });
	});
	// two more polls
	await new Promise((resolve) => setTimeout(resolve, 125_000));
	expect(await events(0)).toEqual([...thresholds, expect.stringMatching(/^unknown:\d+$/)]);
	expect(await events(1)).toEqual(thresholds.map((name) => `${name}:ops`));
});
