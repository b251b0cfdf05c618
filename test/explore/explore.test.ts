import { explore } from './explore';
import * as startOncePerKey from './startOncePerKey';
import * as trigger from './trigger';

// as many runs as fit into the fast tests; with `--long` there are more
const RUNS = Number(process.env['AGENT_BRIDGE_RUNS'] ?? 40);

it.each(Object.entries(startOncePerKey.scenarios))(
	'one job per key: %s',
	async (_name, scenario) => {
		const play = async (seed: number) => await startOncePerKey.play(seed, scenario);
		expect(await explore(RUNS, play)).toBeUndefined();
	},
);

it('finds the second job of a start that does not renew its claim', async () => {
	const scenario = startOncePerKey.scenarios['a person, 429 with waits of up to an hour']!;
	const play = async (seed: number) => await startOncePerKey.play(seed, scenario, false);
	expect((await explore(RUNS, play))?.at(-1)).toMatch(/^\d jobs were started/);
});

it.each(Object.entries(trigger.scenarios))('one delivery per job: %s', async (_name, weather) => {
	const play = async (seed: number) => await trigger.play(seed, weather);
	expect(await explore(RUNS / 20, play)).toBeUndefined();
});

it.each(Object.entries(trigger.scenarios))(
	'workflows that confirm lose no job: %s',
	async (_name, weather) => {
		let delivered = 0;
		const play = async (seed: number) => {
			const played = await trigger.play(seed, weather, true);
			delivered += played.delivered;
			return played;
		};
		expect(await explore(RUNS / 20, play)).toBeUndefined();
		expect(delivered).toBeGreaterThan(0);
	},
);
