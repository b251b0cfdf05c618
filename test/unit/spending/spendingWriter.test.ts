import { ServiceError } from '../../../src/core/errors';
import { createMemoryTable } from '../../../src/tables/memoryTable';
import { NodeSpending } from '../../../src/spending/record';
import { type SpendingRow, spendingFormat } from '../../../src/spending/recordBook';
import { SpendingWriter } from '../../../src/spending/spendingWriter';
import { virtualClock } from '../virtualClock';

// what node runs have spent while the table cannot be used: each is told of its own, and nothing is lost without a word

const UNREACHABLE = new ServiceError('unreachable', 'n8n cannot be reached', { sent: false });
const REFUSED = new ServiceError('refused', 'size limit', { status: 400 });
const LOST = new ServiceError('unreachable', 'no answer came', { sent: true });
const FAILED = new ServiceError('failed', 'n8n failed', { status: 500 });

const isAny = (given: unknown): boolean => given !== undefined;

function openRecord() {
	const clock = virtualClock();
	const rows: SpendingRow[] = [];
	const memory = createMemoryTable(rows, spendingFormat);
	const logged: Array<Record<string, unknown>> = [];
	const world = {
		clock,
		rows,
		logged,
		writer: new SpendingWriter(),
		/** Until when requests fail, in which way, and which do. */
		trouble: { until: 0, cause: UNREACHABLE, of: isAny },
		fail: (seconds: number, cause: ServiceError, of = isAny) =>
			void (world.trouble = { until: clock.now() + seconds * 1000, cause, of }),
		async pass(seconds: number) {
			for (let second = 0; second < seconds; second++) await clock.sleep(1000);
		},
		sums: () =>
			rows.map(({ workflow, label, costUsd }) => `${workflow} ${label} ${costUsd}`).sort(),
		node(name: string) {
			const hints: string[] = [];
			const identity = { workflowId: name, workflow: name, nodeId: 'n', node: 'n' };
			const spending = new NodeSpending({
				writer: world.writer,
				clock,
				credentialId: 'c',
				open,
				table: 't',
				log: (lost) => void logged.push(lost),
				addHint: (hint) => void hints.push(hint),
				spender: { ...identity, lastExecutionId: '1' },
			});
			const spend = async (usd: number, label = '') => {
				const share = await spending
					.openRequest('m', label)
					.reserve({ microUsd: 1, advise: () => '' });
				await share.settle(usd * 1e6);
			};
			return { hints, spending, spend, close: async () => await spending.close() };
		},
	};
	const through =
		<Given extends unknown[], Result>(action: (...given: Given) => Promise<Result>) =>
		async (...given: Given) => {
			await clock.sleep(5);
			const { until, cause, of } = world.trouble;
			const fails = clock.now() < until && of(given);
			if (fails && cause !== LOST) throw cause;
			const result = await action(...given);
			if (fails) throw cause;
			return result;
		};
	const table = {
		find: through(async (...given: Parameters<typeof memory.find>) =>
			structuredClone(await memory.find(...given)),
		),
		add: through(memory.add),
		change: through(memory.change),
		remove: through(memory.remove),
	};
	const open = through(async () => await Promise.resolve(table));
	return world;
}

const YET =
	/^What this node has spent is not written into the record of spending yet: .+ It is tried again for ten minutes\./;

describe.each([
	['', UNREACHABLE],
	['customer 7', UNREACHABLE],
	['', LOST],
	['customer 7', LOST],
	['', REFUSED],
])('label "%s", %p', (label, cause) => {
	it.each([1, 30, 300, 580])(
		'for %i seconds: it is written once, and its node does not wait for it',
		async (seconds) => {
			const { clock, fail, node, pass, sums, logged } = openRecord();
			const run = node('w');
			await run.spend(0.2, label);
			fail(seconds, cause);
			await run.close();
			expect(clock.now()).toBeLessThan(45_000);
			const isLate = seconds > 20 || cause === REFUSED;
			expect(run.hints).toEqual(isLate ? [expect.stringMatching(YET)] : []);
			await pass(seconds + 30);
			expect(sums()).toEqual([`w ${label} 0.2`]);
			expect(logged).toEqual([]);
		},
	);
});

