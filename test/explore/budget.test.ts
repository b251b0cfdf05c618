import { exploreBudget, scenarios } from './budget';

// as many runs as fit into the fast tests; test/long has more
it.each(Object.entries(scenarios))(
	'a budget that nobody outspends: %s',
	async (_name, scenario) => {
		expect(await exploreBudget(scenario, scenario.processes > 10 ? 3 : 15)).toBeUndefined();
	},
);
