/**
 * What a message tells the service to do, written `[[name]]` or `[[name:value]]`,
 * for example `[[words:500]]`.
 */
export function directivesOf(text: string): Map<string, string> {
	const found = new Map<string, string>();
	for (const [, name = '', value = ''] of text.matchAll(/\[\[([a-z_]+)(?::([^\]]*))?\]\]/g)) {
		found.set(name, value);
	}
	return found;
}

/** A directive's number, or undefined when it is absent or none. */
export function numberIn(directives: Map<string, string>, name: string): number | undefined {
	const value = Number(directives.get(name) || NaN);
	return Number.isFinite(value) ? value : undefined;
}

/** Cuts a text into words, each with the blank after it: joined they give the text again. */
export const wordsOf = (text: string): string[] => text.match(/^\s+|\S+\s*/g) ?? [];

/** Words of an answer of a wanted length. */
export const manyWords = (count: number, word = 'word'): string =>
	Array.from({ length: count }, (_, index) => `${word}${index + 1}`).join(' ');

/** The answer to the last message of a conversation; it shows what is remembered of it. */
export function answerText(said: string[], conversation: 'session' | 'chat'): string {
	const message = said.at(-1) ?? '';
	const directives = directivesOf(message);
	const words = numberIn(directives, 'words');
	if (words !== undefined) return manyWords(words);
	if (directives.has('say')) return directives.get('say') ?? '';
	const before = said.at(-2);
	const memory = before === undefined ? '' : `; before it you said: "${before}"`;
	return `You said: "${message}". This is message ${said.length} of this ${conversation}${memory}.`;
}
