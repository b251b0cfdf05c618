// Installs what the other scripts need, and only if it is missing or its lock file changed: the root's packages and,
// for `host`, the pinned n8n of test/host. Runs on the system's own Node 20 or newer with npm 10 or 11.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
	bringsNode24,
	checkDisk,
	checkMachine,
	hasCommand,
	hostFolder,
	node24,
	node24Environment,
	Refusal,
	root,
	systemEnvironment,
} from './machine.mjs';
import { withLock } from './lock.mjs';
import { step } from './step.mjs';

export const sqliteBinary = join(
	'node_modules',
	'sqlite3',
	'build',
	'Release',
	'node_sqlite3.node',
);

/**
 * @param parts.host whether a real n8n is needed as well
 * @param parts.rootIsThere called once everything but n8n is there, which takes half of the time
 */
export async function install({ host = false, rootIsThere = () => {} } = {}) {
	checkMachine();
	if (isInstalled(root)) rootIsThere();
	if (isInstalled(root) && (!host || isInstalled(hostFolder))) return;
	await withLock(
		join(root, '.install-lock'),
		async () => {
			// asked again: the process that held the lock has installed it
			const [needRoot, needHost] = [!isInstalled(root), host && !isInstalled(hostFolder)];
			checkDisk(root, (needRoot ? 1.5 : 0) + (needHost ? 1.5 : 0));
			// side by side: each of them alone leaves half of two cores idle
			const parts = [
				needRoot && installRoot().then(rootIsThere),
				// all but sqlite3 may be there: an earlier run may have ended for want of a compiler
				needHost && !matchesLock(hostFolder) && installHostPackages(),
			];
			for (const { reason } of await Promise.allSettled(parts)) if (reason) throw reason;
			if (needHost) {
				// by the Node 24 that the root has brought
				await installSqlite(hostFolder);
				markInstalled(hostFolder);
			}
		},
		(pid) => console.log(`Waiting for process ${pid}, which is installing into this clone …`),
	);
}

async function installRoot() {
	// on Node 24 nothing of the root has to run at installation, and no second Node is fetched
	const scripts = bringsNode24 ? [] : ['--ignore-scripts'];
	await npm(
		"Installing the pack's tools (about 1.1 GB)",
		['ci', '--loglevel=error', ...scripts],
		root,
		systemEnvironment(),
	);
	node24();
	markInstalled(root);
}

async function installHostPackages() {
	await npm(
		'Installing n8n for the tests and the demo (about 0.9 GB)',
		['ci', '--ignore-scripts', '--loglevel=error'],
		hostFolder,
		systemEnvironment(),
	);
}

/** n8n's database is the one part of the host that is not JavaScript: a prebuilt file, else compiled here. */
export async function installSqlite(n8nFolder) {
	const folder = join(n8nFolder, 'node_modules', 'sqlite3');
	const env = node24Environment();
	try {
		const prebuilt = join(n8nFolder, 'node_modules', 'prebuild-install', 'bin.js');
		await step('Looking for a prebuilt sqlite3', node24(), [prebuilt, '-r', 'napi'], {
			cwd: folder,
			env,
			timeout: 60_000,
		});
		await loadSqlite(n8nFolder);
		return;
	} catch {
		console.log('  there is none for this machine: sqlite3 is compiled here');
	}
	for (const [command, name] of [
		['make', 'make'],
		['python3', 'Python 3'],
		['g++', 'a C++ compiler'],
	]) {
		if (!hasCommand(command) && !(command === 'g++' && (hasCommand('c++') || process.env.CXX))) {
			throw new Refusal(
				`sqlite3 has no prebuilt file for this machine and cannot be compiled, since ${name} is missing. ` +
					(process.platform === 'darwin'
						? 'Install it with "xcode-select --install", then run this again.'
						: 'Install it (Debian, Ubuntu: "apt-get install build-essential python3"), then run this again.'),
			);
		}
	}
	const system = existsSync('/usr/include/sqlite3.h');
	await npm(
		system
			? "Compiling sqlite3 against the system's library (about 20 s)"
			: 'Compiling sqlite3 (about a minute)',
		['rebuild', 'sqlite3', '--loglevel=error'],
		n8nFolder,
		// only for this rebuild: given to the whole installation, other packages would compile as well.
		// Without optimisation the amalgamation takes half the time; the tests' databases are small
		{
			...env,
			npm_config_build_from_source: 'true',
			...(system ? { npm_config_sqlite: '/usr' } : { CFLAGS: '-O0' }),
		},
	);
	await loadSqlite(n8nFolder);
}

const loadSqlite = (n8nFolder) =>
	step('sqlite3', node24(), ['-e', 'require("sqlite3")'], {
		cwd: n8nFolder,
		env: node24Environment(),
		quiet: true,
	});

/** The npm that started this script, else the one on the path. */
export async function npm(title, args, cwd, env) {
	const started = process.env.npm_execpath ?? '';
	if (started.endsWith('npm-cli.js')) await step(title, 'node', [started, ...args], { cwd, env });
	else await step(title, 'npm', args, { cwd, env });
}

function hasNode24() {
	try {
		return existsSync(node24());
	} catch {
		return false;
	}
}

const lockHash = (folder) =>
	createHash('sha256')
		.update(readFileSync(join(folder, 'package-lock.json')))
		.update(`${process.platform} ${process.arch}`)
		.digest('hex');

/** Inside node_modules, so that whoever deletes the folder deletes the mark. */
const mark = (folder) => join(folder, 'node_modules', '.installed');

const markInstalled = (folder) => writeFileSync(mark(folder), lockHash(folder));

/** @returns false when it must be installed (again); an installation made by hand counts as well */
function isInstalled(folder) {
	const complete = folder === root ? hasNode24() : existsSync(join(folder, sqliteBinary));
	if (!complete) return false;
	if (existsSync(mark(folder)) && readFileSync(mark(folder), 'utf8') === lockHash(folder))
		return true;
	if (!matchesLock(folder)) return false;
	markInstalled(folder);
	return true;
}

/** Whether what npm last installed there, by hand for instance, is what the lock file asks for. */
function matchesLock(folder) {
	try {
		const read = (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')).packages;
		const [wanted, present] = [read('package-lock.json'), read('node_modules/.package-lock.json')];
		return Object.entries(wanted).every(
			([path, { version, optional, peer, extraneous, link }]) =>
				path === '' ||
				link ||
				(present[path] ? present[path].version === version : optional || peer || extraneous),
		);
	} catch {
		return false;
	}
}

/** Ends the process with one sentence for a `Refusal`, with everything known for any other error. */
export function tellAndExit(error) {
	console.error(error instanceof Refusal ? error.message : (error.stack ?? error));
	process.exit(1);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	await install({ host: process.argv.includes('host') }).catch(tellAndExit);
	console.log('Everything is installed.');
}
