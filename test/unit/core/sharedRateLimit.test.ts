import { ServiceError } from '../../../src/core/errors';
import { createRateLimiter, withRateLimit } from '../../../src/core/rateLimit';
import { withRetries, type Clock } from '../../../src/core/retry';
import { createSharedRateLimiter, type SlotBook } from '../../../src/core/sharedRateLimit';
import type { Entry } from '../../../src/ledger/entry';
import type { Table } from '../../../src/ledger/ledger';
import { createSlotBook } from '../../../src/ledger/sharedLimit';
import { overRate } from '../../service/assistant/rate';
import { defaultForms, type Forms } from '../../service/forms';
import type { World } from '../../service/world';
import { failureOf, response } from '../inMemoryHttp';
import { Rows } from '../ledger/simulatedTable';
import { virtualClock } from '../virtualClock';

const [SECOND, MINUTE] = [1000, 60_000];
const POST = { method: 'POST', path: '/v1/invoke_assistant', body: {} } as const;

function randomOf(seed: number): Clock['random'] {
	let state = seed;
	return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

interface Options {
	rateWindow?: Forms['rateWindow'];
	perMinute?: number;
	/** The limit of the service, if it is another one. */
	counted?: number;
	/** What is different about a process's table. */
	change?: (table: Table, clock: Clock) => Partial<Table>;
	/** Milliseconds by which the clock of each process is ahead. */
	ahead?: number[];
	/** Milliseconds that a request to the table takes at most, each way. */
	slowest?: number;
}

/** Processes that share a limit through one table, and the service that counts. */
function world({
	rateWindow = 'fixed',
	perMinute = 60,
	counted: enterpriseLimit = perMinute,
	change = () => ({}),
	ahead = [],
	slowest = 30,
}: Options = {}) {
	const clock = { ...virtualClock(), random: randomOf(7919) };
	const rows = new Rows();
	const forms = { ...defaultForms(), rateWindow, enterpriseLimit };
	const counted = { calls: new Map(), forms, now: () => clock.now() } as unknown as World;
	const seen = { sentAt: [] as number[], refused: 0, toTable: 0, warnings: 0 };
	const http = {
		async send() {
			const wait = overRate(counted, 'key', 'enterprise');
			if (wait === undefined) seen.sentAt.push(clock.now());
			else seen.refused++;
			if (wait === undefined) return response({});
			return response({ status: 429, headers: { 'retry-after': String(Math.ceil(wait / 1000)) } });
		},
	};
	/** @returns a new execution of a process that begins with this. */
	const startProcess = (index = 0) => {
		const own = { ...clock, now: () => clock.now() + (ahead[index] ?? 0) };
		const shared = createSharedRateLimiter(createRateLimiter());
		const latency = () => {
			seen.toTable++;
			return 10 + (slowest - 10) * clock.random();
		};
		return (executionClock: Clock = own, maxRateLimitWait = MINUTE) => {
			// one of two ways
			const table = rows.client(own, { latency: () => latency() });
			const ledger = {
				table: { ...table, ...change(table, own) },
				...{ clock: own, uncancellableClock: own, newClaim: () => '', execution: 'e' },
			};
			const book: SlotBook = createSlotBook(async () => ledger, 'credential');
			const onUnavailable = () => void seen.warnings++;
			const limiter = shared.using({ book, onUnavailable });
			const options = { limiter, perMinute, clock: executionClock, maxRateLimitWait };
			return withRetries(withRateLimit(http, options), executionClock, maxRateLimitWait);
		};
	};
	return {
		clock,
		rows: rows.rows as Array<{ -readonly [Column in keyof Entry]: Entry[Column] }>,
		seen,
		startProcess,
	};
}

/** Sends so many requests, five at once. */
async function sendAll(
	count: number,
	line: { send(request: typeof POST): Promise<{ status: number }> },
) {
	let left = count;
	const statuses: number[] = [];
	const one = async () => {
		while (left-- > 0) statuses.push((await line.send(POST)).status);
	};
	await Promise.all(Array.from({ length: 5 }, one));
	return statuses.filter((status) => status === 200).length;
}

const most = (times: number[], span: number) =>
	Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + span).length));

describe.each(['fixed', 'sliding', 'bucket'] as const)(
	'a service with a %s window',
	(rateWindow) => {
		it.each([
			[60, 4],
			[300, 4],
			[300, 1],
			[20, 3],
		])('of %i a minute refuses nothing to %i processes, which use it', async (perMinute, count) => {
			const { clock, seen, rows, startProcess } = world({ rateWindow, perMinute });
			await clock.sleep(47 * SECOND);
			const begun = clock.now();
			const each = Math.ceil((perMinute * 4) / count);
			const processes = Array.from({ length: count }, (_, index) => startProcess(index)());
			const sent = await Promise.all(processes.map(async (line) => await sendAll(each, line)));
			expect(sent).toEqual(processes.map(() => each));
			expect(seen.refused).toBe(0);
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
			const { seen, startProcess } = world({ rateWindow, perMinute, slowest });
			const processes = Array.from({ length: 4 }, (_, index) => startProcess(index)());
			const each = (2 * perMinute) / 4;
			const sent = await Promise.all(processes.map(async (line) => await sendAll(each, line)));
			expect(sent).toEqual(processes.map(() => each));
			expect([seen.refused, seen.warnings]).toEqual([0, 0]);
		});
	},
);

