import { cancelledError, ServiceError } from '../../../src/core/errors';
import type { Clock } from '../../../src/core/retry';
import { claimKey } from '../../../src/ledger/keyClaim';
import type { LedgerTable } from '../../../src/ledger/ledger';
import { resolveStart } from '../../../src/ledger/manualChanges';
import { enterUnknownAlarms } from '../../../src/spending/alarms';
import { failureOf } from '../inMemoryHttp';
import { broken, LEASE, MINUTE, refused, SECOND, startWorld, wanted } from './startWorld';

const IN_PROGRESS =
	'Another execution is starting the job of the key "k", or was interrupted while starting it';
const UNKNOWN = 'It is not known whether the job of the key "k" was started';

describe('one job per key', () => {
	it('starts a job and gives it back ever after', async () => {
		const { rows, book, start } = startWorld();
		const entry = { state: 'pending', jobId: 'job-1' };
		expect(await start()).toMatchObject({ result: 'job-1', entry });
		const earlier = { jobId: 'job-1', executionId: '1' };
		expect(await start({ ledger: { executionId: '2' } })).toMatchObject({ earlier });
		for (const state of ['emitting', 'delivering', 'delivered'] as const) {
			rows[0]!.state = state;
			expect(await start()).toMatchObject({ earlier });
		}
		expect([book, rows.length]).toEqual([['job-1'], 1]);
		expect(await start({ key: 'K' })).toMatchObject({ result: 'job-2' });
	});

	it('twenty at once start one', async () => {
		let seed = 1;
		const latency = () => (seed = (seed * 16807) % 2147483647) % 40;
		const { book, clock, rows, start } = startWorld({ latency });
		const all = await Promise.all(
			Array.from({ length: 20 }, async () => await start({ takes: 3000 })),
		);
		const ids = all.map((one) => ('earlier' in one ? one.earlier.jobId : one.result));
		expect([new Set(ids), book]).toEqual([new Set(['job-1']), ['job-1']]);
		expect(rows.filter(({ state }) => state !== 'withdrawn')).toHaveLength(1);
		// nobody ends an intent that is fresh, or waits until it is stale
		expect(rows.length).toBeLessThanOrEqual(20);
		expect(clock.now()).toBeLessThan(10 * SECOND);
	});

	it('a start that certainly did not happen leaves the key free', async () => {
		const { start, rows } = startWorld();
		expect((await failureOf(start({ fails: refused }))).details.outcome).toBe('not_started');
		expect(rows).toMatchObject([{ state: 'notStarted', note: 'no' }]);
		expect(await start()).toMatchObject({ result: 'job-1' });
	});

	it('an unknown outcome stays so until a person decides', async () => {
		const { start, ledgerOf, book } = startWorld();
		const details = { outcome: 'unknown', ids: { uniqueKey: 'k', entryId: '1' } };
		const advice = expect.stringContaining('Mark as Started');
		expect(await failureOf(start({ fails: broken }))).toMatchObject({
			details: { ...details, advice },
		});
		expect(await failureOf(start())).toMatchObject({ message: UNKNOWN, details });
		await resolveStart(ledgerOf(), { uniqueKey: 'k' }, 'a', 'job-1');
		expect(await start()).toMatchObject({ earlier: { jobId: 'job-1' } });
		expect(book).toHaveLength(1);
	});

	it('resolved as not started, the key starts a job again', async () => {
		const { start, ledgerOf } = startWorld();
		await failureOf(start({ fails: broken }));
		await resolveStart(ledgerOf(), { id: 1 }, 'a', undefined);
		expect(await start()).toMatchObject({ result: 'job-2' });
	});

	it('one who was killed while sending leaves an unknown outcome, once its lease is over', async () => {
		const { start, ledgerOf, clock, book } = startWorld();
		void start({ takes: Infinity });
		await clock.sleep(100);
		const tooSoon = await failureOf(resolveStart(ledgerOf(), { uniqueKey: 'k' }, 'a', undefined));
		expect(tooSoon.message).toBe('This start may still be in progress');
		await clock.sleep(LEASE);
		expect(await failureOf(start())).toMatchObject({ message: UNKNOWN });
		expect(book).toEqual([]);
	});

	it('one who was killed before sending does not hold the key', async () => {
		const { start, rows, enter } = startWorld();
		enter({ state: 'intent', uniqueKey: 'k', claim: 'dead', leaseUntil: 20_000 });
		expect(await start()).toMatchObject({ result: 'job-1' });
		expect(rows[0]).toMatchObject({ state: 'withdrawn' });
	});

	it('who was thought to be gone and comes back with a job writes it down', async () => {
		const { start, clock, rows } = startWorld();
		const slow = start({ takes: 700_000 });
		await clock.sleep(650_000);
		await failureOf(start());
		expect(rows).toMatchObject([{ state: 'unknown' }]);
		expect(await slow).toMatchObject({ result: 'job-1' });
		expect(rows).toMatchObject([{ state: 'pending', jobId: 'job-1' }]);
	});

	it('an id that came after a person had decided otherwise is not lost', async () => {
		const { start, ledgerOf, clock, rows } = startWorld();
		const slow = start({ takes: 700_000 });
		await clock.sleep(650_000);
		await resolveStart(ledgerOf(), { uniqueKey: 'k' }, 'a', undefined);
		expect(await slow).toMatchObject({ result: 'job-1' });
		expect(rows).toMatchObject([
			{ state: 'notStarted', jobId: '' },
			{ state: 'pending', jobId: 'job-1', uniqueKey: 'k' },
		]);
	});

	it.each(['k', ''])('nothing is sent when the ledger cannot be reached, key "%s"', async (key) => {
		const { start, book } = startWorld({ latency: () => 10, loses: () => true });
		expect((await failureOf(start({ key }))).details.outcome).toBe('not_started');
		expect(book).toEqual([]);
	});

	it('a job is given even when the ledger is gone once it was started', async () => {
		let gone = false;
		const { start } = startWorld({ latency: () => 10, loses: () => gone });
		const started = start({ before: () => (gone = true) });
		expect(await started).toEqual({ result: 'job-1', entry: undefined });
	});

	it('a start without a key is in the ledger before it is sent', async () => {
		const { start, rows } = startWorld();
		const seen: string[] = [];
		const before = () => void seen.push(...rows.map(({ state }) => state));
		const entry = { state: 'pending', jobId: 'job-1', triggerGroup: 'l' };
		expect(await start({ key: '', before })).toMatchObject({ entry });
		expect(seen).toEqual(['sending']);
	});
});

