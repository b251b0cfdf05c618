import { play, scenarios } from './building';
import { explore } from './explore';

// as many runs as fit into the fast tests; with `--long` there are more
const RUNS = Number(process.env['AGENT_BRIDGE_RUNS'] ?? 160) / 20;

it.each(Object.entries(scenarios))(
	'what is built by hand is paid once, counted once and delivered once: %s',
	async (_name, weather) => {
		expect(await explore(RUNS, async (seed) => await play(seed, weather))).toBeUndefined();
	},
);
