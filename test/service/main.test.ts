import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

import { client } from './probe.ts';

const ROOT = resolve('.');
let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));

/** Starts the command as `npm run service` does; gives its output once it has all of it. */
async function run(args: string[], until: RegExp) {
	child = spawn(
		resolve(ROOT, 'node_modules/.bin/node'),
		['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', 'test/service/main.ts', ...args],
		{ cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
	);
	const started = child;
	let output = '';
	let errors = '';
	started.stderr?.on('data', (part: Buffer) => (errors += String(part)));
	await new Promise<void>((done, fail) => {
		started.once('exit', (code) => fail(new Error(`ended with ${code}: ${errors}`)));
		started.stdout?.on('data', (part: Buffer) => {
			output += String(part);
			if (until.test(output)) done();
		});
	});
	return {
		output,
		async end(signal: NodeJS.Signals) {
			started.removeAllListeners('exit');
			const exit = once(started, 'exit');
			started.kill(signal);
			const [code] = (await exit) as [number | null];
			return { code, errors };
		},
	};
}

it.each(['SIGTERM', 'SIGINT'] as const)(
	'prints addresses and keys, serves, and ends cleanly on %s',
	async (signal) => {
		const { output, end } = await run([], /Ctrl\+C/);
		const [, url = ''] = /^Reference service on (http:\/\/127\.0\.0\.1:\d+)$/m.exec(output) ?? [];
		const [, key = ''] = /^ {4}main +(router-main-\w+)$/m.exec(output) ?? [];
		expect((await client(url, { 'x-api-key': key }).get('/v1/models')).status).toBe(200);
		expect(await end(signal)).toEqual({ code: 0, errors: '' });
	},
);
