import { cancelledError, ServiceError } from '../../../src/core/errors';
import type { Clock } from '../../../src/core/retry';
import type { Ledger, Table } from '../../../src/ledger/ledger';
import { failureOf } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';
import { Rows } from './simulatedTable';
import { startThroughLedger } from './startThroughLedger';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LEASE = 10 * MINUTE;

const starting = () =>
	new ServiceError('malformed', 'n8n is still starting', { status: 200, transient: true });

const startedOrNot = {
	pending: async () => 'job-1',
	unknown: async () => {
		throw new ServiceError('unreachable', 'reset', { sent: true });
	},
	notStarted: async () => {
		throw new ServiceError('refused', 'no', { status: 400 });
	},
};

/** A ledger that is away from time to time, and a service that does what it is told. */
function world() {
	const clock = virtualClock();
	const rows = new Rows();
	/** When n8n is away. */
	let away = { from: Infinity, until: Infinity };
	const throughOutage = (table: Table): Table => {
		const open = () => {
			if (clock.now() >= away.from && clock.now() < away.until) throw starting();
		};
		return {
			find: async (...query) => (open(), await table.find(...query)),
			add: async (entry) => (open(), await table.add(entry)),
			change: async (...change) => (open(), await table.change(...change)),
			remove: async (where) => (open(), await table.remove(where)),
		};
	};
	let claims = 0;
	const ledger: Ledger = {
		table: throughOutage(rows.client(clock, { latency: () => 10 })),
		clock,
		uncancellableClock: clock,
		newClaim: () => `claim-${++claims}`,
		execution: '1',
	};
	return {
		clock,
		rows,
		ledger,
		goAway: (milliseconds: number) =>
			(away = { from: clock.now(), until: clock.now() + milliseconds }),
		start: async (
			startKey: string,
			send: (renew: () => Promise<number>) => Promise<string>,
			mine: Ledger = ledger,
		) =>
			await startThroughLedger(
				mine,
				{
					...{ startKey, segment: 'videos', model: 'm', account: 'a', label: 'l' },
					...{ lease: LEASE, firstCheck: 0 },
				},
				{ send, toEntry: (jobId) => ({ jobId, requestId: '', record: '' }) },
			),
	};
}

const keys = [
	['with a key', 'k'],
	['without a key', ''],
];

describe.each(keys)('n8n is away when the outcome is known, %s', (_name, key) => {
	it.each(Object.keys(startedOrNot) as Array<keyof typeof startedOrNot>)(
		'%s is written down as soon as n8n is back, nine minutes later',
		async (state) => {
			const { clock, rows, goAway, start } = world();
			const sent = start(key, async (renew) => {
				await renew();
				goAway(9 * MINUTE);
				return await startedOrNot[state]();
			}).catch(() => undefined);
			await sent;
			expect(rows.rows.filter((row) => row.state !== 'withdrawn')).toMatchObject([
				{ state, jobId: state === 'pending' ? 'job-1' : '' },
			]);
			// not much later than n8n was back: a pause has at most 20 s
			expect(clock.now()).toBeLessThan(9 * MINUTE + 30 * SECOND);
		},
	);

	it('Stop does not end the attempts', async () => {
		const { clock, rows, ledger, goAway, start } = world();
		let isStopped = false;
		const stoppable: Clock = {
			...clock,
			async sleep(milliseconds) {
				if (isStopped) throw cancelledError(false);
				await clock.sleep(milliseconds);
			},
		};
		const stopped = start(
			key,
			async (renew) => {
				await renew();
				goAway(5 * MINUTE);
				isStopped = true;
				return 'job-1';
			},
			{ ...ledger, clock: stoppable },
		);
		expect(await stopped).toMatchObject({ entry: { state: 'pending', jobId: 'job-1' } });
		expect(rows.rows).toMatchObject([{ state: 'pending', jobId: 'job-1' }]);
	});

	it('the attempts end with the lease, and the job is not lost', async () => {
		const { clock, rows, goAway, start } = world();
		const sent = start(key, async (renew) => {
			await renew();
			goAway(Infinity);
			return 'job-1';
		});
		expect(await sent).toEqual({ result: 'job-1', entry: undefined });
		expect(rows.rows).toMatchObject([{ state: 'sending' }]);
		expect(clock.now()).toBeGreaterThan(LEASE);
		expect(clock.now()).toBeLessThan(LEASE + MINUTE);
	});

	it('a refusal of n8n is not tried again', async () => {
		const { clock, ledger, start } = world();
		let isRefused = false;
		const refusing: Table = {
			...ledger.table,
			async change(...change) {
				if (isRefused) throw new ServiceError('refused', 'no', { status: 401 });
				return await ledger.table.change(...change);
			},
		};
		const sent = start(
			key,
			async (renew) => {
				await renew();
				isRefused = true;
				return 'job-1';
			},
			{ ...ledger, table: refusing },
		);
		expect(await sent).toEqual({ result: 'job-1', entry: undefined });
		expect(clock.now()).toBeLessThan(SECOND);
	});
});

describe.each(keys)('n8n is away when a start begins, %s', (_name, key) => {
	it('waits until n8n is back, and starts one job', async () => {
		const { rows, goAway, start } = world();
		goAway(20 * SECOND);
		expect(await start(key, async () => 'job-1')).toMatchObject({ result: 'job-1' });
		expect(rows.rows).toMatchObject([{ state: 'pending', jobId: 'job-1' }]);
	});

	it('waits before an attempt to send, too', async () => {
		const { clock, rows, goAway, start } = world();
		const sent = start(key, async (renew) => {
			goAway(20 * SECOND);
			await renew();
			return 'job-1';
		});
		expect(await sent).toMatchObject({ result: 'job-1' });
		expect(rows.rows).toMatchObject([{ state: 'pending' }]);
		expect(rows.rows[0]!.leaseUntil).toBeGreaterThan(clock.now() + LEASE / 2);
	});

	it('gives up after about a minute, and nothing is sent', async () => {
		const { clock, rows, goAway, start } = world();
		goAway(Infinity);
		let isSent = false;
		const failure = await failureOf(
			start(key, async () => {
				isSent = true;
				return 'job-1';
			}),
		);
		expect(failure).toMatchObject({
			message: 'n8n is still starting',
			details: { outcome: 'not_started' },
		});
		expect([isSent, rows.rows]).toEqual([false, []]);
		expect(clock.now()).toBeGreaterThan(40 * SECOND);
		expect(clock.now()).toBeLessThan(100 * SECOND);
	});

	it('Stop ends the wait', async () => {
		const { clock, ledger, goAway, start } = world();
		goAway(Infinity);
		const stoppable: Clock = {
			...clock,
			async sleep(milliseconds) {
				await clock.sleep(milliseconds);
				if (clock.now() > 5 * SECOND) throw cancelledError(false);
			},
		};
		const failure = await failureOf(
			start(key, async () => 'job-1', { ...ledger, clock: stoppable }),
		);
		expect(failure).toMatchObject({ kind: 'cancelled', details: { outcome: 'not_started' } });
		expect(clock.now()).toBeLessThan(30 * SECOND);
	});
});
