import { globSync } from 'node:fs';
import { resolve } from 'node:path';

const GROUPS = 6;

/**
 * Some of the tests of the nodes as if they were one file: n8n's engine is loaded once for all of them, which takes three times as
 * long as the tests of an average file. This is for runs of all of them (scripts/test.mjs): a file alone is run as it is.
 */
export function group(number: number) {
	const chosen = process.env['AGENT_BRIDGE_GROUPED']?.split(' ');
	const files = (chosen ?? globSync('test/{engine,bench}/*.test.ts')).sort();
	for (const [at, file] of files.entries())
		if (at % GROUPS === number) describe(file, () => void jest.requireActual(resolve(file)));
}
