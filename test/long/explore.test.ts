import { exploreBudget, scenarios as budgetScenarios } from '../explore/budget';
import {
	exploreStarts,
	exploreTrigger,
	startScenarios,
	triggerScenarios,
	type Figures,
} from '../explore/explore';

// the explorers of test/explore, for minutes; AGENT_BRIDGE_RUNS=30000 for hours
const RUNS = Number(process.env['AGENT_BRIDGE_RUNS'] ?? 1000);

const report = ({ scenario, runs, doubles, afterPause, losses }: Figures) =>
	process.stdout.write(
		`${scenario}: ${runs} runs, ${doubles} doubles (${afterPause} after a pause that nobody can notice), ${losses} losses\n`,
	);

it.each(startScenarios)('one job per key: %s', async (scenario) => {
	const figures = await exploreStarts(scenario, RUNS);
	report(figures);
	const { doubles, afterPause, losses, faults, example } = figures;
	expect([doubles - afterPause, losses, faults, afterPause ? [] : example]).toEqual([
		0,
		0,
		0,
		afterPause ? [] : undefined,
	]);
});

it.each(triggerScenarios)('one delivery per job: %s', async (scenario) => {
	const figures = await exploreTrigger(scenario, Math.ceil(RUNS / 10));
	report(figures);
	expect(figures).toMatchObject({ doubles: 0, losses: 0, faults: 0, example: undefined });
});

it.each(triggerScenarios)('workflows that confirm lose no job: %s', async (scenario) => {
	const figures = await exploreTrigger(scenario, Math.ceil(RUNS / 10), true);
	report(figures);
	expect(figures).toMatchObject({ doubles: 0, losses: 0, faults: 0, example: undefined });
});

it.each(Object.entries(budgetScenarios))('a budget: %s', async (name, scenario) => {
	const runs = Math.ceil(RUNS / 15);
	expect(await exploreBudget(scenario, runs)).toBeUndefined();
	process.stdout.write(`a budget, ${name}: ${runs} runs, nothing outspent\n`);
});
