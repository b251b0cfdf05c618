// Where this machine's Chromium is, for the tests that look at the editor, and its Redis, for those of n8n's queue mode.
import fs from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { Refusal } from './machine.mjs';

/** @returns Chromium's path @throws Refusal when there is none */
export const findChromium = () =>
	findProgram({
		title: 'Chromium or Chrome',
		needed: 'The browser tests need Chromium',
		names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
		variable: 'CHROMIUM',
		packaged: 'chromium',
	});

/** @returns the Redis server's path @throws Refusal when there is none */
export const findRedis = () =>
	findProgram({
		title: 'redis-server',
		needed: "n8n's queue mode needs redis-server",
		names: ['redis-server'],
		variable: 'REDIS_SERVER',
		packaged: 'redis-server',
	});

/**
 * @param {{ title: string, needed: string, names: string[], variable: string, packaged: string }} program
 * @returns {string}
 */
function findProgram({ title, needed, names, variable, packaged }) {
	const wanted = process.env[variable];
	const found = (wanted ? [wanted] : names).flatMap(pathsOf).find(isProgram);
	if (found) return found;
	throw new Refusal(
		wanted
			? `${variable} is set to ${wanted}, which is no program: set it to the path of a ${title}, or unset it.`
			: `${needed}, and none was found. Install it (Debian, Ubuntu: "apt-get install ${packaged}"), or set ${variable} to its path, then run this again.`,
	);
}

/** @param {string} name */
const pathsOf = (name) =>
	isAbsolute(name)
		? [name]
		: (process.env.PATH ?? '')
				.split(delimiter)
				.filter(Boolean)
				.map((folder) => join(folder, name));

/** @param {string} path */
function isProgram(path) {
	try {
		fs.accessSync(path, fs.constants.X_OK);
		return fs.statSync(path).isFile();
	} catch {
		return false;
	}
}
