// Runs one long step as a child process and shows that it is alive.
import { spawn } from 'node:child_process';
import { tellWhile } from './waiting.mjs';

/** @param {number} since */
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(0)} s`;

/**
 * @typedef {object} StepOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} [timeout] milliseconds after which the command is ended, none by default
 * @property {boolean} [quiet]
 */

/**
 * Runs a command to its end and tells how long it took.
 *
 * @param {string} title
 * @param {string} command
 * @param {readonly string[]} args
 * @param {StepOptions} options
 * @returns what it wrote
 * @throws with the last lines of its output when it did not succeed
 */
export async function step(title, command, args, { cwd, env, timeout, quiet = false } = {}) {
	const started = Date.now();
	const child = spawn(command, args, { cwd, env, timeout, stdio: ['ignore', 'pipe', 'pipe'] });
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text) => (output += text));
	}
	if (!quiet) console.log(`${title} …`);
	// how much it downloads is said once
	const name = title.replace(/ \(.*\)$/, '');
	const ended = new Promise((resolve, reject) => {
		child.once('error', reject).once('close', (...end) => resolve(end));
	});
	const [code, signal] = await tellWhile(name, ended);
	if (code !== 0) {
		const tail = output.trim().split('\n').slice(-25).join('\n');
		throw new Error(`${name}: ${command} ended with ${signal ?? `code ${code}`}\n${tail}`);
	}
	if (!quiet) console.log(`${name}: done in ${seconds(started)}`);
	return output;
}
