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

it.each(['SIGTERM', 'SIGINT'] as const)('one JSON line, ends cleanly on %s', async (signal) => {
	const service = await run(['--json', '--https'], /\n/);
	const told = JSON.parse(service.output) as {
		url: string;
		ca: string;
		agent: Array<{ key: string }>;
		router: { baseUrl: string; keys: { main: string } };
	};
	expect(new Set(told.agent.map(({ key }) => key)).size).toBe(3);
	expect(told.ca).toMatch('BEGIN CERTIFICATE');
	const http = client(told.router.baseUrl, { 'x-api-key': told.router.keys.main });
	expect((await http.get('/v1/models')).status).toBe(200);
	expect(await service.end(signal)).toEqual({ code: 0, errors: '' });
});

it('readable lines', async () => {
	const service = await run([], /Ctrl\+C/);
	expect(service.output).toMatch(/^Reference service on http:\/\/127\.0\.0\.1:\d+$/m);
	expect(service.output).toMatch(/^ {4}main +router-main-/m);
	await service.end('SIGTERM');
});