describe('a claim whose lease has ended before anything was sent', () => {
	it.each([
		['its turn', { waits: 6 * LEASE }],
		['the budget', { waitsForBudget: 6 * LEASE }],
	])('that waited for %s sends nothing once the key has started another job', async (_, waits) => {
		const { clock, rows, book, ledgerOf, start } = startWorld();
		const slow = failureOf(start(waits));
		await clock.sleep(1.1 * LEASE);
		await resolveStart(ledgerOf(), { uniqueKey: 'k' }, 'a', undefined);
		expect(await start()).toMatchObject({ result: 'job-1' });
		expect(await slow).toMatchObject({
			message: 'This start took too long, and a person resolved it in the meantime',
			details: { outcome: 'not_started' },
		});
		expect(book).toEqual(['job-1']);
		expect(rows.map(({ state }) => state)).toEqual(['notStarted', 'pending']);
	});

	it('is taken back where others have only called it unknown', async () => {
		const { clock, rows, book, start } = startWorld();
		const slow = start({ waits: 2 * LEASE });
		await clock.sleep(1.1 * LEASE);
		expect((await failureOf(start())).details.outcome).toBe('unknown');
		expect(rows).toMatchObject([{ state: 'unknown' }]);
		expect([await slow, book]).toMatchObject([{ result: 'job-1' }, ['job-1']]);
		expect(rows).toMatchObject([{ state: 'pending', jobId: 'job-1', note: '' }]);
	});

	const isRenewal = (changes: Parameters<LedgerTable['change']>[1]) =>
		Boolean(changes.leaseUntil) && changes.startedAt === undefined && !changes.jobId;

	it('sends nothing while the ledger cannot be reached', async () => {
		const { book, ledgerOf, start } = startWorld();
		const { table } = ledgerOf();
		const change: LedgerTable['change'] = async (where, changes) => {
			if (isRenewal(changes)) throw new ServiceError('unreachable', 'n8n is gone', { sent: false });
			return await table.change(where, changes);
		};
		expect(await failureOf(start({ ledger: { table: { ...table, change } } }))).toMatchObject({
			message: 'n8n is gone',
			details: { outcome: 'not_started' },
		});
		expect(book).toEqual([]);
	});

	it('is renewed once more where the renewal itself took half of it', async () => {
		const { clock, rows, ledgerOf, start } = startWorld();
		const { table } = ledgerOf();
		let renewals = 0;
		const change: LedgerTable['change'] = async (where, changes) => {
			if (isRenewal(changes) && ++renewals === 1) await clock.sleep(0.6 * LEASE);
			return await table.change(where, changes);
		};
		await start({ ledger: { table: { ...table, change } } });
		expect([renewals, rows]).toMatchObject([2, [{ state: 'pending' }]]);
	});

	it('is renewed once more where its answer says that n8n is later than was known', async () => {
		const { clock, rows, ledgerOf, start } = startWorld();
		const { table } = ledgerOf();
		let renewals = 0;
		const change: LedgerTable['change'] = async (where, changes) => {
			if (isRenewal(changes)) renewals++;
			return await table.change(where, changes);
		};
		const n8nTime = () => clock.now() - (renewals ? 0 : 20 * MINUTE);
		await start({ ledger: { table: { ...table, change }, n8nTime } });
		expect([renewals, rows]).toMatchObject([2, [{ state: 'pending' }]]);
	});
});

