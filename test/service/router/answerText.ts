import { numberIn } from '../directives.ts';
import { manyWords } from '../memory.ts';
import type { Ask } from './ask.ts';
import { exampleOf } from './example.ts';
import { shownText } from './parts.ts';

/** What each but the first of several begins with, so that none is like another. */
export const markOf = (index: number): string => (index ? `(${index + 1}) ` : '');

/** The whole text of one choice, before the token cap cuts it. */
export function answerOf(ask: Ask, directives: Map<string, string>, index: number): string {
	const mark = markOf(index);
	if (ask.schema !== undefined) return JSON.stringify(exampleOf(ask.schema, mark + ask.message));
	if (ask.jsonObject) return JSON.stringify({ you_said: mark + ask.message });
	return mark + textOf(ask, directives);
}

function textOf(ask: Ask, directives: Map<string, string>): string {
	const words = numberIn(directives, 'words') ?? numberIn(directives, 'events');
	if (words !== undefined) return manyWords(words);
	if (directives.has('say')) return directives.get('say') ?? '';
	if (ask.toolResult !== undefined) return `The tool said: ${ask.toolResult}`;
	return `You said: "${ask.message}".${shownText(ask.shown)}`;
}
