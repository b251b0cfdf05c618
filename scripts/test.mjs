// npm test: installs, builds, packs, and runs the tests of all layers but the long ones.
// `--unit`, `--engine`, `--package`, `--release`, `--n8n`, `--browser`, `--queue`, `--long`, `--ai` and `--soak` choose layers. With further
// arguments (`npm test -- agent`) only the tests whose path matches: of the layers chosen, else of the unit, engine and package tests.
// `--jitter` or `--jitter=seed` runs the unit and the engine tests, or those named, with pauses wherever the pack or the reference
// service waits (test/support/jitter).
// `--all`, for .ci/run, runs all layers but that of n8n Agents, and the unit and the engine tests also with pauses.
// `--on-workers` runs the tests in a real n8n in queue mode, where its workers execute everything.
// `--browser --pictures` also takes the pictures of the documentation, into docs/pictures.
// The last line is "N passed, N failed", summed from the result files of the runners; the exit code follows.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { appendFileSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { install, tellAndExit } from './install.mjs';
import { aiHostFolder, node24, node24Environment, root } from './machine.mjs';
import { pack } from './pack.mjs';
import { findChromium, findRedis } from './programs.mjs';
import { inRunFolder } from './run.mjs';

const longest = 60 * 60_000;

/** By how they run: beside one another in one jest process, or two files at a time in one n8n, of `queue` each in an n8n of its own. */
const quick = ['unit', 'engine', 'package'];
const inN8n = ['n8n', 'browser', 'long', 'queue', 'ai', 'soak'];
const layers = [...quick, 'release', ...inN8n];

/** @param {string} arg */
const isLayer = (arg) => layers.some((layer) => arg === `--${layer}`);
const everything = process.argv.includes('--all');
const named = layers.filter((layer) =>
	everything ? !['ai', 'soak'].includes(layer) : process.argv.includes(`--${layer}`),
);
/** @param {string} arg */
const isJitter = (arg) => /^--jitter(=|$)/.test(arg);
// the last one counts: `npm run test:jitter -- --jitter=5`
const given = process.argv.filter(isJitter).at(-1);
const isPaced = given !== undefined || everything;
const seed = isPaced ? given?.slice('--jitter='.length) || String(randomInt(1_000_000)) : undefined;
const pictures = process.argv.includes('--pictures');
const onWorkers = process.argv.includes('--on-workers');
/** `npm run soak -- --jobs=200`: the numbers of test/queue/soak/soak.ts. */
const ofSoak = /^--(jobs|seed|workers|every|batch)=\d+$/;
const args = process.argv
	.slice(2)
	.filter((arg) => !isLayer(arg) && !isJitter(arg) && !ofSoak.test(arg))
	.filter((arg) => !/^--(all|pictures|on-workers)$/.test(arg));
const usual = usualLayers();
const chosen = named.length ? named : usual;
/** @param {readonly string[]} list */
const isIn = (list) => chosen.filter((layer) => list.includes(layer));
/** Minutes of them are waiting, so these run beside all others. */
const patient = ['long', 'queue'];
/**
 * One run of jest.
 *
 * @typedef {object} Run
 * @property {string[]} projects
 * @property {string[]} [files]
 * @property {NodeJS.ProcessEnv} [env]
 */

/** @type {Run[]} */
const withoutN8n = [
	...(isIn(quick).length && !(seed && !everything) ? [{ projects: grouped(isIn(quick)) }] : []),
	...(seed ? [withPauses()] : []),
	...(chosen.includes('release') ? [{ projects: ['release'] }] : []),
	...(chosen.includes('long') && !args.length ? [drawnAtRandom()] : []),
];
/** @type {Run[]} */
const withN8n = isIn(inN8n.filter((layer) => !patient.includes(layer))).map((layer) => ({
	projects: [layer],
	...(layer === 'ai' && { env: { AGENT_BRIDGE_HOST: aiHostFolder } }),
}));
/**
 * What runs side by side: each alone leaves half of two cores idle. Within one, a run comes after the other. Three at once would keep both
 * cores busy all the time: what waits for n8n would then be late.
 *
 * @type {Run[][]}
 */
const lanes = [
	...(everything ? [[...withoutN8n, ...withN8n]] : [withoutN8n, withN8n]),
	isIn(patient).length ? [{ projects: isIn(patient) }] : [],
].filter((lane) => lane.length);

