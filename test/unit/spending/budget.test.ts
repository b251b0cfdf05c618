import { reserve, type Bound } from '../../../src/core/reserve';
import { cancelledError, ServiceError } from '../../../src/core/errors';
import { Big } from '../../../src/core/money';
import { NodeBudget } from '../../../src/spending/budget';
import { BudgetBook } from '../../../src/spending/budgetBook';
import type { BudgetSettings } from '../../../src/spending/budgetSettings';
import { parseBudget } from '../../../src/spending/budgetState';
import { shortHash } from '../../../src/spending/jobFactors';
import { createMemoryTable } from '../../../src/tables/memoryTable';
import { type Entry, ledgerFormat } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import { ledgerOn } from '../ledger/simulatedTable';
import { virtualClock } from '../virtualClock';

// what test/engine/budget.test.ts would have to wait for
const SECOND = 1000;

/** A budget of 100 micro-dollars, and a clock that does not wait. @param ahead Milliseconds by which it is ahead of that of n8n. */
function createWorld(ahead = 0) {
	let ids = 0;
	const { now: passed, ...time } = virtualClock(0);
	const begun = Date.parse('2026-11-24T12:00:00Z');
	const clock = { ...time, now: () => begun + passed() };
	const newId = () => String(++ids);
	const rows: Entry[] = [];
	const hints: string[] = [];
	const table = createMemoryTable(rows, ledgerFormat);
	/** As a node run connects to it. */
	const connect = (): Ledger => {
		let answeredAt: number | undefined;
		const find: typeof table.find = async (...given) => {
			answeredAt = clock.now() - ahead;
			return await table.find(...given);
		};
		return {
			...ledgerOn({ ...table, find }, clock, '1'),
			n8nTime: () => answeredAt ?? clock.now(),
		};
	};
	const later = (duration: number, happen: () => Promise<unknown>) =>
		void clock.sleep(duration).then(happen);
	const ownBook = new BudgetBook('b');
	const amounts = {
		amount: new Big(100),
		unknownCost: undefined,
		alarmPercents: [],
		table: 'Media Jobs',
	};
	/** @param book Of its process. */
	const createRun = (
		book = ownBook,
		isEnding = false,
		more: Partial<BudgetSettings> = {},
		executionId = '1',
	) => {
		const ledger = connect();
		return new NodeBudget({
			settings: { ...amounts, length: 'month', mayResume: true, ...more },
			book,
			clock,
			newId,
			open: async () =>
				isEnding ? await Promise.reject(cancelledError()) : await Promise.resolve(ledger),
			credentialId: 'c',
			executionId,
			workflow: 'w',
			workflowId: 'w',
			asTool: false,
			addHint: (sentence) => void hints.push(sentence),
		});
	};
	const reserveAll = async (run: NodeBudget) => await ask(run, upTo(100));
	const createElsewhere = () => createRun(new BudgetBook('b'));
	/** A node run of another process has all of it for some time. */
	const holdAll = async (duration: number) => {
		const other = createElsewhere();
		await reserveAll(other);
		later(duration, async () => await other.close());
	};
	return {
		rows,
		table,
		hints,
		createRun,
		createElsewhere,
		reserveAll,
		holdAll,
		later,
		pass: clock.sleep,
	};
}

const readRow = (rows: readonly Entry[]) => {
	const { spent, reservations } = parseBudget(rows[0]!.record)!;
	const sum = Object.values(spent).reduce((total, one) => total + Number(one), 0);
	return { spent: sum, reservations: Object.values(reservations).map(({ most }) => Number(most)) };
};
const start = (settings: string) => ({
	model: 'm',
	settings,
	claim: undefined,
	lease: 600 * SECOND,
});
const upTo = (microUsd: number) => ({ microUsd, advise: () => '' });
const ask = async (run: NodeBudget, bound: Bound) =>
	await reserve({ shared: run.calls }, () => bound);

it('a request waits for 30 s at most for what others have reserved', async () => {
	const { createRun, reserveAll, holdAll } = createWorld();
	await holdAll(40 * SECOND);
	await expect(reserveAll(createRun())).rejects.toMatchObject({
		message:
			'This does not fit into the budget of $0.0001 for this month beside what is reserved for requests and jobs under way',
	});
});

