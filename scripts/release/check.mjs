// npm run release:check: everything that has to hold before a version is published, and the files of the release, in .release.
// It publishes nothing.
// `--draft`: what only the owner can set (addresses, a clean commit) is named and does not count
// `--only=sbom,licenses`: only these checks; `--tag=v0.1.0`: the tag that is to be released
// Exit code: 0 when it can be released, 1 when something is refused, 2 when the checks could not be made.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { findOutdated, findPlaceholders, readAddresses } from '../addresses.mjs';
import { Refusal, root } from '../machine.mjs';
import { inRunFolder } from '../run.mjs';
import { bundledPackages, findLicenseProblems } from './bundled.mjs';
import { findChangelogProblems, readChangelog } from './changelog.mjs';
import { findContentProblems } from './contents.mjs';
import { findPackageProblems } from './packages.mjs';
import { createSbom, findOtherVersions, findSbomProblems } from './sbom.mjs';
import { buildTwice, findDifferences, hashOf } from './twoBuilds.mjs';
import { findWorkflowProblems } from './workflows.mjs';

/** @import { Lock, Manifest } from './packages.mjs' */

const run = promisify(execFile);
/** @param {string} file */
const read = (file) => readFileSync(join(root, file), 'utf8');
/** @type {Manifest} */
const manifest = JSON.parse(read('package.json'));
/** @type {Lock} */
const lock = JSON.parse(read('package-lock.json'));
const output = join(root, '.release');

/**
 * What the checks share. `build` makes the builds when the first check asks for them.
 *
 * @typedef {object} Context
 * @property {string} folder
 * @property {{ sbom?: string }} files
 * @property {() => ReturnType<typeof buildTwice>} build
 *
 * @typedef {object} Check
 * @property {string} name
 * @property {string} good
 * @property {boolean} [ofOwner] then it does not count in a draft
 * @property {(context: Context) => string[] | Promise<string[]>} find what it found, as sentences
 */

/** @type {Check[]} */
const checks = [
	{
		name: 'addresses',
		good: 'addresses.json has no placeholder',
		ofOwner: true,
		find: () => findPlaceholders(readAddresses()).map((one) => `addresses.json: ${one}`),
	},
	{
		name: 'written',
		good: 'package.json, credentials, nodes and documents have the addresses of addresses.json',
		find: () =>
			findOutdated().map(
				({ file }) => `${file} has other addresses than addresses.json: run "npm run addresses"`,
			),
	},
	{
		name: 'commit',
		good: 'everything is committed',
		ofOwner: true,
		find: async () => {
			const git = ['-c', 'safe.directory=*', 'status', '--porcelain'];
			try {
				const { stdout } = await run('git', git, { cwd: root });
				const [first, ...others] = stdout.split('\n').filter(Boolean);
				return first
					? [`${others.length + 1} files are not committed, ${first.slice(3)} for one`]
					: [];
			} catch (error) {
				const { message } = /** @type {Error} */ (error);
				return [
					`git cannot say whether everything is committed: ${message.split('\n')[1] ?? message}`,
				];
			}
		},
	},
	{ name: 'version', good: `${manifest.version} everywhere`, find: findVersionProblems },
	{
		name: 'changelog',
		good: `CHANGELOG.md says what ${manifest.version} changes`,
		find: () => findChangelogProblems(read('CHANGELOG.md'), manifest.version),
	},
	{
		name: 'packages',
		good: 'no dependencies, exact versions, a hash of each',
		find: () => findPackageProblems(manifest, lock),
	},
	{
		name: 'workflows',
		good: 'actions are pinned to commits, one job may publish, with provenance',
		find: () => findWorkflowProblems(root),
	},
	{
		name: 'builds',
		good: 'two builds give the same bytes',
		find: async ({ build }) => findDifferences(await build()),
	},
	{
		name: 'contents',
		good: 'the tarball has what is built from the sources, and the papers',
		find: async ({ build }) => findContentProblems((await build())[0]),
	},
	{
		name: 'licenses',
		good: 'every bundled package has its license text',
		find: async ({ build }) => {
			const [first] = await build();
			return findLicenseProblems(first, bundledPackages(first));
		},
	},
	{
		name: 'sbom',
		good: 'the SBOM lists what is bundled',
		find: async ({ build, folder, files }) => {
			const [{ tarball, ...first }] = await build();
			const packages = bundledPackages({ tarball, ...first });
			const about = {
				manifest,
				lock,
				packages,
				tarball,
				folder: join(folder, 'sbom', manifest.name),
			};
			const otherVersions = findOtherVersions(about);
			if (otherVersions.length) return otherVersions;
			const sbom = await createSbom(about);
			files.sbom = `${JSON.stringify(sbom, undefined, '\t')}\n`;
			return findSbomProblems(sbom, about);
		},
	},
	{
		name: 'scan',
		good: "n8n's checks of a published package pass",
		find: async ({ build }) => {
			const [{ copy }] = await build();
			try {
				// its rules read no file names where this is "test"
				const env = { ...process.env, NODE_ENV: 'production' };
				await run(process.execPath, [join(root, 'scripts', 'scan.mjs'), copy], { env });
				return [];
			} catch (error) {
				return [`n8n's scanner refuses the package:\n${outputOf(error).trim()}`];
			}
		},
	},
];

