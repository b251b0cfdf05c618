import type { Job, Row } from './row.ts';
import type { Sample } from './sample.ts';

export interface Result {
	job: Job;
	name: string;
	of: Row['of'];
	samples: Sample[];
}

/** The least of a value over all rounds: what a busy machine adds is never negative. */
export const least = (result: Result | undefined, measure: keyof Sample) =>
	sorted(result, measure)[0];

export const median = (result: Result | undefined, measure: keyof Sample) => {
	const all = sorted(result, measure);
	return all[Math.floor(all.length / 2)];
};

export const most = (result: Result | undefined, measure: keyof Sample) =>
	sorted(result, measure).at(-1);

export function ratio(
	over: Result | undefined,
	under: Result | undefined,
	measure: 'wall' | 'cpu',
): number | undefined {
	const [above, below] = [least(over, measure), least(under, measure)];
	return above === undefined || !below ? undefined : above / below;
}

export const find = (results: Result[], job: Job, name: string): Result | undefined =>
	results.find((result) => result.job === job && result.name === name);

function sorted(result: Result | undefined, measure: keyof Sample): number[] {
	return (result?.samples ?? [])
		.map((sample) => sample[measure])
		.filter((value) => value !== undefined)
		.sort((one, other) => one - other);
}
