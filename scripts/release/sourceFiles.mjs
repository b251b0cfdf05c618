// The files that a release is made of.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * All files of a folder but those that its .gitignore leaves out: nothing that only happens to lie there can get into a release.
 * Git looks at them as at new files, so the folder may be a copy without a history, or belong to another user.
 *
 * @param {string} folder
 */
export async function listSourceFiles(folder) {
	const history = mkdtempSync(join(tmpdir(), 'no-history-'));
	try {
		await run('git', ['init', '--quiet', '--bare', history]);
		const { stdout } = await run(
			'git',
			[
				`--git-dir=${history}`,
				`--work-tree=${folder}`,
				'ls-files',
				'-z',
				'--others',
				'--exclude-standard',
			],
			{ cwd: folder, maxBuffer: 2 ** 26 },
		);
		return stdout.split('\0').filter((file) => file && existsSync(join(folder, file)));
	} finally {
		rmSync(history, { recursive: true, force: true });
	}
}
