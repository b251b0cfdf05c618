import { DISTURBANCES_IN_A_ROW, disturbanceOf, nameOf } from '../../soak/queue/disturbance';
import { batchesOf } from '../../soak/queue/load';
import { saidIn } from '../../soak/queue/executions';
import { wantedOf } from '../../soak/wanted';
import { ITEMS, START } from '../../soak/queue/workflows';

const disturbances = (seed: number, from: number) =>
	Array.from({ length: DISTURBANCES_IN_A_ROW }, (_, at) => disturbanceOf(seed, from + at, 3));

it.each([1, 2, 3])('every process is ended in every way in a row of six, with seed %s', (seed) => {
	for (const from of [0, DISTURBANCES_IN_A_ROW])
		expect(disturbances(seed, from).map(nameOf).sort()).toEqual([
			...['Redis, kill -9', 'main, SIGTERM', 'main, kill -9'],
			...['worker, SIGTERM', 'worker, kill -9', 'worker, kill -9'],
		]);
});

it('the same seed draws the same, and another one another order', () => {
	expect(disturbances(1, 0)).toEqual(disturbances(1, 0));
	expect(disturbances(1, 0)).not.toEqual(disturbances(2, 0));
	for (const { worker } of disturbances(1, 0)) expect([0, 1, 2]).toContain(worker);
});

it('every second batch has unique keys', () => {
	const wanted = [0, 1, 2, 3, 4].map((number) => wantedOf(1, number));
	expect(batchesOf(wanted, 2)).toEqual([
		{ wanted: wanted.slice(0, 2), hasKeys: true },
		{ wanted: wanted.slice(2, 4), hasKeys: false },
		{ wanted: wanted.slice(4), hasKeys: true },
	]);
});

it('reads from an execution what the start node has said of each key', () => {
	const of = (items: unknown[][]) => [
		{ executionStatus: 'success', executionTime: 0, data: { main: items } },
	];
	const keys = ['soak-1', 'soak-2', 'soak-3'].map((key) => ({ json: { key } }));
	const failed = (item: number, details: object) => ({ json: { details }, pairedItem: { item } });
	const runData = {
		[ITEMS]: of([keys]),
		[START]: of([
			[{ json: { jobId: 'job-2' }, pairedItem: { item: 1 } }],
			[failed(0, { outcome: 'unknown' }), failed(2, { outcome: 'not_started', jobId: 'job-9' })],
		]),
	} as Parameters<typeof saidIn>[0]['runData'];
	expect(saidIn({ runData })).toEqual([
		{ key: 'soak-2', jobId: 'job-2' },
		{ key: 'soak-1', outcome: 'unknown' },
		{ key: 'soak-3', outcome: 'not_started', jobId: 'job-9' },
	]);
	expect(saidIn({ runData: {} })).toEqual([]);
});
