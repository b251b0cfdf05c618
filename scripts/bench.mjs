// npm run bench: installs, builds and packs what is needed, then measures the package in a real n8n, in 15 minutes at most.
// Options go to test/bench/main.ts: `npm run bench -- --only items`. Each row is written to .bench/<time>.jsonl when it is measured.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { install, tellAndExit } from './install.mjs';
import { node24, node24Environment, root } from './machine.mjs';
import { pack } from './pack.mjs';
import { findRedis } from './programs.mjs';
import { inRunFolder } from './run.mjs';

/**
 * What Ctrl-C does, once the program runs.
 *
 * @type {((signal: NodeJS.Signals) => void) | undefined}
 */
let onSignal;

try {
	await install({ host: true, postgres: redis() !== '' });
	const tarball = await pack();
	process.exitCode = await inRunFolder(
		(folder) => measure(tarball, folder),
		(signal) => onSignal?.(signal),
	);
} catch (error) {
	tellAndExit(error);
}

/**
 * @param {string} tarball
 * @param {string} folder
 * @returns {Promise<number>} the exit code
 */
async function measure(tarball, folder) {
	const flags = ['MODULE_TYPELESS_PACKAGE_JSON', 'ExperimentalWarning'].map(
		(name) => `--disable-warning=${name}`,
	);
	const child = spawn(
		node24(),
		[...flags, 'test/bench/main.ts', tarball, join(root, '.bench'), ...process.argv.slice(2)],
		{
			cwd: root,
			env: {
				...node24Environment(),
				TMPDIR: folder,
				AGENT_BRIDGE_TARBALL: tarball,
				AGENT_BRIDGE_REDIS: redis(),
			},
			stdio: ['ignore', 'inherit', 'inherit'],
		},
	);
	// it tells what it has, and ends by itself
	onSignal = (signal) => child.kill(signal);
	return await new Promise((resolve, reject) =>
		child.once('error', reject).once('close', (code) => resolve(code ?? 1)),
	);
}

/** @returns the path of redis-server; empty without one, and then there are no rows of queue mode */
function redis() {
	try {
		return findRedis();
	} catch {
		return '';
	}
}
