// npm run demo: installs, builds and packs what is needed, then opens n8n with the package and the reference service.
// `--once` ends after the answers.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { install, tellAndExit } from './install.mjs';
import { withLock } from './lock.mjs';
import { node24, node24Environment, Refusal, root } from './machine.mjs';
import { pack } from './pack.mjs';

try {
	await install({ host: true });
	const tarball = await pack();
	mkdirSync(join(root, '.demo'), { recursive: true });
	process.exitCode = await withLock(
		join(root, '.demo', 'lock'),
		() => show(tarball),
		(pid) => {
			throw new Refusal(
				`A demo of this clone is running already, as process ${pid}: end it first.`,
			);
		},
	);
} catch (error) {
	tellAndExit(error);
}

/** The demo itself needs Node 24, which this process need not be. */
async function show(tarball) {
	const child = spawn(
		node24(),
		[
			'--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
			'--disable-warning=ExperimentalWarning',
			'scripts/showDemo.mjs',
			tarball,
			...process.argv.slice(2),
		],
		{ cwd: root, env: node24Environment(), stdio: ['ignore', 'inherit', 'inherit'] },
	);
	// Ctrl-C reaches the child as well; this process only waits for it to clear up
	process.on('SIGINT', () => undefined);
	for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'));
	return await new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}
