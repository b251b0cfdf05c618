import fc from 'fast-check';

import { workThrough } from '../../../src/n8n/pool';

const tick = async (times = 1) => {
	for (let left = times; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
};

it('has never more in flight than it may, keeps lanes in order, and works on every item once', async () => {
	const lane = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined });
	await fc.assert(
		fc.asyncProperty(
			fc.array(lane, { maxLength: 20 }),
			fc.integer({ min: 1, max: 6 }),
			fc.infiniteStream(fc.nat(6)),
			async (lanes, concurrency, waits) => {
				const begun: number[] = [];
				const busyLanes = new Set<string>();
				let [inFlight, most] = [0, 0];
				await workThrough(lanes, concurrency, async (item) => {
					begun.push(item);
					most = Math.max(most, ++inFlight);
					const own = lanes[item];
					if (own !== undefined) {
						expect(busyLanes.has(own)).toBe(false);
						busyLanes.add(own);
					}
					await new Promise((resolve) => setTimeout(resolve, waits.next().value));
					if (own !== undefined) busyLanes.delete(own);
					inFlight--;
				});
				expect([...begun].sort((one, other) => one - other)).toEqual([...lanes.keys()]);
				expect(most).toBeLessThanOrEqual(concurrency);
				for (const name of ['a', 'b', 'c']) {
					const inLane = begun.filter((item) => lanes[item] === name);
					expect(inLane).toEqual([...inLane].sort((one, other) => one - other));
				}
			},
		),
		{ numRuns: 50 },
	);
});

it('begins free items in order, and as many at once as it may', async () => {
	const begun: number[] = [];
	let release = () => {};
	const gate = new Promise<void>((resolve) => (release = resolve));
	const work = workThrough(Array(6).fill(undefined), 3, async (item) => {
		begun.push(item);
		await gate;
	});
	await new Promise((resolve) => setTimeout(resolve, 60));
	expect(begun).toEqual([0, 1, 2]);
	release();
	await work;
	expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
});

it('throws what failed first, once everything under way has ended, and begins nothing more', async () => {
	const [begun, ended]: [number[], number[]] = [[], []];
	const failure = new Error('first');
	const work = workThrough(Array(50).fill(undefined), 4, async (item) => {
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
	const work = workThrough(['a', 'a', 'a'], 5, async (item) => {
		begun.push(item);
		throw new Error(String(item));
	});
	await expect(work).rejects.toThrow('0');
	expect(begun).toEqual([0]);
});

it('throws even what is not an error', async () => {
	await expect(
		workThrough([undefined], 1, () => Promise.reject(undefined)),
	).rejects.toBeUndefined();
});

it('has nothing to do for no items', async () => {
	await expect(workThrough([], 5, () => Promise.reject(new Error('x')))).resolves.toBeUndefined();
});
