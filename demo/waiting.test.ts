import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { Refusal } from '../scripts/machine.mjs';
import { describeFailure, tellWhile } from '../scripts/waiting.mjs';
import { until } from '../test/n8n/editor';
import { OwnedProcess, type ProcessStart } from '../test/n8n/ownedProcess';

// what a person at a slow machine is told, and how a demo ends

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'demo-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A terminal whose time goes on when a test says so. */
function terminal() {
	const lines: string[] = [];
	let [time, next, step] = [0, Infinity, 0];
	let tick = () => {};
	return {
		lines,
		now: () => time,
		tell: (line: string) => void lines.push(line),
		every(ticked: () => void, milliseconds: number) {
			[tick, step, next] = [ticked, milliseconds, time + milliseconds];
			return () => void (next = Infinity);
		},
		pass(milliseconds: number) {
			for (const end = time + milliseconds; time < end; ) {
				time = Math.min(end, next);
				if (time === next) {
					next += step;
					tick();
				}
			}
		},
	};
}

describe('a person who waits', () => {
	it('is told every 15 seconds for what, until the work has ended', async () => {
		const on = terminal();
		let done: (result: string) => void = () => {};
		const work = tellWhile('n8n starts', new Promise<string>((resolve) => (done = resolve)), on);
		on.pass(14_999);
		expect(on.lines).toEqual([]);
		on.pass(30_001);
		expect(on.lines).toEqual([15, 30, 45].map((seconds) => `  … n8n starts: ${seconds} s`));
		done('ready');
		expect(await work).toBe('ready');
		on.pass(60_000);
		expect(on.lines).toHaveLength(3);
	});

	it('is told nothing more once the work has failed', async () => {
		const on = terminal();
		await expect(tellWhile('n8n starts', Promise.reject(new Error('no')), on)).rejects.toThrow(
			'no',
		);
		on.pass(60_000);
		expect(on.lines).toEqual([]);
	});

	it('has no limit in the demo, and one elsewhere', async () => {
		let hours = 0;
		jest.spyOn(Date, 'now').mockImplementation(() => (hours += 1) * 3_600_000);
		const wait = async () => {
			let asked = 0;
			await until('it is so', () => ++asked > 3, 5);
		};
		await expect(wait()).rejects.toThrow('after 5 s it is still not so that it is so');
		process.env['AGENT_BRIDGE_PATIENCE'] = 'Infinity';
		await expect(wait()).resolves.toBeUndefined();
		delete process.env['AGENT_BRIDGE_PATIENCE'];
		jest.restoreAllMocks();
	});
});

it.each<[string, unknown, RegExp]>([
	[
		'a program that ends while it starts',
		new Error('n8n ended while it was starting:\nport 5678 is taken\n    at boot (n8n.js:1:1)'),
		/^The demo has ended early: n8n ended while it was starting\. All that is known is in .*error\.log\. Run it again: what is installed stays\.$/,
	],
	[
		'an installation',
		new Error('Installing n8n: npm ended with code 1\nnpm error network\n    at x (y.js:1:1)'),
		/^The demo has ended early: Installing n8n: npm ended with code 1\. All/,
	],
	['what is no error', 'down', /^The demo has ended early: down\. All/],
	['what a person can put right', new Refusal('Node 12 is too old: install it.'), /^Node 12/],
])('a failure is told in sentences, and all of it is in a file: %s', (_what, error, told) => {
	const sentences = describeFailure(error, folder);
	expect(sentences).toMatch(told);
	expect(sentences).not.toMatch(/\n| at /);
	if (error instanceof Refusal) return;
	const written = readFileSync(join(folder, 'error.log'), 'utf8');
	expect(written).toContain(error instanceof Error ? error.message : error);
});

it('a failure is told where no file can be written', () => {
	const told = describeFailure(new Error('ENOSPC: no space left on device'), '/dev/null/x');
	expect(told).toMatch(/^The demo has ended early: ENOSPC: no space left on device\. Run it again/);
});

/** A program that does nothing until it is ended. */
class Idle extends OwnedProcess {
	async boot(more: Partial<ProcessStart> = {}) {
		const args = ['-e', 'setInterval(() => undefined, 1000)'];
		const isReady = () => true;
		await this.launch({ command: process.execPath, args, isReady, seconds: 240, ...more });
	}
	async stop() {
		await this.end('SIGTERM', 5000);
	}
}

it('a process that dies by itself is told of, and one that is ended is not', async () => {
	const idle = new Idle('n8n', folder);
	const deaths: string[] = [];
	const died = new Promise<void>((resolve) => {
		OwnedProcess.onDeath = ({ message }) => {
			deaths.push(message);
			resolve();
		};
	});
	await idle.boot();
	await idle.stop();
	await idle.boot();
	process.kill(idle.pid!, 'SIGKILL');
	await died;
	expect(deaths).toEqual(['n8n has ended by itself (SIGKILL)\n']);
	OwnedProcess.onDeath = () => undefined;
});

/** A demo of which the rest is made up, in a process of its own. @param show What it does */
const demo = (show: string) => [
	'--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
	'--disable-warning=ExperimentalWarning',
	'--input-type=module',
	'-e',
	`import { runDemo } from '${resolve('demo/services.ts')}';
	import { OwnedProcess } from '${resolve('test/n8n/ownedProcess.ts')}';
	const idle = setInterval(() => undefined, 1000);
	await runDemo(async () => { ${show} }, async () => console.log('ended'), { once: false, goodbye: 'Bye.' });`,
];

describe('a demo ends in a sentence', () => {
	it.each([
		[
			'it fails',
			`throw new Error('Nobody answers')`,
			/^The demo has ended early: Nobody answers\./,
		],
		[
			'what nobody waits for fails',
			`setTimeout(() => { throw new TypeError('x is not a function'); }); await new Promise(() => undefined);`,
			/^The demo has ended early: x is not a function\./,
		],
		[
			'n8n dies while the demo asks it',
			`setTimeout(() => OwnedProcess.onDeath(new Error('n8n has ended by itself (SIGKILL)\\nlog')), 50); throw new Error('connect ECONNREFUSED')`,
			/^The demo has ended early: n8n has ended by itself \(SIGKILL\)\./,
		],
		[
			'n8n dies after the answers',
			`setTimeout(() => OwnedProcess.onDeath(new Error('n8n has ended by itself')), 50); return 0;`,
			/^The demo has ended early: n8n has ended by itself\./,
		],
	])('if %s', async (_what, show, last) => {
		const failed = await promisify(execFile)(process.execPath, demo(show)).catch(
			(error: { code: number; stdout: string; stderr: string }) => error,
		);
		const lines = `${failed.stderr}${failed.stdout}`.trim().split('\n');
		expect(lines.at(-1)).toMatch(last);
		expect(lines.slice(-3, -1)).toEqual(['Stopping …', 'ended']);
		expect(lines.join('\n')).not.toMatch(/^\s+at /m);
		expect(failed).toMatchObject({ code: 1 });
	});

	it('after Ctrl-C', async () => {
		const child = spawn(
			process.execPath,
			demo(`console.log('shown'); await new Promise(() => undefined);`),
		);
		let told = '';
		for (const stream of [child.stdout, child.stderr])
			stream.on('data', (text) => {
				told += String(text);
				if (String(text).includes('shown')) child.kill('SIGINT');
			});
		const code = await new Promise((resolve) => child.once('close', resolve));
		expect([code, told.trim().split('\n')]).toEqual([
			0,
			['shown', '', 'Stopping …', 'ended', 'The demo was ended. Bye.'],
		]);
	});
});
