import {
	exploreStarts,
	exploreTrigger,
	startScenarios,
	triggerScenarios,
	type Figures,
} from './explore';

// as many runs as fit into the fast tests; with `--long` there are more
const RUNS = Number(process.env['AGENT_BRIDGE_RUNS'] ?? 40);

const asItShouldBe = { doubles: 0, losses: 0, faults: 0, example: undefined };

/** A process that stands still for longer than its lease between its renewal and its request cannot know that it did. */
const exceptAfterPauses = ({ doubles, afterPause, losses, faults }: Figures) => ({
	doubles: doubles - afterPause,
	losses,
	faults,
});

it.each(startScenarios)('one job per key: %s', async (scenario) => {
	const figures = await exploreStarts(scenario, RUNS);
	expect([exceptAfterPauses(figures), figures.example]).toEqual([
		{ doubles: 0, losses: 0, faults: 0 },
		figures.afterPause ? expect.any(Array) : undefined,
	]);
});

it('finds the second job of a start that does not renew its claim', async () => {
	const figures = await exploreStarts('a person, 429 with waits of up to an hour', RUNS, false);
	expect(figures.doubles).toBeGreaterThan(0);
});

it.each(triggerScenarios)('one delivery per job: %s', async (scenario) => {
	expect(await exploreTrigger(scenario, RUNS / 20)).toMatchObject(asItShouldBe);
});

it.each(triggerScenarios)('workflows that confirm lose no job: %s', async (scenario) => {
	const figures = await exploreTrigger(scenario, RUNS / 20, true);
	expect(figures).toMatchObject(asItShouldBe);
	expect(figures.delivered).toBeGreaterThan(0);
});
