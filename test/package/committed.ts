import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Compares a file of the repository with what it has to be. With AGENT_BRIDGE_DOCS=write, as `npm run docs` sets it, it writes the
 * file first.
 */
export function expectCommitted(path: string, text: string) {
	if (process.env['AGENT_BRIDGE_DOCS'] === 'write') {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	}
	const isTrue = readIfThere(path) === text;
	expect({ path, ...(!isTrue && { run: 'npm run docs' }) }).toEqual({ path });
}

function readIfThere(path: string) {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return undefined;
	}
}
