// npm run commits: refuses commits whose subject is longer than CONTRIBUTING allows. Exits with 1 if there is one.
// Looks at the commits of the working directory's history that are there, so a shallow clone has fewer, and a folder without a
// history has none.
import { execFileSync } from 'node:child_process';

const LONGEST = 72;

/** The rule is kept from then on; a third of the earlier subjects are longer. */
const KEPT_SINCE = Date.parse('2026-11-26T07:29:19Z');

const log = readLog();
const commits = (log ?? '').split('\n').flatMap((line) => {
	const [seconds, hash, subject] = line.split('\t');
	return subject && Number(seconds) * 1000 > KEPT_SINCE
		? [{ hash, length: [...subject].length, subject }]
		: [];
});
const long = commits.filter(({ length }) => length > LONGEST);
for (const { hash, length, subject } of long)
	console.log(`${hash} has a subject of ${length} characters, ${LONGEST} are allowed: ${subject}`);
if (log === undefined) console.log('There is no history here, so there is no subject to check.');
else if (!long.length)
	console.log(`Of ${commits.length} commits, no subject has more than ${LONGEST} characters.`);
process.exitCode = long.length ? 1 : 0;

/** @returns a line for each commit that is not a merge: the seconds of its commit, its hash and its subject */
function readLog() {
	try {
		return execFileSync(
			'git',
			['-c', 'safe.directory=*', 'log', '--no-merges', '--format=%ct%x09%h%x09%s'],
			{ encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore'] },
		);
	} catch {
		return undefined;
	}
}
