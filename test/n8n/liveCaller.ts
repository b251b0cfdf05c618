import { request } from 'node:http';
import type { Service } from '../service/service.ts';

/** One line of n8n's streamed answer. */
export interface Chunk {
	type: 'begin' | 'item' | 'end' | 'error' | 'keepalive';
	content?: string;
	metadata?: { nodeName: string; itemIndex: number; runIndex: number };
}

/**
 * Calls a webhook whose workflow streams, and gives its chunks as they arrive. Retried while the webhook is not registered
 * yet, which n8n does a moment after the publication.
 */
export async function* callLive(url: string, body: unknown): AsyncGenerator<Chunk> {
	const deadline = Date.now() + 60_000;
	for (;;) {
		const response = await post(url, body);
		if (response.statusCode === 404 && Date.now() < deadline) {
			response.resume();
			await new Promise((resolve) => setTimeout(resolve, 100));
			continue;
		}
		if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
		let rest = '';
		for await (const piece of response.setEncoding('utf8')) {
			const lines = (rest + String(piece)).split('\n');
			rest = lines.pop() ?? '';
			for (const line of lines) if (line.trim()) yield JSON.parse(line) as Chunk;
		}
		return;
	}
}

/** All chunks that a caller gets. */
export async function readLive(url: string, body: unknown): Promise<Chunk[]> {
	const chunks: Chunk[] = [];
	for await (const chunk of callLive(url, body)) chunks.push(chunk);
	return chunks;
}

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

/** What the caller reads of all answers. */
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

function post(url: string, body: unknown) {
	return new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
		const headers = { 'content-type': 'application/json' };
		// a connection of its own: a busy n8n may close one that it has kept, in the middle of a stream with a long pause
		const call = request(url, { method: 'POST', headers, agent: false });
		call.on('response', resolve).on('error', reject);
		call.end(JSON.stringify(body));
	});
}