it('the start of a job waits for it, too', async () => {
	const { createRun, holdAll } = createWorld();
	await holdAll(20 * SECOND);
	await createRun().openStart(start('one')).reserve(upTo(60));
	await expect(createRun().openStart(start('one')).reserve(upTo(60))).rejects.toThrow(
		'beside what is reserved',
	);
});

it('what n8n wrote for a start without an answer is given back', async () => {
	const { createRun, createElsewhere, table, rows } = createWorld();
	await createElsewhere().check();
	const { change, find } = table;
	const isLost = async () =>
		await Promise.reject(new ServiceError('unreachable', 'lost', { sent: true }));
	table.change = async (...given) => {
		const changed = await change(...given);
		if (table.find !== find || !JSON.stringify(given).includes('start:')) return changed;
		table.find = isLost;
		return await isLost();
	};
	const run = createRun();
	await expect(run.openStart(start('one')).reserve(upTo(60))).rejects.toThrow('lost');
	expect(readRow(rows).reservations).toEqual([60]);
	table.find = find;
	await run.close();
	expect(readRow(rows)).toEqual({ spent: 0, reservations: [] });
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

describe('how much of its output a request may ask for', () => {
	it('is what is neither spent nor reserved by others', async () => {
		const { createRun, createElsewhere } = createWorld();
		await ask(createElsewhere(), upTo(50));
		const run = createRun();
		const share = await ask(run, upTo(10));
		await share.settle(10);
		await ask(run, upTo(5));
		expect(Number(await run.calls.findFree(() => upTo(1)))).toBe(35);
	});

	it('waits while the least does not fit because of others, and then is what is free', async () => {
		const { createRun, holdAll } = createWorld();
		await holdAll(20 * SECOND);
		const asked: number[] = [];
		const free = await createRun().calls.findFree((left) => {
			asked.push(Number(left));
			return upTo(Math.max(40, Number(left)));
		});
		expect([Number(free), asked[0], asked.length]).toEqual([100, 0, 21]);
	});

	it.each<[string, Parameters<typeof upTo>[0], duration: number]>([
		['that nothing can make room for', 101, 0],
		['that others make no room for', 40, 31],
	])('does not wait for more than 30 s, nor for a request %s', async (_what, least, waited) => {
		const { createRun, holdAll } = createWorld();
		await holdAll(400 * SECOND);
		let asked = 0;
		await createRun().calls.findFree(() => (asked++, upTo(least)));
		expect(asked).toBe(waited || 1);
	});
});

it.each([
	['of one run', (one: NodeBudget) => one],
	['of two runs', (_one: NodeBudget, other: NodeBudget) => other],
])('two requests %s at the same moment share what is free', async (_of, choose) => {
	const { createRun } = createWorld();
	const one = createRun();
	const asked: number[] = [];
	await Promise.all(
		[one, choose(one, createRun())].map(async (run) => {
			let most = 0;
			await reserve({ shared: run.calls }, (free) =>
				upTo((most = Math.min(Math.max(Number(free), 30), 60))),
			);
			asked.push(most);
		}),
	);
	// whichever comes first
	expect(new Set(asked)).toEqual(new Set([60, 40]));
});

describe('a start without a factor waits for the estimate of another', () => {
	it('for 30 s, which begin again when one has come', async () => {
		const { createRun, later } = createWorld();
		const open = (id: string) => {
			const scope = createRun().openStart(start(id));
			return {
				reserve: async () => await scope.reserve(upTo(1)),
				answer: async (share: Awaited<ReturnType<typeof scope.reserve>>) => {
					scope.setJob('images', id);
					await share.settle(1);
				},
			};
		};
		const [one, two] = [open('one'), open('two')];
		const first = await one.reserve();
		later(20 * SECOND, async () => {
			await one.answer(first);
			const second = await two.reserve();
			later(25 * SECOND, async () => await two.answer(second));
		});
		await open('three').reserve();
	});

	it('once for 30 s in a node run, as long as it is the same one', async () => {
		const { createRun, later } = createWorld();
		const first = await createRun().openStart(start('one')).reserve(upTo(1));
		const run = createRun();
		let isLate = false;
		later(31 * SECOND, async () => await Promise.resolve((isLate = true)));
		for (const settings of ['two', 'three'])
			await expect(run.openStart(start(settings)).reserve(upTo(1))).rejects.toThrow('waits for');
		expect(isLate).toBe(false);
		// it was not sent
		await first.release();
		await run.openStart(start('two')).reserve(upTo(100));
	});

	it('a start that is sent again after its lease waits its turn', async () => {
		const { createRun, pass } = createWorld();
		await ask(createRun(), upTo(40));
		const one = createRun().openStart(start('one'));
		await one.reserve(upTo(1));
		await pass(400 * SECOND);
		await one.renew?.();
		await pass(400 * SECOND);
		await expect(createRun().openStart(start('two')).reserve(upTo(1))).rejects.toMatchObject({
			message: 'The budget of $0.0001 for this month waits for the estimate of another job',
			details: {
				advice: expect.stringContaining(
					'another one took more than 30 s: execution 1 of "w" ($0.000001 since 2026-11-24 12:00 UTC). Run this again later.',
				),
			},
		});
		await pass(700 * SECOND);
		await createRun().openStart(start('two')).reserve(upTo(1));
		await expect(one.renew?.()).rejects.toMatchObject({ details: { outcome: 'not_started' } });
	});
});

it('a refusal names who holds the most, since when, and whose outcome is unknown', async () => {
	const { createRun, reserveAll } = createWorld();
	const share = await createRun().openStart(start('one')).reserve(upTo(60));
	await share.settle(undefined);
	await ask(createRun(), upTo(30));
	expect(await createRun().actions.get()).toMatchObject({
		reservations: [{ outcomeUnknown: true }, expect.not.objectContaining({ outcomeUnknown: true })],
	});
	await expect(reserveAll(createRun())).rejects.toMatchObject({
		details: {
			advice: expect.stringContaining(
				'Most is held by execution 1 of "w" ($0.00006 since 2026-11-24 12:00 UTC, outcome unknown), execution 1 of "w" ($0.00003 since 2026-11-24 12:00 UTC). A job counts until its cost is read',
			),
		},
	});
});

it('a job whose end is seen at once is counted once', async () => {
	const { createRun, rows } = createWorld();
	const run = createRun();
	const scope = run.openStart(start('one'));
	const share = await scope.reserve(upTo(10));
	scope.setJob('images', '7');
	await share.settle(20);
	const poll = createRun();
	for (const jobId of ['6', '7', '8']) poll.endJob('images', jobId, 15);
	await poll.close();
	await run.close();
	const { spent, reservations } = JSON.parse(rows[0]!.record) as Record<string, object>;
	expect([spent, reservations]).toEqual([{ '2026-11-24': '15' }, {}]);
});

it('what costs more than an unknown cost counts as is said without prices', async () => {
	const { createRun, hints, rows } = createWorld();
	const run = createRun(undefined, false, { unknownCost: new Big(20) });
	await (await ask(run, { unbounded: 'No price' })).settle(30);
	await run.close();
	expect([hints, readRow(rows).spent]).toEqual([
		[
			'A request cost $0.00003, more than the $0.00002 that was reserved for it. The budget counts what it cost.',
		],
		30,
	]);
});

it('the end of a job is counted after one that could not be written', async () => {
	const { createRun, rows, table, hints, pass } = createWorld();
	const run = createRun();
	for (const jobId of ['6', '7']) {
		const scope = run.openStart(start('one'));
		const share = await scope.reserve(upTo(10));
		scope.setJob('images', jobId);
		await share.settle(20);
	}
	const { find } = table;
	table.find = async () =>
		await Promise.reject(new ServiceError('refused', 'down', { status: 400 }));
	await pass(11 * SECOND);
	run.endJob('images', '6', 15);
	await run.close();
	table.find = find;
	run.endJob('images', '7', 15);
	await run.close();
	const { spent, reservations } = JSON.parse(rows[0]!.record) as Record<string, object>;
	expect([spent, Object.keys(reservations!)]).toEqual([{ '2026-11-24': '15' }, ['job:images:6']]);
	expect(hints).toEqual([
		'The budget could not be updated (down). Reservations such as job:images:6 stay until the period ends, or until somebody releases them.',
	]);
});

it('a row that is more than a day ahead of n8n is refused, with what to edit', async () => {
	const { createRun, reserveAll, rows } = createWorld();
	await createRun().actions.get();
	const record = rows[0]!.record.replace('2026-11-24', '2027-11-24');
	Object.assign(rows[0]!, { record, claim: 'edited' });
	await createRun()
		.actions.get()
		.catch(() => {});
	await expect(reserveAll(createRun())).rejects.toMatchObject({
		message:
			'The budget in row 1 of the job ledger is at 2027-11-24, but n8n says that today is 2026-11-24',
		details: {
			outcome: 'not_started',
			advice: expect.stringContaining(
				'change "day" in the cell "record" of this row to "2026-11-24"',
			),
		},
	});
});

it('a second row is found within a minute, however often this process writes the first one', async () => {
	const { createRun, rows, pass } = createWorld();
	const run = createRun();
	const write = async () => {
		await pass(5 * SECOND);
		const job = run.openStart(start(''));
		await (await job.reserve({ ...upTo(1), isLeast: true })).release();
	};
	await write();
	rows.push({ ...rows[0]!, id: 99 });
	for (let passed = 5; passed < 60; passed += 5) await write();
	await expect(write()).rejects.toMatchObject({
		message: 'The job ledger has several rows of one budget: 1, 99',
		details: { outcome: 'not_started' },
	});
});

describe('the node runs of a process', () => {
	it('share a reservation, which the last one gives back', async () => {
		const { createRun, rows, table } = createWorld();
		const change = jest.spyOn(table, 'change');
		const runs = Array.from({ length: 10 }, () => createRun());
		const shares = await Promise.all(runs.map(async (run) => await ask(run, upTo(2))));
		// how many writes it took depends on when each of them asked
		expect(readRow(rows).reservations).toHaveLength(1);
		const writes = change.mock.calls.length;
		for (const [index, run] of runs.entries()) {
			await shares[index]!.settle(1);
			if (index === 9) expect(readRow(rows).reservations).toHaveLength(1);
			await run.close();
		}
		expect(change.mock.calls.length - writes).toBe(1);
		expect(readRow(rows)).toEqual({ spent: 10, reservations: [] });
	});

	it('give back what they do not use, also if no request comes any more', async () => {
		const { createRun, rows, pass } = createWorld();
		const run = createRun();
		const shares = [await ask(run, upTo(1)), await ask(run, upTo(1))];
		// for what may follow, but no more than a tenth of the budget
		expect(readRow(rows).reservations).toEqual([10]);
		await pass(25 * SECOND);
		expect(readRow(rows).reservations).toEqual([2]);
		for (const share of shares) await share.settle(1);
		await run.close();
		expect(readRow(rows)).toEqual({ spent: 2, reservations: [] });
	});

	it('give it back a little later if n8n cannot be reached meanwhile', async () => {
		const { createRun, rows, pass, table } = createWorld();
		const { change } = table;
		let isAway = false;
		table.change = async (...given) => {
			if (isAway) throw new ServiceError('unreachable', 'n8n cannot be reached');
			return await change(...given);
		};
		const run = createRun();
		const share = await ask(run, upTo(1));
		await ask(run, upTo(1));
		isAway = true;
		await pass(100 * SECOND);
		isAway = false;
		await pass(25 * SECOND);
		expect(readRow(rows).reservations).toEqual([2]);
		await share.settle(1);
	});

	it('ask a model that costs nothing after they have given all back', async () => {
		const { createRun, pass } = createWorld();
		const run = createRun();
		for (let time = 1; time <= 2; time++) await (await ask(run, upTo(1))).settle(1);
		await pass(60 * SECOND);
		await expect(ask(run, upTo(0))).resolves.toBeDefined();
	});

	it('do not fail because the execution of another one ends', async () => {
		const { createRun } = createWorld();
		const [ending, other] = [createRun(undefined, true), createRun()];
		const ended = ask(ending, upTo(2)).catch(() => undefined);
		await expect(ask(other, upTo(2))).resolves.toBeDefined();
		await ended;
	});
});

it('reservations are released by their age', async () => {
	const { createRun, createElsewhere, pass, reserveAll } = createWorld();
	await ask(createElsewhere(), upTo(60));
	await pass(3 * 3600 * SECOND);
	await ask(createRun(), upTo(40));
	const released = await createRun().actions.release({ age: 2 * 3600 * SECOND });
	expect(released).toMatchObject({ released: 1, reservations: [{ releasedUsd: 0.00006 }] });
	expect(await createRun().actions.release({ age: 2 * 3600 * SECOND })).toMatchObject({
		released: 0,
	});
	await expect(reserveAll(createRun())).rejects.toThrow('reserved for requests and jobs under way');
});

// what the error of Release tells a person to do by hand is what the operation does
it.each(['a process', 'a job'])(
	'the reservation of %s: released by hand as by the operation',
	async (whose) => {
		const outcomeOf = async (release: 'by hand' | 'operation') => {
			const { createRun, createElsewhere, rows, pass } = createWorld();
			const run = createRun();
			const share = await ask(run, upTo(4));
			const job = run.openStart(start('large'));
			const started = await reserve({ shared: job }, () => upTo(30));
			job.setJob('images', '7');
			await started.settle(30);
			const id = Object.keys(parseBudget(rows[0]!.record)!.reservations).find((each) =>
				each.startsWith(whose === 'a job' ? 'job:' : 'run:'),
			)!;
			if (release === 'operation') await createElsewhere().actions.release({ id });
			else {
				const state = parseBudget(rows[0]!.record)!;
				Object.assign(state.reservations[id]!, { isReleased: true });
				Object.assign(rows[0]!, { record: JSON.stringify(state), claim: 'any other text' });
			}
			const { reserved } = readAll(rows);
			await pass(11 * SECOND);
			await share.settle(4);
			await (await ask(run, upTo(4))).settle(4);
			run.endJob('images', '7', 50);
			await run.close();
			return { atFirst: reserved, ...readAll(rows) };
		};
		const released = await outcomeOf('operation');
		expect(released.spent).toBe(58);
		expect(await outcomeOf('by hand')).toEqual(released);
	},
);

const readAll = (rows: readonly Entry[]) => {
	const counting = Object.values(parseBudget(rows[0]!.record)!.reservations);
	return { ...readRow(rows), reserved: counting.map(({ most, isReleased }) => [most, isReleased]) };
};

it('what the error of Release says to do names the cell, the reservation and the words', async () => {
	const { createRun, rows } = createWorld();
	const run = createRun(undefined, false, { mayResume: false });
	await ask(run, upTo(4));
	const id = Object.keys(parseBudget(rows[0]!.record)!.reservations)[0]!;
	await expect(run.actions.release({ id })).rejects.toMatchObject({
		details: { advice: expect.stringContaining(`add "isReleased": true to "${id}"`) as string },
	});
});

it('a row that cannot be read works again as its error says', async () => {
	const { createElsewhere, rows } = createWorld();
	await (await ask(createElsewhere(), upTo(7))).settle(7);
	const { record } = rows[0]!;
	const askAgain = async () => await ask(createElsewhere(), upTo(5));
	rows[0]!.record = 'edited';
	await expect(askAgain()).rejects.toThrow('The budget in row 1 of the job ledger cannot be read');
	Object.assign(rows[0]!, { record, claim: 'any text' });
	await expect(askAgain()).resolves.toBeDefined();
	rows.push({ ...rows[0]!, id: 2 });
	await expect(askAgain()).rejects.toThrow('several rows of one budget: 1, 2');
	rows.pop();
	await expect(askAgain()).resolves.toBeDefined();
	rows.length = 0;
	await askAgain();
	expect(readRow(rows).spent).toBe(0);
});

describe('a raise', () => {
	const DAY = 24 * 3600 * SECOND;
	const create = () => {
		const world = createWorld();
		const settings = { mayRaiseBy: new Big(60), length: 'day' as const };
		/** Of a process of its own, or of the one. */
		const runOf = (executionId: string, book = new BudgetBook('b'), more = {}) =>
			world.createRun(book, false, { ...settings, ...more }, executionId);
		/** What a request for more than there is says in its error. */
		const refuse = async (run: NodeBudget, amount = 130) => {
			const refused = await ask(run, upTo(amount)).catch((error: unknown) => error as ServiceError);
			return (refused as ServiceError).details.budget!;
		};
		const raise = async (run: NodeBudget, { request }: Record<string, unknown>, amount = 30) =>
			await run.actions.raise({
				request: String(request),
				amount: new Big(amount),
				reason: 'Ada said so. ',
			});
		return { ...world, runOf, refuse, raise };
	};

	it('lets the request through that the error was about, and no more', async () => {
		const { runOf, refuse, raise } = create();
		await ask(runOf('1'), upTo(20));
		const run = runOf('2');
		const refused = await refuse(run);
		expect(refused).toEqual({
			budgetUsd: 0.0001,
			raisedUsd: 0,
			spentUsd: 0,
			reservedUsd: 0.00002,
			missingUsd: 0.00005,
			period: 'day',
			periodStart: '2026-11-24T00:00:00Z',
			periodEnd: '2026-11-25T00:00:00Z',
			request: expect.stringMatching(/^day:2026-11-24:[0-9a-f]{8}-\d+$/),
		});
		const said = {
			request: refused['request'],
			amountUsd: 0.00005,
			reason: 'Ada said so.',
			workflow: 'w',
			workflowId: 'w',
			executionId: '2',
			at: expect.stringMatching(/^2026-11-24T12:/),
		};
		expect(await raise(run, refused, 50)).toMatchObject({
			budgetUsd: 0.00015,
			raisedUsd: 0.00005,
			remainingUsd: 0.00013,
			raises: [said],
		});
		expect(await run.actions.get()).toMatchObject({ raisedUsd: 0.00005, raises: [said] });
		await ask(run, upTo(130));
		expect(await refuse(run, 1)).toMatchObject({ budgetUsd: 0.00015, missingUsd: 0.000001 });
	});

	it('of a request that waits lets it through in another process', async () => {
		const { runOf, refuse, raise, later } = create();
		await ask(runOf('1'), upTo(90));
		const refused = await refuse(runOf('2'), 101);
		later(20 * SECOND, async () => await raise(runOf('2'), refused, 10));
		await ask(runOf('3'), upTo(20));
	});

	it('counts at once in a process that has read the row before it', async () => {
		const { runOf, refuse, raise } = create();
		const run = runOf('1');
		await raise(runOf('2'), await refuse(run));
		await ask(run, upTo(130));
	});

	it('of one request counts once: two people approve it at once, in two processes', async () => {
		const { runOf, refuse, raise, rows } = create();
		const refused = await refuse(runOf('1'));
		const raised = await Promise.allSettled(['2', '3'].map((id) => raise(runOf(id), refused)));
		expect(raised.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
		expect(raised.find(({ status }) => status === 'rejected')).toMatchObject({
			reason: {
				message: 'This request has already raised the budget',
				details: {
					advice: expect.stringMatching(
						/^Nothing was raised\. Workflow "w" raised it by \$0\.00003 on 2026-11-24 12:\d\d UTC, in execution [23]\.$/,
					),
				},
			},
		});
		expect(Object.keys(parseBudget(rows[0]!.record)!.raises!)).toHaveLength(1);
	});

	it('of one execution is the same when n8n runs its node again', async () => {
		const { runOf, refuse, raise } = create();
		const refused = await refuse(runOf('1'));
		const first = await raise(runOf('1'), refused);
		expect(await raise(runOf('1'), refused, 5)).toEqual(first);
	});

	it.each(['before', 'after'])('counts once if n8n is lost %s the change', async (when) => {
		const { runOf, refuse, raise, table, rows } = create();
		const refused = await refuse(runOf('1'));
		const { change } = table;
		let lost = 0;
		table.change = async (...given) => {
			const changed = when === 'after' ? await change(...given) : undefined;
			if (lost++ < 1) throw new ServiceError('unreachable', 'lost', { sent: true });
			return changed ?? (await change(...given));
		};
		expect(await raise(runOf('1'), refused)).toMatchObject({ raisedUsd: 0.00003 });
		expect(lost).toBeGreaterThan(0);
		expect(parseBudget(rows[0]!.record)!.raises).toMatchObject({
			[String(refused['request'])]: { amount: '30' },
		});
	});

	it('says that nobody knows whether it was written, and what to do', async () => {
		const { runOf, refuse, raise, table } = create();
		const refused = await refuse(runOf('1'));
		const { change, find } = table;
		const down = async () =>
			await Promise.reject(new ServiceError('unreachable', 'lost', { sent: true }));
		table.change = async (...given) => {
			await change(...given);
			table.find = down;
			return await down();
		};
		const run = runOf('1');
		await expect(raise(run, refused)).rejects.toMatchObject({
			details: { outcome: 'unknown', advice: expect.stringContaining('not known whether') },
		});
		Object.assign(table, { change, find });
		expect(await raise(run, refused)).toMatchObject({ raisedUsd: 0.00003 });
	});

	it('is over with its period, and nobody raises one that has ended', async () => {
		const { runOf, refuse, raise, pass } = create();
		const [first, second] = [await refuse(runOf('1')), await refuse(runOf('1'))];
		await raise(runOf('1'), first);
		await pass(DAY / 2);
		await expect(raise(runOf('1'), second)).rejects.toMatchObject({
			message: 'This request was not refused in the current period of the budget',
			details: { advice: expect.stringContaining('began on 2026-11-25 at 00:00 UTC') },
		});
		expect(await refuse(runOf('1'), 101)).toMatchObject({
			budgetUsd: 0.0001,
			raisedUsd: 0,
			request: expect.stringMatching(/^day:2026-11-25:/),
		});
		// a report of the last days still has it
		expect(await runOf('1').actions.get()).toMatchObject({ raises: [{ amountUsd: 0.00003 }] });
	});

	it.each([
		['nothing where the credential has no amount', undefined, 1, 'by $0.00 in a period'],
		['no more than the credential says', new Big(60), 31, 'by $0.00006 in a period, 50 times'],
	])('adds %s, all raises together', async (_what, mayRaiseBy, amount, message) => {
		const { runOf, refuse, raise, rows } = create();
		await raise(runOf('1'), await refuse(runOf('1')));
		const run = runOf('1', new BudgetBook('b'), { mayRaiseBy });
		await expect(raise(run, await refuse(run, 161), amount)).rejects.toThrow(message);
		expect(Object.keys(parseBudget(rows[0]!.record)!.raises!)).toHaveLength(1);
	});

	it('counts only as far as the credential allows now', async () => {
		const { runOf, refuse, raise } = create();
		await raise(runOf('1'), await refuse(runOf('1')));
		const run = runOf('1', new BudgetBook('b'), { mayRaiseBy: new Big(10) });
		expect(await run.actions.get()).toMatchObject({
			budgetUsd: 0.00011,
			raisedUsd: 0.00001,
			workflowsMayRaiseByUsd: 0.00001,
			workflowsMayResume: true,
		});
		expect(await refuse(run, 111)).toMatchObject({ missingUsd: 0.000001 });
	});

	it('is one of 50 in a period, and the row keeps no more', async () => {
		const { runOf, raise, pass, rows } = create();
		const run = runOf('1');
		const idOn = (day: string, id: number) => `day:${day}:${shortHash('c', 8)}-${id}`;
		const raiseOn = async (day: string, id: number) =>
			await raise(run, { request: idOn(day, id) }, 1);
		for (let id = 1; id <= 50; id++) await raiseOn('2026-11-24', id);
		await expect(raiseOn('2026-11-24', 51)).rejects.toThrow('50 times at most');
		await pass(DAY);
		await raiseOn('2026-11-25', 1);
		const kept = Object.keys(parseBudget(rows[0]!.record)!.raises!);
		expect([kept.length, kept[0], kept.at(-1)]).toEqual([
			50,
			idOn('2026-11-24', 2),
			idOn('2026-11-25', 1),
		]);
	});
});
