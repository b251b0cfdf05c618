import { numberIn, manyWords } from '../directives.ts';
import type { Ask } from './ask.ts';
import { brokenExample, exampleOf } from './example.ts';
import { shownText } from './parts.ts';

/** What each but the first of several begins with, so that none is like another. */
export const markOf = (index: number): string => (index ? `(${index + 1}) ` : '');

/** What the model says in place of an answer (`[[refusal]]`); undefined when it answers. */
export function refusalOf(directives: Map<string, string>, index: number): string | undefined {
	const said = directives.get('refusal');
	return said === undefined ? undefined : markOf(index) + (said || 'I cannot help with that.');
}

/** The whole text of one choice, before the token cap cuts it. */
export function answerOf(ask: Ask, directives: Map<string, string>, index: number): string {
	if (ask.scripted) return ask.scripted.text;
	const mark = markOf(index);
	const schema = ask.schema ?? (ask.jsonObject ? YOU_SAID : undefined);
	const isJson = schema !== undefined && !directives.has('not_json');
	const text = isJson
		? JSON.stringify(
				(directives.has('break_schema') ? brokenExample : exampleOf)(schema, mark + ask.message),
			)
		: mark + textOf(ask, directives);
	return directives.has('fenced') ? `\`\`\`json\n${text}\n\`\`\`` : text;
}

/** What a JSON object holds when no schema says it. */
const YOU_SAID = { type: 'object', properties: { you_said: { type: 'string' } } };

function textOf(ask: Ask, directives: Map<string, string>) {
	const words = numberIn(directives, 'words') ?? ask.writes;
	if (words !== undefined) return manyWords(words);
	if (directives.has('say')) return directives.get('say') ?? '';
	if (ask.toolResult !== undefined) return `The tool said: ${ask.toolResult}`;
	return `You said: "${ask.message}".${shownText(ask.shown)}`;
}
