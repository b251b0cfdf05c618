// npm run soak: makes 2,000 media jobs from start to file, in n8n's engine with the built package, while the reference
// service fails in every way, and compares with its own book. Exits with 1 when a goal is missed. Options go to
// test/soak/main.ts: `npm run soak -- --jobs=200 --seed=7`.
// With `--queue` it goes through a real n8n in queue mode, whose processes are killed.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { install, tellAndExit } from './install.mjs';
import { node24, node24Environment, root } from './machine.mjs';
import { pack } from './pack.mjs';
import { findRedis } from './programs.mjs';
import { inRunFolder } from './run.mjs';
import { cacheFolder } from './sources.mjs';
import { step } from './step.mjs';

/** Milliseconds; it takes a few minutes on two processors, in queue mode a quarter of an hour. */
const longest = 60 * 60_000;

const isQueue = process.argv.includes('--queue');

try {
	const redis = isQueue ? { AGENT_BRIDGE_REDIS: findRedis() } : {};
	await install({ host: isQueue, postgres: isQueue });
	const tarball = await pack();
	process.exitCode = await inRunFolder(async (folder) =>
		soak(folder, { ...redis, AGENT_BRIDGE_TARBALL: tarball }),
	);
} catch (error) {
	tellAndExit(error);
}

/**
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<number>} the exit code
 */
async function soak(folder, environment) {
	// inside node_modules, so that it finds the packages that it leaves out
	const program = join(cacheFolder, `soak-${process.pid}.cjs`);
	const main = 'test/soak/main.ts';
	const bundle = ['--bundle', '--platform=node', '--format=cjs', '--packages=external'];
	await step(
		'Putting the soak together',
		node24(),
		['node_modules/esbuild/bin/esbuild', main, ...bundle, `--outfile=${program}`],
		{ cwd: root, env: node24Environment(), quiet: true },
	);
	const child = spawn(
		node24(),
		['--disable-warning=ExperimentalWarning', program, ...process.argv.slice(2)],
		{
			cwd: root,
			stdio: ['ignore', 'inherit', 'inherit'],
			timeout: longest,
			killSignal: 'SIGKILL',
			env: {
				...node24Environment(),
				...environment,
				TMPDIR: folder,
				N8N_USER_FOLDER: folder,
				N8N_LOG_LEVEL: 'silent',
				N8N_ENCRYPTION_KEY: 'the key of a soak',
			},
		},
	);
	try {
		return await new Promise((resolve, reject) =>
			child.once('error', reject).once('close', (code) => resolve(code ?? 1)),
		);
	} finally {
		rmSync(program, { force: true });
	}
}
