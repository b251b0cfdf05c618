import { reserve } from '../../src/core/budget';
import { Big } from '../../src/core/money';
import { NodeBudget } from '../../src/ledger/budget';
import { BudgetBook } from '../../src/ledger/budgetBook';
import { parseBudget, type PeriodLength, toDay } from '../../src/ledger/budgetState';
import { CALM, createWorld, type Weather } from './world';

/** What happens to the node runs that spend from one budget. */
interface Scenario extends Weather {
	processes: number;
	runs: number;
	calls: number;
	/** Micro-dollars. */
	budget: number;
	/** The most that a call is reserved, and the share of it that it costs at least and at most. */
	bound: number;
	share: [number, number];
	length: PeriodLength;
	/** Milliseconds over which the runs begin, from a time on. */
	from: number;
	within: number;
	/** Share of the runs that start jobs. */
	jobs: number;
	/** Whether a person adds to what is spent, and releases parts of runs that were killed. */
	person: boolean;
}

const MINUTE = 60_000;
/** From the begin of a world to its first midnight. */
const MIDNIGHT = 16 * 60 * MINUTE;

const usual: Scenario = {
	...CALM,
	...{ processes: 4, runs: 12, calls: 8, budget: 100_000, bound: 6000, share: [0.2, 0.5] },
	...{ length: 'month', from: 0, within: 5000, jobs: 0, person: false },
};

export const scenarios: Record<string, Scenario> = {
	'nothing goes wrong': usual,
	'lost requests and answers': { ...usual, lostRequest: 0.05, lostAnswer: 0.1 },
	crashes: { ...usual, crash: 0.02, lostAnswer: 0.05 },
	'late changes, pauses, clocks 30 min apart': {
		...usual,
		...{ late: 0.05, latest: MINUTE, pause: 0.02, longestPause: MINUTE, skew: 30 * MINUTE },
	},
	'the end of a day': {
		...usual,
		...{ length: 'day', from: MIDNIGHT - 2500, crash: 0.005, lostAnswer: 0.05, skew: MINUTE },
	},
	'a person': { ...usual, person: true, crash: 0.02, lostAnswer: 0.05 },
	jobs: { ...usual, jobs: 0.5, crash: 0.01, lostAnswer: 0.05 },
};

interface Played {
	/** Micro-dollars by which the service was paid more than the budget, in the worst period. */
	overspent: number;
	/** What is reserved at the end although its node run was not killed, and parts of one run that was. */
	leaked: string[];
	/** Whether all was spent that could be, where nothing went wrong. */
	isUsed: boolean;
	/** Micro-dollars that the row counts less than the service. */
	uncounted: number;
	faults: string[];
	log: string[];
}

