import { createAccounts } from '../../src/core/accounts';
import { ServiceError } from '../../src/core/errors';
import { reserve } from '../../src/core/reserve';
import { Big } from '../../src/core/money';
import { readEstimate, readJobCost } from '../../src/router/jobRecord';
import { NodeBudget } from '../../src/spending/budget';
import { BudgetBook, type BudgetUse } from '../../src/spending/budgetBook';
import { parseBudget } from '../../src/spending/budgetState';
import { type PeriodLength, toDay } from '../../src/spending/periods';
import { NodeSpending } from '../../src/spending/record';
import { type SpendingRow, spendingFormat } from '../../src/spending/recordBook';
import { SpendingWriter } from '../../src/spending/spendingWriter';
import { createMemoryTable } from '../../src/tables/memoryTable';
import type { Played } from './explore';
import { createApprovals } from './raises';
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
	/** How many configurations the jobs have. Each costs another multiple of its minimum, and every fifth has no estimate. */
	configurations: number;
	/** Share of the starts whose outcome is unknown until a person decides. */
	unknown: number;
	/** Share of the jobs with a cost that cannot be, and of those with an estimate that is 40 times too high. */
	odd: number;
	/** Whether n8n's clock is a year ahead for a moment, and a person sets the row right after that. */
	wrongClock: boolean;
	/** Whether a person adds to what is spent, and releases reservations of runs that were killed. */
	person: boolean;
	/** Micro-dollars by which people who approve refused requests may raise a period. */
	raises: number;
}

const MINUTE = 60_000;
/** From the begin of a world to its first midnight. */
const MIDNIGHT = 16 * 60 * MINUTE;

const usual: Scenario = {
	...CALM,
	processes: 4,
	runs: 12,
	calls: 8,
	budget: 100_000,
	bound: 6000,
	share: [0.2, 0.5],
	length: 'month',
	from: 0,
	within: 5000,
	jobs: 0,
	person: false,
	configurations: 1,
	unknown: 0,
	odd: 0,
	wrongClock: false,
	raises: 0,
};
const raised: Scenario = { ...usual, budget: 50_000, raises: 50_000 };

export const scenarios: Record<string, Scenario> = {
	'nothing goes wrong': usual,
	'lost requests and answers': { ...usual, lostRequest: 0.05, lostAnswer: 0.1 },
	crashes: { ...usual, crash: 0.02, lostAnswer: 0.05 },
	'late changes, pauses, clocks 30 min apart': {
		...usual,
		late: 0.05,
		latest: MINUTE,
		pause: 0.02,
		longestPause: MINUTE,
		skew: 30 * MINUTE,
	},
	'the end of a day': {
		...usual,
		length: 'day',
		from: MIDNIGHT - 2500,
		crash: 0.005,
		lostAnswer: 0.05,
		skew: MINUTE,
	},
	'a person': { ...usual, person: true, crash: 0.02, lostAnswer: 0.05 },
	jobs: { ...usual, jobs: 0.5, crash: 0.01, lostAnswer: 0.05 },
	'jobs of many configurations': { ...usual, jobs: 0.8, configurations: 20, lostAnswer: 0.05 },
	'starts about which a person decides later': {
		...usual,
		jobs: 0.8,
		configurations: 5,
		unknown: 0.3,
		lostAnswer: 0.05,
		late: 0.02,
	},
	'room for all': { ...usual, runs: 20, calls: 1, jobs: 1, configurations: 20, budget: 1e9 },
	'fifty workers': {
		...usual,
		processes: 50,
		runs: 100,
		calls: 2,
		budget: 400_000,
		lostAnswer: 0.02,
		crash: 0.0005,
	},
	'n8n is away for a minute': { ...usual, jobs: 0.3, away: MINUTE, awayBy: 8000, lostAnswer: 0.05 },
	'n8n is away for a quarter of an hour': { ...usual, away: 15 * MINUTE, awayBy: 8000 },
	'odd costs and estimates': { ...usual, jobs: 0.8, configurations: 5, odd: 0.1, lostAnswer: 0.05 },
	'raises, two approvals at once': { ...raised, jobs: 0.3, lostAnswer: 0.05 },
	'raises by workers that are killed': {
		...raised,
		jobs: 0.3,
		lostRequest: 0.05,
		lostAnswer: 0.1,
		crash: 0.002,
		late: 0.02,
	},
	'raises around midnight': {
		...raised,
		length: 'day',
		runs: 30,
		budget: 25_000,
		raises: 25_000,
		from: MIDNIGHT - 15_000,
		within: 30_000,
		lostAnswer: 0.05,
		skew: MINUTE,
	},
	'a clock that is wrong once': { ...usual, jobs: 0.3, configurations: 5, wrongClock: true },
};

