// Installs what a command needs, and only if it is missing or its lock file changed: a part of the root's packages, the pinned
// n8n of test/host, that of test/host-ai, the PostgreSQL of test/postgres, the agents of test/host-agents, and the gateway of
// test/host-gateway. Runs on the system's own Node 20 or newer with npm 10 or 11.
import { createHash } from 'node:crypto';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
	agentsFolder,
	aiHostFolder,
	bringsNode24,
	checkDisk,
	checkMachine,
	gatewayFolder,
	hasCommand,
	hostFolder,
	node24,
	node24Environment,
	postgresFolder,
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

/** @param {string[]} path */
const read = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));

/** @type {{ build: string[], checks: string[] }} */
const toolsFor = read(root, 'scripts', 'tools.json');

/**
 * Which of the devDependencies there are. Each level has what those before it have. Disk in GB.
 *
 * - `build`: builds and packs the package, and runs the reference service and the demo
 * - `test`: runs the tests; the linter's packages, which bring n8n's tools for AI nodes, are half of all
 * - `all`: checks types, style and spelling, and makes a release
 *
 * @typedef {'build' | 'test' | 'all'} Level
 * @type {Record<Level, { size: string, disk: number, has: (name: string) => boolean }>}
 */
const LEVELS = {
	build: {
		size: '60 MB to download, 0.2 GB on disk',
		disk: 0.5,
		has: (name) => toolsFor.build.includes(name),
	},
	test: {
		size: '280 MB to download, 0.7 GB on disk',
		disk: 1,
		has: (name) => !toolsFor.checks.includes(name),
	},
	all: { size: '400 MB to download, 1.1 GB on disk', disk: 1.5, has: () => true },
};
/** @type {Level[]} */
const levels = ['build', 'test', 'all'];

/**
 * @typedef {object} Parts
 * @property {Level} [tools] which of the pack's tools are needed
 * @property {boolean} [host] whether a real n8n is needed as well
 * @property {boolean} [aiHost] whether one with n8n Agents is
 * @property {boolean} [postgres] whether its tests need a PostgreSQL
 * @property {boolean} [agents] whether they need agents of other frameworks, and a gateway
 * @property {() => void} [toolsAreThere] called once the pack's tools are there
 */

/** @param {Parts} parts */
export async function install({
	tools = 'test',
	host = false,
	aiHost = false,
	postgres = false,
	agents = false,
	toolsAreThere = () => {},
} = {}) {
	checkMachine();
	const hosts = [...(host ? [hostFolder] : []), ...(aiHost ? [aiHostFolder] : [])];
	const others = [
		...(postgres ? [postgresFolder] : []),
		...(agents ? [agentsFolder, gatewayFolder] : []),
	];
	const needs = () => ({
		needTools: !hasTools(tools),
		missingHosts: hosts.filter((folder) => !hasHost(folder)),
		missingOthers: others.filter((folder) => !matchesLock(folder)),
	});
	const isMissing = () => {
		const { needTools, missingHosts, missingOthers } = needs();
		return needTools || missingHosts.length + missingOthers.length > 0;
	};
	if (hasTools(tools)) toolsAreThere();
	if (!isMissing()) return;
	await withLock(
		join(root, '.install-lock'),
		async () => {
			// asked again: the process that held the lock has installed it
			const { needTools, missingHosts, missingOthers } = needs();
			checkDisk(root, (needTools ? LEVELS[tools].disk : 0) + 1.5 * missingHosts.length);
			// side by side: each of them alone leaves half of two cores idle
			const parts = [
				needTools && installTools(tools).then(toolsAreThere),
				// all but sqlite3 may be there: an earlier run may have ended for want of a compiler
				...[...missingHosts.filter((folder) => !matchesLock(folder)), ...missingOthers].map(
					installFolder,
				),
			];
			for (const part of await Promise.allSettled(parts))
				if (part.status === 'rejected') throw part.reason;
			for (const folder of missingHosts) {
				// by the Node 24 that the root has brought
				await installSqlite(folder);
				markInstalled(folder);
			}
		},
		(pid) => console.log(`Waiting for process ${pid}, which is installing into this clone …`),
	);
}

/**
 * npm installs what package-lock.json says, and of it only what a manifest asks for.
 *
 * @param {Level} level
 */
async function installTools(level) {
	const folder = level === 'all' ? root : join(root, '.install-tools');
	if (folder !== root) {
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder);
		for (const file of ['.npmrc', 'package-lock.json'])
			copyFileSync(join(root, file), join(folder, file));
		writeFileSync(join(folder, 'package.json'), JSON.stringify(manifestOf(level)));
	}
	// on Node 24 nothing of the root has to run at installation, and no second Node is fetched
	const scripts = bringsNode24 ? [] : ['--ignore-scripts'];
	await npm(
		`Installing the pack's tools (${LEVELS[level].size})`,
		['ci', '--loglevel=error', ...scripts],
		folder,
		systemEnvironment(),
	);
	if (folder !== root) {
		rmSync(join(root, 'node_modules'), { recursive: true, force: true });
		renameSync(join(folder, 'node_modules'), join(root, 'node_modules'));
		rmSync(folder, { recursive: true });
	}
	node24();
	markInstalled(root, level);
}

