import { ServiceError } from '../../../src/core/errors';
import { createMemoryTable } from '../../../src/tables/memoryTable';
import {
	type SpendingNews,
	type SpendingRow,
	type SpendingTable,
	spendingFormat,
} from '../../../src/spending/recordBook';
import { SpendingWriter } from '../../../src/spending/spendingWriter';
import { combineRows, reportSpending } from '../../../src/spending/report';
import { numbersFrom } from '../../support/numbersFrom';

// several processes write into one table, while requests to n8n and their answers are lost
const TODAY = '2026-11-24';
const openWriter = () => {
	const writer = new SpendingWriter();
	return async (news: SpendingNews) => await writer.write(news);
};

const query = { from: '2026-01-01', to: TODAY, groupBy: [] };
const turn = async () => await new Promise<void>((resolve) => setImmediate(resolve));

function createTable(random: () => number, losses: number) {
	const rows: SpendingRow[] = [];
	const memory = createMemoryTable(rows, spendingFormat);
	const through =
		<Given extends unknown[], Result>(action: (...given: Given) => Promise<Result>) =>
		async (...given: Given) => {
			for (let step = random() * 4; step > 0; step--) await turn();
			if (random() < losses) throw new ServiceError('unreachable', 'lost', { sent: true });
			const result = structuredClone(await action(...given));
			for (let step = random() * 4; step > 0; step--) await turn();
			if (random() < losses) throw new ServiceError('unreachable', 'lost', { sent: true });
			return result;
		};
	const table: SpendingTable = {
		find: through(memory.find),
		add: through(memory.add),
		change: through(memory.change),
		remove: through(memory.remove),
	};
	return { rows, table, calm: memory };
}

/** A way to a table, by a clock that stands still. */
const opening = (table: SpendingTable) => {
	const clock = { now: () => 0, random: () => 0, sleep: turn };
	return { clock, open: async () => await Promise.resolve(table) };
};
const news = { log: () => undefined, entries: [], decided: [], ended: [] };

const entry = (day: string, jobs: string[] = []) => ({
	day,
	workflowId: 'w',
	workflow: 'W',
	nodeId: 'n',
	node: 'N',
	model: 'm',
	label: '',
	requests: 1,
	inputTokens: 2,
	outputTokens: 3,
	lastExecutionId: '1',
	jobs,
	...(jobs.length ? { costUsd: 0, unknownCosts: 1 } : { costUsd: 0.1, unknownCosts: 0 }),
});

it.each(Array.from({ length: 40 }, (_, seed) => [seed]))(
	'run %i: what was written is in the sums once',
	async (seed) => {
		const random = numbersFrom(seed);
		const { rows, table, calm } = createTable(random, seed % 2 ? 0.15 : 0);
		let now = 0;
		const clock = {
			now: () => now++,
			random,
			sleep: async () => {
				for (let step = random() * 5; step > 0; step--) await turn();
			},
		};
		const writers = [1, 2, 3].map(openWriter);
		const way = { clock, open: async () => await Promise.resolve(table) };
		const work = Array.from({ length: 60 }, async (_, index) => {
			const write = writers[index % 3]!;
			const job = `c:job:images:${index}`;
			const isJob = index % 5 === 0;
			const start = `c:start:${index}`;
			const day = index % 2 ? TODAY : '2026-03-01';
			// of some jobs a person decided that they were started, of others the process was killed before it wrote anything
			const listed = [index % 3 ? job : start];
			const decided = { start, entry: entry(day, [job]) };
			const isKilled = index % 30 === 0;
			const entries = isKilled ? [] : [entry(day, isJob ? listed : [])];
			await write({ ...news, ...way, entries });
			if (!isJob) return;
			if (listed.includes(start)) await write({ ...news, ...way, decided: [decided] });
			const ended: SpendingNews['ended'] = [[job, 50_000]];
			// seen by one, or by several
			const seeing = index % 2 ? [write] : writers;
			await Promise.all(seeing.map(async (each) => await each({ ...news, ...way, ended })));
		});
		await Promise.all(work);
		const sums = { requests: 60, inputTokens: 120, outputTokens: 180, unknownCosts: 0 };
		const expected = [{ ...sums, costUsd: 48 * 0.1 + 12 * 0.05 }];
		expect((await reportSpending(calm, query, TODAY)).sums).toMatchObject([
			{ ...sums, costUsd: expect.closeTo(expected[0]!.costUsd, 9) as number },
		]);
		// two at once, cut off anywhere
		const combine = async () => await combineRows(table, 30, TODAY).catch(() => undefined);
		await Promise.all([combine(), combine()]);
		expect((await reportSpending(calm, query, TODAY)).sums).toMatchObject([sums]);
		await combineRows(calm, 30, TODAY);
		expect((await reportSpending(calm, query, TODAY)).sums).toMatchObject([sums]);
		expect(rows.filter(({ day }) => day.startsWith('2026-03'))).toHaveLength(1);
	},
);