it('a node run waits for its own change, which n8n does not take for ten seconds', async () => {
	const { fail, node, sums } = openRecord();
	const run = node('w');
	await run.spend(0.2);
	fail(10, UNREACHABLE, (given) => JSON.stringify(given ?? '').includes('workflow'));
	await run.close();
	expect([run.hints, sums()]).toEqual([[], ['w  0.2']]);
});

it('after ten minutes, the log of n8n says what is lost, once, by workflow and label', async () => {
	const { fail, node, pass, logged, rows } = openRecord();
	fail(3000, UNREACHABLE);
	const [one, other] = [node('one'), node('other')];
	for (const label of ['a', 'a', 'b']) await one.spend(0.5, label);
	await Promise.all([one.close(), other.spend(2).then(other.close)]);
	await pass(590);
	expect(logged).toEqual([]);
	await pass(60);
	const lost = { requests: 1, unknownCosts: 0, executionId: '1', reason: 'n8n cannot be reached' };
	expect(logged).toEqual([
		{ workflowId: 'one', workflow: 'one', label: 'a', ...lost, costUsd: 1, requests: 2 },
		{ workflowId: 'one', workflow: 'one', label: 'b', ...lost, costUsd: 0.5 },
		{ workflowId: 'other', workflow: 'other', label: '', ...lost, costUsd: 2 },
	]);
	await pass(3000);
	expect([rows.length, logged.length]).toEqual([0, 3]);
});

it("a late failure is told to no other run, and stays nobody's", async () => {
	const { fail, node, pass, sums, logged } = openRecord();
	// keeps the writer open
	await node('long').spend(0.01);
	const first = node('first');
	await first.spend(0.02);
	await first.close();
	const kept = node('kept');
	await kept.spend(1);
	await kept.close();
	fail(40, REFUSED);
	await pass(39);
	const next = node('next');
	await next.spend(5);
	await pass(1);
	await next.close();
	await pass(15);
	expect([kept.hints, next.hints, logged]).toEqual([[], [], []]);
	expect(sums()).toEqual(['first  0.02', 'kept  1', 'next  5']);
});

it('a change that n8n never takes stops nobody', async () => {
	const { clock, fail, node, pass, sums, logged } = openRecord();
	fail(3000, FAILED, (given) => JSON.stringify(given).includes('broken'));
	const broken = node('broken');
	await broken.spend(1);
	await broken.close();
	expect(broken.hints).toEqual([expect.stringMatching(YET)]);
	for (let run = 1; run <= 5; run++) {
		const begun = clock.now();
		const good = node('good');
		await good.spend(1);
		await good.close();
		expect([good.hints, clock.now() - begun < 5000]).toEqual([[], true]);
		await pass(20);
	}
	expect(sums()).toEqual(['good  5']);
	await pass(600);
	expect(logged).toMatchObject([{ workflow: 'broken', costUsd: 1 }]);
});

it('a text that n8n never takes keeps no job from being counted', async () => {
	const { fail, node, sums } = openRecord();
	fail(3000, FAILED, (given) => JSON.stringify(given).includes('broken'));
	const broken = node('broken');
	await broken.spend(1);
	await broken.close();
	const { spending, close } = node('w');
	const request = spending.openRequest('m', '');
	const share = await request.reserve({ microUsd: 1, advise: () => '' });
	request.setJob('images', '7');
	await share.settle(50_000);
	spending.endJob('images', '7', 70_000);
	await close();
	expect(sums()).toEqual(['w  0.07']);
});

it('a job that ends before its start is written is counted with its cost', async () => {
	const { fail, node, pass, rows } = openRecord();
	const run = node('w');
	const request = run.spending.openRequest('m', '');
	const share = await request.reserve({ microUsd: 1, advise: () => '' });
	request.setJob('images', '7');
	fail(60, UNREACHABLE);
	await share.settle(50_000);
	run.spending.endJob('images', '7', 70_000);
	await run.close();
	await pass(90);
	expect(rows).toMatchObject([{ requests: 1, costUsd: 0.07, unknownCosts: 0 }]);
});