/**
 * package.json with the tools of a level; what n8n provides is one of the tools.
 *
 * @param {Level} level
 */
function manifestOf(level) {
	const { peerDependencies: _provided, devDependencies, ...rest } = read(root, 'package.json');
	const chosen = Object.entries(devDependencies).filter(([name]) => LEVELS[level].has(name));
	return { ...rest, devDependencies: Object.fromEntries(chosen) };
}

const titles = {
	[hostFolder]: 'n8n for the tests and the demo (250 MB to download, 0.9 GB on disk)',
	[aiHostFolder]: 'n8n with its agents (250 MB to download, 1.2 GB on disk)',
	[postgresFolder]: 'PostgreSQL for the tests (20 MB to download, 0.1 GB on disk)',
	[agentsFolder]: 'agents for the tests (20 MB to download, 0.1 GB on disk)',
	[gatewayFolder]: 'a gateway for the tests (5 MB to download, 30 MB on disk)',
};

/** @param {string} folder */
const installFolder = async (folder) =>
	await npm(
		`Installing ${titles[folder]}`,
		// the date in .npmrc is for resolving: a mirror of the registry dates a version by when it got it
		['ci', '--ignore-scripts', '--no-before', '--loglevel=error'],
		folder,
		systemEnvironment(),
	);

/**
 * n8n's database is the one part of the host that is not JavaScript: a prebuilt file, else compiled here.
 *
 * @param {string} n8nFolder
 */
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
	for (const [command, name] of Object.entries({
		make: 'make',
		python3: 'Python 3',
		'g++': 'a C++ compiler',
	})) {
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
		system ? "Compiling sqlite3 against the system's library" : 'Compiling sqlite3',
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

/** @param {string} n8nFolder */
const loadSqlite = (n8nFolder) =>
	step('sqlite3', node24(), ['-e', 'require("sqlite3")'], {
		cwd: n8nFolder,
		env: node24Environment(),
		quiet: true,
	});

/**
 * The npm that started this script, else the one on the path.
 *
 * @param {string} title
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 */
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

/** @param {string} folder */
const lockHash = (folder) =>
	createHash('sha256')
		.update(readFileSync(join(folder, 'package-lock.json')))
		.update(`${process.platform} ${process.arch}`)
		.digest('hex');

/**
 * Inside node_modules, so that whoever deletes the folder deletes the mark.
 *
 * @param {string} folder
 */
const mark = (folder) => join(folder, 'node_modules', '.installed');

/**
 * @param {string} folder
 * @param {Level} level
 */
const markInstalled = (folder, level = 'all') =>
	writeFileSync(mark(folder), `${level} ${lockHash(folder)}`);

/** @param {Level} level */
const hasTools = (level) =>
	hasNode24() && levels.slice(levels.indexOf(level)).some((one) => one === installedLevel(root));

/** @param {string} folder */
const hasHost = (folder) =>
	existsSync(join(folder, sqliteBinary)) && Boolean(installedLevel(folder));

/**
 * @param {string} folder
 * @returns {string | undefined} undefined when it must be installed (again); an installation of everything that was made by hand counts as well
 */
function installedLevel(folder) {
	const [level, hash] = existsSync(mark(folder))
		? readFileSync(mark(folder), 'utf8').split(' ')
		: [];
	if (hash === lockHash(folder)) return level;
	if (!matchesLock(folder)) return undefined;
	markInstalled(folder);
	return 'all';
}

/**
 * Whether what npm last installed there, by hand for instance, is what the lock file asks for.
 *
 * @param {string} folder
 */
function matchesLock(folder) {
	try {
		const wanted = read(folder, 'package-lock.json').packages;
		const present = read(folder, 'node_modules', '.package-lock.json').packages;
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

/**
 * Ends the process with one sentence for a `Refusal`, with everything known for any other error.
 *
 * @param {unknown} error
 */
export function tellAndExit(error) {
	if (error instanceof Refusal) console.error(error.message);
	else console.error(error instanceof Error ? error.stack : error);
	process.exit(1);
}

// for a script of package.json: `node scripts/install.mjs all host`
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	const args = process.argv.slice(2);
	await install({
		tools: levels.find((level) => args.includes(level)) ?? 'test',
		host: args.includes('host'),
		aiHost: args.includes('host-ai'),
		postgres: args.includes('postgres'),
		agents: args.includes('agents'),
	}).catch(tellAndExit);
}
