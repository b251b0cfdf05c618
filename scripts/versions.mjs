// npm run test:versions: runs test/versions in a real n8n of each version in test/versions/versions.json, one after another, and
// prints a table. Versions as arguments (`npm run test:versions -- 2.22.6`) run only those; `--write` puts the table into docs/known-limits.md.
// Each older n8n takes about 1 GB in the user's cache folder (`AGENT_BRIDGE_VERSIONS` names another one) and is installed once.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { install, installSqlite, npm, sqliteBinary, tellAndExit } from './install.mjs';
import {
	checkDisk,
	hostFolder,
	node24,
	node24Environment,
	Refusal,
	root,
	systemEnvironment,
} from './machine.mjs';
import { pack } from './pack.mjs';
import { inRunFolder } from './run.mjs';
import { step } from './step.mjs';

const longest = 10 * 60_000;
const cache = process.env.AGENT_BRIDGE_VERSIONS ?? join(homedir(), '.cache', 'agent-bridge-n8n');
/** @param {string} file */
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
/**
 * @typedef {object} Version
 * @property {string} n8n
 * @property {string[]} lacks the features of columns that it does not have
 * @property {boolean} [refuses]
 *
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 *
 * @typedef {Counts & { groups: Record<string, Counts> }} Outcome
 */

/** @type {Version[]} */
const all = read(join(root, 'test', 'versions', 'versions.json'));

/**
 * The table's columns: the outermost `describe`s that show each, and what a version that lacks it is marked with.
 *
 * @typedef {{ title: string, groups: string[], feature?: string }} Column
 * @type {Column[]}
 */
const columns = [
	{ title: 'All operations', groups: ['Operations', 'Credential test'] },
	{ title: 'Live answers', groups: ['Live answers'] },
	{ title: 'Stop ends waits', groups: ['Stop'] },
	{ title: 'Tool of an AI agent', groups: ['Tool of an AI agent'] },
	{ title: 'Chat model', groups: ['Chat model'] },
	{ title: 'Conversation', groups: ['Conversation'] },
	{ title: 'Trigger', groups: ['Trigger'] },
	{
		title: 'Job ledger',
		groups: ['Job ledger', 'Job ledger and trigger', 'Job ledger: record of spending'],
	},
	{ title: 'Allowed domains', groups: ['Allowed domains'] },
	{ title: 'Slow patterns end', groups: ['Patterns'], feature: 'limitedPatterns' },
];

const write = process.argv.includes('--write');
const named = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
try {
	const unknown = named.filter((name) => !all.some(({ n8n }) => n8n === name));
	if (unknown.length)
		throw new Refusal(`test/versions/versions.json does not have ${unknown.join(', ')}.`);
	if (write && named.length) throw new Refusal('--write needs all versions: name none.');
	await install({ host: true });
	const tarball = await pack();
	/** @type {Array<Version & Outcome>} */
	const outcomes = [];
	for (const version of all.filter(({ n8n }) => !named.length || named.includes(n8n)))
		outcomes.push({ ...version, ...(await test(version, tarball)) });
	const table = toTable(outcomes);
	console.log(`\n${table}\n`);
	for (const { n8n, passed, failed } of outcomes)
		console.log(`n8n ${n8n}: ${passed} passed, ${failed} failed`);
	const failed = outcomes.filter((outcome) => outcome.failed);
	if (failed.length) process.exitCode = 1;
	else if (write) await writeTable(table);
} catch (error) {
	tellAndExit(error);
}

/**
 * @param {Version} version
 * @param {string} tarball
 * @returns {Promise<Outcome>} the counts of a version's tests, all together and by their outermost `describe`
 */
