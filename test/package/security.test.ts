import { existsSync, readFileSync } from 'node:fs';

// a promise without a test that shows it is only a wish
const PROMISED = readFileSync('test/package/security.txt', 'utf8')
	.split(/\n(?!\t)/)
	.filter((row) => row !== '' && !row.startsWith('# '))
	.map((row) => row.split('\n\t'));

/** The sentences of a page, without headings, list marks and bold type. */
const sentencesOf = (markdown: string) =>
	markdown
		.split('\n')
		.filter((line) => line.trim() && !line.startsWith('#'))
		.flatMap((line) =>
			line
				.replace(/^- /, '')
				.replaceAll('**', '')
				.split(/(?<=[.!?])\s+(?=[A-Z])/),
		);

it('each sentence of SECURITY.md has a row, and each row is a sentence', () => {
	const rows = PROMISED.map(([sentence]) => sentence);
	expect(sentencesOf(readFileSync('SECURITY.md', 'utf8'))).toEqual(rows);
});

const shown = PROMISED.filter(([, test]) => test !== undefined);

it.each(shown)('"%s" is shown by tests that are there', (...[, ...tests]) => {
	const missing = tests.filter((test) => {
		const [, file = '', name = ''] = /^(\S+): (.*)$/.exec(test) ?? [];
		return !existsSync(file) || !readsAsTest(readFileSync(file, 'utf8'), name);
	});
	expect(missing).toEqual([]);
});

/** Whether a text is the name of a test in a file, and not of one that is skipped. */
function readsAsTest(code: string, name: string) {
	const quoted = ["'", '"', '`'].map((quote) => `${quote}${name}${quote}`);
	const isThere = quoted.some((each) => code.includes(each));
	return isThere && !/\b(it|test|describe)\.(skip|todo)\b|\bx(it|describe)\(/.test(code);
}
