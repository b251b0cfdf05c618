import { type Load, simulateTexts } from '../explore/scale';
import { simulateQuestions, simulateStarts, type SteadyLoad } from '../explore/scaleOthers';

// the figures of docs/measurements.md, "What main can do"
const loads: Array<[string, Partial<Load>]> = [
	['3 workers, 20 texts of 5 s at once on each', { workers: 3 }],
	['10 workers', { workers: 10 }],
	['50 workers', { workers: 50 }],
	['50 workers, texts of 1 s', { workers: 50, duration: 1000, time: 20_000 }],
	['50 workers, texts of 30 s', { workers: 50, duration: 30_000, time: 120_000 }],
	['50 workers, one text of 5 s at a time on each', { workers: 50, slots: 1 }],
	['50 workers, 100,000 rows', { workers: 50, rows: 100_000 }],
	['100 workers', { workers: 100, time: 40_000 }],
	['200 workers', { workers: 200, time: 30_000 }],
];

const all: Record<string, object> = {};

it.each(loads)('nothing is outspent or lost: %s', async (name, load) => {
	const { figures, ...counted } = await simulateTexts(load);
	all[name] = figures;
	expect(counted).toMatchObject({ overspent: 0, uncounted: 0, unrecorded: 0, reserved: 0 });
});

it.each<[string, perMinute: number, Partial<SteadyLoad>]>([
	['300 a minute, 3 workers', 300, { perSecond: 4 }],
	['300 a minute, 50 workers', 300, { perSecond: 4, workers: 50 }],
	['3,000 a minute, 10 workers', 3000, { perSecond: 40, workers: 10 }],
	['3,000 a minute, 50 workers', 3000, { perSecond: 40, workers: 50, time: 20_000 }],
])('questions that share a limit all come: %s', async (name, perMinute, load) => {
	const figures = await simulateQuestions(perMinute, load);
	all[`limit of ${name}`] = figures;
	expect(figures.failed).toBe(0);
});

it.each<[string, Partial<SteadyLoad>]>([
	['5 a second', { perSecond: 5, workers: 50 }],
	['15 a second', { perSecond: 15, workers: 50 }],
	['5 a second, 100,000 rows', { perSecond: 5, workers: 50, rows: 100_000 }],
	['2 a second, 100,000 rows, SQLite', { perSecond: 2, rows: 100_000, database: 'sqlite' }],
])('starts with a Unique Key all come, once: %s', async (name, load) => {
	const figures = await simulateStarts(load);
	all[`starts, ${name}`] = figures;
	expect([figures.failed, figures.jobs]).toEqual([0, (load.perSecond ?? 0) * 60]);
});

it('fifty workers with twenty texts at once wait as little as docs/measurements.md says', async () => {
	process.stdout.write(`${JSON.stringify(all, undefined, 2)}\n`);
	expect(all['50 workers']).toMatchObject({ refused: 0 });
	const {
		'wait ms': median,
		'wait ms, 95 %': late,
		'main busy %': busy,
	} = (await simulateTexts({ workers: 50, seed: 2 })).figures;
	expect([median <= 100, late <= 1000, busy <= 40]).toEqual([true, true, true]);
});
