import { ServiceError } from '../../../src/core/errors';
import type { Clock } from '../../../src/core/retry';
import type { LedgerTable } from '../../../src/ledger/ledger';
import { failureOf } from '../inMemoryHttp';
import { MINUTE, POST, SECOND, sendAll, sendEach, simulateWorkers } from './simulatedWorkers';

const windows = ['fixed', 'sliding', 'bucket'] as const;
const failing = () => Promise.reject(new ServiceError('unreachable', 'away', { sent: false }));

const most = (times: number[], span: number) =>
	Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + span).length));

/** A table that cannot be reached for a time. @param timeout Milliseconds after which that is known. */
function awayBetween(from: number, until: number, timeout = 0) {
	return (table: LedgerTable, { now, sleep }: Clock): Partial<LedgerTable> => {
		const reach = async <Result>(work: () => Promise<Result>) => {
			if (now() < from || now() >= until) return await work();
			if (timeout) await sleep(timeout);
			return await failing();
		};
		return {
			find: async (...given) => await reach(() => table.find(...given)),
			change: async (...given) => await reach(() => table.change(...given)),
		};
	};
}

describe.each(windows)(
	'120 questions at 60 a minute on three workers, a %s window',
	(rateWindow) => {
		const START = 47 * SECOND;
		const away = [START + 30 * SECOND, START + 45 * SECOND] as const;

		it.each([
			// [how, options, x 120 s at most, refusals of a worker in a minute at most]
			['while main is away for 15 s', { change: awayBetween(...away) }, 1.3, 1],
			['while main is frozen for 15 s', { change: awayBetween(...away, 5 * SECOND) }, 1.3, 2],
			['without the ledger', { isShared: false }, 2, 1],
		])('%s', async (_how, options, longest, refusals) => {
			for (const seed of [7919, 15_838, 23_757]) {
				const { clock, seen, lines } = simulateWorkers({
					...options,
					rateWindow,
					seed,
					latency: 80,
				});
				await clock.sleep(START);
				expect(await sendEach(40, lines(3))).toEqual([40, 40, 40]);
				const minutes = (Math.max(...seen.sentAt) - START) / MINUTE;
				expect(minutes / 2).toBeLessThanOrEqual(longest);
				for (const number of [0, 1, 2]) {
					const refused = seen.refusedAt.filter(({ process }) => process === number);
					expect(refused.length).toBeLessThanOrEqual(refusals * Math.ceil(minutes));
				}
			}
		});
	},
);

describe.each(windows)('a service with a %s window', (rateWindow) => {
	it.each([
		[60, 4],
		[300, 4],
		[300, 1],
		[20, 3],
	])('of %i a minute refuses nothing to %i processes, which use it', async (perMinute, count) => {
		const { clock, seen, rows, lines } = simulateWorkers({ rateWindow, perMinute });
		await clock.sleep(47 * SECOND);
		const begun = clock.now();
		const each = Math.ceil((perMinute * 4) / count);
		expect(await sendEach(each, lines(count))).toEqual(Array(count).fill(each));
		expect(seen.refusedAt).toEqual([]);
		const minutes = (clock.now() - begun) / MINUTE;
		expect((count * each) / minutes / perMinute).toBeGreaterThan(0.85);
		expect(most(seen.sentAt, 10 * SECOND)).toBeLessThanOrEqual(perMinute / 6 + 5);
		// the table is asked about twice for five requests
		if (perMinute > 20) expect(seen.toTable / 2 / count / each).toBeLessThan(0.6);
		expect(rows.filter(({ state }) => state === 'limit').length).toBe(rows.length);
	});

	it.each([
		[60, 500],
		[60, 2000],
		[300, 500],
		[300, 1500],
	])('of %i a minute refuses nothing while n8n takes up to %i ms', async (perMinute, slowest) => {
		const { seen, lines } = simulateWorkers({ rateWindow, perMinute, slowest });
		const each = (2 * perMinute) / 4;
		expect(await sendEach(each, lines(4))).toEqual(Array(4).fill(each));
		expect(seen.refusedAt).toEqual([]);
		// whoever loses the row for half a minute, by bad luck, goes on without it
		expect(seen.warnings).toBeLessThan(4);
	});
});

it('a 429 pauses all processes', async () => {
	const { clock, seen, rows, startProcess } = simulateWorkers();
	const [one, other] = [startProcess(0), startProcess(1)];
	await sendAll(5, one());
	// others use the key, too
	const until = clock.now() + 40 * SECOND;
	rows[0]!.leaseUntil = until;
	await Promise.all([sendAll(3, one()), sendAll(3, other())]);
	const later = seen.sentAt.slice(5);
	expect(later).toHaveLength(6);
	expect(later.every((at) => at >= until)).toBe(true);
	// no burst follows
	expect(most(later, SECOND)).toBeLessThanOrEqual(2);
	rows[0]!.leaseUntil = clock.now() + 40 * SECOND;
	expect(await failureOf(other(clock, 30 * SECOND).send(POST))).toMatchObject({
		details: { status: 429, sent: false },
	});
});

