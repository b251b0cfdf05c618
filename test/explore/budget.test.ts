import { exploreBudget, scenarios } from './budget';

// as many runs as fit into the fast tests; with `--long` there are more
const MORE = Number(process.env['AGENT_BRIDGE_RUNS'] ?? 0) / 30;
it.each(Object.entries(scenarios))(
	'a budget that nobody outspends: %s',
	async (_name, scenario) => {
		expect(
			await exploreBudget(scenario, MORE || (scenario.processes > 10 ? 3 : 15)),
		).toBeUndefined();
	},
);
