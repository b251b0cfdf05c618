import { writeFileSync } from 'node:fs';

import { reserve } from '../../src/core/reserve';
import type { SharedBudget } from '../../src/core/accounts';
import { Big } from '../../src/core/money';
import { ledgerFormat } from '../../src/ledger/entry';
import { NodeBudget } from '../../src/spending/budget';
import { BudgetBook } from '../../src/spending/budgetBook';
import { createMemoryTable } from '../../src/tables/memoryTable';
import type { Ledger, LedgerTable } from '../../src/ledger/ledger';
import type { Samples } from './row';

/** Milliseconds that n8n takes for a request about its Data Tables. */
const N8N_TAKES = 10;
/** How many items a node sends at once. */
const AT_ONCE = 5;

const pause = async (milliseconds: number) =>
	await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** A ledger in memory that counts its requests, each of which takes as long as one to n8n. */
function createLedger() {
	let requests = 0;
	const memory = createMemoryTable([], ledgerFormat);
	const slow =
		<Given extends unknown[], Result>(action: (...given: Given) => Promise<Result>) =>
		async (...given: Given) => {
			requests++;
			await pause(N8N_TAKES);
			return await action(...given);
		};
	const table: LedgerTable = {
		find: slow(memory.find),
		add: slow(memory.add),
		change: slow(memory.change),
		remove: slow(memory.remove),
	};
	const clock = { now: () => Date.now(), sleep: pause, random: () => Math.random() };
	let claims = 0;
	const ledger: Ledger = {
		...{ table, clock, uncancellableClock: clock, executionId: 'bench' },
		newClaim: () => `claim ${++claims}`,
	};
	return { ledger, count: () => requests };
}

/** A call that takes a moment, and costs a third of what it could. */
async function call(budget: SharedBudget): Promise<void> {
	const bound = { microUsd: 6000, advise: () => '' };
	const reservation = await reserve({ shared: budget.calls }, () => bound);
	await budget.check();
	await pause(2);
	await reservation.settle(2000);
}

/** The row of the budget exists. */
async function measureBudget(): Promise<Samples> {
	const { ledger, count } = createLedger();
	const book = new BudgetBook('bench');
	const settings = {
		...{
			amount: new Big(100e6),
			length: 'month' as const,
			unknownCost: undefined,
			alarmPercents: [],
		},
		mayResume: false,
	};
	let ids = 0;
	const open = () =>
		new NodeBudget({
			...{
				book,
				settings,
				credentialId: 'credential',
				asTool: false,
				executionId: '1',
				workflow: 'w',
				workflowId: 'w',
			},
			open: async () => await Promise.resolve(ledger),
			clock: ledger.clock,
			addHint: () => {},
			newId: () => String(++ids),
		});
	const measure = async (calls: number, work: (budget: SharedBudget) => Promise<unknown>) => {
		const [before, start] = [count(), performance.now()];
		const budget = open();
		budget.expectCalls(calls);
		await work(budget);
		await budget.close();
		return [{ 'to n8n': count() - before, 'wall ms': performance.now() - start }];
	};
	const all = (calls: number) => Array.from({ length: calls }, (_, index) => index);
	await measure(1, call);
	return {
		'100 items': await measure(100, async (budget) => {
			const waiting = all(100);
			const send = async () => {
				while (waiting.pop() !== undefined) await call(budget);
			};
			await Promise.all(all(AT_ONCE).map(send));
		}),
		'a call of a chat model': await measure(4, call),
		'20 calls at once': await measure(4, async (budget) => {
			await Promise.all(all(20).map(async () => await call(budget)));
		}),
	};
}

it('a node run of 100 items makes few requests to n8n for its budget', async () => {
	const samples = await measureBudget();
	expect(samples['100 items']?.[0]?.['to n8n']).toBeLessThanOrEqual(6);
	const file = process.env['AGENT_BRIDGE_SAMPLES'];
	if (file) writeFileSync(file, JSON.stringify(samples));
});
