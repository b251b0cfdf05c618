// npm test: installs, builds, packs, runs the unit, service, engine and package tests, then those in a real n8n.
// With arguments (`npm test -- agent`) only the fast tests whose path matches. `--n8n` and `--long` choose another part.
// The last line is "N passed, N failed", summed from the result files of the runners; the exit code follows.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, tellAndExit } from './install.mjs';
import { node24, node24Environment, root } from './machine.mjs';
import { pack } from './pack.mjs';
import { inRunFolder } from './run.mjs';

const longest = 45 * 60_000;

const chosen = ['n8n', 'long'].filter((project) => process.argv.includes(`--${project}`));
const args = process.argv.slice(2).filter((arg) => !['--n8n', '--long'].includes(arg));
const projects = chosen.length ? chosen : args.length ? ['unit'] : ['unit', 'n8n'];

const total = { passed: 0, failed: 0 };
const times = [];
try {
	if (projects.join() === 'long' && !hasLongTests()) {
		console.log('There are no long tests yet.');
	} else {
		await timed('install', () => install({ host: projects.some((project) => project !== 'unit') }));
		const tarball = await timed('build and pack', pack);
		await inRunFolder(async (folder) => {
			for (const project of projects) {
				const { passed, failed } = await timed(`${project} tests`, () =>
					runTests(project, folder, tarball),
				);
				total.passed += passed;
				total.failed += failed;
			}
		});
	}
} catch (error) {
	tellAndExit(error);
}
if (times.length) console.log(`\n${times.join(', ')}`);
if (process.env.AGENT_BRIDGE_RESULTS)
	appendFileSync(process.env.AGENT_BRIDGE_RESULTS, `${total.passed} ${total.failed}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed ? 1 : 0;

async function timed(name, work) {
	const started = Date.now();
	const result = await work();
	times.push(`${name} ${((Date.now() - started) / 1000).toFixed(1)} s`);
	return result;
}

/** One jest process. One that crashed, did nothing or said nothing counts as a failure. */
async function runTests(project, folder, tarball) {
	console.log(`\n${project} tests …`);
	const results = join(folder, `${project}.json`);
	const flags = [
		'--disable-warning=ExperimentalWarning',
		'--experimental-vm-modules',
		'node_modules/jest/bin/jest.js',
	];
	// jest would take one worker fewer than there are cores, and most of these tests wait
	const workers = project === 'unit' ? ['--maxWorkers=3'] : ['--runInBand'];
	const reporters = ['default', './scripts/countingReporter.cjs'].map(
		(name) => `--reporters=${name}`,
	);
	const child = spawn(
		node24(),
		// options that take lists come last: they would take what follows for more of the list
		[...flags, ...args, ...workers, ...reporters, '--selectProjects', project],
		{
			cwd: root,
			stdio: ['ignore', 'inherit', 'inherit'],
			timeout: longest,
			killSignal: 'SIGKILL',
			env: {
				...node24Environment(),
				TMPDIR: folder,
				AGENT_BRIDGE_TARBALL: tarball,
				AGENT_BRIDGE_COUNTS: results,
			},
		},
	);
	const code = await new Promise((resolve, reject) =>
		child.once('error', reject).once('close', resolve),
	);
	if (!existsSync(results)) {
		console.log(`The ${project} tests ended with ${code ?? 'a kill'} and no results.`);
		return { passed: 0, failed: 1 };
	}
	const { passed, failed } = JSON.parse(readFileSync(results, 'utf8'));
	const silent = failed === 0 && (code !== 0 || passed === 0);
	if (silent)
		console.log(`The ${project} tests ended with ${code ?? 'a kill'} after ${passed} tests.`);
	return { passed, failed: failed + (silent ? 1 : 0) };
}

function hasLongTests() {
	const folder = join(root, 'test', 'long');
	return (
		existsSync(folder) &&
		readdirSync(folder, { recursive: true }).some((file) => String(file).endsWith('.test.ts'))
	);
}
