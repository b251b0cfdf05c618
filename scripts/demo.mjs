// npm run demo: installs, builds and packs what is needed, then opens n8n with the package and the reference service.
// `--queue` (npm run demo:queue) opens n8n in queue mode, with two workers, and kills one of them in the middle of a paid start.
// `--once` ends after the answers.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { install } from './install.mjs';
import { withLock } from './lock.mjs';
import { node24, node24Environment, Refusal, root } from './machine.mjs';
import { pack } from './pack.mjs';
import { findRedis } from './programs.mjs';
import { describeFailure } from './waiting.mjs';

const inQueueMode = process.argv.includes('--queue');

/** What is being installed is ended by Ctrl-C as well. */
const interrupted = () => {
	console.log('\nThe demo has ended before it began. Run it again: what is installed stays.');
	process.exit(130);
};
process.on('SIGINT', interrupted).on('uncaughtException', fail);

try {
	// asked first: it is known at once whether there is one
	const redis = inQueueMode ? findRedis() : undefined;
	await install({ tools: 'build', host: true, postgres: inQueueMode });
	const tarball = await pack();
	mkdirSync(join(root, '.demo'), { recursive: true });
	process.exitCode = await withLock(
		join(root, '.demo', 'lock'),
		() => show(tarball, redis),
		(pid) => {
			throw new Refusal(
				`A demo of this clone is running already, as process ${pid}: end it first.`,
			);
		},
	);
} catch (error) {
	fail(error);
}

/** @param {unknown} error */
function fail(error) {
	console.error(describeFailure(error));
	process.exit(1);
}

/**
 * The demo itself needs Node 24, which this process need not be.
 *
 * @param {string} tarball
 * @param {string | undefined} redis
 * @returns {Promise<number>} the exit code
 */
async function show(tarball, redis) {
	const child = spawn(
		node24(),
		[
			'--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
			'--disable-warning=ExperimentalWarning',
			inQueueMode ? 'demo/showQueue.ts' : 'demo/show.ts',
			tarball,
			...process.argv.slice(2),
		],
		{
			cwd: root,
			env: {
				...node24Environment(),
				// what n8n puts there is deleted with the folder
				TMPDIR: join(root, '.demo', 'tmp'),
				AGENT_BRIDGE_TARBALL: tarball,
				// a slow machine may take its time: whoever waits is told for what, and a process that dies ends it
				AGENT_BRIDGE_PATIENCE: 'Infinity',
				...(redis && { AGENT_BRIDGE_REDIS: redis }),
			},
			stdio: ['ignore', 'inherit', 'inherit'],
		},
	);
	// Ctrl-C reaches the child as well; this process only waits for it to clear up
	process.off('SIGINT', interrupted).on('SIGINT', () => undefined);
	for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'));
	return await new Promise((resolve, reject) => {
		child.once('error', reject).once('close', (code, signal) => {
			if (signal) console.error(`The demo was ended by ${signal}.`);
			resolve(code ?? 1);
		});
	});
}