/** Node runs of several processes, and a service that counts what it is paid. */
async function play(seed: number, scenario: Scenario): Promise<Played> {
	const world = createWorld(seed, scenario);
	const { random, rows, say, at, log, faults, dead } = world;
	const limit = { amount: new Big(scenario.budget), length: scenario.length };
	const settings = { ...limit, unknownCost: undefined, alarmPercents: [], mayResume: true };
	/** What the service was paid, by the period in which it was reserved. */
	const paid = new Map<string, number>();
	/** What a job may cost more than was reserved: one estimate's difference. */
	let excess = 0;
	/** What a person has added to what is spent. */
	let added = 0;
	let refused = 0;
	/** Node runs that have not ended, by process. */
	const open: string[] = [];
	const processes = Array.from({ length: scenario.processes }, (_, index) => ({
		book: new BudgetBook('b'),
		process: world.createProcess(`P${index}`),
	}));
	/** Whether the process of a node run was killed. */
	const isDead = (execution: string) => dead.has(execution.split('.')[0] ?? '');

	const spend = async ({ book, process }: (typeof processes)[number], run: number) => {
		const { step, ledger } = process;
		const name = `${process.name}.R${run}`;
		const ids = Array.from({ length: scenario.calls + 1 }, (_, index) => `${run}.${index}`);
		const budget = new NodeBudget({
			...{
				book,
				settings,
				account: 'account',
				asTool: false,
				execution: name,
				workflow: 'w',
				workflowId: 'w',
			},
			...{ open: async () => ledger, clock: ledger.clock },
			addHint: (sentence) => say(name, sentence),
			newId: () => ids.pop() ?? 'no more',
		});
		budget.expectCalls(scenario.calls);
		const isJob = random() < scenario.jobs;
		const call = async (number: number): Promise<void> => {
			const most = Math.ceil(random() * scenario.bound);
			const scope = isJob ? budget.openStart('model') : undefined;
			try {
				const bound = { microUsd: most, advise: () => '' };
				const reservation = await reserve({ shared: scope ?? budget.calls }, bound);
				const period = book.periodStart(scenario.length);
				await budget.check().catch(async (cause: unknown) => {
					await reservation.release();
					throw cause;
				});
				await step(random() * 200);
				const [least, greatest] = scenario.share;
				const part = least + random() * (greatest - least);
				// jobs of one model cost the same, and at least what the catalog says
				const cost = isJob ? scenario.bound : Math.max(1, Math.floor(most * part));
				paid.set(period, (paid.get(period) ?? 0) + cost);
				if (isJob) excess = Math.max(excess, scenario.bound - most);
				say(name, `PAYS ${cost} of ${most} in ${period}`);
				await step(random() * 500);
				scope?.setJob('images', `${run}.${number}`);
				await reservation.settle(cost);
				if (isJob) budget.endJob('images', `${run}.${number}`, cost);
			} catch (cause) {
				refused++;
				say(name, String(cause));
			}
		};
		open.push(name);
		const half = Math.ceil(scenario.calls / 2);
		const numbers = Array.from({ length: scenario.calls }, (_, index) => index);
		for (const some of [numbers.slice(0, half), numbers.slice(half)])
			await Promise.all(some.map(call));
		await budget.close();
		open.splice(open.indexOf(name), 1);
	};

	for (let run = 0; run < scenario.runs; run++)
		at(scenario.from + random() * scenario.within, () => {
			const process = processes[run % processes.length]!;
			if (!dead.has(process.process.name)) void spend(process, run);
		});
	const actAsPerson = () => {
		const [row] = rows;
		const state = row?.state === 'budget' ? parseBudget(row.record) : undefined;
		if (!row || !state) return;
		const today = toDay(world.now());
		const more = Math.floor(random() * scenario.bound);
		state.spent[today] = String(Number(state.spent[today] ?? 0) + more);
		added += more;
		for (const [id, lump] of Object.entries(state.lumps))
			if (isDead(lump.execution)) delete state.lumps[id];
		Object.assign(row, { record: JSON.stringify(state), claim: `person ${random()}` });
		say('person', `adds ${more}`);
	};
	if (scenario.person)
		for (let turn = 1; turn <= 5; turn++) at(scenario.from + turn * 2000, actAsPerson);

	await world.run(50_000);
	const [row] = rows.filter(({ state }) => state === 'budget');
	const state = row && parseBudget(row.record);
	const lumps = Object.entries(state?.lumps ?? {});
	const inRow = Object.values(state?.spent ?? {}).reduce((sum, one) => sum + Number(one), 0);
	const total = [...paid.values()].reduce((sum, one) => sum + one, 0);
	// what a person releases of a killed run was perhaps spent
	const allowed = scenario.budget - (scenario.person ? 0 : added) + excess;
	return {
		overspent: Math.max(0, ...[...paid.values()].map((sum) => sum - allowed)),
		leaked: [
			...lumps.filter(([, { execution }]) => !isDead(execution)).map(([id]) => id),
			...lumps
				.map(([id, { execution }]) => [id, execution] as const)
				.filter(([id, name]) =>
					lumps.some(
						([other, { execution }]) =>
							other < id && execution === name && !other.startsWith('start') && !scenario.jobs,
					),
				)
				.map(([id]) => id),
		],
		// a refusal may have come of a failure
		isUsed:
			scenario !== scenarios['nothing goes wrong'] ||
			!refused ||
			total + scenario.bound >= scenario.budget ||
			dead.size > 0 ||
			added > 0,
		uncounted: dead.size || paid.size > 1 ? 0 : Math.max(0, total + added - inRow),
		faults: [
			...faults,
			...open.filter((name) => !isDead(name)).map((name) => `${name} did not end`),
		],
		log: [...log, JSON.stringify(rows)],
	};
}

/** Plays a scenario so many times. @returns what was wrong in the first run that was not as it should be, with its log. */
export async function exploreBudget(scenario: Scenario, runs: number): Promise<object | undefined> {
	for (let seed = 1; seed <= runs; seed++) {
		const played = await play(seed, scenario);
		const { overspent, leaked, isUsed, uncounted, faults } = played;
		if (overspent || leaked.length || !isUsed || uncounted || faults.length)
			return { seed, ...played };
	}
	return undefined;
}
