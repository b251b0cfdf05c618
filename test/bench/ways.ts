import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Samples } from './row.ts';

/** Runs `ways.test.ts`, which has n8n's engine. Its counts are the same on every machine, however busy. */
export async function measureWays(): Promise<Samples> {
	const file = join(mkdtempSync(join(tmpdir(), 'ways-')), 'ways.json');
	const jest = ['node_modules/jest/bin/jest.js', '--selectProjects', 'engine', '--silent'];
	await promisify(execFile)(
		process.execPath,
		[...jest, '--runTestsByPath', 'test/bench/ways.test.ts'],
		{
			env: { ...process.env, AGENT_BRIDGE_WAYS: file },
		},
	);
	return JSON.parse(readFileSync(file, 'utf8')) as Samples;
}
