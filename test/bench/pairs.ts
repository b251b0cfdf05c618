import { aligned, times } from './table.ts';

/** What two took for the same work, one right after the other: whatever else the machine did, it did to both. */
export interface Pairs<Sample> {
	/** What is compared. */
	name: string;
	/** Values of one index belong together. */
	ours: Sample[];
	peer: Sample[];
}

/** Of one measure over all pairs. */
export interface Comparison {
	ours: { least: number; median: number };
	peer: { least: number; median: number };
	/** Ours divided by the peer's, of each pair. */
	ratio: { least: number; median: number; most: number };
}

/** Takes samples of both in turns. Each is the first of a pair as often as the other: what one leaves behind, the next pays for. */
export async function takePairs<Sample>(
	name: string,
	count: number,
	take: { ours(): Promise<Sample>; peer(): Promise<Sample> },
): Promise<Pairs<Sample>> {
	const pairs: Pairs<Sample> = { name, ours: [], peer: [] };
	for (let pair = 0; pair < count; pair++) {
		const order = ['ours', 'peer'] as const;
		for (const whose of pair % 2 ? order.toReversed() : order)
			pairs[whose].push(await take[whose]());
	}
	return pairs;
}

/** @returns undefined where the measure is not known of every sample. */
export function compare<Sample>(
	{ ours, peer }: Pairs<Sample>,
	measure: (sample: Sample) => number | undefined,
): Comparison | undefined {
	const all = ours.flatMap((sample, index) => {
		const other = peer[index];
		const [mine, others] = [measure(sample), other && measure(other)];
		return mine === undefined || !others ? [] : [{ mine, others, ratio: mine / others }];
	});
	if (!all.length || all.length < ours.length) return undefined;
	return {
		ours: spread(all.map(({ mine }) => mine)),
		peer: spread(all.map(({ others }) => others)),
		ratio: spread(all.map(({ ratio }) => ratio)),
	};
}

function spread(values: number[]) {
	const sorted = values.toSorted((one, other) => one - other);
	const at = (index: number) => sorted[index] ?? NaN;
	return {
		least: at(0),
		median: at(Math.floor(sorted.length / 2)),
		most: at(sorted.length - 1),
	};
}

/** A line of the table for each measure. */
export type Line<Sample> = [heading: string, measure: (sample: Sample) => number | undefined];

export function pairTable<Sample>(
	all: Array<Pairs<Sample>>,
	linesOf: (pairs: Pairs<Sample>) => Array<Line<Sample>>,
): string {
	const lines = all.flatMap((pairs) =>
		linesOf(pairs).map(([heading, measure]) => {
			const found = compare(pairs, measure);
			const of = (value: number | undefined) => times(value);
			return [
				`${pairs.name}: ${heading}`,
				of(found?.ours.least),
				of(found?.ours.median),
				of(found?.peer.least),
				of(found?.peer.median),
				of(found?.ratio.median),
				found ? `${of(found.ratio.least)} to ${of(found.ratio.most)}` : '-',
			];
		}),
	);
	return aligned([['', 'ours', 'median', 'peer', 'median', 'ratio', 'range'], ...lines]);
}