async function test({ n8n }, tarball) {
	const folder = await installed(n8n);
	console.log(`\nn8n ${n8n} …`);
	return await inRunFolder(async (runFolder) => {
		const results = join(runFolder, 'counts.json');
		const child = spawn(
			node24(),
			[
				'--disable-warning=ExperimentalWarning',
				'--experimental-vm-modules',
				'node_modules/jest/bin/jest.js',
				'--maxWorkers=1',
				...['default', './scripts/countingReporter.cjs'].map((name) => `--reporters=${name}`),
				'--selectProjects',
				'versions',
			],
			{
				cwd: root,
				stdio: 'inherit',
				timeout: longest,
				killSignal: 'SIGKILL',
				env: {
					...node24Environment(),
					TMPDIR: runFolder,
					AGENT_BRIDGE_TARBALL: tarball,
					AGENT_BRIDGE_N8N_VERSION: n8n,
					AGENT_BRIDGE_COUNTS: results,
					...(folder !== hostFolder && { AGENT_BRIDGE_HOST: folder }),
				},
			},
		);
		const code = await new Promise((resolve, reject) =>
			child.once('error', reject).once('close', resolve),
		);
		if (!existsSync(results)) return { passed: 0, failed: 1, groups: {} };
		const { passed, failed, groups } = read(results);
		return { passed, failed: failed || (code === 0 ? 0 : 1), groups };
	});
}

/**
 * @param {string} n8n
 * @returns the folder whose node_modules have this n8n
 */
async function installed(n8n) {
	if (versionIn(hostFolder, 'n8n') === n8n) return hostFolder;
	const folder = join(cache, n8n);
	if (existsSync(join(folder, sqliteBinary)) && versionIn(folder, 'n8n') === n8n) return folder;
	mkdirSync(folder, { recursive: true });
	checkDisk(folder, 1.5);
	const dependencies = { n8n };
	// what no test needs is left out, as in test/host; xlsx would come from a server of its own
	const overrides = {
		...read(join(hostFolder, 'package.json')).overrides,
		xlsx: 'npm:empty-module@0.0.2',
	};
	const manifest = { name: 'older-n8n', private: true, dependencies, overrides };
	writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
	const quick = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
	await npm(
		`Installing n8n ${n8n} (about 1 GB)`,
		['install', ...quick],
		folder,
		systemEnvironment(),
	);
	const binary = join(folder, sqliteBinary);
	if (versionIn(folder, 'sqlite3') === versionIn(hostFolder, 'sqlite3')) {
		mkdirSync(dirname(binary), { recursive: true });
		if (!existsSync(binary)) copyFileSync(join(hostFolder, sqliteBinary), binary);
	} else await installSqlite(folder);
	return folder;
}

/**
 * @param {string} folder
 * @param {string} name
 * @returns {string | undefined}
 */
function versionIn(folder, name) {
	const manifest = join(folder, 'node_modules', name, 'package.json');
	return existsSync(manifest) ? read(manifest).version : undefined;
}

/** @param {ReadonlyArray<Version & Outcome>} outcomes */
function toTable(outcomes) {
	const titles = ['n8n', ...columns.map(({ title }) => title)];
	const rows = [titles, titles.map(() => '---')];
	for (const { n8n, lacks, refuses, failed, groups } of outcomes) {
		if (refuses) rows.push([n8n, failed ? 'fails' : 'no', ...columns.slice(1).map(() => 'no')]);
		else rows.push([n8n, ...columns.map((column) => toCell(column, lacks, groups))]);
	}
	return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/**
 * @param {Column} column
 * @param {readonly string[]} lacks
 * @param {Outcome['groups']} groups
 */
function toCell({ groups: names, feature }, lacks, groups) {
	if (feature && lacks.includes(feature)) return 'no';
	const works = names.every((name) => groups[name]?.passed && !groups[name].failed);
	return works ? 'yes' : 'fails';
}

/** @param {string} table */
async function writeTable(table) {
	const file = join(root, 'docs', 'known-limits.md');
	const text = readFileSync(file, 'utf8');
	const marked = /(?<=<!-- versions: written by .*-->\n\n)(\|.*\n)*/;
	if (!marked.test(text))
		throw new Error('docs/known-limits.md does not mark where the table goes');
	writeFileSync(file, text.replace(marked, `${table}\n`));
	const prettier = join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs');
	await step('Writing docs/known-limits.md', node24(), [prettier, '--write', file], { cwd: root });
}
