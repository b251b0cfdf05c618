import { ServiceError } from '../../../src/core/errors';
import { Big } from '../../../src/core/money';
import { NodeBudget } from '../../../src/ledger/budget';
import { BudgetBook } from '../../../src/ledger/budgetBook';
import { createMemoryTable } from '../../../src/ledger/dataTable';
import type { Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';

// what test/engine/budget.test.ts would have to wait for
const SECOND = 1000;

/** A budget of 100 micro-dollars, and a clock that does not wait. @param ahead Milliseconds by which it is ahead of that of n8n. */
function createWorld(ahead = 0) {
	let now = Date.parse('2026-11-24T12:00:00Z');
	let ids = 0;
	let endsAt = Infinity;
	let other: NodeBudget | undefined;
	const clock = {
		now: () => now,
		random: () => 0,
		sleep: async (milliseconds: number) => {
			now += milliseconds;
			if (now < endsAt) return;
			endsAt = Infinity;
			await other?.close();
		},
	};
	const newId = () => String(++ids);
	const rows: Entry[] = [];
	const table = createMemoryTable(rows);
	/** As a node run connects to it. */
	const connect = (): Ledger => {
		let answeredAt: number | undefined;
		const find: typeof table.find = async (...given) => {
			answeredAt = now - ahead;
			return await table.find(...given);
		};
		return {
			...{ table: { ...table, find }, clock, uncancellableClock: clock },
			...{ newClaim: newId, execution: '1', n8nTime: () => answeredAt ?? now },
		};
	};
	const book = new BudgetBook('b');
	const amounts = { amount: new Big(100), unknownCost: undefined, alarmPercents: [] };
	const createRun = () => {
		const ledger = connect();
		return new NodeBudget({
			settings: { ...amounts, length: 'month', mayResume: false },
			...{ book, clock, newId, open: async () => await Promise.resolve(ledger) },
			...{ account: 'c', execution: '1', workflow: 'w', workflowId: 'w', asTool: false },
			addHint: () => undefined,
		});
	};
	const reserveAll = async (run: NodeBudget) =>
		await run.calls.reserve({ microUsd: 100, advise: () => '' });
	/** Another node run has all of it for some time. */
	const holdAll = async (duration: number) => {
		other = createRun();
		await reserveAll(other);
		endsAt = now + duration;
	};
	return { rows, table, createRun, reserveAll, holdAll };
}

it('a request waits for 30 s at most for what others have reserved', async () => {
	const { createRun, reserveAll, holdAll } = createWorld();
	await holdAll(40 * SECOND);
	await expect(reserveAll(createRun())).rejects.toMatchObject({
		message:
			'The rest of the budget of $0.0001 for this month is reserved for requests and jobs under way',
	});
});

it('the time is counted from the last request that fit', async () => {
	const { createRun, reserveAll, holdAll } = createWorld();
	const run = createRun();
	for (let request = 1; request <= 2; request++) {
		await holdAll(20 * SECOND);
		const share = await reserveAll(run);
		await share.release();
		await run.close();
	}
});

it('a period ends by the clock of n8n, also for a run that has not asked n8n yet', async () => {
	const { createRun, reserveAll } = createWorld(30 * 24 * 3600 * SECOND);
	const first = createRun();
	const share = await reserveAll(first);
	await share.settle(100);
	await first.close();
	await expect(reserveAll(createRun())).rejects.toThrow('for this month is reached');
});

it.each<[string, (world: ReturnType<typeof createWorld>) => unknown]>([
	['cannot be read', ({ rows }) => Object.assign(rows[0]!, { record: 'edited' })],
	[
		'cannot be reached',
		({ table }) =>
			(table.find = async () =>
				await Promise.reject(new ServiceError('refused', 'down', { status: 500 }))),
	],
])('while the row %s, a request was certainly not sent', async (_why, change) => {
	const world = createWorld();
	await world.createRun().actions.get();
	change(world);
	await world
		.createRun()
		.actions.get()
		.catch(() => {});
	await expect(world.reserveAll(world.createRun())).rejects.toMatchObject({
		details: { outcome: 'not_started' },
	});
});
