import { interleave, judge, lineOf, tableOf } from './figures';
import type { Figure, Sample, Samples } from './row';

it('takes samples in turns, and begins each round with another variant', async () => {
	const order: string[] = [];
	const take = (name: string) => async (): Promise<Sample> => {
		order.push(name);
		return { 'wall ms': order.length };
	};
	const samples = await interleave(3, { ours: take('ours'), floor: take('floor') });
	expect(order).toEqual(['ours', 'floor', 'floor', 'ours', 'ours', 'floor']);
	expect(samples['floor']).toEqual([2, 3, 6].map((wall) => ({ 'wall ms': wall })));
});

const walls = (...values: number[]): Sample[] => values.map((value) => ({ 'wall ms': value }));
const samples: Samples = {
	ours: walls(12, 30, 11),
	empty: walls(2, 10, 1),
	floor: walls(10, 10, 20),
};

it.each<[string, Omit<Figure, 'measure'>, object]>([
	['the median', {}, { value: 12, spread: { least: 11, median: 12, most: 30 } }],
	['the most', { by: 'most', atMost: 29 }, { value: 30, met: false }],
	['a ratio of each round', { over: 'floor' }, { value: 1.2, ofLeast: 1.1 }],
	[
		'less another, over a third',
		{ minus: 'empty', over: 'floor', atMost: 1 },
		{ value: 1, met: true },
	],
	['what was not run', { over: 'raw', atMost: 1 }, { value: undefined, met: undefined }],
])('%s', (_name, figure, expected) => {
	expect(judge({ measure: 'wall ms', ...figure }, samples)).toMatchObject(expected);
});

it('a value that is missing in a round is no value', () => {
	const some = { ours: [...walls(1), {}] };
	expect(judge({ measure: 'wall ms', atMost: 5 }, some)).toMatchObject({ met: undefined });
});

it('tells each variant, and each figure with its range and its goal', () => {
	const figures: Figure[] = [{ measure: 'wall ms', over: 'floor', atMost: 1.05 }];
	const row = { id: 'items', title: 'some items', where: 'n8n', figures } as const;
	const table = tableOf({ ...row, shows: ['wall ms', 'CPU ms'], run: async () => ({}) }, samples);
	expect(table.split('\n')).toEqual([
		'items: some items (3 rounds)',
		'       wall ms  median',
		'ours        11      12',
		'empty        1       2',
		'floor       10      10',
		'  wall ms, ours, over floor: 1.2 (0.55 to 3; from the least 1.1), at most 1.05: MISSED',
	]);
	const busy = { ours: [{ 'wall ms': 1, 'others busy': 0.5 }] };
	expect(tableOf({ ...row, shows: ['wall ms'], run: async () => busy }, busy)).toMatch(
		/kept 0.5 proc/,
	);
	expect(lineOf(judge({ measure: 'asked' }, { ours: [{ asked: 3 }] }))).toBe('  asked, ours: 3');
});
