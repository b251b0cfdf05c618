import type { Service } from '../service/service.ts';
import { callLive, type Chunk } from './liveCaller.ts';

const WORDS = 5;
/** What has the service answer with a few words, each of them only when it is told to go on. */
export const gatedQuestion = `[[gate]] [[words:${WORDS}]]`;
/** Its answer. */
export const gatedAnswer = Array.from({ length: WORDS }, (_, index) => `word${index + 1}`).join(
	' ',
);

/**
 * Calls a conversation whose speakers are told `gatedQuestion`, and lets the service go on each time that a further word has come: no
 * clock is needed to see that it is live.
 *
 * @param piecesBefore How many pieces of the service's stream come before the first word, for each turn that streams.
 */
export async function readAlong(
	service: Service,
	url: string,
	body: unknown,
	piecesBefore: readonly number[],
): Promise<Chunk[]> {
	const chunks: Chunk[] = [];
	const wordsIn = () => textOf(chunks).match(/word\d/g)?.length ?? 0;
	let seen = 0;
	const begun = (async () => {
		for (const [turn, pieces] of piecesBefore.entries()) {
			await service.gated(turn + 1);
			service.step(pieces);
		}
	})();
	for await (const chunk of callLive(url, body)) {
		chunks.push(chunk);
		// never more words than the service was allowed to send
		expect(wordsIn()).toBeLessThanOrEqual(seen + 1);
		for (; seen < wordsIn(); seen++) service.step((seen + 1) % WORDS ? 1 : 10);
	}
	await begun;
	return chunks;
}

export const textOf = (chunks: readonly Chunk[]) =>
	chunks.flatMap(({ type, content }) => (type === 'item' ? (content ?? '') : [])).join('');

/** The chat shows one bubble from `begin` to `end`: who has written it, and what. */
export function bubblesOf(chunks: readonly Chunk[]): Array<[string, string]> {
	const bubbles: Array<[string, string]> = [];
	for (const { type, content = '', metadata } of chunks) {
		if (type === 'begin') bubbles.push([metadata?.nodeName ?? '', '']);
		const last = bubbles.at(-1);
		if (type === 'item' && last) last[1] += content;
	}
	return bubbles;
}