it('a claim lasts by the clock of n8n, whatever the clocks of those who write and judge it say', async () => {
	const { clock, ledgerOf, rows, start } = startWorld();
	const { now } = clock;
	const apart = (minutes: number) => {
		const skewed = { ...clock, now: () => now() + minutes * MINUTE };
		return { clock: skewed, uncancellableClock: skewed };
	};
	void start({ takes: Infinity, ledger: apart(-30) });
	await clock.sleep(MINUTE);
	const decided = resolveStart(ledgerOf(apart(30)), { uniqueKey: 'k' }, 'a', undefined);
	expect((await failureOf(decided)).message).toBe('This start may still be in progress');
	expect((await failureOf(start({ ledger: apart(30) }))).message).toBe(IN_PROGRESS);
	await enterUnknownAlarms(ledgerOf(apart(30)), { credentialId: 'a', triggerGroup: '' });
	expect(rows).toMatchObject([{ state: 'sending' }]);
});

it.each([
	['add', 55_000],
	['change', 0],
] as const)(
	'a ledger that shows nothing of an %s is not written to without pause or end',
	async (method, least) => {
		const { clock, ledgerOf } = startWorld();
		const { table } = ledgerOf();
		let written = 0;
		const write = async () => (written++, []);
		const shown =
			method === 'add' ? { find: async () => [], add: write as never } : { change: write };
		const failure = await failureOf(
			claimKey(ledgerOf({ table: { ...table, ...shown } }), [], wanted('k')),
		);
		expect(failure.message).toBe('The job ledger does not show the row that was added');
		expect(written).toBeLessThan(100);
		expect(clock.now()).toBeGreaterThan(least);
	},
);