it.each(windows)(
	'the process that is refused pauses the others: a %s window',
	async (rateWindow) => {
		// the plan is smaller than the credential says
		const { seen, rows, lines } = simulateWorkers({ rateWindow, counted: 30 });
		// a bucket asks for two seconds at most: under jitter a question may be refused four times, and is then an error
		const mayFail = rateWindow === 'bucket' && process.env['AGENT_BRIDGE_JITTER'] !== undefined;
		const least = mayFail ? 58 : 60;
		for (const sent of await sendEach(60, lines(2))) expect(sent).toBeGreaterThanOrEqual(least);
		// of rows that were added at once, the first counts
		expect(rows[0]).toMatchObject({ state: 'limit', credentialId: 'credential' });
		expect(rows[0]!.leaseUntil).toBeGreaterThan(0);
		expect(seen.refusedAt.length).toBeLessThanOrEqual(rateWindow === 'bucket' ? 60 : 8);
	},
);

it.each([
	['ahead', [90 * MINUTE, 0, 0]],
	['a second behind', [-SECOND, 0, 0]],
	['ten seconds ahead', [10 * SECOND, 0, 0]],
])('a clock that is %s makes it slower, and nothing fails', async (_which, ahead) => {
	const { clock, lines } = simulateWorkers({ ahead });
	expect(await sendEach(40, lines(3))).toEqual([40, 40, 40]);
	expect(clock.now()).toBeLessThan(10 * MINUTE);
});

it('a next free time that a person has put far into the future is repaired', async () => {
	const { clock, rows, startProcess } = simulateWorkers();
	const line = startProcess()();
	await line.send(POST);
	rows[0]!.checkAt = clock.now() + 24 * 60 * MINUTE;
	rows[0]!.leaseUntil = clock.now() + 24 * 60 * MINUTE;
	const begun = clock.now();
	await line.send(POST);
	expect(clock.now() - begun).toBeLessThan(SECOND);
	expect(rows[0]!.checkAt).toBeLessThan(clock.now() + MINUTE);
});

it('whoever is stopped ends at once, and what it had reserved is used by nobody later', async () => {
	const { clock, seen, startProcess } = simulateWorkers();
	const process = startProcess();
	await sendAll(5, process());
	const stopped = new ServiceError('cancelled', 'x', { sent: false });
	const stopping: Clock = { ...clock, sleep: () => Promise.reject(stopped) };
	const gone = Array.from({ length: 5 }, () => failureOf(process(stopping).send(POST)));
	expect(new Set(await Promise.all(gone))).toEqual(new Set([stopped]));
	await clock.sleep(MINUTE);
	await sendAll(60, process());
	expect(seen.refusedAt).toEqual([]);
	expect(seen.sentAt).toHaveLength(65);
});

describe('a table that cannot be used', () => {
	it.each([
		['found', { find: failing }],
		['changed', { change: failing }],
	])('because nothing can be %s, stops nothing, and is said once', async (_what, change) => {
		const { clock, seen, startProcess } = simulateWorkers({ change: () => change });
		expect(await sendAll(50, startProcess()())).toBe(50);
		expect([seen.refusedAt, seen.warnings]).toEqual([[], 1]);
		expect(clock.now() / SECOND).toBeLessThan(53);
	});

	it('is used again within seconds, at the whole rate', async () => {
		const { clock, seen, rows, startProcess } = simulateWorkers({
			change: awayBetween(0, 20 * SECOND),
		});
		const line = startProcess()();
		await sendAll(80, line);
		expect(rows).toMatchObject([{ state: 'limit' }]);
		expect(rows[0]!.startedAt).toBeLessThan(25 * SECOND);
		expect([seen.refusedAt, seen.warnings]).toEqual([[], 1]);
		expect(clock.now() / SECOND).toBeLessThan(90);
	});

	it('is used again also by a process that rests after two refusals', async () => {
		const { seen, rows, startProcess } = simulateWorkers({
			rateWindow: 'bucket',
			counted: 6,
			change: awayBetween(0, 30 * SECOND),
		});
		await sendAll(12, startProcess()());
		const early = seen.refusedAt.filter(({ at }) => at < 30 * SECOND);
		expect(early).toHaveLength(2);
		expect(rows[0]!.startedAt).toBeGreaterThanOrEqual(30 * SECOND);
		expect(rows[0]!.startedAt).toBeLessThanOrEqual(35 * SECOND);
	});

	it('delays nothing while it does not answer', async () => {
		const { clock, seen, startProcess } = simulateWorkers({
			change: awayBetween(0, Infinity, 5 * SECOND),
		});
		await sendAll(50, startProcess()());
		// the first time is waited for, later ones are not
		expect(Math.max(...seen.sentAt) / SECOND).toBeLessThan(53 + 5);
		expect(clock.now() / SECOND).toBeLessThan(70);
	});
});
