import { simulateTexts } from './scale';

// what docs/measurements.md says of more is in test/long
it('ten workers with twenty executions each hardly wait for their budget and its record', async () => {
	const { figures, ...rest } = await simulateTexts({ workers: 10, time: 30_000 });
	expect(rest).toEqual({
		freeAtRefusal: 0,
		overspent: 0,
		uncounted: 0,
		unrecorded: 0,
		reserved: 0,
		hints: [],
	});
	expect(figures['wait ms']).toBeLessThanOrEqual(100);
	expect(figures['wait ms, 95 %']).toBeLessThanOrEqual(1000);
	expect(figures['main busy %']).toBeLessThanOrEqual(15);
});

it('what is left is spent, and nothing is refused while there is enough', async () => {
	const load = { workers: 5, slots: 5, duration: 2000, time: 60_000, budget: 1e6 };
	const { figures, freeAtRefusal, overspent, uncounted } = await simulateTexts(load);
	expect(figures.refused).toBeGreaterThan(0);
	expect([overspent, uncounted]).toEqual([0, 0]);
	// a part of a text in each process
	expect(freeAtRefusal).toBeLessThanOrEqual(load.workers * 6000);
});