it('an intent of its own that shows late does not hide the claim, nor does a clock that runs ahead', async () => {
	const late = startWorld();
	late.enter({ state: 'intent', uniqueKey: 'k', claim: 'late', leaseUntil: LEASE });
	late.enter({ state: 'sending', uniqueKey: 'k', claim: 'mine', leaseUntil: LEASE });
	expect(await claimKey(late.ledgerOf(), ['late', 'mine'], wanted('k'))).toBe('mine');
	const ahead = startWorld();
	ahead.enter({ state: 'unknown', uniqueKey: 'k', claim: 'mine', leaseUntil: -LEASE });
	expect(await claimKey(ahead.ledgerOf(), ['mine'], wanted('k'))).toBe('mine');
});

describe.each(['k', ''])('n8n is away, key "%s"', (key) => {
	it.each([
		['pending', undefined],
		['unknown', broken],
		['notStarted', refused],
	])('%s is written down as soon as n8n is back, nine minutes later', async (state, fails) => {
		const { clock, rows, goAway, start } = startWorld();
		const before = () => goAway(9 * MINUTE);
		await start({ key, before, ...(fails && { fails }) }).catch(() => undefined);
		expect(rows).toMatchObject([{ state, jobId: fails ? '' : 'job-1' }]);
		// not much later than n8n was back: a pause has at most 20 s
		expect(clock.now()).toBeLessThan(9 * MINUTE + 30 * SECOND);
	});

	it('Stop does not end the attempts to write', async () => {
		const { clock, rows, goAway, start } = startWorld();
		let isStopped = false;
		const sleep: Clock['sleep'] = async (milliseconds) => {
			if (isStopped) throw cancelledError(false);
			await clock.sleep(milliseconds);
		};
		const before = () => {
			goAway(5 * MINUTE);
			isStopped = true;
		};
		const entry = { state: 'pending', jobId: 'job-1' };
		const ledger = { clock: { ...clock, sleep } };
		expect(await start({ key, before, ledger })).toMatchObject({ entry });
		expect(rows).toMatchObject([entry]);
	});

	it('the attempts end with the lease, and the job is not lost', async () => {
		const { clock, rows, goAway, start } = startWorld();
		const before = () => goAway(Infinity);
		expect(await start({ key, before })).toEqual({ result: 'job-1', entry: undefined });
		expect(rows).toMatchObject([{ state: 'sending' }]);
		expect(clock.now()).toBeGreaterThan(LEASE);
		expect(clock.now()).toBeLessThan(LEASE + MINUTE);
	});

	it('a process that stood still for longer than the lease writes it down nevertheless', async () => {
		const { clock, rows, ledgerOf, start } = startWorld();
		const { table } = ledgerOf();
		let isBroken = false;
		const before = () => (isBroken = true);
		const change: LedgerTable['change'] = async (...given) => {
			if (isBroken) {
				isBroken = false;
				await clock.sleep(2 * LEASE);
				throw new ServiceError('truncated', 'lost');
			}
			return await table.change(...given);
		};
		await failureOf(
			start({ key, before, fails: refused, ledger: { table: { ...table, change } } }),
		);
		expect(rows).toMatchObject([{ state: 'notStarted' }]);
	});

	it('a refusal of n8n is not tried again', async () => {
		const { clock, ledgerOf, start } = startWorld();
		const { table } = ledgerOf();
		let isRefused = false;
		const change: LedgerTable['change'] = async (...given) => {
			if (isRefused) throw new ServiceError('refused', 'no', { status: 401 });
			return await table.change(...given);
		};
		const before = () => void (isRefused = true);
		const started = await start({ key, before, ledger: { table: { ...table, change } } });
		expect(started).toEqual({ result: 'job-1', entry: undefined });
		expect(clock.now()).toBeLessThan(SECOND);
	});

	it.each([0, SECOND])('a start waits until n8n is back, also %i ms later', async (waits) => {
		const { clock, rows, goAway, start } = startWorld();
		goAway(20 * SECOND, waits / 2);
		expect(await start({ key, waits })).toMatchObject({ result: 'job-1' });
		expect(rows).toMatchObject([{ state: 'pending', jobId: 'job-1' }]);
		if (waits) expect(rows[0]!.leaseUntil).toBeGreaterThan(clock.now() + LEASE / 2);
	});

	it('a start gives up after about a minute, and nothing is sent', async () => {
		const { clock, rows, book, goAway, start } = startWorld();
		goAway(Infinity);
		expect(await failureOf(start({ key }))).toMatchObject({
			message: 'n8n is still starting',
			details: { outcome: 'not_started' },
		});
		expect([book, rows]).toEqual([[], []]);
		expect(clock.now()).toBeGreaterThan(40 * SECOND);
		expect(clock.now()).toBeLessThan(100 * SECOND);
	});

	it('Stop ends the wait', async () => {
		const { clock, goAway, start } = startWorld();
		goAway(Infinity);
		const sleep: Clock['sleep'] = async (milliseconds) => {
			await clock.sleep(milliseconds);
			if (clock.now() > 5 * SECOND) throw cancelledError(false);
		};
		const failure = await failureOf(start({ key, ledger: { clock: { ...clock, sleep } } }));
		expect(failure).toMatchObject({ kind: 'cancelled', details: { outcome: 'not_started' } });
		expect(clock.now()).toBeLessThan(30 * SECOND);
	});
});

