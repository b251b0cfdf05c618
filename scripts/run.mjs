// The private folder of one run: everything that its tests and n8n instances write goes there and is deleted at its end.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './lock.mjs';

/**
 * Runs `work` with the folder and clears up after it, whether it ends, fails or is interrupted.
 *
 * @template T
 * @param {(folder: string) => Promise<T>} work
 * @param {(signal: NodeJS.Signals) => void} [onSignal] called on Ctrl-C when `work` ends by itself then; by default everything is cleared and the process exits
 */
export async function inRunFolder(work, onSignal) {
	const folder = mkdtempSync(join(tmpdir(), 'agent-bridge-'));
	const clear = () => {
		endLeftOver(folder);
		rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	};
	/** @param {NodeJS.Signals} signal */
	const interrupted = (signal) => {
		clear();
		process.exit(signal === 'SIGINT' ? 130 : 143);
	};
	process.on('SIGINT', onSignal ?? interrupted).on('SIGTERM', onSignal ?? interrupted);
	try {
		return await work(folder);
	} finally {
		clear();
	}
}

/**
 * A runner that was killed could not stop its n8n: each instance leaves its process in `<its folder>/owner`.
 *
 * @param {string} folder
 */
function endLeftOver(folder) {
	for (const name of readdirSync(folder)) {
		let owner;
		try {
			owner = readFileSync(join(folder, name, 'owner'), 'utf8');
		} catch {
			continue;
		}
		if (isAlive(owner)) process.kill(Number(owner.split(' ')[0]), 'SIGKILL');
	}
}
