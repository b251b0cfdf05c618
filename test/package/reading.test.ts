import { globSync, readFileSync } from 'node:fs';

import { readEditorTexts } from './editorTexts';
import { findHardToRead, readableText } from './reading';

// for people who build workflows: sentences of at most 25 words, in plain US English. Spelling is checked by `npm run spelling`.
const pages = [
	'README.md',
	'CHANGELOG.md',
	...globSync('docs/{*,nodes/*}.md')
		.filter((path) => path !== 'docs/architecture.md')
		.sort(),
];

it('finds the pages', () => {
	expect(pages.length).toBeGreaterThan(10);
});

it.each(pages)('%s is easy to read', (path) => {
	expect(findHardToRead(readableText(readFileSync(path, 'utf8')))).toEqual([]);
});

it('so are the texts in the editor', () => {
	const texts = readEditorTexts();
	expect(texts.length).toBeGreaterThan(300);
	expect(texts.flatMap(findHardToRead)).toEqual([]);
});

it.each([
	['a long sentence', `One${' and one more'.repeat(9)}.`, /^28 words: One and one more/],
	['a British form', 'Choose a colour.', /^"colour", write the US form/],
	['a word that is not plain', 'You can utilize it.', /^"utilize", write a plain word/],
])('the check finds %s', (_what, text, found) => {
	expect(findHardToRead(text)).toEqual([expect.stringMatching(found)]);
});