const YEAR = 366 * 24 * 60 * MINUTE;
/** Milliseconds after which the process of a start counts as killed. */
const LEASE = 10 * MINUTE;

/** A budget in micro-dollars. */
export const settingsOf = (
	amount: number,
	length: PeriodLength,
	raises = 0,
): BudgetUse['settings'] => ({
	amount: new Big(amount),
	mayRaiseBy: new Big(raises),
	length,
	unknownCost: undefined,
	alarmPercents: [],
	mayResume: true,
	table: 'Media Jobs',
});

/** The budget of the credential, as a node run of the workflow spends it. */
export const openBudget = (
	run: Pick<
		BudgetUse,
		'book' | 'settings' | 'executionId' | 'clock' | 'addHint' | 'open' | 'newId'
	>,
): NodeBudget =>
	new NodeBudget({
		...run,
		asTool: false,
		workflow: 'w',
		workflowId: 'w',
		credentialId: 'credential',
	});

/** Node runs of several processes, and a service that counts what it is paid. */
export async function play(seed: number, scenario: Scenario): Promise<Played> {
	const world = createWorld(seed, scenario);
	const { random, rows, say, at, log, faults, dead } = world;
	const settings = settingsOf(scenario.budget, scenario.length, scenario.raises);
	/** What the service was paid, and has estimated, by the period in which it was reserved. */
	const paid = new Map<string, number>();
	const pay = (period: string, cost: number) =>
		void paid.set(period, (paid.get(period) ?? 0) + cost);
	/** What a job may cost more than was reserved: the difference of one start without a factor. */
	let excess = 0;
	/** What the row has to count in the end. */
	let counted = 0;
	/** The requests that the record has to have, and what they have cost, as far as that can be. */
	const spent = { requests: 0, cost: 0, unknown: 0 };
	const recorded: SpendingRow[] = [];
	const store = createMemoryTable(recorded, spendingFormat);
	/** What n8n's log says that the record lacks. */
	const lacking: Array<Record<string, unknown>> = [];
	/** What a person has added to what is spent. */
	let added = 0;
	let refused = 0;
	let isClockWrong = false;
	/** Node runs that have told their user of a change that could not be written. */
	const told = new Set<string>();
	/** Node runs that have not ended, by process. */
	const open: string[] = [];
	const connect = (name: string, weather?: Weather) => {
		const process = world.createProcess(name, weather);
		const n8nTime = () => process.ledger.n8nTime() + (isClockWrong ? YEAR : 0);
		const record = { writer: new SpendingWriter(), table: process.reach(store) };
		return { book: new BudgetBook('b'), process, ledger: { ...process.ledger, n8nTime }, record };
	};
	const processes = Array.from({ length: scenario.processes }, (_, index) => connect(`P${index}`));
	const person = connect('person', CALM);
	/** Whether the process of a node run was killed. */
	const isDead = (executionId: string) => dead.has(executionId.split('.')[0] ?? '');
	const configurations = Array.from({ length: scenario.configurations }, (_, index) => ({
		model: `m${index % 3}`,
		settings: String(index),
		factor: 1 + Math.floor(random() * 20),
		hasEstimate: index % 5 !== 4,
	}));

	let budgets = 0;
	const openAccounts = ({ book, ledger, record }: typeof person, executionId: string) => {
		const id = ++budgets;
		let ids = 0;
		const addHint = (sentence: string) => {
			say(executionId, sentence);
			if (sentence.includes('could not be updated')) told.add(executionId);
		};
		const { clock } = ledger;
		const budget = openBudget({
			book,
			settings,
			executionId,
			clock,
			addHint,
			open: async () => ledger,
			newId: () => `${id}.${++ids}`,
		});
		const node = { workflowId: 'w', workflow: 'w', nodeId: 'n', node: 'n' };
		const spending = new NodeSpending({
			clock,
			credentialId: 'credential',
			addHint,
			writer: record.writer,
			spender: { ...node, lastExecutionId: executionId },
			table: 'spending',
			open: async () => record.table,
			log: (lost) => void lacking.push(lost),
		});
		return {
			...createAccounts(undefined, budget, spending),
			check: () => budget.check(),
			raise: budget.actions.raise,
		};
	};
	type Opened = ReturnType<typeof openAccounts>;
	/** What a node run of another workflow does with the budget. */
	const later = (use: (accounts: Opened) => void) =>
		at(random() * 20_000, () => {
			const accounts = openAccounts(person, 'person.1');
			use(accounts);
			void accounts.close();
		});

	const startJob = async (
		accounts: Opened,
		{ book, process: { step } }: typeof person,
		name: string,
		label: string,
	) => {
		const configuration = configurations[Math.floor(random() * configurations.length)]!;
		const { factor, hasEstimate } = configuration;
		const least = Math.ceil((random() * scenario.bound) / 4);
		const cost = least * factor;
		const claim = name;
		const start = accounts.openStart({ ...configuration, claim, label, lease: LEASE });
		const reservation = await reserve(start.scopes, () => ({
			microUsd: least,
			advise: () => '',
		}));
		const period = book.periodStart(scenario.length);
		await accounts.check().catch(async (cause: unknown) => {
			await reservation.release();
			throw cause;
		});
		await step(random() * 700);
		const job = { mediaType: 'images', jobId: name };
		if (random() < scenario.unknown) {
			say(name, 'HEARS NOTHING');
			await reservation.settle(undefined);
			const isStarted = random() < 0.5;
			const { model } = configuration;
			const decided = { claim, model, startedAt: world.now(), executionId: name };
			if (isStarted) spent.requests++;
			later((deciding) => {
				say(name, isStarted ? 'WAS STARTED' : 'WAS NOT STARTED');
				deciding.decideStart({ ...decided, job: isStarted ? job : undefined });
				if (!isStarted) return;
				counted += cost;
				spent.cost += cost;
				for (let time = 1; time <= 2; time++)
					later((reading) => reading.endJob('images', name, cost));
			});
			return;
		}
		const isWild = hasEstimate && random() < scenario.odd;
		const said = { estimatedCostMicroUsd: isWild ? cost * 40 : cost };
		const estimate = hasEstimate ? readEstimate(said, new Big(least)) : undefined;
		excess = Math.max(excess, estimate ? cost - least : 0);
		say(name, `STARTS ${cost} of ${least} in ${period}, said to cost ${String(estimate)}`);
		start.setJob('images', name);
		spent.requests++;
		await reservation.settle(estimate);
		const isOdd = Boolean(estimate) && !isWild && random() < scenario.odd;
		const hasFailed = !isWild && !isOdd && random() < 0.1;
		if (!hasFailed) {
			// a job without an estimate may cost anything
			if (estimate) pay(period, cost);
			counted += cost;
			if (isOdd) spent.unknown++;
			else spent.cost += cost;
		}
		const reported = isOdd ? (random() < 0.5 ? -900_000 : cost * 2000) : hasFailed ? 0 : cost;
		const known = readJobCost({ ...said, costMicroUsd: reported });
		const end = (reading: Opened) => reading.endJob('images', name, known);
		// it is read by this run, by another one, or by both
		const luck = random();
		if (luck < 0.6) end(accounts);
		if (luck > 0.3) later(end);
	};

	const askText = async (
		accounts: Opened,
		{ book, process: { step } }: typeof person,
		name: string,
		label: string,
	) => {
		const wish = Math.ceil(random() * scenario.bound);
		const smallest = random() < 0.5 ? wish : Math.ceil(wish / 4);
		let most = 0;
		const reservation = await reserve(accounts.openCall('m', label), (free) => {
			most = Math.max(smallest, Math.min(wish, Math.floor(Number(free))));
			return { microUsd: most, advise: () => '' };
		});
		const period = book.periodStart(scenario.length);
		await accounts.check().catch(async (cause: unknown) => {
			await reservation.release();
			throw cause;
		});
		await step(random() * 200);
		const [least, greatest] = scenario.share;
		const part = least + random() * (greatest - least);
		const cost = Math.max(1, Math.floor(most * part));
		pay(period, cost);
		counted += cost;
		spent.requests++;
		spent.cost += cost;
		say(name, `PAYS ${cost} of ${most} in ${period}`);
		await step(random() * 500);
		await reservation.settle(cost);
	};

	let runs = scenario.runs;
	const approvals = createApprovals(world, (name) => {
		const use = processes[Math.floor(random() * processes.length)]!;
		const executionId = `${use.process.name}.${name}`;
		const { raise } = openAccounts(use, executionId);
		return { executionId, raise, goOn: () => void spend(use, ++runs, 1) };
	});

	const spend = async (use: typeof person, run: number, calls = scenario.calls) => {
		const name = `${use.process.name}.R${run}`;
		const accounts = openAccounts(use, name);
		const label = run % 2 ? `customer ${run % 3}` : '';
		const spendOnce = random() < scenario.jobs ? startJob : askText;
		const call = async (number: number) => {
			try {
				await spendOnce(accounts, use, `${name}.${number}`, label);
			} catch (cause) {
				refused++;
				say(name, String(cause));
				const { budget: missing } = cause instanceof ServiceError ? cause.details : {};
				if (scenario.raises && missing) approvals.ask(missing);
				// n8n's answer to the last attempt was lost: the error says so
				if (String(cause).endsWith(': lost')) told.add(name);
			}
		};
		open.push(name);
		const half = Math.ceil(calls / 2);
		const numbers = Array.from({ length: calls }, (_, index) => index);
		for (const some of [numbers.slice(0, half), numbers.slice(half)])
			await Promise.all(some.map(call));
		await accounts.close();
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
		for (const [id, reservation] of Object.entries(state.reservations))
			if (isDead(reservation.executionId)) delete state.reservations[id];
		Object.assign(row, { record: JSON.stringify(state), claim: `person ${random()}` });
		say('person', `adds ${more}`);
	};
	/** What was reserved when the clock was wrong: the next year forgets it. */
	let forgotten = 0;
	const noteReserved = () => {
		const [row] = rows.filter(({ state }) => state === 'budget');
		const reservations = Object.values((row && parseBudget(row.record)?.reservations) ?? {});
		forgotten = Math.max(
			forgotten,
			reservations.reduce((sum, { most }) => sum + Number(most), 0),
		);
	};
	if (scenario.wrongClock) {
		for (let time = 1000; time <= 1300; time += 10) at(scenario.from + time, noteReserved);
		at(scenario.from + 1000, () => void (isClockWrong = true));
		at(scenario.from + 1300, () => void (isClockWrong = false));
		at(scenario.from + 10 * MINUTE, () => {
			const [row] = rows.filter(({ state }) => state === 'budget');
			const state = row && parseBudget(row.record);
			if (!row || !state) return;
			state.day = toDay(world.now());
			Object.assign(row, { record: JSON.stringify(state), claim: 'set right' });
			for (const use of processes) void spend(use, 100);
		});
	}
	if (scenario.person)
		for (let turn = 1; turn <= 5; turn++) at(scenario.from + turn * 2000, actAsPerson);

	await world.run(200_000);
	const [row] = rows.filter(({ state }) => state === 'budget');
	const state = row && parseBudget(row.record);
	const reservations = Object.entries(state?.reservations ?? {});
	const inRow = Object.values(state?.spent ?? {}).reduce((sum, one) => sum + Number(one), 0);
	const isUncertain =
		dead.size || told.size || paid.size > 1 || scenario.person || scenario.wrongClock;
	// what a person releases of a killed run was perhaps spent
	const allowed = scenario.budget - (scenario.person ? 0 : added) + excess + forgotten;
	const raisedIn = (period: string) => {
		const raised = state ? approvals.raisedIn(state, period) : 0;
		if (raised > scenario.raises) wrong.push(`${period} was raised by ${raised}`);
		return raised;
	};
	const wrong = [
		...faults,
		...open.filter((name) => !isDead(name)).map((name) => `${name} did not end`),
	];
	for (const [period, sum] of paid)
		if (sum > allowed + raisedIn(period))
			wrong.push(`${sum} were paid in ${period}, of ${allowed} and ${raisedIn(period)}`);
	if (state) wrong.push(...approvals.check(state));
	if (!isUncertain && counted !== inRow) wrong.push(`the row counts ${inRow}, not ${counted}`);
	if (!scenario.wrongClock)
		for (const [id, { executionId }] of reservations) {
			const isTextOfSame = ([other, { executionId: its }]: (typeof reservations)[number]) =>
				other < id && its === executionId && !other.startsWith('start') && !scenario.jobs;
			const isTold = scenario.away ? told.size > 0 : told.has(executionId);
			const isLeft = !isDead(executionId) && !isTold;
			if (isLeft || reservations.some(isTextOfSame)) wrong.push(`${id} of ${executionId} is left`);
		}
	const all = [...recorded, ...lacking];
	const total = (of: keyof SpendingRow) =>
		all.reduce((sum, row) => sum + Number((row as Partial<SpendingRow>)[of] ?? 0), 0);
	const [requests, unknown] = [total('requests'), total('unknownCosts')];
	const cost = Math.round(total('costUsd') * 1e6);
	// a process that is killed takes along what it has not written, and what is carried out late may be added twice
	const isLess = requests < spent.requests || (cost < spent.cost && unknown <= spent.unknown);
	const isMore = requests > spent.requests || cost > spent.cost;
	if ((isLess && !dead.size) || (isMore && !scenario.late))
		wrong.push(`record and log have ${requests} for ${cost}, not ${JSON.stringify(spent)}`);
	if (recorded.some(({ day, label }) => day.length !== (label ? 7 : 10)))
		wrong.push('a row with a label is not by month');
	if (!isUncertain && Object.values(state?.factors ?? {}).some((factor) => Number(factor) > 20))
		wrong.push('a wrong estimate counts although its job has ended');
	// a refusal may have come of a failure
	const isUsed = inRow + scenario.bound >= scenario.budget;
	if (refused && ((scenario === usual && !isUsed) || scenario === scenarios['room for all']))
		wrong.push(`${refused} were refused although there was room`);
	return { wrong, log: [...log, JSON.stringify(rows)] };
}
