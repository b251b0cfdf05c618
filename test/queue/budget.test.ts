import {
	bridgeOfFile,
	createWithLedger,
	messages,
	model,
	nodesFor,
	picture,
	readWith,
	secretsOf,
} from '../n8n/bridge.ts';
import { until, type SavedCredential } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { workflow } from '../n8n/workflow.ts';
import { noticeKilledWorkersSoon, startQueue, type Queue } from './queue.ts';

// three workers spend from one budget as fast as they can: the service counts what it is paid
const BUDGET = 1;
const EXECUTIONS = 10;
const ITEMS = 50;

let queue: Queue;
beforeAll(
	async () => void (queue = await startQueue({ workers: 3, env: noticeKilledWorkersSoon })),
);
afterAll(async () => await queue?.stop());
const bridge = bridgeOfFile({}, () => queue.editor);

const accountWithBudget = async (budgetUsd = String(BUDGET)) =>
	await createWithLedger(queue.editor, secretsOf(bridge.service).router, { budgetUsd });

/** Calls that could cost 0.004 to 0.02 USD, and cost a quarter to a half of that. */
function calls(account: SavedCredential) {
	const most = 400;
	const items = Array.from({ length: ITEMS }, (_, index) => {
		const maxTokens = most + ((index * 331) % (4 * most));
		const words = Math.floor(maxTokens * (0.25 + (0.25 * ((index * 7) % 10)) / 10));
		return { maxTokens, text: `[[words:${words}]]` };
	});
	const { router } = nodesFor({ ...bridge.accounts, router: account });
	const node = router(
		'Write',
		['text', 'message'],
		{
			model: model('aurora-labs/omni-2'),
			...messages('={{ $json.text }}'),
			options: { maxTokens: '={{ $json.maxTokens }}' },
		},
		{ onError: 'continueRegularOutput' },
	);
	return workflow('spend', items, node);
}

const figures = async (account: SavedCredential) =>
	(await readWith(queue.editor, account, ['budget', 'getBudget']))[0] ?? {};

it('500 calls that race spend at most the budget, and nearly all of it', async () => {
	const account = await accountWithBudget();
	const saved = await queue.editor.importWorkflow(calls(account));
	const before = bridge.service.balance();
	const ids = await queue.startTimes(saved, EXECUTIONS);
	// what is left at the end is waited for, which takes minutes on a busy machine
	const ended = async (id: string) => await queue.editor.finished(id, 480);
	const ran = await Promise.all(ids.map(ended));
	const items = ran.flatMap((execution) => itemsOf(execution, 'Write'));
	expect(items).toHaveLength(EXECUTIONS * ITEMS);
	await bridge.service.settled();
	const paid = (before - bridge.service.balance()) / 1e6;
	const spent = await figures(account);
	process.stdout.write(`500 calls on three workers: ${paid} USD of ${BUDGET}\n`);
	expect(paid).toBeLessThanOrEqual(BUDGET);
	expect(paid).toBeGreaterThanOrEqual(0.95 * BUDGET);
	expect(spent).toMatchObject({ spentUsd: paid, reservedUsd: 0, reservations: [] });
	expect(new Set(ids.flatMap((id) => queue.workersOf(id))).size).toBe(3);
});

/** Pictures, each of which costs 22.5 times the catalog's minimum. The service takes half a second to say so. */
async function startPictures(account: SavedCredential, parameters: string) {
	const { router } = nodesFor({ ...bridge.accounts, router: account });
	const items = Array.from({ length: 5 }, (_, index) => ({ index }));
	const start = router(
		'Start',
		['media', 'start'],
		picture('A cat', { parameters, requestSettings: { concurrency: 5 } }),
		{ onError: 'continueRegularOutput' },
	);
	const { service } = bridge;
	service.forms.jobSteps = 1000;
	service.fault({
		match: { method: 'POST' },
		times: Infinity,
		do: [
			{ type: 'latency', ms: 500 },
			{ type: 'replace', find: '"estimated_cost":40000', with: '"estimated_cost":900000' },
		],
	});
	const saved = await queue.editor.importWorkflow(workflow('pictures', items, start));
	const ids = await queue.startTimes(saved, 6);
	const ran = await Promise.all(ids.map(async (id) => await queue.editor.finished(id)));
	service.reset();
	const results = ran.flatMap((execution) => itemsOf(execution, 'Start'));
	const { reservedUsd } = await figures(account);
	const started = results.filter(({ json }) => json['jobId'] !== undefined).length;
	process.stdout.write(
		`30 pictures on three workers: ${started} started, ${String(reservedUsd)} USD reserved\n`,
	);
	return { started, reservedUsd: Number(reservedUsd), results: results.length };
}

it('pictures of one dear configuration exceed a budget of 1 by one estimate at most', async () => {
	const account = await accountWithBudget();
	const { started, reservedUsd, results } = await startPictures(account, '{"resolution": "4K"}');
	expect(results).toBe(30);
	expect(started).toBeGreaterThan(0);
	expect(reservedUsd).toBeCloseTo(0.9 * started, 9);
	expect(reservedUsd).toBeLessThanOrEqual(BUDGET + 0.86);
});

it('pictures of many configurations all start where a budget of 100 has room', async () => {
	const account = await accountWithBudget('100');
	const each = '={{ { "size": $json.index + " " + $execution.id } }}';
	expect(await startPictures(account, each)).toEqual({
		started: 30,
		results: 30,
		reservedUsd: 27,
	});
});

it('with a worker killed in the middle, it is not outspent either', async () => {
	const account = await accountWithBudget();
	const saved = await queue.editor.importWorkflow(calls(account));
	const before = bridge.service.balance();
	const ids = await queue.startTimes(saved, EXECUTIONS);
	await until('a fifth is spent', () => before - bridge.service.balance() >= 200_000);
	const [killed] = queue.workers;
	await killed!.kill();
	const ended = await Promise.all(ids.map(async (id) => await queue.editor.finished(id)));
	const lost = ended.filter(({ status }) => status !== 'success');
	await bridge.service.settled();
	const paid = (before - bridge.service.balance()) / 1e6;
	const { spentUsd, reservedUsd, reservations } = await figures(account);
	process.stdout.write(
		`with a killed worker: ${paid} USD, ${String(spentUsd)} counted, ${String(reservedUsd)} withheld\n`,
	);
	expect(paid).toBeLessThanOrEqual(BUDGET);
	// what the killed runs were billed is in the reservations that they held, one each
	expect(paid).toBeLessThanOrEqual(Number(spentUsd) + Number(reservedUsd) + 1e-9);
	expect(lost.length).toBeGreaterThan(0);
	expect((reservations as unknown[]).length).toBeLessThanOrEqual(lost.length);
});
