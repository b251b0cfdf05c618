import fc from 'fast-check';

import type { Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import { resolveAsNotStarted, resolveAsStarted } from '../../../src/ledger/resolve';
import { startEntered, startOncePerKey, type Started } from '../../../src/ledger/startOnce';
import { ServiceError } from '../../../src/service/errors';
import { failureOf } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';
import { Rows, type Weather } from './memoryTable';

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
		steadyClock: clock,
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

const jobOf = (started: Started<string>) =>
	'earlier' in started ? started.earlier.jobId : started.result;

describe('one job per key', () => {
	it('starts a job and gives it back ever after', async () => {
		const { rows, book, ledgerOf, sending } = world();
		const fresh = await startOncePerKey(
			ledgerOf('1'),
			wanted('k'),
			sending(() => 'started'),
		);
		expect(fresh).toMatchObject({ result: 'job-1', entry: { state: 'pending', jobId: 'job-1' } });
		const again = await startOncePerKey(
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
					await startOncePerKey(
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
		await startOncePerKey(
			ledgerOf('1'),
			wanted('k'),
			sending(() => 'started'),
		);
		const other = await startOncePerKey(
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
					await startOncePerKey(
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
			startOncePerKey(
				ledgerOf('1'),
				wanted('k'),
				sending(() => 'refused'),
			),
		);
		expect(error.details.outcome).toBe('not_started');
		expect(rows.rows).toMatchObject([{ state: 'notStarted', note: 'no' }]);
		expect(
			jobOf(
				await startOncePerKey(
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
			startOncePerKey(
				ledgerOf('1'),
				wanted('k'),
				sending(() => 'unknown'),
			),
		);
		expect(first.details).toMatchObject({
			outcome: 'unknown',
			ids: { startKey: 'k', ledgerEntry: '1' },
			advice: expect.stringContaining('Resolve as Started'),
		});
		const second = await failureOf(
			startOncePerKey(
				ledgerOf('2'),
				wanted('k'),
				sending(() => 'started'),
			),
		);
		expect(second.message).toBe('It is not known whether the job of the key "k" was started');
		expect(second.details).toMatchObject({ outcome: 'unknown', ids: { ledgerEntry: '1' } });
		expect(book).toHaveLength(1);

		await resolveAsStarted(ledgerOf('3'), ['startKey', 'eq', 'k'], 'job-1');
		expect(
			jobOf(
				await startOncePerKey(
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
			startOncePerKey(
				ledgerOf('1'),
				wanted('k'),
				sending(() => 'unknown'),
			),
		);
		await resolveAsNotStarted(ledgerOf('2'), ['id', 'eq', 1]);
		expect(
			jobOf(
				await startOncePerKey(
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
		void startOncePerKey(ledgerOf('killed'), wanted('k'), {
			...sending(() => 'started'),
			send: async () => await never,
		});
		await clock.sleep(100);
		const early = await failureOf(
			startOncePerKey(
				ledgerOf('2'),
				wanted('k'),
				sending(() => 'started'),
			),
		);
		expect(early.message).toMatch(/^Another execution is starting the job of the key "k"/);
		expect(early.details).toMatchObject({ outcome: 'unknown', ids: { startKey: 'k' } });
		const tooSoon = await failureOf(resolveAsNotStarted(ledgerOf('3'), ['startKey', 'eq', 'k']));
		expect(tooSoon.message).toBe('This start may still be under way');
		await clock.sleep(600_000);
		const late = await failureOf(
			startOncePerKey(
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
				await startOncePerKey(
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
		const slow = startOncePerKey(
			ledgerOf('slow'),
			wanted('k'),
			sending(() => 'started', 700_000),
		);
		await clock.sleep(650_000);
		await failureOf(
			startOncePerKey(
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
		const slow = startOncePerKey(
			ledgerOf('slow'),
			wanted('k'),
			sending(() => 'started', 700_000),
		);
		await clock.sleep(650_000);
		await resolveAsNotStarted(ledgerOf('2'), ['startKey', 'eq', 'k']);
		expect(jobOf(await slow)).toBe('job-1');
		expect(rows.rows).toMatchObject([
			{ state: 'notStarted', jobId: '' },
			{ state: 'pending', jobId: 'job-1', startKey: 'k' },
		]);
	});

	it('nothing is sent when the ledger cannot be reached', async () => {
		const { ledgerOf, sending, book } = world({ latency: () => 10, loses: () => true });
		const error = await failureOf(
			startOncePerKey(
				ledgerOf('1'),
				wanted('k'),
				sending(() => 'started'),
			),
		);
		expect(error.details.outcome).toBe('not_started');
		expect(book).toEqual([]);
		const entered = await failureOf(
			startEntered(
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
		const started = startOncePerKey(ledgerOf('1'), wanted('k'), {
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
		const started = await startEntered(ledgerOf('1'), wanted(''), {
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

/** Numbers from 0 to 1, the same for the same seed. */
function chance(seed: number): () => number {
	let state = seed | 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
}

it('whatever is lost, slow or killed, no key ever has two jobs without a person', async () => {
	await fc.assert(
		fc.asyncProperty(fc.nat(), fc.integer({ min: 2, max: 7 }), async (seed, many) => {
			const random = chance(seed);
			const { clock, rows, book, ledgerOf, sending } = world();
			const fates: Fate[] = ['started', 'started', 'refused', 'unknown'];
			const contend = async (index: number) => {
				const dies = random() < 0.2 ? 1 + Math.floor(random() * 12) : Infinity;
				let steps = 0;
				const weather: Weather = {
					latency: () => Math.floor(random() ** 4 * 5000),
					loses: () => random() < 0.1,
				};
				const ledger = ledgerOf(String(index), weather);
				// who is killed never does anything again
				const alive = async <Result>(work: () => Promise<Result>): Promise<Result> => {
					if (++steps > dies) await new Promise<never>(() => {});
					return await work();
				};
				const { table } = ledger;
				const mortal: Ledger = {
					...ledger,
					table: {
						...table,
						find: async (...given) => await alive(async () => await table.find(...given)),
						add: async (...given) => await alive(async () => await table.add(...given)),
						change: async (...given) => await alive(async () => await table.change(...given)),
					},
				};
				const fate = fates[Math.floor(random() * fates.length)]!;
				const { send, toEntry } = sending(() => fate, Math.floor(random() * 3000));
				const start = startOncePerKey(mortal, wanted('k'), {
					toEntry,
					send: async () => await alive(send),
				});
				return await Promise.race([start.then(jobOf, String), clock.sleep(900_000)]);
			};
			const ends = await Promise.all(
				Array.from({ length: many }, async (_, i) => await contend(i)),
			);
			expect(book.length).toBeLessThanOrEqual(1);
			for (const end of ends)
				if (typeof end === 'string' && end.startsWith('job-')) expect(end).toBe(book[0]);
			// what was started can be found in the ledger, or is called open there
			const open: Array<Entry['state']> = ['pending', 'unknown', 'sending'];
			if (book.length) expect(rows.rows.some(({ state }) => open.includes(state))).toBe(true);
		}),
		{ numRuns: 400 },
	);
});
