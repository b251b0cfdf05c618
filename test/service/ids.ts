import { createHash } from 'node:crypto';

/** A UUID (version 4 in form) that is the same for the same words. */
export function uuidOf(...words: Array<string | number>): string {
	const hex = createHash('sha256').update(words.join('\n')).digest('hex');
	const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20)];
	return `${a}-${b}-4${c}-8${d}-${hex.slice(20, 32)}`;
}