const [draft, only, tag] = readArguments();
try {
	process.exitCode = await inRunFolder(checkAll);
} catch (error) {
	console.error(`The checks could not be made. ${error instanceof Refusal ? error.message : ''}`);
	if (!(error instanceof Refusal)) console.error(outputOf(error));
	process.exitCode = 2;
}

/** @returns {[draft: boolean, only: string[], tag: string | undefined]} */
function readArguments() {
	const [draftGiven, onlyGiven, tagGiven] = ['draft', 'only', 'tag'].map((name) =>
		process.argv.slice(2).findLast((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`)),
	);
	/** @param {string} [arg] */
	const valueOf = (arg) => arg?.split('=').slice(1).join('=');
	const names = checks.map(({ name }) => name);
	const chosen = valueOf(onlyGiven)?.split(',') ?? names;
	const others = process.argv.slice(2).filter((arg) => !/^--(draft$|only=|tag=)/.test(arg));
	const unknown = chosen.filter((name) => !names.includes(name));
	if (others.length || unknown.length) {
		console.error(
			`${[...others, ...unknown][0]} is unknown. Use --draft, --tag=v${manifest.version} or --only= with some of ${names.join(', ')}.`,
		);
		process.exit(2);
	}
	return [draftGiven !== undefined, chosen, valueOf(tagGiven)];
}

/** @param {string} folder */
async function checkAll(folder) {
	/** @type {ReturnType<typeof buildTwice> | undefined} */
	let builds;
	/** @type {Context} */
	const context = { folder, files: {}, build: () => (builds ??= buildTwice(root, folder)) };
	let refused = 0;
	console.log(`${manifest.name} ${manifest.version}`);
	for (const { name, good, ofOwner, find } of checks.filter(({ name }) => only.includes(name))) {
		const problems = await find(context);
		const isLater = draft && ofOwner;
		const word = problems.length === 0 ? 'ok' : isLater ? 'later' : 'refused';
		if (word === 'refused') refused++;
		for (const sentence of problems.length ? problems : [good])
			console.log(`${word.padEnd(8)} ${name.padEnd(10)} ${sentence}.`);
	}
	if (refused) {
		console.log(`Not ready: ${refused} of ${only.length} checks refuse. Nothing was published.`);
		return 1;
	}
	if (only.length < checks.length) {
		console.log('These checks pass. Nothing was published.');
		return 0;
	}
	writeFiles((await context.build())[0].tarball, context.files.sbom ?? '');
	console.log(
		`${draft ? 'Ready but for what is marked "later"' : 'Ready for release'}: see ${relative(root, output)}. Nothing was published.`,
	);
	return 0;
}

function findVersionProblems() {
	const { version } = manifest;
	const problems = [];
	if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
		problems.push(`"${version}" in package.json is no version: use three numbers`);
	if (lock.version !== version || lock.packages['']?.version !== version) {
		problems.push(
			`package-lock.json has another version than ${version}: run "npm version ${version} --no-git-tag-version --allow-same-version"`,
		);
	}
	if (tag !== undefined && tag !== `v${version}`)
		problems.push(`the tag is ${tag}, and package.json says ${version}: it has to be v${version}`);
	return problems;
}

/**
 * What a release consists of: the tarball, what is in it, the hashes of both, and the text of its page.
 *
 * @param {string} tarball
 * @param {string} sbom
 */
function writeFiles(tarball, sbom) {
	rmSync(output, { recursive: true, force: true });
	mkdirSync(output);
	const packed = basename(tarball);
	const list = `${manifest.name}-${manifest.version}.cdx.json`;
	copyFileSync(tarball, join(output, packed));
	writeFileSync(join(output, list), sbom);
	const hashes = [packed, list].map((name) => `${hashOf(join(output, name))}  ${name}\n`);
	writeFileSync(join(output, 'SHA256SUMS'), hashes.join(''));
	const section = readChangelog(read('CHANGELOG.md')).find(
		({ version }) => version === manifest.version,
	);
	writeFileSync(join(output, 'notes.md'), `${section?.text}\n`);
}

/**
 * What a program that failed has written, or all that is known of another error.
 *
 * @param {unknown} error
 */
function outputOf(error) {
	if (!(error instanceof Error)) return String(error);
	const { stdout, stderr } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
	return stdout || stderr || error.stack || error.message;
}
