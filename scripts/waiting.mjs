// What somebody who waits at a terminal is told: that it goes on, and in the end what went wrong.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Refusal, root } from './machine.mjs';

/** Milliseconds between two lines. */
const INTERVAL = 15_000;

/**
 * @typedef {object} Terminal
 * @property {() => number} now milliseconds
 * @property {(tick: () => void, milliseconds: number) => () => void} every gives what ends it
 * @property {(line: string) => void} tell
 */

/** @type {Terminal} */
const terminal = {
	now: () => Date.now(),
	every: (tick, milliseconds) => {
		const timer = setInterval(tick, milliseconds);
		return () => clearInterval(timer);
	},
	tell: (line) => console.log(line),
};

/**
 * Says every 15 seconds what is waited for, and for how long, until the work has ended.
 *
 * @template T
 * @param {string} what
 * @param {Promise<T>} work
 * @param {Terminal} on
 */
export async function tellWhile(what, work, { now, every, tell } = terminal) {
	const started = now();
	const end = every(
		() => tell(`  … ${what}: ${((now() - started) / 1000).toFixed(0)} s`),
		INTERVAL,
	);
	try {
		return await work;
	} finally {
		end();
	}
}

/**
 * Says in a sentence why a demo has ended, and puts all that is known into a file.
 *
 * @param {unknown} error
 * @param {string} folder for the file
 * @returns the sentences
 */
export function describeFailure(error, folder = join(root, '.demo')) {
	if (error instanceof Refusal) return error.message;
	const message = error instanceof Error ? error.message : String(error);
	const [first = ''] = message.trim().split('\n');
	const sentences = `The demo has ended early: ${first.replace(/[\s.:]+$/, '')}.`;
	const again = 'Run it again: what is installed stays.';
	try {
		mkdirSync(folder, { recursive: true });
		const file = join(folder, 'error.log');
		writeFileSync(file, `${(error instanceof Error && error.stack) || message}\n`);
		return `${sentences} All that is known is in ${relative(root, file)}. ${again}`;
	} catch {
		// the disk may be full
		return `${sentences} ${again}`;
	}
}
