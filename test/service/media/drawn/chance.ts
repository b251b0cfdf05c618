import { createHash } from 'node:crypto';

/** Numbers from 0 to 1 that are the same for the same text (xorshift). */
export function chanceOf(text: string): () => number {
	let state = createHash('sha256').update(text).digest().readUInt32LE() || 1;
	return () => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		return (state >>> 0) / 2 ** 32;
	};
}
