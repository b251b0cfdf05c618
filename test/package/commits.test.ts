import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const script = join(__dirname, '..', '..', 'scripts', 'commits.mjs');
/** Before the rule was kept, and since then. */
const [before, since] = ['2026-11-26T07:29:19Z', '2026-11-26T07:29:20Z'];
/** A letter that takes two places in UTF-16 is one character. */
const subjectOf = (length: number) => '🌊'.repeat(length);

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'history-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(args: string[], date = since) {
	const author = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
	const env = { ...process.env, GIT_AUTHOR_DATE: before, GIT_COMMITTER_DATE: date };
	execFileSync('git', [...author, ...args], { cwd: folder, env, stdio: 'ignore' });
}

function commit(subject: string, date?: string) {
	git(['commit', '--allow-empty', `--message=${subject}`, '--message=A body.'], date);
}

function check(): [number | null, string] {
	const options = { cwd: folder, encoding: 'utf8' } as const;
	const { status, stdout } = spawnSync(process.execPath, [script], options);
	return [status, stdout.replace(/^[0-9a-f]{7,}/, '<hash>').trim()];
}

it('takes a subject of 72 characters, and what is older than the rule', () => {
	git(['init', '--quiet']);
	commit(subjectOf(100), before);
	commit(subjectOf(72));
	expect(check()).toEqual([0, 'Of 1 commits, no subject has more than 72 characters.']);
});

it('refuses one of 73, also where later ones are short', () => {
	git(['init', '--quiet']);
	commit(subjectOf(73));
	commit('fix: short');
	expect(check()).toEqual([
		1,
		`<hash> has a subject of 73 characters, 72 are allowed: ${subjectOf(73)}`,
	]);
});

it('leaves out merges, which GitHub names', () => {
	git(['init', '--quiet', '--initial-branch=main']);
	commit('fix: one');
	git(['checkout', '--quiet', '-b', 'other']);
	commit('fix: other');
	git(['checkout', '--quiet', 'main']);
	git(['merge', '--quiet', '--no-ff', '--message', subjectOf(92), 'other']);
	expect(check()).toEqual([0, 'Of 2 commits, no subject has more than 72 characters.']);
});

it('takes a folder without a history', () => {
	expect(check()).toEqual([0, 'There is no history here, so there is no subject to check.']);
});