it('one execution of many items on one of four processes gets the whole limit', async () => {
	const { clock, seen, startProcess } = world({ perMinute: 300 });
	const [busy] = Array.from({ length: 4 }, (_, index) => startProcess(index)());
	await sendAll(120, busy!);
	expect(seen.refused).toBe(0);
	// 120 requests at 90 % of 300 a minute take 26.7 s
	expect(clock.now()).toBeLessThan(1.1 * 26_700);
});

it('a 429 pauses all processes', async () => {
	const { clock, seen, rows, startProcess } = world();
	const [one, other] = [startProcess(0), startProcess(1)];
	await sendAll(5, one());
	// others use the key, too
	const until = clock.now() + 40 * SECOND;
	rows[0]!.leaseUntil = until;
	await Promise.all([sendAll(3, one()), sendAll(3, other())]);
	const later = seen.sentAt.slice(5);
	expect(later).toHaveLength(6);
	expect(later.every((at) => at >= until)).toBe(true);
	expect(await failureOf(withPause(other, rows, clock))).toMatchObject({
		details: { status: 429, sent: false },
	});

	async function withPause(process: typeof one, [row]: typeof rows, { now, ...rest }: Clock) {
		row!.leaseUntil = now() + 40 * SECOND;
		return await process({ now, ...rest }, 30 * SECOND).send(POST);
	}
});

it('the process that is refused pauses the others, and nothing is lost', async () => {
	// the plan is smaller than the credential says
	const { seen, rows, startProcess } = world({ perMinute: 60, counted: 30 });
	const lines = [startProcess(0)(), startProcess(1)()];
	expect(await Promise.all(lines.map(async (line) => await sendAll(30, line)))).toEqual([30, 30]);
	// of rows that were added at once, the first counts
	expect(rows[0]).toMatchObject({ state: 'limit', account: 'credential' });
	expect(rows[0]!.leaseUntil).toBeGreaterThan(0);
	expect(seen.refused).toBeLessThanOrEqual(6);
});

it.each([
	['ahead', [90 * MINUTE, 0, 0]],
	['a second behind', [-SECOND, 0, 0]],
	['ten seconds ahead', [10 * SECOND, 0, 0]],
])('a clock that is %s makes it slower, and nothing fails', async (_which, ahead) => {
	const { clock, startProcess } = world({ ahead });
	const lines = ahead.map((_, index) => startProcess(index)());
	expect(await Promise.all(lines.map(async (line) => await sendAll(40, line)))).toEqual([
		40, 40, 40,
	]);
	expect(clock.now()).toBeLessThan(10 * MINUTE);
});

it('a next free time that a person has put far into the future is repaired', async () => {
	const { clock, rows, startProcess } = world();
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
	const { clock, seen, startProcess } = world();
	const process = startProcess();
	await sendAll(5, process());
	const stopped = new ServiceError('cancelled', 'x', { sent: false });
	const stopping: Clock = { ...clock, sleep: () => Promise.reject(stopped) };
	const gone = Array.from({ length: 5 }, () => failureOf(process(stopping).send(POST)));
	expect(new Set(await Promise.all(gone))).toEqual(new Set([stopped]));
	await clock.sleep(MINUTE);
	await sendAll(60, process());
	expect(seen.refused).toBe(0);
	expect(seen.sentAt).toHaveLength(65);
});

describe('a table that cannot be used', () => {
	const failing = () => Promise.reject(new ServiceError('unreachable', 'away', { sent: false }));
	it('is no reason to fail or to wait: each process limits its own rate, and says so once', async () => {
		const { clock, seen, startProcess } = world({ change: () => ({ find: failing }) });
		await sendAll(50, startProcess()());
		expect(seen.refused).toBe(0);
		expect(seen.warnings).toBe(1);
		expect(clock.now() / SECOND).toBeLessThan(52);
	});

	it('is used again as soon as it can be', async () => {
		let away = true;
		const { seen, rows, startProcess } = world({
			change: (table) => ({
				find: async (...query) => await (away ? failing() : table.find(...query)),
			}),
		});
		const line = startProcess()();
		await sendAll(10, line);
		expect(rows).toEqual([]);
		away = false;
		await sendAll(60, line);
		expect(rows).toMatchObject([{ state: 'limit' }]);
		expect([seen.refused, seen.warnings]).toEqual([0, 1]);
	});

	it('where nothing can be changed, too', async () => {
		const { seen, startProcess } = world({ change: () => ({ change: failing }) });
		expect(await sendAll(20, startProcess()())).toBe(20);
		expect(seen.warnings).toBe(1);
	});
});
