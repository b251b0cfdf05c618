import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What is said where a program is missing, without installing or building anything before. */
const refusalOf = async (script: string, env: Record<string, string>) =>
	await run(process.execPath, [script, '--queue'], { env }).then(
		() => 'it ran',
		({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) =>
			`${code}: ${stdout}${stderr}`.trim(),
	);

describe.each(['scripts/test.mjs', 'scripts/demo.mjs'])('%s --queue', (script) => {
	it('says what to install where there is no redis-server', async () => {
		expect(await refusalOf(script, { PATH: '/nowhere' })).toBe(
			'1: n8n\'s queue mode needs redis-server, and none was found. Install it (Debian, Ubuntu: "apt-get install redis-server"), or set REDIS_SERVER to its path, then run this again.',
		);
	});

	it('says so where REDIS_SERVER is no program', async () => {
		expect(await refusalOf(script, { PATH: '/nowhere', REDIS_SERVER: '/nowhere/redis' })).toBe(
			'1: REDIS_SERVER is set to /nowhere/redis, which is no program: set it to the path of a redis-server, or unset it.',
		);
	});
});
