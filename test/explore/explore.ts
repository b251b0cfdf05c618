import * as startOncePerKey from './startOncePerKey';
import * as trigger from './trigger';

/** What many runs of one scenario came to. */
export interface Figures {
	scenario: string;
	runs: number;
	/** Runs in which a key had two jobs, or a job left two executions. */
	doubles: number;
	/** Of those, runs in which a process stood still between its renewal and its request. */
	afterPause: number;
	/** Runs in which a job left no execution, or a key needs a person although nothing was started. */
	losses: number;
	/** Runs with a change that the transitions of a row do not allow. */
	faults: number;
	/** Jobs that were delivered. */
	delivered: number;
	/** What happened in the shortest run that was not as it should be. */
	example: string[] | undefined;
}

export async function exploreStarts(
	scenario: string,
	runs: number,
	isRenewed = true,
): Promise<Figures> {
	const figures = noFigures(scenario, runs);
	for (let seed = 1; seed <= runs; seed++) {
		const chosen = startOncePerKey.scenarios[scenario]!;
		const played = await startOncePerKey.play(seed, chosen, isRenewed);
		const isDouble = played.jobs > 1;
		if (isDouble) figures.doubles++;
		if (isDouble && played.afterPause) figures.afterPause++;
		if (played.isStuck) figures.losses++;
		if (played.faults.length) figures.faults++;
		if (isDouble || played.isStuck || played.faults.length)
			keepShortest(figures, seed, [...played.log, ...played.faults]);
	}
	return figures;
}

export async function exploreTrigger(
	scenario: string,
	runs: number,
	isConfirmed = false,
): Promise<Figures> {
	const figures = noFigures(scenario, runs);
	for (let seed = 1; seed <= runs; seed++) {
		const weather = trigger.scenarios[scenario]!;
		const { twice, never, faults, log, delivered } = await trigger.play(seed, weather, isConfirmed);
		figures.delivered += delivered;
		if (twice.length) figures.doubles++;
		if (never.length) figures.losses++;
		if (faults.length) figures.faults++;
		const wrong = [...twice, ...never, ...faults];
		if (wrong.length) keepShortest(figures, seed, [...log, ...wrong]);
	}
	return figures;
}

const noFigures = (scenario: string, runs: number): Figures => ({
	...{ scenario, runs, doubles: 0, afterPause: 0, losses: 0, faults: 0, delivered: 0 },
	example: undefined,
});

function keepShortest(figures: Figures, seed: number, log: string[]): void {
	if (figures.example && figures.example.length <= log.length) return;
	figures.example = [`seed ${seed}`, ...log.filter((line) => !line.endsWith(': reads'))];
}

export const startScenarios = Object.keys(startOncePerKey.scenarios);
export const triggerScenarios = Object.keys(trigger.scenarios);
