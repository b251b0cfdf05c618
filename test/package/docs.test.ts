import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { inMemory, json } from '../unit/inMemoryHttp';
import { PICTURE_TOKENS } from '../../src/router/fileTokens';
import { TEMPLATE_TOKENS } from '../../src/router/promptTokens';
import { comparePrices } from './example/comparePrices.operation';
import { violations } from './imports';

const longest: Record<string, number> = {
	'AGENTS.md': 60,
	'CONTRIBUTING.md': 100,
	'SECURITY.md': 60,
	'docs/architecture.md': 220,
	'docs/release.md': 120,
	'docs/verification.md': 120,
};
const documents = [
	...new Set([
		...Object.keys(longest),
		...globSync('docs/{*,contributing/*,decisions/*,nodes/*}.md').sort(),
		'README.md',
	]),
];
const read = (path: string) => readFileSync(path, 'utf8');
const code = globSync('{src,nodes,credentials}/**/*.ts').map(read).join('\n');

/** What docs/contributing shows how to add. */
const EXAMPLES = ['nodes/ModelRouter/model/comparePrices.operation.ts'];
/** Of n8n, and of jest. */
const OF_OTHERS = ['getDataTableProxy', 'protocolVersion', 'toEqual'];

it.each(Object.entries(longest))('%s has at most %i lines', (path, lines) => {
	expect(read(path).trimEnd().split('\n').length).toBeLessThanOrEqual(lines);
});

// whoever adds words cuts as many
it.each([
	['written', 32_000],
	['generated', 8_000],
])('the pages that are %s have at most %i words together', (kind, most) => {
	const generated = /^docs\/(nodes\/|(gallery|model-services|troubleshooting|which-agents)\.md)/;
	const pages = [...documents, 'CHANGELOG.md', ...globSync('skills/*/*.md')].filter(
		(path) => path !== 'AGENTS.md' && generated.test(path) === (kind === 'generated'),
	);
	const words = pages.flatMap((path) => read(path).split(/\s+/).filter(Boolean));
	expect(words.length).toBeLessThanOrEqual(most);
});

it.each(documents)('%s names nothing that is not there', (path) => {
	const text = read(path);
	const named = [...text.matchAll(/`((?:src|nodes|test|scripts|credentials|docs)\/[\w./-]*)`/g)];
	const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)];
	const files = [
		...named.map(([, file = '']) => file),
		...linked.map(([, file = '']) => join(dirname(path), file)),
	].filter((file) => !EXAMPLES.includes(file));
	expect(files.filter((file) => !existsSync(file))).toEqual([]);

	const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
	const commands = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
	expect(commands.filter((name) => !(name in scripts))).toEqual([]);

	if (path === 'README.md') return;
	const identifiers = [...text.matchAll(/`([a-z]+[A-Z]\w*)(?:\(\))?`/g)].map(
		([, name = '']) => name,
	);
	expect(identifiers.filter((name) => !OF_OTHERS.includes(name) && !code.includes(name))).toEqual(
		[],
	);
});

it.each(documents)('%s links to headings that are there', (path) => {
	const links = [...read(path).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)];
	const broken = links.filter(([, file = '', anchor = '']) => {
		const target = file ? join(dirname(path), file) : path;
		return !anchorsOf(read(target)).includes(anchor);
	});
	expect(broken.map(([link]) => link)).toEqual([]);
});

/** As GitHub makes them: a heading that comes again gets a number. Rows of some tables have their own. */
function anchorsOf(markdown: string) {
	const headings = [...markdown.replace(/```[^]*?```/g, '').matchAll(/^#+ (.+)$/gm)];
	const anchors = headings.map(([, title = '']) =>
		title
			.toLowerCase()
			.replace(/[^\p{L}\d\s_-]/gu, '')
			.replaceAll(' ', '-'),
	);
	const numbered = anchors.map((anchor, at) => {
		const before = anchors.slice(0, at).filter((one) => one === anchor).length;
		return before ? `${anchor}-${before}` : anchor;
	});
	const own = [...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
	return [...numbered, ...own];
}

it('the operation that docs/contributing shows is the one that is tried here, and works', async () => {
	expect(read('docs/contributing/adding.md')).toContain(
		read('test/package/example/comparePrices.operation.ts'),
	);
	const priced = (id: string, input: number, output: number) => ({
		id,
		pricing: { input_per_mtok: input, output_per_mtok: output },
	});
	const catalog = [priced('a/dear', 3, 15), priced('a/cheap', 1, 2), { id: 'a/no-price' }];
	const params = { promptTokens: 1000, outputTokens: 10 } as never;
	const request = comparePrices.prepare(params, {} as never);
	const given = await comparePrices.run({ request, http: inMemory(json(catalog)) } as never);
	expect(given).toEqual([
		{ json: { model: 'a/cheap', costUsd: 0.00102 } },
		{ json: { model: 'a/dear', costUsd: 0.00315 } },
	]);
});

it.each(['docs/money-and-safety.md', 'nodes/ModelRouter/text/text.params.ts'])(
	'%s says how much a picture and a template count',
	(path) => {
		expect(read(path)).toContain(PICTURE_TOKENS.toLocaleString('en-US'));
		expect(read(path)).toContain(TEMPLATE_TOKENS.toLocaleString('en-US'));
	},
);

// they are in addresses.json, and `npm run release:check` names them until they are set
it('no page has an address that its owner has still to set', () => {
	const { repository, author } = JSON.parse(read('addresses.json')) as {
		repository: string;
		author: { email: string };
	};
	const unset = [repository, author.email].filter((address) => /\bexample\b/.test(address));
	const promised = documents.filter((path) =>
		unset.some((address) => read(path).includes(address)),
	);
	expect(promised).toEqual([]);
});

it('every picture is on a page', () => {
	const shown = documents.flatMap((path) =>
		[...read(path).matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, file = '']) =>
			join(dirname(path), file),
		),
	);
	expect(globSync('docs/pictures/*').filter((file) => !shown.includes(file))).toEqual([]);
});

it('every decision is in the list', () => {
	const listed = [...read('docs/decisions/README.md').matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)];
	const there = globSync('[0-9]*.md', { cwd: 'docs/decisions' }).sort();
	expect(listed.map(([, file]) => file)).toEqual(there);
});

it('the table of imports says what the rules say', () => {
	const rows = [...read('docs/architecture.md').matchAll(/^\| `([\w/]+)` *\|(.*)\|(.*)\|$/gm)];
	const said = rows.map(([, folder = '', others = '', n8n = '']) => ({
		folder,
		others: [...others.matchAll(/`([\w/]+)`/g)].map(([, name = '']) => name),
		n8n: n8n.trim() === 'yes',
	}));
	const folders = said.map(({ folder }) => folder);
	const allows = (folder: string, target: string) =>
		violations(`${folder}/x.ts`, `import { a } from '${target}';`).length === 0;
	const ruled = folders.map((folder) => ({
		folder,
		others: folders.filter(
			(other) => other !== folder && allows(folder, `../${relative(dirname(folder), other)}/a`),
		),
		n8n: allows(folder, 'n8n-workflow'),
	}));
	expect(folders.length).toBeGreaterThan(8);
	expect(said).toEqual(ruled);
});
