/** The probability of each word of a piece, as chat completions tell it; null without words. */
export function logprobsOf(words: string[], refuses: boolean, alternatives: number): object | null {
	if (!words.length) return null;
	const list = words.map((word) => ({
		...probabilityOf(word, 0),
		top_logprobs: Array.from({ length: alternatives }, (_, rank) => probabilityOf(word, rank)),
	}));
	return refuses ? { content: null, refusal: list } : { content: list, refusal: null };
}

/** Long words are less likely, and others than the one that came still less; exact in binary. */
function probabilityOf(word: string, rank: number) {
	const token = rank ? `${word}?${rank}` : word;
	return { token, logprob: -token.length / 8 - rank, bytes: [...Buffer.from(token)] };
}
