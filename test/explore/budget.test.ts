import { play, scenarios } from './budget';
import { explore } from './explore';

// as many runs as fit into the fast tests; with `--long` there are more
const MORE = Number(process.env['AGENT_BRIDGE_RUNS'] ?? 0) / 30;
it.each(Object.entries(scenarios))(
	'a budget that nobody outspends: %s',
	async (_name, scenario) => {
		const runs = MORE || (scenario.processes > 10 ? 2 : 8);
		expect(await explore(runs, async (seed) => await play(seed, scenario))).toBeUndefined();
	},
);
