import { ServiceError } from '../../../src/core/errors';
import type { Ledger } from '../../../src/ledger/ledger';
import { markAsNotStarted, markAsStarted } from '../../../src/ledger/manualChanges';
import { failureOf } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';
import { Rows, type Weather } from './simulatedTable';
import { startThroughLedger, type StartResult } from './startThroughLedger';

type Fate = 'started' | 'refused' | 'unknown';

/** Everybody who has to do with one ledger, on one clock. */
function world(weather: Weather = { latency: () => 10 }) {
	const clock = virtualClock();
	const rows = new Rows();
	/** Jobs that the service has really started. */
	const book: string[] = [];
	let claims = 0;
	const ledgerOf = (execution: string, mine = weather): Ledger => ({
		table: rows.client(clock, mine),
		clock,
		uncancellableClock: clock,
		newClaim: () => `claim-${++claims}`,
		execution,
	});
	const sending = (fate: () => Fate, takes = 50) => ({
		async send() {
			await clock.sleep(takes);
			const what = fate();
			if (what === 'refused')
				throw new ServiceError('refused', 'no', { status: 400, outcome: 'not_started' });
			book.push(`job-${book.length + 1}`);
			if (what === 'unknown')
				throw new ServiceError('unreachable', 'reset', { sent: true, outcome: 'unknown' });
			return book.at(-1)!;
		},
		toEntry: (jobId: string) => ({ jobId, requestId: 'r', record: '{}' }),
	});
	return { clock, rows, book, ledgerOf, sending };
}

const wanted = (startKey: string) => ({
	...{ startKey, segment: 'videos', model: 'm', account: 'a', label: 'l' },
	lease: 600_000,
	firstCheck: 0,
});

const jobOf = (started: StartResult<string>) =>
	'earlier' in started ? started.earlier.jobId : started.result;

