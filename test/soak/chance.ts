import { createHash } from 'node:crypto';

/** From 0 to less than 1. The same words always give the same, in whatever order the requests come. */
export const chanceOf = (...words: Array<string | number>): number =>
	createHash('sha256').update(words.join(' ')).digest().readUInt32BE() / 2 ** 32;

/** One of a list of which each has a share of 1; what is left over is nothing. */
export function drawn<Entry extends { share: number }>(
	table: readonly Entry[],
	chance: number,
): Entry | undefined {
	let upTo = 0;
	return table.find(({ share }) => chance < (upTo += share));
}
