import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	change,
	commitAll,
	copyOfRepository,
	type Outcome,
	PATIENCE,
	releaseCheck,
	restore,
} from './releaseCheck';

let folder: string;
// with a version, an entry and addresses that stay as they are here when the package goes on
beforeAll(() => {
	folder = copyOfRepository();
	const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, object> };
	const root = { ...lock.packages[''], version: '0.1.0' };
	const locked = { ...lock, version: '0.1.0', packages: { ...lock.packages, '': root } };
	write('package-lock.json', JSON.stringify(locked, undefined, '\t'));
	change(folder, 'package.json', `"version": "${manifest.version}",`, '"version": "0.1.0" ,');
	write('CHANGELOG.md', '# Changelog\n\n## 0.1.0\n\n### New\n\n- A node.\n');
	const addresses = {
		repository: 'https://github.com/example/n8n-nodes-agent-bridge',
		author: { name: manifest.name, email: 'author@example.com' },
	};
	write('addresses.json', JSON.stringify(addresses, undefined, '\t'));
	execFileSync(process.execPath, ['scripts/addresses.mjs'], { cwd: folder });
	commitAll(folder);
});
afterEach(() => restore(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
	name: string;
	version: string;
	devDependencies: Record<string, string>;
};
const versionOf = (name: string) => manifest.devDependencies[name] ?? '';

/** Each is a line, and one for the change of a file. */
const refusals = readFileSync('test/release/refusals.txt', 'utf8')
	.replaceAll(/\$\{(.*?)\}/g, (whole, name: string) => versionOf(name) || whole)
	.split('\n\n')
	.slice(1)
	.map((text) => {
		const [said = '', changed = ''] = text.trimEnd().split('\n\t');
		const [, check = '', sentence = ''] = /^(\w+): (.*)$/.exec(said) ?? [];
		const [, file, before = '', after = ''] =
			/^(\S+): (.*?) => ?(.*)$/s.exec(changed.replaceAll('\\n', '\n')) ?? [];
		return { check, sentence, file, before, after };
	});

it.each(refusals)('$check: $sentence', async ({ check, sentence, file, before, after }) => {
	const [, expression] = /^\/(.*)\/$/.exec(before) ?? [];
	if (file && before === '*') write(file, after);
	else if (file) change(folder, file, expression ? new RegExp(expression) : before, after);
	const { code, said } = await releaseCheck(folder, `--only=${check}`);
	expect(said[check]).toContain(`refused: ${sentence}`);
	expect(code).toBe(1);
});

it('refuses a tag of another version', async () => {
	const { code, said } = await releaseCheck(folder, '--only=version', '--tag=v0.2.0');
	expect([code, said['version']]).toEqual([
		1,
		['refused: the tag is v0.2.0, and package.json says 0.1.0: it has to be v0.1.0.'],
	]);
});

describe('with everything wrong at once in what is built', () => {
	let outcome: Outcome;
	beforeAll(async () => {
		// a time in the built files, a package without its license text, and a text of none
		change(
			folder,
			'scripts/build.mjs',
			"legalComments: 'inline',",
			"legalComments: 'inline', banner: { js: `// ${Date.now()} ${process.cwd()}` },",
		);
		change(
			folder,
			'scripts/build.mjs',
			'const texts = [...packages]',
			"packages.delete('uuid');\n\tconst texts = [...packages]",
		);
		write('scripts/licences/left-pad.txt', 'MIT\n');
		write('scripts/licences/truncate-utf8-bytes.txt', 'All rights reserved.\n');
		// a file that nobody meant, one that is missing, and a token
		change(
			folder,
			'package.json',
			'"files": [',
			'"files": ["scripts/lock.mjs", "!dist/icons/router.svg",',
		);
		change(folder, 'README.md', '# n8n-nodes-agent-bridge', `npm_${'a1'.repeat(18)}`);
		// another version than what is installed
		change(
			folder,
			'package-lock.json',
			/("node_modules\/big\.js": \{\s*"version": )"[^"]+"/,
			'$1"6.9.9"',
		);
		// what n8n forbids
		change(
			folder,
			'nodes/WorkspaceAgent/WorkspaceAgent.node.ts',
			/^export class/m,
			'setTimeout(() => undefined, 1);\n\nexport class',
		);
		outcome = await releaseCheck(folder, '--only=builds,contents,licenses,sbom,scan');
	}, PATIENCE);

	it.each([
		[
			'builds',
			[
				expect.stringMatching(
					/^refused: two builds differ in (dist\/\S+, ){4}dist\/\S+ and \d+ more: something of the machine, the folder or the time goes into them\.$/,
				),
			],
		],
		[
			'contents',
			[
				'refused: the tarball has scripts/lock.mjs, which is not on the list of what may be in it.',
				'refused: the tarball lacks dist/icons/router.svg: npm left it out, or it was not built.',
				'refused: the tarball has README.md with a token of npm in it.',
				expect.stringMatching(
					/^refused: the tarball has dist\/\S+ that names \S+, a folder of this machine \(and \d+ more\)\.$/,
				),
			],
		],
		[
			'licenses',
			[
				'refused: the license text of truncate-utf8-bytes is not that of WTFPL.',
				'refused: uuid is bundled and has no license text.',
				'refused: scripts/licences has a text of left-pad, which is not bundled.',
			],
		],
		[
			'sbom',
			[
				`refused: big.js ${versionOf('big.js')} is bundled, and package-lock.json has 6.9.9: run npm ci.`,
			],
		],
		['scan', [expect.stringContaining("refused: n8n's scanner refuses the package:")]],
	])('%s says so', (name, expected) => {
		expect(outcome.said[name]).toEqual(expect.arrayContaining(expected));
	});

	it('ends with the number of the checks that refuse', () => {
		expect(outcome.output).toContain('Not ready: 5 of 5 checks refuse. Nothing was published.');
		expect(outcome.code).toBe(1);
	});
});

it('refuses an SBOM that is not about what is bundled', async () => {
	change(
		folder,
		'scripts/release/sbom.mjs',
		'return { ...sbom,',
		"sbom.components[0] = { ...sbom.components[0], version: '1.0.0', hashes: [] };\n\tcomponent.name = 'sbom';\n\treturn { ...sbom,",
	);
	const { code, said } = await releaseCheck(folder, '--only=sbom');
	expect(said['sbom']).toEqual([
		'refused: the SBOM is about sbom 0.1.0.',
		`refused: the SBOM lacks @cfworker/json-schema ${versionOf('@cfworker/json-schema')}.`,
		'refused: the SBOM has @cfworker/json-schema 1.0.0, which is not bundled.',
		'refused: the SBOM has no address, license or hash of @cfworker/json-schema.',
	]);
	expect(code).toBe(1);
});

it('what only the owner can set does not count in a draft, all else does', async () => {
	write('src/new.ts', '');
	const only = '--only=addresses,commit,version';
	const draft = await releaseCheck(folder, '--draft', only);
	expect(draft.code).toBe(0);
	expect([draft.said['addresses']?.length, draft.said['commit']]).toEqual([
		3,
		['later: 1 files are not committed, src/new.ts for one.'],
	]);
	const wrong = await releaseCheck(folder, '--draft', only, '--tag=v9.9.9');
	expect(wrong.code).toBe(1);
});

it.each([
	[
		'for a check that does not exist',
		() => undefined,
		['--only=license'],
		/^license is unknown\. Use --draft, --tag=v0\.1\.0 or --only= with some of addresses, written/,
	],
	['for an option that does not exist', () => undefined, ['--force'], /^--force is unknown\./],
	[
		'where the build fails',
		() => change(folder, 'package.json', 'WorkspaceAgent.node.js', 'Missing.node.js'),
		['--only=builds'],
		/The checks could not be made\.[^]*package\.json names dist\/nodes\/WorkspaceAgent\/Missing\.node\.js, which was not built/,
	],
])('ends with code 2 %s', async (_where, plant, args, message) => {
	plant();
	const { code, output } = await releaseCheck(folder, ...args);
	expect(output).toMatch(message);
	expect(code).toBe(2);
});

it('refuses where there is no git, but not a draft', async () => {
	renameSync(join(folder, '.git'), join(folder, 'moved.git'));
	const release = await releaseCheck(folder, '--only=commit');
	const draft = await releaseCheck(folder, '--only=commit', '--draft');
	renameSync(join(folder, 'moved.git'), join(folder, '.git'));
	const sentence = expect.stringContaining('git cannot say whether everything is committed');
	expect(release).toMatchObject({ code: 1, said: { commit: [sentence] } });
	expect(draft).toMatchObject({ code: 0, said: { commit: [sentence] } });
});

it('docs/release.md has a row for each check', async () => {
	const { output } = await releaseCheck(folder, '--only=');
	const names = /some of ([\w, ]+)\./.exec(output)?.[1]?.split(', ');
	const rows = readFileSync('docs/release.md', 'utf8').matchAll(/^\| (\w+) +\| (?!Refuses)/gm);
	expect([...rows].map(([, name]) => name)).toEqual(names);
});