describe('one job per key', () => {
	it('starts a job and gives it back ever after', async () => {
		const { rows, book, ledgerOf, sending } = world();
		const fresh = await startThroughLedger(
			ledgerOf('1'),
			wanted('k'),
			sending(() => 'started'),
		);
		expect(fresh).toMatchObject({ result: 'job-1', entry: { state: 'pending', jobId: 'job-1' } });
		const again = await startThroughLedger(
			ledgerOf('2'),
			wanted('k'),
			sending(() => 'started'),
		);
		expect(again).toMatchObject({ earlier: { jobId: 'job-1', execution: '1' } });
		expect(book).toEqual(['job-1']);
		expect(rows.rows).toHaveLength(1);
		for (const state of ['emitting', 'delivering', 'delivered'] as const) {
			rows.rows[0]!.state = state;
			expect(
				jobOf(
					await startThroughLedger(
						ledgerOf('3'),
						wanted('k'),
						sending(() => 'started'),
					),
				),
			).toBe('job-1');
		}
	});

	it('another key is another job', async () => {
		const { ledgerOf, sending } = world();
		await startThroughLedger(
			ledgerOf('1'),
			wanted('k'),
			sending(() => 'started'),
		);
		const other = await startThroughLedger(
			ledgerOf('1'),
			wanted('K'),
			sending(() => 'started'),
		);
		expect(jobOf(other)).toBe('job-2');
	});

	it('twenty at once start one', async () => {
		let seed = 1;
		const { book, ledgerOf, sending, rows } = world({
			latency: () => (seed = (seed * 16807) % 2147483647) % 40,
		});
		const all = await Promise.all(
			Array.from(
				{ length: 20 },
				async (_, index) =>
					await startThroughLedger(
						ledgerOf(String(index)),
						wanted('k'),
						sending(() => 'started', 3000),
					),
			),
		);
		expect(new Set(all.map(jobOf))).toEqual(new Set(['job-1']));
		expect(book).toEqual(['job-1']);
		expect(rows.rows.filter(({ state }) => state !== 'withdrawn')).toHaveLength(1);
	});

	it('a start that certainly did not happen leaves the key free', async () => {
		const { ledgerOf, sending, rows } = world();
		const error = await failureOf(
			startThroughLedger(
				ledgerOf('1'),
				wanted('k'),
				sending(() => 'refused'),
			),
		);
		expect(error.details.outcome).toBe('not_started');
		expect(rows.rows).toMatchObject([{ state: 'notStarted', note: 'no' }]);
		expect(
			jobOf(
				await startThroughLedger(
					ledgerOf('2'),
					wanted('k'),
					sending(() => 'started'),
				),
			),
		).toBe('job-1');
	});

	it('an unknown outcome stays so until a person decides', async () => {
		const { ledgerOf, sending, book } = world();
		const first = await failureOf(
			startThroughLedger(
				ledgerOf('1'),
				wanted('k'),
				sending(() => 'unknown'),
			),
		);
		expect(first.details).toMatchObject({
			outcome: 'unknown',
			ids: { idempotencyKey: 'k', entryId: '1' },
			advice: expect.stringContaining('Mark as Started'),
		});
		const second = await failureOf(
			startThroughLedger(
				ledgerOf('2'),
				wanted('k'),
				sending(() => 'started'),
			),
		);
		expect(second.message).toBe('It is not known whether the job of the key "k" was started');
		expect(second.details).toMatchObject({ outcome: 'unknown', ids: { entryId: '1' } });
		expect(book).toHaveLength(1);

		await markAsStarted(ledgerOf('3'), { startKey: 'k' }, 'job-1');
		expect(
			jobOf(
				await startThroughLedger(
					ledgerOf('4'),
					wanted('k'),
					sending(() => 'started'),
				),
			),
		).toBe('job-1');
		expect(book).toHaveLength(1);
	});

	it('resolved as not started, the key starts a job again', async () => {
		const { ledgerOf, sending } = world();
		await failureOf(
			startThroughLedger(
				ledgerOf('1'),
				wanted('k'),
				sending(() => 'unknown'),
			),
		);
		await markAsNotStarted(ledgerOf('2'), { id: 1 });
		expect(
			jobOf(
				await startThroughLedger(
					ledgerOf('3'),
					wanted('k'),
					sending(() => 'started'),
				),
			),
		).toBe('job-2');
	});

	it('one who was killed while sending leaves an unknown outcome, once its lease is over', async () => {
		const { ledgerOf, sending, clock, book } = world();
		const never = new Promise<never>(() => {});
		void startThroughLedger(ledgerOf('killed'), wanted('k'), {
			...sending(() => 'started'),
			send: async () => await never,
		});
		await clock.sleep(100);
		const early = await failureOf(
			startThroughLedger(
				ledgerOf('2'),
				wanted('k'),
				sending(() => 'started'),
			),
		);
		expect(early.message).toMatch(/^Another execution is starting the job of the key "k"/);
		expect(early.details).toMatchObject({ outcome: 'unknown', ids: { idempotencyKey: 'k' } });
		const tooSoon = await failureOf(markAsNotStarted(ledgerOf('3'), { startKey: 'k' }));
		expect(tooSoon.message).toBe('This start may still be in progress');
		await clock.sleep(600_000);
		const late = await failureOf(
			startThroughLedger(
				ledgerOf('4'),
				wanted('k'),
				sending(() => 'started'),
			),
		);
		expect(late.message).toBe('It is not known whether the job of the key "k" was started');
		expect(book).toEqual([]);
	});

	it('one who was killed before sending does not hold the key', async () => {
		const { ledgerOf, sending, rows, clock } = world();
		rows.rows.push(
			rows.made({
				state: 'intent',
				startKey: 'k',
				claim: 'dead',
				leaseUntil: clock.now() + 20_000,
			}),
		);
		expect(
			jobOf(
				await startThroughLedger(
					ledgerOf('2'),
					wanted('k'),
					sending(() => 'started'),
				),
			),
		).toBe('job-1');
		expect(rows.rows[0]).toMatchObject({ state: 'withdrawn' });
	});

	it('who was thought to be gone and comes back with a job writes it down', async () => {
		const { ledgerOf, sending, clock, rows } = world();
		const slow = startThroughLedger(
			ledgerOf('slow'),
			wanted('k'),
			sending(() => 'started', 700_000),
		);
		await clock.sleep(650_000);
		await failureOf(
			startThroughLedger(
				ledgerOf('2'),
				wanted('k'),
				sending(() => 'started'),
			),
		);
		expect(rows.rows).toMatchObject([{ state: 'unknown' }]);
		expect(jobOf(await slow)).toBe('job-1');
		expect(rows.rows).toMatchObject([{ state: 'pending', jobId: 'job-1' }]);
	});

	it('an id that came after a person had decided otherwise is not lost', async () => {
		const { ledgerOf, sending, clock, rows } = world();
		const slow = startThroughLedger(
			ledgerOf('slow'),
			wanted('k'),
			sending(() => 'started', 700_000),
		);
		await clock.sleep(650_000);
		await markAsNotStarted(ledgerOf('2'), { startKey: 'k' });
		expect(jobOf(await slow)).toBe('job-1');
		expect(rows.rows).toMatchObject([
			{ state: 'notStarted', jobId: '' },
			{ state: 'pending', jobId: 'job-1', startKey: 'k' },
		]);
	});

	it('nothing is sent when the ledger cannot be reached', async () => {
		const { ledgerOf, sending, book } = world({ latency: () => 10, loses: () => true });
		const error = await failureOf(
			startThroughLedger(
				ledgerOf('1'),
				wanted('k'),
				sending(() => 'started'),
			),
		);
		expect(error.details.outcome).toBe('not_started');
		expect(book).toEqual([]);
		const entered = await failureOf(
			startThroughLedger(
				ledgerOf('1'),
				wanted(''),
				sending(() => 'started'),
			),
		);
		expect(entered.details.outcome).toBe('not_started');
		expect(book).toEqual([]);
	});

	it('a job is given even when the ledger is gone once it was started', async () => {
		let gone = false;
		const { ledgerOf, sending, clock } = world({ latency: () => 10, loses: () => gone });
		const started = startThroughLedger(ledgerOf('1'), wanted('k'), {
			...sending(() => 'started'),
			async send() {
				gone = true;
				await clock.sleep(10);
				return 'job-9';
			},
		});
		expect(await started).toEqual({ result: 'job-9', entry: undefined });
	});
});

describe('a start that is entered', () => {
	it('is in the ledger before it is sent', async () => {
		const { ledgerOf, sending, rows } = world();
		const seen: string[] = [];
		const { send, toEntry } = sending(() => 'started');
		const started = await startThroughLedger(ledgerOf('1'), wanted(''), {
			toEntry,
			async send() {
				seen.push(...rows.rows.map(({ state }) => state));
				return await send();
			},
		});
		expect(seen).toEqual(['sending']);
		expect(started).toMatchObject({ entry: { state: 'pending', jobId: 'job-1', label: 'l' } });
	});
});
