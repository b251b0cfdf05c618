import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { linkPackages } from '../package/copyOfPackage';

const root = join(__dirname, '..', '..');

/** Milliseconds for all checks, with two builds and n8n's scanner: 20 s on a quiet machine, many times that on a busy one. */
export const PATIENCE = 900_000;

/** A copy of the whole repository with one commit, which may be changed and released without disturbing anybody. */
export function copyOfRepository(): string {
	const folder = mkdtempSync(join(tmpdir(), 'repository-'));
	const list = `import { listSourceFiles } from './scripts/release/sourceFiles.mjs';
		process.stdout.write(JSON.stringify(await listSourceFiles(process.cwd())));`;
	const listed = execFileSync(process.execPath, ['--input-type=module', '--eval', list], {
		cwd: root,
		encoding: 'utf8',
	});
	for (const file of JSON.parse(listed) as string[]) {
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		cpSync(join(root, file), join(folder, file));
	}
	linkPackages(folder);
	execFileSync('git', ['init', '--quiet'], { cwd: folder });
	commitAll(folder);
	return folder;
}

export function commitAll(folder: string) {
	const author = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
	execFileSync('git', ['add', '--all'], { cwd: folder });
	execFileSync('git', [...author, 'commit', '--quiet', '--message=test'], { cwd: folder });
}

/** Takes back what was changed since the last commit. */
export function restore(folder: string) {
	execFileSync('git', ['reset', '--quiet', '--hard'], { cwd: folder });
	execFileSync('git', ['clean', '--quiet', '-d', '--force'], { cwd: folder });
}

/** Replaces a part of a file of the copy, which has to be there. */
export function change(folder: string, file: string, before: string | RegExp, after: string) {
	const text = readFileSync(join(folder, file), 'utf8');
	const changed = text.replace(before, after);
	if (changed === text) throw new Error(`${file} does not have ${String(before)}`);
	writeFileSync(join(folder, file), changed);
}

export interface Outcome {
	code: number | null;
	/** What each check said, by its name: `ok: …`, `later: …` or `refused: …`. */
	said: Record<string, string[]>;
	output: string;
}

/** Runs `npm run release:check` of the copy with these arguments. */
export async function releaseCheck(folder: string, ...args: string[]): Promise<Outcome> {
	const child = spawn(process.execPath, ['scripts/release/check.mjs', ...args], { cwd: folder });
	let output = '';
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => (output += text));
	const code = await new Promise<number | null>((resolve, reject) =>
		child.once('error', reject).once('close', resolve),
	);
	const said: Record<string, string[]> = {};
	for (const [, word, name = '', sentence] of output.matchAll(
		/^(ok|later|refused) +(\w+) +(.+)$/gm,
	)) {
		(said[name] ??= []).push(`${word}: ${sentence}`);
	}
	return { code, said, output };
}
