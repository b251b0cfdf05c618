import { runPool } from '../../../src/n8n/itemPool';
import fc from '../../support/fastCheck';
import { nobodyPauses } from '../../support/jitter/quiet';

const tick = async (times = 1) => {
	for (let left = times; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
};

it('has never more at work than it may, whoever is away, keeps lanes in order, and works on every item once', async () => {
	const lane = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined });
	const waits = fc.infiniteStream(fc.nat(6));
	await fc.assert(
		fc.asyncProperty(
			fc.array(lane, { maxLength: 20 }),
			fc.integer({ min: 1, max: 6 }),
			waits,
			async (lanes, concurrency, times) => {
				const begun: number[] = [];
				const busyLanes = new Set<string>();
				let [atWork, most, ended] = [0, 0, 0];
				const busy = async () => {
					most = Math.max(most, ++atWork);
					await tick(times.next().value);
					atWork--;
				};
				await runPool(lanes, concurrency, async (item, { releaseDuring }) => {
					begun.push(item);
					const own = lanes[item];
					expect(busyLanes.has(own ?? '')).toBe(false);
					if (own !== undefined) busyLanes.add(own);
					await busy();
					if (Number(times.next().value) % 2) {
						await releaseDuring(() => tick(times.next().value));
						await busy();
					}
					if (own !== undefined) busyLanes.delete(own);
					ended++;
				});
				expect([...begun].sort((one, other) => one - other)).toEqual([...lanes.keys()]);
				expect(ended).toBe(lanes.length);
				expect(most).toBeLessThanOrEqual(concurrency);
				for (const name of ['a', 'b', 'c']) {
					const inLane = begun.filter((item) => lanes[item] === name);
					expect(inLane).toEqual([...inLane].sort((one, other) => one - other));
				}
			},
		),
		{ numRuns: 100 },
	);
});

it('begins free items in order, and as many at once as it may', async () => {
	const begun: number[] = [];
	let release = () => {};
	const gate = new Promise<void>((resolve) => (release = resolve));
	const work = runPool(Array(6).fill(undefined), 3, async (item) => {
		begun.push(item);
		await gate;
	});
	while (begun.length < 3) await tick();
	// what more would begin, were there no limit, begins in this time
	await new Promise((resolve) => setTimeout(resolve, 60));
	expect(begun).toEqual([0, 1, 2]);
	release();
	await work;
	expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
});

it('throws what failed first, once everything under way has ended, and begins nothing more', async () => {
	const [begun, ended]: [number[], number[]] = [[], []];
	const failure = new Error('first');
	const work = runPool(Array(50).fill(undefined), 4, async (item) => {
		begun.push(item);
		if (item === 1) throw failure;
		await new Promise((resolve) => setTimeout(resolve, 60));
		ended.push(item);
		if (item === 2) throw new Error('second');
	});
	await expect(work).rejects.toBe(failure);
	expect(ended).toEqual(begun.filter((item) => item !== 1));
	expect(begun.length).toBeLessThanOrEqual(4);
	const [begunThen] = [begun.length];
	await tick(20);
	expect(begun).toHaveLength(begunThen);
});

it('a failure in a lane holds up the rest of it', async () => {
	const begun: number[] = [];
	const work = runPool(['a', 'a', 'a'], 5, async (item) => {
		begun.push(item);
		throw new Error(String(item));
	});
	await expect(work).rejects.toThrow('0');
	expect(begun).toEqual([0]);
	// even what is not an error
	await expect(runPool([undefined], 1, () => Promise.reject(undefined))).rejects.toBeUndefined();
});

/** Resolved from outside. */
const gate = () => {
	let open = () => {};
	const wait = new Promise<void>((resolve) => (open = resolve));
	return { wait: async () => await wait, open };
};
const free = (count: number) => Array<undefined>(count).fill(undefined);
const pause = async () => {
	for (let left = 20; left > 0; left--) await nobodyPauses();
};

describe('an item that is away', () => {
	it('makes room for others, and comes back before one that has not begun', async () => {
		const seen: string[] = [];
		const [away, busy] = [gate(), gate()];
		const work = runPool(free(4), 1, async (item, place) => {
			seen.push(`begin ${item}`);
			if (item === 0) await place.releaseDuring(away.wait);
			if (item === 1) await busy.wait();
			seen.push(`end ${item}`);
		});
		await pause();
		expect(seen).toEqual(['begin 0', 'begin 1']);
		away.open();
		await pause();
		expect(seen).toEqual(['begin 0', 'begin 1']);
		busy.open();
		await work;
		expect(seen).toEqual([
			'begin 0',
			'begin 1',
			'end 1',
			'end 0',
			'begin 2',
			'end 2',
			'begin 3',
			'end 3',
		]);
	});

	it('gives what it waited for, or its failure', async () => {
		const results: unknown[] = [];
		await runPool(free(2), 2, async (item, { releaseDuring }) => {
			const waited = releaseDuring(async () => {
				await tick();
				if (item) throw new Error('no');
				return 'yes';
			});
			results.push(await waited.catch((cause: Error) => cause.message));
		});
		expect(results.sort()).toEqual(['no', 'yes']);
	});

	it('does not go on when another one has failed', async () => {
		const [away, failure] = [gate(), new Error('first')];
		const goneOn: number[] = [];
		const ended: unknown[] = [];
		const work = runPool(free(3), 1, async (item, place) => {
			if (item === 1) throw failure;
			try {
				await place.releaseDuring(away.wait);
				goneOn.push(item);
			} catch (cause) {
				ended.push(cause);
				throw cause;
			}
		});
		await pause();
		away.open();
		await expect(work).rejects.toBe(failure);
		expect(goneOn).toEqual([]);
		expect(ended).toEqual([
			expect.objectContaining({ kind: 'cancelled', details: { sent: false } }),
		]);
	});
});

describe('an item that waits for the requests of others', () => {
	it('does not go on when one of them has failed, however long that takes to be told', async () => {
		const [answered, told] = [gate(), gate()];
		const goneOn: number[] = [];
		const work = runPool(free(3), 3, async (item, place) => {
			if (item === 0) {
				await told.wait();
				throw new Error('no');
			}
			await place.afterOthers(answered.wait);
			goneOn.push(item);
		});
		await pause();
		answered.open();
		await pause();
		expect(goneOn).toEqual([]);
		told.open();
		await expect(work).rejects.toThrow('no');
		expect(goneOn).toEqual([]);
	});

	it.each([
		['has ended', false],
		['waits itself', true],
	])('goes on when the other one %s', async (_what, waits) => {
		const [answered, busy] = [gate(), gate()];
		const goneOn: number[] = [];
		const work = runPool(free(2), 2, async (item, place) => {
			if (item === 0) await busy.wait();
			if (item || waits) await place.afterOthers(answered.wait);
			goneOn.push(item);
		});
		answered.open();
		await pause();
		expect(goneOn).toEqual([]);
		busy.open();
		await work;
		expect(goneOn.sort()).toEqual([0, 1]);
	});

	it('goes on when the other one is away, which may wait for it', async () => {
		const [busy, away] = [gate(), gate()];
		const work = runPool(free(2), 2, async (item, place) => {
			if (item) {
				await place.afterOthers(async () => undefined);
				away.open();
				return;
			}
			await busy.wait();
			await place.releaseDuring(away.wait);
		});
		await pause();
		busy.open();
		await work;
	});
});
