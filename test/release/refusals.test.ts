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
const UUID = `"uuid": "${versionOf('uuid')}"`;
const publishing = '.github/workflows/publish.yml';
const checkout = /actions\/checkout@[0-9a-f]{40} # v[\d.]+/;

it.each<[string, string, () => void, string]>([
	[
		'an owner that is a placeholder',
		'addresses',
		() => undefined,
		'addresses.json: "repository" has the placeholder owner "example".',
	],
	[
		'an address that is not the one of a repository',
		'addresses',
		() => change(folder, 'addresses.json', '/n8n-nodes-agent-bridge"', '/a/b.git"'),
		'addresses.json: "repository" has to be https://github.com/<owner>/<name>, without an ending: it is "https://github.com/example/a/b.git".',
	],
	[
		'the package as its own author',
		'addresses',
		() => undefined,
		'addresses.json: "author.name" has to be a person or a company: it is "n8n-nodes-agent-bridge".',
	],
	[
		'an email address that nobody reads',
		'addresses',
		() => change(folder, 'addresses.json', 'author@example.com', 'me@mail.example.org'),
		'addresses.json: "author.email" has to be an address that somebody reads: it is "me@mail.example.org".',
	],
	[
		'a file with another address',
		'written',
		() =>
			change(
				folder,
				'nodes/ModelRouter/ModelRouter.node.json',
				/github.com\/example/,
				'github.com/a',
			),
		'nodes/ModelRouter/ModelRouter.node.json has other addresses than addresses.json: run "npm run addresses".',
	],
	[
		'another author in package.json',
		'written',
		() => change(folder, 'package.json', 'author@example.com', 'other@example.com'),
		'package.json has other addresses than addresses.json: run "npm run addresses".',
	],
	[
		'what is not committed',
		'commit',
		() => write('src/new.ts', ''),
		'1 files are not committed, src/new.ts for one.',
	],
	[
		'a lock file of another version',
		'version',
		() => change(folder, 'package.json', '"version": "0.1.0"', '"version": "0.2.0"'),
		'package-lock.json has another version than 0.2.0: run "npm version 0.2.0 --no-git-tag-version --allow-same-version".',
	],
	[
		'a version that is none',
		'version',
		() => change(folder, 'package.json', '"version": "0.1.0"', '"version": "next"'),
		'"next" in package.json is no version: use three numbers.',
	],
	[
		'a version without an entry',
		'changelog',
		() => change(folder, 'package.json', '"version": "0.1.0"', '"version": "0.2.0"'),
		'CHANGELOG.md has no heading "## 0.2.0": add it above the others, with what changed for people who build workflows.',
	],
	[
		'a version whose list is empty',
		'changelog',
		() => write('CHANGELOG.md', '# Changelog\n\n## 0.1.0\n\nThe first release.\n'),
		'0.1.0 has no entry in CHANGELOG.md: say what changed, one "- " per change.',
	],
	[
		'an old version on top',
		'changelog',
		() => change(folder, 'CHANGELOG.md', '## 0.1.0', '## 0.0.9\n\n## 0.1.0'),
		'the first heading of CHANGELOG.md is "0.0.9", not 0.1.0.',
	],
	[
		'an entry outside of the groups',
		'changelog',
		() => change(folder, 'CHANGELOG.md', '### New', '- Something.\n\n### New'),
		'an entry of 0.1.0 is above the first group: put it below "### Before you update", "### New", "### Changed", "### Fixed".',
	],
	[
		'a group that nobody expects',
		'changelog',
		() => change(folder, 'CHANGELOG.md', '### New', '### Refactored\n\n- A part.\n\n### New'),
		'"### Refactored" is no group of a version: use "### Before you update", "### New", "### Changed", "### Fixed".',
	],
	[
		'groups in another order',
		'changelog',
		() => change(folder, 'CHANGELOG.md', '### New', '### Fixed\n\n- A part.\n\n### New'),
		'the groups of 0.1.0 are not each there once, in the order "### Before you update", "### New", "### Changed", "### Fixed".',
	],
	[
		'an empty group',
		'changelog',
		() => change(folder, 'CHANGELOG.md', '### New', '### Before you update\n\n### New'),
		'"### Before you update" of 0.1.0 is empty: remove it.',
	],
	[
		'an entry that is not finished',
		'changelog',
		() => change(folder, 'CHANGELOG.md', '### New\n\n', '### New\n\n- Videos TODO.\n'),
		'the entry "Videos TODO.…" is not finished.',
	],
	[
		'an entry for developers',
		'changelog',
		() => change(folder, 'CHANGELOG.md', '### New\n\n', '### New\n\n- Moved src/core/sse.ts.\n'),
		'the entry "Moved src/core/sse.ts.…" names src/core/sse.ts.: entries are for people who build workflows.',
	],
	[
		'a dependency',
		'packages',
		() =>
			change(
				folder,
				'package.json',
				'"devDependencies"',
				'"dependencies": { "uuid": "14.0.3" }, "devDependencies"',
			),
		'package.json has the dependency uuid: n8n verifies only packages without any. Make it a devDependency, which the build bundles.',
	],
	[
		'a range of versions',
		'packages',
		() => change(folder, 'package.json', UUID, '"uuid": "^14.0.3"'),
		'the devDependency uuid is "^14.0.3": write one exact version.',
	],
	[
		'a version that is not locked',
		'packages',
		() => change(folder, 'package.json', UUID, '"uuid": "14.0.2"'),
		`package-lock.json has uuid ${versionOf('uuid')}, package.json 14.0.2: run npm install.`,
	],
	[
		'a package without a hash',
		'packages',
		() =>
			change(
				folder,
				'package-lock.json',
				/("node_modules\/uuid": \{[^}]*?)"integrity": "[^"]+",/,
				'$1',
			),
		'package-lock.json has no sha512 of node_modules/uuid: npm ci could not check it.',
	],
	[
		'a script that would run where it is installed',
		'packages',
		() => change(folder, 'package.json', '"prepack"', '"postinstall": "true", "prepack"'),
		'package.json has the script "postinstall", which n8n forbids: remove it.',
	],
	[
		'publishing without provenance',
		'packages',
		() => change(folder, 'package.json', '"provenance": true', '"provenance": false'),
		'publishConfig in package.json has to be { "access": "public", "provenance": true }: n8n lists only packages with provenance.',
	],
	[
		'an action by its tag',
		'workflows',
		() => change(folder, publishing, checkout, 'actions/checkout@v7'),
		'.github/workflows/publish.yml uses actions/checkout without the 40 digits of a commit and its version: write actions/checkout@<commit> # v1.2.3.',
	],
	[
		'one action at two commits',
		'workflows',
		() => change(folder, publishing, checkout, `actions/checkout@${'0'.repeat(40)} # v7.0.1`),
		'the workflows use actions/checkout at more than one commit.',
	],
	[
		'a workflow with all rights',
		'workflows',
		() =>
			change(folder, publishing, 'permissions:\n  contents: read\n', 'permissions: write-all\n'),
		'.github/workflows/publish.yml has to begin with "permissions: { contents: read }": a job that needs more asks for it itself.',
	],
	[
		'a workflow with the rights of this repository for anybody',
		'workflows',
		() => change(folder, '.github/workflows/ci.yml', 'pull_request:', 'pull_request_target:'),
		'.github/workflows/ci.yml runs on pull_request_target, with the rights of this repository.',
	],
	[
		'a checkout that keeps its token',
		'workflows',
		() =>
			change(folder, '.github/workflows/ci.yml', 'persist-credentials: false', 'fetch-depth: 1'),
		'.github/workflows/ci.yml, job "all": checkout needs "persist-credentials: false".',
	],
	[
		'a workflow that publishes without provenance',
		'workflows',
		() => change(folder, publishing, ' --provenance', ''),
		'.github/workflows/publish.yml, job "publish" publishes without --provenance.',
	],
	[
		'a job that may not ask for provenance',
		'workflows',
		() => change(folder, publishing, '      id-token: write\n', ''),
		'.github/workflows/publish.yml, job "publish" needs "id-token: write" for provenance.',
	],
	[
		'another job that could publish',
		'workflows',
		() => change(folder, publishing, 'contents: write', 'id-token: write'),
		'.github/workflows/publish.yml, job "page" has "id-token: write", which only the job that publishes needs.',
	],
	[
		'other code in the job that publishes',
		'workflows',
		() => change(folder, publishing, 'sha256sum --check --strict SHA256SUMS', 'npm ci'),
		'.github/workflows/publish.yml, job "publish" runs other code while it may publish: do that in a job before it.',
	],
	[
		'a job that nobody approves',
		'workflows',
		() => change(folder, publishing, '    environment: npm\n', ''),
		'.github/workflows/publish.yml, job "publish" needs an "environment", where a person approves the release.',
	],
	[
		'a token for publishing',
		'workflows',
		() =>
			change(
				folder,
				publishing,
				'--access=public\n',
				'--access=public\n        env:\n          NODE_AUTH_TOKEN: ${{ secrets.NPM_TOKEN }}\n',
			),
		'.github/workflows/publish.yml, job "publish" uses a secret: trusted publishing needs none.',
	],
	[
		'a second job that publishes',
		'workflows',
		() => change(folder, '.github/workflows/ci.yml', '.ci/run', 'npm publish'),
		'2 jobs of the workflows publish: it has to be one.',
	],
])('refuses %s', async (_what, name, plant, sentence) => {
	plant();
	const { code, said } = await releaseCheck(folder, `--only=${name}`);
	expect(said[name]).toContain(`refused: ${sentence}`);
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

	it.each<[string, unknown[]]>([
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

it.each<[string, () => void, string[], RegExp]>([
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
