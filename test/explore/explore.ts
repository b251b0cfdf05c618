/** What happened in one run, and what was not as it should be. */
export interface Played {
	wrong: string[];
	log: string[];
}

/** Plays so many runs. @returns the shortest in which something was wrong, with its seed; undefined if there is none. */
export async function explore(
	runs: number,
	play: (seed: number) => Promise<Played>,
): Promise<string[] | undefined> {
	let shortest: string[] | undefined;
	for (let seed = 1; seed <= runs; seed++) {
		const { wrong, log } = await play(seed);
		const lines = [`seed ${seed}`, ...log.filter((line) => !line.endsWith(': reads')), ...wrong];
		if (wrong.length && (!shortest || lines.length < shortest.length)) shortest = lines;
	}
	return shortest;
}
