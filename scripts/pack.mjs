// Builds and packs the package if its sources changed, and keeps the tarball by the hash of its sources: a run that
// uses one is not disturbed by another run that packs the next.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { node24, node24Environment, root } from './machine.mjs';
import { withLock } from './lock.mjs';
import { builtMark, cacheFolder, sourcesHash } from './sources.mjs';
import { step } from './step.mjs';

/** @returns the tarball's path. Everything must be installed. */
export async function pack() {
	const lock = join(root, '.build-lock');
	const build = async () => {
		const hash = sourcesHash();
		const built =
			existsSync(join(root, 'dist')) &&
			existsSync(builtMark) &&
			readFileSync(builtMark, 'utf8') === hash;
		const options = { cwd: root, env: node24Environment() };
		if (!built) await step('Building the package', node24(), ['scripts/build.mjs'], options);
		const tarball = join(cacheFolder, 'packed', `${hash.slice(0, 16)}.tgz`);
		if (built && existsSync(tarball)) return tarball;
		const folder = join(cacheFolder, `packing-${process.pid}`);
		mkdirSync(folder, { recursive: true });
		mkdirSync(join(cacheFolder, 'packed'), { recursive: true });
		try {
			const answer = await step(
				'Packing it',
				'npm',
				['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder],
				options,
			);
			const [{ filename }] = JSON.parse(answer.slice(answer.indexOf('[')));
			renameSync(join(folder, filename), tarball);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
		return tarball;
	};
	return await withLock(lock, build, (pid) =>
		console.log(`Waiting for process ${pid}, which is building the package …`),
	);
}
