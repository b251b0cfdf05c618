import { createAccounts } from '../../src/core/accounts';
import { Big } from '../../src/core/money';
import { reserve } from '../../src/core/reserve';
import { type Entry, ledgerFormat } from '../../src/ledger/entry';
import { NodeBudget } from '../../src/spending/budget';
import { BudgetBook } from '../../src/spending/budgetBook';
import { parseBudget } from '../../src/spending/budgetState';
import { NodeSpending } from '../../src/spending/record';
import { spendingFormat, type SpendingRow } from '../../src/spending/recordBook';
import { SpendingWriter } from '../../src/spending/spendingWriter';
import { createMemoryTable } from '../../src/tables/memoryTable';
import { numbersFrom } from '../support/numbersFrom';
import { createMain, type Database } from './simulatedMain';
import { createTimeline } from './timeline';

/** Executions that each send one text after another, with one budget and its record. */
export interface Load extends Database {
	workers: number;
	/** Executions at once on each. */
	slots: number;
	/** Milliseconds that a request to the service takes, on average. */
	duration: number;
	/** Milliseconds for which executions begin. */
	time: number;
	/** Milliseconds that n8n takes itself from one execution to the next. */
	between: number;
	/** Micro-dollars. */
	budget: number;
	/** The most that a text is reserved. It costs a fifth to a half of that. */
	bound: number;
	seed: number;
}

export const usualLoad: Load = {
	database: 'postgres',
	rows: 10_000,
	workers: 3,
	slots: 20,
	duration: 5000,
	time: 60_000,
	between: 0,
	budget: 1e12,
	bound: 6000,
	seed: 1,
};

/** What one execution after another waits for the budget and the record, in milliseconds. */
export function percentiles(waits: readonly number[]) {
	const sorted = [...waits].sort((one, other) => one - other);
	const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
	return { 'wait ms': at(0.5), 'wait ms, 95 %': at(0.95), 'wait ms, most': at(1) };
}

function createSimulation(load: Load) {
	const timeline = createTimeline();
	const main = createMain(timeline, load);
	const rows: Entry[] = [];
	const spent: SpendingRow[] = [];
	return {
		load,
		timeline,
		main,
		rows,
		spent,
		random: numbersFrom(load.seed),
		ledgerTable: main.connect(createMemoryTable(rows, ledgerFormat)),
		spendingTable: main.connect(createMemoryTable(spent, spendingFormat)),
		begun: timeline.now(),
		waits: [] as number[],
		sums: { done: 0, refused: 0, paid: 0, held: 0, freeAtRefusal: 0 },
		hints: new Set<string>(),
	};
}

type Simulation = ReturnType<typeof createSimulation>;

/** Connects the node runs of one worker as a node of the package does. */
function createWorker({ load, timeline, main, random, hints, ...tables }: Simulation) {
	const book = new BudgetBook('b');
	const writer = new SpendingWriter();
	const clock = { now: timeline.now, sleep: timeline.sleep, random };
	const amount = new Big(load.budget);
	const settings = {
		amount,
		unknownCost: undefined,
		alarmPercents: [],
		mayResume: true,
		table: 'Media Jobs',
	};
	const addHint = (hint: string) => void hints.add(hint);
	const newId = () => String(random());
	return (executionId: string) => {
		const ledger = {
			table: tables.ledgerTable,
			clock,
			uncancellableClock: clock,
			executionId,
			newClaim: newId,
			n8nTime: () => main.seen.answeredAt,
		};
		const budget = new NodeBudget({
			book,
			clock,
			executionId,
			addHint,
			newId,
			asTool: false,
			credentialId: 'c',
			workflow: 'w',
			workflowId: 'w',
			settings: { ...settings, length: 'month' },
			open: async () => await Promise.resolve(ledger),
		});
		const spender = { workflowId: 'w', workflow: 'w', nodeId: 'n', node: 'n' };
		const spending = new NodeSpending({
			writer,
			credentialId: 'c',
			addHint,
			clock,
			log: () => undefined,
			table: 'Agent Spending',
			open: async () => await Promise.resolve(tables.spendingTable),
			spender: { ...spender, lastExecutionId: executionId },
		});
		return createAccounts(undefined, budget, spending);
	};
}

/** One execution with one text. @returns the milliseconds that the service took; 0 if it was not asked. */
async function ask(
	{ load, timeline, random, sums }: Simulation,
	accounts: ReturnType<typeof createAccounts>,
) {
	const { bound, budget } = load;
	try {
		const scopes = accounts.openCall('m');
		const reservation = await reserve(scopes, () => ({ microUsd: bound, advise: () => '' }));
		await accounts.budget?.check();
		sums.held += bound;
		const duration = load.duration * (0.5 + random());
		await timeline.sleep(duration);
		const cost = Math.floor(bound * (0.2 + 0.3 * random()));
		sums.held -= bound;
		sums.paid += cost;
		sums.done++;
		await reservation.settle(cost);
		return duration;
	} catch {
		sums.refused++;
		sums.freeAtRefusal = Math.max(sums.freeAtRefusal, budget - sums.paid - sums.held);
		return 0;
	}
}

/** Plays a load in virtual time, with the real code of budget and record. */
export async function simulateTexts(given: Partial<Load>) {
	const load = { ...usualLoad, ...given };
	const simulation = createSimulation(load);
	const { timeline, main, rows, spent, random, waits, begun, sums } = simulation;
	const { now, at, sleep } = timeline;
	const runSlot = async (open: ReturnType<typeof createWorker>, name: string) => {
		for (let run = 1; now() - begun < load.time; run++) {
			const from = now();
			const accounts = open(`${name}.${run}`);
			const asked = await ask(simulation, accounts);
			await accounts.close();
			// as it is once all have begun
			if (from - begun > load.time / 4) waits.push(now() - from - asked);
			// nobody begins again at once where nothing is left
			await sleep(asked ? load.between : load.duration);
		}
	};
	for (let worker = 0; worker < load.workers; worker++) {
		const open = createWorker(simulation);
		for (let slot = 0; slot < load.slots; slot++)
			at(random() * load.duration, () => void runSlot(open, `${worker}.${slot}`));
	}
	let used = { busy: 0, requests: 0, texts: 0, seconds: load.time / 1000 };
	at(load.time, () => {
		const { busy, requests } = main.seen;
		used = { ...used, busy, requests, texts: sums.done };
	});
	await timeline.run();

	const state = parseBudget(rows[0]?.record ?? '');
	const inRow = Object.values(state?.spent ?? {}).reduce((sum, one) => sum + Number(one), 0);
	const recorded = spent.reduce((sum, { costUsd }) => sum + costUsd * 1e6, 0);
	return {
		figures: {
			...percentiles(waits),
			'main busy %': Math.round((used.busy / load.time) * 100),
			'to n8n a second': Math.round(used.requests / used.seconds),
			'texts a second': Math.round((sums.done / load.time) * 1000),
			refused: sums.refused,
			'rows of the record': spent.length,
			/** In the time for which executions began: milliseconds of main's processor, requests to it, and texts. */
			used,
		},
		/** Micro-dollars that were free when a text was refused, at most. */
		freeAtRefusal: sums.freeAtRefusal,
		overspent: Math.max(0, sums.paid - load.budget),
		uncounted: sums.paid - inRow,
		unrecorded: sums.paid - Math.round(recorded),
		reserved: Object.keys(state?.reservations ?? {}).length,
		hints: [...simulation.hints],
	};
}
