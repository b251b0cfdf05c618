import { existsSync, readFileSync } from 'node:fs';

// a promise without a test that shows it is only a wish
const read = (path: string) => readFileSync(path, 'utf8');

/** The sentences of a page, without headings, tables, pictures, list marks and bold type. */
const sentencesOf = (markdown: string) =>
	markdown
		.split('\n')
		.filter((line) => line.trim() && !/^[#|!]/.test(line))
		.flatMap((line) =>
			line
				.replace(/^- /, '')
				.replaceAll('**', '')
				.split(/(?<=[.!?])\s+(?=[A-Z])/),
		);

/** README also shows the way. Its promises are what comes first, money and keys, and every figure. */
const promisesOfReadme = (markdown: string) =>
	markdown
		.split(/\n(?=## )/)
		.flatMap((part) =>
			sentencesOf(part).filter(
				(sentence) =>
					/^(# |## (Why not|Money safety|What is sent))/.test(part) ||
					/\d/.test(sentence.replace(/`[^`]*`|\([^)]*\)|n8n/g, '')),
			),
		);

const PAGES = [
	['SECURITY.md', 'test/package/security.txt', sentencesOf],
	['README.md', 'test/package/readme.txt', promisesOfReadme],
] as const;

describe.each(PAGES)('%s', (page, list, promisesOf) => {
	const rows = read(list)
		.split(/\n(?!\t)/)
		.filter((row) => row !== '' && !row.startsWith('# '))
		.map((row) => row.split('\n\t'));

	it('each promise has a row, and each row is one', () => {
		expect(promisesOf(read(page))).toEqual(rows.map(([sentence]) => sentence));
	});

	it.each(rows.filter(([, test]) => test !== undefined))(
		'"%s" is shown by tests that are there',
		(...[, ...tests]) => {
			const missing = tests.filter((test) => {
				const [, file = '', name = ''] = /^(\S+): (.*)$/.exec(test) ?? [];
				return !existsSync(file) || !readsAsTest(read(file), name);
			});
			expect(missing).toEqual([]);
		},
	);
});

/** Whether a text is the name of a test in a file, and not of one that is skipped. */
function readsAsTest(code: string, name: string) {
	const quoted = ["'", '"', '`'].map((quote) => `${quote}${name}${quote}`);
	const isThere = quoted.some((each) => code.includes(each));
	return isThere && !/\b(it|test|describe)\.(skip|todo)\b|\bx(it|describe)\(/.test(code);
}

it('each row of "Why not n8n\'s own nodes?" is measured, in the n8n of the tests', () => {
	const [, part = ''] = read('README.md').split("## Why not n8n's own nodes?");
	const [head = '', , ...rows] = part
		.split(/\n## /)[0]!
		.split('\n')
		.filter((line) => line.startsWith('|'))
		.map((line) => line.split('|')[1]!.trim());
	const { dependencies } = JSON.parse(read('test/host/package.json')) as {
		dependencies: Record<string, string>;
	};
	expect(head).toBe(`Measured in n8n ${dependencies['n8n']}`);
	const measured = ['test/queue/ownNodes.test.ts', 'test/browser/clicks.test.ts']
		.map(read)
		.join()
		.replace(/tellRow\(\s+/g, 'tellRow(');
	expect(rows.length).toBeGreaterThan(0);
	expect(rows.filter((what) => !measured.includes(`tellRow('${what}',`))).toEqual([]);
});
