import { explore } from './explore';
import { priceForms } from './priceForms';
import { play } from './prices';

// as many runs as fit into the fast tests; with `--long` there are more
const RUNS = Number(process.env['AGENT_BRIDGE_RUNS'] ?? 40) / 10;

it.each(Object.entries(priceForms))(
	'texts never exceed a budget where the bound is sure, and are counted once: %s',
	async (name, form) => {
		const first = 100_000 * Object.keys(priceForms).indexOf(name);
		expect(await explore(RUNS, async (seed) => await play(first + seed, form))).toBeUndefined();
	},
);
