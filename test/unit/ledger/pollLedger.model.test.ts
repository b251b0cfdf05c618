import { ServiceError } from '../../../src/core/errors';
import type { Entry } from '../../../src/ledger/entry';
import type { Table } from '../../../src/ledger/ledger';
import { CASES } from '../../support/cases';
import fc from '../../support/fastCheck';
import { HOUR, MINUTE, names, SECOND, watchWorld, type Way } from './pollWorld';

/** What one run of chances decides. */
interface Plan {
	seed: number;
	jobs: number;
	pollers: number;
	/** Of a hundred. */
	losses: number;
	kills: number;
}

const plans = fc.record({
	seed: fc.integer({ min: 1, max: 2 ** 31 - 2 }),
	jobs: fc.integer({ min: 1, max: 12 }),
	pollers: fc.integer({ min: 1, max: 4 }),
	losses: fc.integer({ min: 0, max: 10 }),
	kills: fc.integer({ min: 0, max: 40 }),
});

const LEASE = 10 * MINUTE;

/** Several triggers watch the same jobs, for two hours in bad weather and then for six in good. */
async function live({ seed, jobs, pollers, losses, kills }: Plan) {
	let state = seed;
	const chance = () => (state = (state * 48271) % 2147483647) / 2147483647;
	const upTo = (limit: number) => Math.floor(chance() * limit);
	const world = watchWorld();
	const { clock, rows, add, answers, poll, deliver } = world;
	const badUntil = 2 * HOUR;
	const isBad = () => clock.now() < badUntil;

	/** By job, the claims of the executions that passed its fence. */
	const fenced = new Map<string, Set<string>>();
	const mark = (row: Entry) => {
		const claims = fenced.get(row.jobId) ?? new Set();
		fenced.set(row.jobId, claims.add(row.claim));
	};

	/** A way to the table on which somebody may be killed: before what is asked for has happened, or after. */
	const way = (): Way => {
		let left = isBad() && upTo(100) < kills ? upTo(15) : Infinity;
		const weather = {
			latency: () => 1 + upTo(200),
			loses: () => isBad() && upTo(100) < losses,
		};
		const table = rows.client(clock, weather);
		const dead = new Promise<never>(() => {});
		const lived = async <Result>(work: () => Promise<Result>): Promise<Result> => {
			left--;
			if (left === 0) return await dead;
			const result = await work();
			return left === -1 ? await dead : result;
		};
		const counted: Table = {
			...table,
			find: async (...what) => await lived(async () => await table.find(...what)),
			add: async (entry) => await lived(async () => await table.add(entry)),
			change: async (where, changes) => {
				const before = rows.rows.filter(({ state }) => state === 'delivering');
				return await lived(async () => {
					try {
						return await table.change(where, changes);
					} finally {
						if ('all' in where && where.all.some(([, , value]) => value === 'delivering'))
							for (const row of before) if (row.state === 'delivered') mark(row);
					}
				});
			},
		};
		return { ...weather, table: counted };
	};

	const given: string[] = [];
	const execute = async (claim: string) => {
		// it may wait in a queue for longer than its lease
		await clock.sleep(upTo(isBad() ? 2 * LEASE : MINUTE));
		const out = await deliver(claim, {
			mine: way(),
			lease: LEASE,
			async bring(_job, touch) {
				await clock.sleep(upTo(isBad() ? 8 * MINUTE : 5 * SECOND));
				await touch();
				return isBad() && upTo(10) === 0;
			},
		});
		given.push(...out);
	};

	for (let at = 0; at < jobs; at++) {
		const doneAt = upTo(3 * HOUR);
		const outcome = upTo(4) ? 'completed' : 'failed';
		answers.set(`j${at}`, () => {
			if (isBad() && upTo(10) === 0) return 500;
			return clock.now() >= doneAt ? outcome : 'unfinished';
		});
		for (let row = upTo(3); row >= 0; row--)
			void clock.sleep(upTo(3 * HOUR)).then(() => add({ jobId: `j${at}` }));
	}

	const underWay: Promise<unknown>[] = [];
	const watch = async () => {
		await clock.sleep(upTo(MINUTE));
		while (clock.now() < 8 * HOUR) {
			// an overlapping one does not wait for it
			const polled = poll({ lease: LEASE, maxJobs: 1 + upTo(6) }, way()).then(
				({ claim, jobs: handed }) => {
					const isLost = isBad() && upTo(10) === 0;
					if (names(handed).length && !isLost) underWay.push(execute(claim).catch(onlyOurs));
				},
				onlyOurs,
			);
			await Promise.race([polled, clock.sleep(MINUTE)]);
			await clock.sleep(MINUTE - upTo(10 * SECOND));
		}
	};
	await Promise.all(Array.from({ length: pollers }, watch));
	return { rows: rows.rows, given, fenced };
}

function onlyOurs(cause: unknown) {
	if (!(cause instanceof ServiceError)) throw cause;
}

it('every job is delivered once, by whomever, whatever is lost or killed', async () => {
	await fc.assert(
		fc.asyncProperty(plans, async (plan) => {
			const { rows, given, fenced } = await live(plan);
			// nothing is left
			expect(rows.filter(({ state }) => state !== 'delivered')).toEqual([]);
			// nothing went out twice, or past the fence
			expect(given).toHaveLength(new Set(given).size);
			for (const jobId of given) expect(fenced.has(jobId)).toBe(true);
			for (const jobId of new Set(rows.map((row) => row.jobId))) {
				// exactly one execution passed it
				expect([jobId, fenced.get(jobId)?.size]).toEqual([jobId, 1]);
				// only who is killed behind it takes a job along
				if (!plan.kills) expect(given).toContain(jobId);
			}
		}),
		{ numRuns: Math.ceil(CASES / 10) },
	);
});
