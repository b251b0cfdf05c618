import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Samples } from './row.ts';

/** Runs a test that measures. @param test Its file name in this folder. */
export async function measureInTest(test: string): Promise<Samples> {
	const file = join(mkdtempSync(join(tmpdir(), 'bench-')), 'samples.json');
	const jest = ['node_modules/jest/bin/jest.js', '--selectProjects', 'engine', '--silent'];
	await promisify(execFile)(process.execPath, [...jest, '--runTestsByPath', `test/bench/${test}`], {
		env: { ...process.env, AGENT_BRIDGE_SAMPLES: file },
	});
	return JSON.parse(readFileSync(file, 'utf8')) as Samples;
}
