// What may be in the tarball: what is built from the sources, and the papers. Nothing else, and nothing less.
import { globSync } from 'node:fs';
import { homedir } from 'node:os';

/** @import { Build } from './twoBuilds.mjs' */

const papers = ['LICENSE.md', 'README.md', 'package.json', 'dist/THIRD_PARTY_LICENSES.txt'];

/** What must not be in any file. The scanner of n8n looks for dangerous code; this is about what slips in by mistake. */
const forbidden = [
	{ what: 'a private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]/ },
	{ what: 'a token of npm', pattern: /\bnpm_[A-Za-z0-9]{36}\b/ },
	{ what: 'a token of GitHub', pattern: /\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{40,})\b/ },
	{ what: 'an API key', pattern: /\bsk-[A-Za-z0-9_-]{24,}/ },
	{ what: 'a source map', pattern: /^\/\/# sourceMappingURL=/m },
];

/**
 * @param {string} copy
 * @returns the paths that a tarball of these sources has
 */
export function allowedFiles(copy) {
	const built = globSync('{credentials,nodes,src}/**/*.ts', { cwd: copy }).map(
		(file) => `dist/${file.replace(/ts$/, 'js')}`,
	);
	const copied = globSync(
		[
			'nodes/**/*.{svg,png,node.json}',
			'nodes/**/__schema__/**/*.json',
			'nodes/outputFields.json',
			'credentials/**/*.{svg,png}',
			'icons/**/*.{svg,png}',
		],
		{ cwd: copy },
	).map((file) => `dist/${file}`);
	return [...built, ...copied, ...papers].sort();
}

/**
 * @param {Build} build
 * @returns what is wrong with the files of a build, as sentences
 */
export function findContentProblems({ copy, files }) {
	const allowed = allowedFiles(copy);
	/** @param {(text: string) => boolean} isMeant */
	const filesWith = (isMeant) =>
		[...files].filter(([, bytes]) => isMeant(bytes.toString('utf8'))).map(([path]) => path);
	const machine = [homedir(), copy].filter((path) => path.length > 3);
	return [
		...[...files.keys()]
			.filter((path) => !allowed.includes(path))
			.map((path) => `the tarball has ${path}, which is not on the list of what may be in it`),
		...allowed
			.filter((path) => !files.has(path))
			.map((path) => `the tarball lacks ${path}: npm left it out, or it was not built`),
		...forbidden.flatMap(({ what, pattern }) =>
			tell(
				filesWith((text) => pattern.test(text)),
				`with ${what} in it`,
			),
		),
		...machine.flatMap((place) =>
			tell(
				filesWith((text) => text.includes(place)),
				`that names ${place}, a folder of this machine`,
			),
		),
	];
}

/**
 * @param {readonly string[]} files
 * @param {string} what
 */
const tell = ([first, ...others], what) =>
	first === undefined
		? []
		: [`the tarball has ${first} ${what}${others.length ? ` (and ${others.length} more)` : ''}`];
