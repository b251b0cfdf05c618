import type { Ledger } from '../../../src/ledger/ledger';
import { failureOf } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';
import { Rows } from './simulatedTable';
import { startThroughLedger } from './startThroughLedger';

const SECOND = 1000;
const LEASE = 600 * SECOND;

/** A start with the key "k" that another execution has sent. */
function world() {
	const clock = virtualClock();
	const rows = new Rows();
	let claims = 0;
	const ledger: Ledger = {
		table: rows.client(clock, { latency: () => 10 }),
		clock,
		uncancellableClock: clock,
		newClaim: () => `claim-${++claims}`,
		execution: '2',
	};
	return {
		clock,
		rows,
		/** Another start, renewed for the last time some seconds before now. */
		async renewedAgo(seconds: number, { lease = LEASE, startedAgo = seconds } = {}) {
			await clock.sleep(LEASE);
			const now = clock.now();
			rows.rows.push(
				rows.made({
					...{ state: 'sending', startKey: 'k', claim: 'other', execution: '1' },
					...{ segment: 'videos', model: 'm', startedAt: now - startedAgo * SECOND },
					leaseUntil: now - seconds * SECOND + lease,
				}),
			);
		},
		/** @returns seconds that the rival waited, and what it said. */
		async rival() {
			const began = clock.now();
			const failure = await failureOf(
				startThroughLedger(
					ledger,
					{
						...{ startKey: 'k', segment: 'videos', model: 'm', account: 'a', label: 'l' },
						...{ lease: LEASE, firstCheck: 0 },
					},
					{
						send: async () => 'job-1',
						toEntry: (jobId) => ({ jobId, requestId: '', record: '' }),
					},
				),
			);
			return { waited: (clock.now() - began) / SECOND, failure };
		},
	};
}

const IN_PROGRESS =
	'Another execution is starting the job of the key "k", or was interrupted while starting it';
const UNKNOWN = 'It is not known whether the job of the key "k" was started';

it.each([
	['waits for a start that was just renewed, for a minute', 0, [60, 63]],
	['waits only until a minute after the renewal', 45, [15, 18]],
	['does not wait for one that was renewed a minute ago', 60, [0, 1]],
	['nor for one that was renewed nine minutes ago', 540, [0, 1]],
] as const)('a rival %s', async (_name, renewedAgo, [from, to]) => {
	const { rows, renewedAgo: renewed, rival } = world();
	await renewed(renewedAgo);
	const { leaseUntil } = rows.rows[0]!;
	const { waited, failure } = await rival();
	expect(waited).toBeGreaterThanOrEqual(from);
	expect(waited).toBeLessThan(to);
	expect(failure.message).toBe(IN_PROGRESS);
	expect(failure.details).toMatchObject({
		outcome: 'unknown',
		ids: { idempotencyKey: 'k', entryId: '1' },
		advice: expect.stringContaining(
			`no result by ${new Date(leaseUntil).toISOString()}, the outcome is unknown`,
		),
	});
	// it has left nothing behind, and the other start may still record its outcome
	expect(rows.rows).toMatchObject([{ state: 'sending', claim: 'other' }]);
});

it('a lease that has ended is said at once', async () => {
	const { rows, renewedAgo, rival } = world();
	await renewedAgo(601);
	const { waited, failure } = await rival();
	expect(waited).toBeLessThan(1);
	expect(failure.message).toBe(UNKNOWN);
	expect(rows.rows).toMatchObject([{ state: 'unknown' }]);
});

it('a start that waits after a 429 is renewed, and the rival waits for it', async () => {
	const { renewedAgo, rival } = world();
	await renewedAgo(0, { startedAgo: 300 });
	expect((await rival()).waited).toBeGreaterThanOrEqual(60);
});

it('a start with shorter timeouts than the rival has is not taken for an old one', async () => {
	const { renewedAgo, rival } = world();
	await renewedAgo(0, { lease: LEASE / 2 });
	const { waited, failure } = await rival();
	expect(waited).toBeGreaterThanOrEqual(60);
	expect(failure.message).toBe(IN_PROGRESS);
});