it('a sum that was interrupted is ended in the row that has it, even if an older row is combined now', async () => {
	const { rows, calm } = createTable(numbersFrom(1), 0);
	const add = async (day: string, requests: number, kept: object) => {
		const { jobs, ...row } = entry(day);
		await calm.add({ ...row, requests, record: JSON.stringify({ writes: [], jobs, ...kept }) });
	};
	// written by a process whose clock was ahead
	await add('2026-03-02', 1, {});
	await add('2026-03', 2, { combined: [3] });
	await add('2026-03-01', 1, {});
	expect((await reportSpending(calm, query, TODAY)).sums).toMatchObject([{ requests: 3 }]);
	await combineRows(calm, 30, TODAY);
	expect((await reportSpending(calm, query, TODAY)).sums).toMatchObject([{ requests: 3 }]);
	expect(rows.map(({ day }) => day)).toEqual(['2026-03']);
	// what is deleted is no longer listed
	expect(JSON.parse(rows[0]!.record)).toMatchObject({ combined: [] });
});

it('what texts have cost is written together while others are under way, and at the end at the latest', async () => {
	const { rows, calm } = createTable(numbersFrom(1), 0);
	let now = 0;
	let wake: (() => void) | undefined;
	const sleep = async () => await new Promise<void>((resolve) => (wake = resolve));
	const clock = { now: () => now, random: () => 0, sleep };
	const change = jest.fn(calm.change);
	const way = { clock, open: async () => await Promise.resolve({ ...calm, change }) };
	const writer = new SpendingWriter();
	const end = async (jobs: string[] = []) =>
		await writer.end({ ...news, ...way, entries: [entry(TODAY, jobs)] });
	const requests = () => rows.map((row) => row.requests);
	for (let run = 1; run <= 6; run++) writer.join();
	await end();
	expect(requests()).toEqual([1]);
	for (const at of [100, 200]) {
		now = at;
		await end();
	}
	expect(requests()).toEqual([1]);
	now = 10_100;
	while (!wake) await turn();
	wake();
	while (requests()[0] !== 3) await turn();
	expect([requests(), change.mock.calls.length]).toEqual([[3], 1]);
	now = 10_200;
	await end();
	expect(requests()).toEqual([3]);
	// a job that was started is written at once
	await end(['c:job:images:1']);
	expect(requests()).toEqual([5]);
	await end();
	expect(requests()).toEqual([6]);
});

it('a start that did not happen leaves the record', async () => {
	const { rows, calm } = createTable(numbersFrom(1), 0);
	const way = opening(calm);
	const write = openWriter();
	const entries = [entry(TODAY), entry(TODAY, ['c:start:1']), entry(TODAY, ['c:start:2'])];
	await write({ ...news, ...way, entries });
	const decided = [{ start: 'c:start:1', entry: undefined }];
	for (let time = 1; time <= 2; time++) await write({ ...news, ...way, decided });
	expect(rows).toMatchObject([{ requests: 2, unknownCosts: 1, costUsd: 0.1 }]);
	expect(JSON.parse(rows[0]!.record)).toMatchObject({ jobs: ['c:start:2'] });
});

it('a row remembers its last changes', async () => {
	const { rows, calm } = createTable(numbersFrom(1), 0);
	const { jobs, ...row } = entry(TODAY);
	const writes = Array.from({ length: 30 }, (_, index) => `write ${index}`);
	await calm.add({ ...row, record: JSON.stringify({ writes, jobs }) });
	await openWriter()({ ...news, ...opening(calm), entries: [entry(TODAY)] });
	const record = JSON.parse(rows[0]!.record) as { writes: string[] };
	expect(record.writes).toEqual([...writes.slice(-19), expect.any(String)]);
});

it('asks for jobs that ended in requests whose address n8n takes, however long their IDs are', async () => {
	const { calm } = createTable(() => 0, 0);
	const lengths: number[] = [];
	const find: SpendingTable['find'] = async (...given) => {
		lengths.push(encodeURIComponent(JSON.stringify(given)).length);
		return await calm.find(...given);
	};
	const way = opening({ ...calm, find });
	const jobs = Array.from({ length: 20 }, (_, index) => `c:job:images:${'x'.repeat(1900)}${index}`);
	const ended = jobs.map((job) => [job, 50_000] as const);
	await openWriter()({ ...news, ...way, entries: [entry(TODAY, jobs)], ended });
	// 16 KiB, with the path and the headers
	expect(Math.max(...lengths)).toBeLessThan(14_000);
	expect((await reportSpending(calm, query, TODAY)).sums).toMatchObject([{ costUsd: 1 }]);
});
