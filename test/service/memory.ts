import { directivesOf, numberIn } from './directives.ts';

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
