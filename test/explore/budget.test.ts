import { play, scenarios } from './budget';

// as many runs as fit into the fast tests; test/long has more
const RUNS = Number(process.env['AGENT_BRIDGE_RUNS'] ?? 40);

it.each(Object.entries(scenarios))(
	'a budget that nobody outspends: %s',
	async (_name, scenario) => {
		for (let seed = 1; seed <= RUNS; seed++) {
			const { log, ...played } = await play(seed, scenario);
			const expected = { overspent: 0, leaked: [], isUsed: true, uncounted: 0, faults: [] };
			// the log of a run that failed tells what happened
			const isGood = JSON.stringify(played) === JSON.stringify(expected);
			expect({ seed, ...played, log: isGood ? [] : log }).toEqual({ seed, ...expected, log: [] });
		}
	},
);
