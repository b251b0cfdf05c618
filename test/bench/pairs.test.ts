import { compare, pairTable, takePairs } from './pairs';

it('lets each be the first of a pair in turns', async () => {
	const order: string[] = [];
	const taken = (whose: string) => async () => order.push(whose);
	const pairs = await takePairs('a job', 3, { ours: taken('ours'), peer: taken('peer') });
	expect(order).toEqual(['ours', 'peer', 'peer', 'ours', 'ours', 'peer']);
	expect(pairs).toEqual({ name: 'a job', ours: [1, 4, 5], peer: [2, 3, 6] });
});

it('compares within each pair, so that a machine that grows slower makes no difference', () => {
	const pairs = { name: 'a job', ours: [10, 22, 300], peer: [10, 20, 200] };
	expect(compare(pairs, (value) => value)).toEqual({
		ours: { least: 10, median: 22, most: 300 },
		peer: { least: 10, median: 20, most: 200 },
		ratio: { least: 1, median: 1.1, most: 1.5 },
	});
});

it('compares nothing where a value is not known', () => {
	const pairs = { name: 'a job', ours: [1, undefined], peer: [1, 1] };
	expect(compare(pairs, (value) => value)).toBeUndefined();
	expect(compare({ name: 'none', ours: [], peer: [] }, () => 1)).toBeUndefined();
});

it('writes least values, medians and the range of the ratios', () => {
	const pairs = { name: 'a job', ours: [10, 22, 300], peer: [10, 20, 200] };
	const table = pairTable([pairs], () => [
		['wall ms', (value) => value],
		['CPU ms', () => undefined],
	]);
	expect(table.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
		['', 'ours', 'median', 'peer', 'median', 'ratio', 'range'],
		['a job: wall ms', '10.0', '22.0', '10.0', '20.0', '1.10', '1.00 to 1.50'],
		['a job: CPU ms', '-', '-', '-', '-', '-', '-'],
	]);
});