const total = { passed: 0, failed: 0 };
/** @type {string[]} */
const times = [];
try {
	const programs = {
		...(chosen.includes('browser') && prepareBrowser()),
		...((chosen.some((layer) => ['queue', 'soak'].includes(layer)) || onWorkers) && {
			AGENT_BRIDGE_REDIS: findRedis(),
		}),
		...(onWorkers && { AGENT_BRIDGE_ON_WORKERS: 'true' }),
		AGENT_BRIDGE_SOAK: process.argv.filter((arg) => ofSoak.test(arg)).join(' '),
	};
	const { toolsAreThere, n8nIsThere } = startInstalling();
	await toolsAreThere;
	const needsTarball = chosen.some((layer) => layer === 'package' || inN8n.includes(layer));
	const tarball = needsTarball ? await timed('build and pack', pack) : undefined;
	await inRunFolder(async (folder) => {
		const [shown, ...beside] = lanes.map(async (lane, at) => {
			const outputs = [];
			for (const run of lane) {
				if (run.projects.some((layer) => !['unit', 'release'].includes(layer))) await n8nIsThere;
				const output = at === 0 ? undefined : join(folder, `${run.projects.join('-')}.log`);
				if (output) outputs.push(output);
				const name = nameOf(run);
				const env = { ...run.env, ...programs };
				const { passed, failed } = await timed(name, () =>
					runTests({ ...run, name, env, folder, tarball, output }),
				);
				total.passed += passed;
				total.failed += failed;
			}
			return outputs;
		});
		// either may fail first
		const ended = Promise.allSettled([shown, ...beside]);
		await shown;
		if (beside.length) console.log('\nThose in n8n go on …');
		for (const outcome of await ended) {
			if (outcome.status === 'rejected') throw outcome.reason;
			for (const output of outcome.value ?? []) process.stdout.write(readFileSync(output));
		}
	});
} catch (error) {
	tellAndExit(error);
}
if (times.length) console.log(`\n${times.join(', ')}`);
if (seed) console.log(`The pauses again: npm run test:jitter -- --jitter=${seed}`);
if (process.env.AGENT_BRIDGE_RESULTS)
	appendFileSync(process.env.AGENT_BRIDGE_RESULTS, `${total.passed} ${total.failed}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed ? 1 : 0;

function usualLayers() {
	if (seed) return ['unit', 'engine'];
	if (onWorkers) return ['n8n'];
	return args.length ? quick : [...quick, 'n8n'];
}

/** @param {Run} run */
function nameOf({ projects, env = {} }) {
	const { AGENT_BRIDGE_JITTER: pauses, AGENT_BRIDGE_CASES: cases } = env;
	const how = pauses ? ` with pauses of seed ${pauses}` : cases ? ` of ${cases} random cases` : '';
	return `${projects.join(', ')} tests${how}`;
}

/**
 * All tests of the nodes are run in a few files (test/groups).
 *
 * @param {readonly string[]} projects
 */
function grouped(projects) {
	return projects.map((layer) => (layer === 'engine' && !args.length ? 'grouped' : layer));
}

/**
 * The tests in which something waits, which is where there are pauses. With `--all` without those that send one thing after the
 * other, and with fewer random cases: these are drawn in the other runs.
 *
 * @returns {Run}
 */
function withPauses() {
	const env = { AGENT_BRIDGE_JITTER: seed };
	if (named.length && !everything) return { projects: grouped(isIn(quick)), env };
	if (args.length) return { projects: isIn(quick), env };
	const one = /(documented|everyField|foundNothing|largeFiles|modelChoices|platform)\.test/;
	/** @param {string} folder */
	const paced = (folder) =>
		filesWith(/\bawait\b/, [folder]).filter((file) => !everything || !one.test(file));
	return {
		projects: ['unit', 'grouped'],
		files: [...paced('unit'), ...paced('explore'), 'test/groups/'],
		env: {
			...env,
			AGENT_BRIDGE_GROUPED: paced('engine').join(' '),
			...(everything && { AGENT_BRIDGE_CASES: '10' }),
		},
	};
}

/** What the quick ones draw at random, at length. */
function drawnAtRandom() {
	return {
		projects: ['unit', 'engine'],
		files: filesWith(/support\/(cases|fastCheck)|_RUNS/, ['unit', 'service', 'engine', 'explore']),
		env: { AGENT_BRIDGE_CASES: '2000', AGENT_BRIDGE_RUNS: '2000' },
	};
}

/**
 * @param {RegExp} text
 * @param {readonly string[]} folders
 */
function filesWith(text, folders) {
	return folders
		.flatMap((folder) =>
			readdirSync(join(root, 'test', folder), { recursive: true, encoding: 'utf8' }).map((file) =>
				join('test', folder, file),
			),
		)
		.filter(
			(file) => file.endsWith('.test.ts') && text.test(readFileSync(join(root, file), 'utf8')),
		);
}

/**
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 */
async function timed(name, work) {
	const started = Date.now();
	const result = await work();
	times.push(`${name} ${((Date.now() - started) / 1000).toFixed(1)} s`);
	return result;
}

/** Asked first: it is known at once whether there is a browser. @returns what its tests read of the environment */
function prepareBrowser() {
	rmSync(join(root, '.browser'), { recursive: true, force: true });
	return {
		AGENT_BRIDGE_CHROMIUM: findChromium(),
		...(pictures && { AGENT_BRIDGE_PICTURES: 'true' }),
	};
}

/** Building need not wait for n8n. */
function startInstalling() {
	/** @type {Promise<void>} */
	let n8nIsThere = Promise.resolve();
	/** @type {Promise<void>} */
	const toolsAreThere = new Promise((resolve, reject) => {
		/** @type {import('./install.mjs').Parts} */
		const parts = {
			tools: chosen.includes('release') ? 'all' : 'test',
			host: needsN8n(chosen),
			aiHost: chosen.includes('ai'),
			postgres: onWorkers || chosen.some((layer) => ['queue', 'long', 'soak'].includes(layer)),
			agents: chosen.includes('long'),
		};
		n8nIsThere = timed('install', () => install({ ...parts, toolsAreThere: resolve }));
		n8nIsThere.then(resolve, reject);
	});
	return { toolsAreThere, n8nIsThere };
}

/** Those of the nodes use n8n's SDK for chat models, which comes with n8n. Those of n8n Agents have an n8n of their own. */
/** @param {readonly string[]} projects */
function needsN8n(projects) {
	return projects.some((layer) => !['unit', 'release', 'ai'].includes(layer));
}

/** @param {readonly string[]} projects */
function workersFor([layer = '', another]) {
	// more than two cores can keep busy: most of these tests wait most of their time. Two n8n in queue mode fill 6 GB, and one of
	// three files that come first has none. With others beside them, the quick ones would only be in their way.
	const isQuick = [...quick, 'grouped'].includes(layer) && lanes.length === 1;
	return isQuick || (patient.includes(layer) && another) ? 3 : 2;
}

/**
 * One jest process. One that crashed, did nothing or said nothing counts as a failure.
 *
 * @param {Run & { name: string, folder: string, tarball: string | undefined, output: string | undefined }} run
 * @returns {Promise<{ passed: number, failed: number }>}
 */
async function runTests({ projects, name, files = [], env, folder, tarball, output }) {
	if (!output) console.log(`\n${name} …`);
	const results = join(folder, `${name.replaceAll(' ', '-')}.json`);
	const flags = [
		'--disable-warning=ExperimentalWarning',
		'--experimental-vm-modules',
		'node_modules/jest/bin/jest.js',
	];
	const order = ['--testSequencer=./scripts/waitingFirst.cjs'];
	const workers = [`--maxWorkers=${workersFor(projects)}`];
	const reporters = ['default', './scripts/countingReporter.cjs'].map(
		(reporter) => `--reporters=${reporter}`,
	);
	const written = output ? openSync(output, 'a') : 'inherit';
	const child = spawn(
		node24(),
		// options that take lists come last: they would take what follows for more of the list
		[
			...flags,
			...args,
			...files,
			...order,
			...workers,
			...reporters,
			'--selectProjects',
			...projects,
		],
		{
			cwd: root,
			stdio: ['ignore', written, written],
			timeout: longest,
			killSignal: 'SIGKILL',
			env: {
				...node24Environment(),
				...env,
				TMPDIR: folder,
				...(tarball && { AGENT_BRIDGE_TARBALL: tarball }),
				AGENT_BRIDGE_COUNTS: results,
			},
		},
	);
	const code = await new Promise((resolve, reject) =>
		child.once('error', reject).once('close', resolve),
	);
	if (!existsSync(results)) {
		console.log(`The ${name} ended with ${code ?? 'a kill'} and no results.`);
		return { passed: 0, failed: 1 };
	}
	const { passed, failed } = JSON.parse(readFileSync(results, 'utf8'));
	const silent = failed === 0 && (code !== 0 || passed === 0);
	if (silent) console.log(`The ${name} ended with ${code ?? 'a kill'} after ${passed} tests.`);
	return { passed, failed: failed + (silent ? 1 : 0) };
}