/** What a start with the key of another one says, that was renewed for the last time some seconds ago. */
async function rival(renewedAgo: number, { lease = LEASE, startedAgo = renewedAgo } = {}) {
	const { clock, rows, start, enter } = startWorld();
	await clock.sleep(LEASE);
	const began = clock.now();
	const leaseUntil = began - renewedAgo * SECOND + lease;
	enter({
		state: 'sending',
		uniqueKey: 'k',
		claim: 'other',
		executionId: '1',
		leaseUntil,
		mediaType: 'videos',
		model: 'm',
		startedAt: began - startedAgo * SECOND,
	});
	const failure = await failureOf(start({ ledger: { executionId: '2' } }));
	return { rows, leaseUntil, failure, waited: (clock.now() - began) / SECOND };
}

it.each<[string, number, [number, number], Parameters<typeof rival>[1]?]>([
	['waits for a start that was just renewed, for a minute', 0, [60, 63]],
	['waits only until a minute after the renewal', 45, [15, 18]],
	['does not wait for one that was renewed a minute ago', 60, [0, 1]],
	['nor for one that was renewed nine minutes ago', 540, [0, 1]],
	['waits for a start that waited after a 429 and is renewed', 0, [60, 63], { startedAgo: 300 }],
	['takes none with shorter timeouts for an old one', 0, [60, 63], { lease: LEASE / 2 }],
])('a rival %s', async (_name, renewedAgo, [from, to], more = {}) => {
	const { rows, leaseUntil, failure, waited } = await rival(renewedAgo, more);
	expect(waited).toBeGreaterThanOrEqual(from);
	expect(waited).toBeLessThan(to);
	const until = `no result by ${new Date(leaseUntil).toISOString()}, the outcome is unknown`;
	expect(failure).toMatchObject({
		message: IN_PROGRESS,
		details: {
			outcome: 'unknown',
			ids: { uniqueKey: 'k', entryId: '1' },
			advice: expect.stringContaining(until),
			reason: expect.stringMatching(/^Execution 1 sent it on /),
		},
	});
	// it has left nothing behind, and the other start may still record its outcome
	expect(rows).toMatchObject([{ state: 'sending', claim: 'other' }]);
});

it('a rival is told at once of a lease that has ended', async () => {
	const { rows, failure, waited } = await rival(601);
	expect(waited).toBeLessThan(1);
	expect(failure.message).toBe(UNKNOWN);
	const note = 'The execution that started it did not record an outcome in time.';
	expect(rows).toMatchObject([{ state: 'unknown', note }]);
});