it('the end of a job is written at once, although another node run goes on', async () => {
	const { node, pass, rows } = openRecord();
	await node('long').spend(0.01);
	const { spending, close } = node('w');
	const request = spending.openRequest('m', '');
	const share = await request.reserve({ microUsd: 1, advise: () => '' });
	request.setJob('images', '7');
	await share.settle(50_000);
	await pass(1);
	spending.endJob('images', '7', 70_000);
	await close();
	expect(rows).toMatchObject([{ workflow: 'w', requests: 1, costUsd: 0.07, unknownCosts: 0 }]);
});

const DAY = 24 * 3_600_000;
const query = { from: '', to: '', groupBy: ['label'] as const };

it('what has a label has one row a month, however many days there are', async () => {
	const { clock, node, rows } = openRecord();
	for (let day = 1; day <= 20; day++) {
		for (const label of ['a', 'b', '']) {
			const run = node('w');
			await run.spend(0.1, label);
			await run.close();
		}
		await clock.sleep(DAY);
	}
	const byMonth = rows.filter(({ label }) => label);
	expect(byMonth.map(({ day, label, requests }) => [day, label, requests])).toEqual([
		['1970-01', 'a', 20],
		['1970-01', 'b', 20],
	]);
	expect(rows).toHaveLength(22);
	const { spending, hints } = node('reader');
	const sums = async (more: object) =>
		(await spending.get({ ...query, ...more })).map(({ label, requests }) => [label, requests]);
	expect(await sums({})).toEqual(
		expect.arrayContaining([
			['a', 20],
			['b', 20],
			['', 20],
		]),
	);
	expect(hints).toEqual([]);
	// a part of the month, and what is not in it
	const part = await sums({ from: '1970-01-05', to: '1970-01-06' });
	expect(part).toEqual(
		expect.arrayContaining([
			['a', 20],
			['b', 20],
			['', 2],
		]),
	);
	expect(hints).toEqual([expect.stringMatching(/^Of 1970-01, what has a label/)]);
	expect(await sums({ from: '1969-12-01', to: '1969-12-31' })).toEqual([]);
});

it('Combine Old Rows leaves a month with labels alone that is still written to', async () => {
	const { clock, node, rows } = openRecord();
	// two processes have made a row each
	for (let process = 1; process <= 2; process++)
		rows.push({ ...row('1970-01', 'a'), id: process, record: '{"jobs":["c:job:images:7"]}' });
	rows.push({ ...row('1970-01-01', ''), id: 3 }, { ...row('1970-01-02', ''), id: 4 });
	await clock.sleep(10 * DAY);
	const { spending } = node('reader');
	expect(await spending.combineRows(1)).toEqual({ deletedRows: 1, skippedRows: 0 });
	expect(rows.map(({ id, label }) => [id, label])).toEqual([
		[1, 'a'],
		[2, 'a'],
		[3, ''],
	]);
	expect(rows[0]!.record).toContain('c:job:images:7');
	await clock.sleep(30 * DAY);
	expect(await spending.combineRows(1)).toEqual({ deletedRows: 1, skippedRows: 0 });
	expect(rows.map(({ requests, label }) => [requests, label])).toEqual([
		[2, 'a'],
		[2, ''],
	]);
});

it('Get says that the table is nearly full', async () => {
	const { node, rows } = openRecord();
	const { spending, hints } = node('reader');
	for (let id = 1; id < 16_000; id++) rows.push({ ...row('1969-01-01', ''), id });
	await spending.get({ ...query });
	expect(hints).toEqual([]);
	rows.push({ ...row('1969-01-01', ''), id: 16_000 });
	await spending.get({ ...query });
	expect(hints).toEqual([expect.stringMatching(/^The Spending Table has 80 % of the 20,000 rows/)]);
});

const row = (day: string, label: string): Omit<SpendingRow, 'id'> => ({
	day,
	label,
	workflowId: 'w',
	workflow: 'w',
	nodeId: 'n',
	node: 'n',
	model: 'm',
	requests: 1,
	inputTokens: 0,
	outputTokens: 0,
	costUsd: 0,
	unknownCosts: 0,
	lastExecutionId: '1',
	record: '{}',
});
