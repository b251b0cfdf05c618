// Where this machine's Chromium is, for the tests that look at the editor.
import fs from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { Refusal } from './machine.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** @returns the program's path @throws Refusal when there is none */
export function findChromium() {
	const wanted = process.env.CHROMIUM;
	const found = (wanted ? [wanted] : names).flatMap(pathsOf).find(isProgram);
	if (found) return found;
	throw new Refusal(
		wanted
			? `CHROMIUM is set to ${wanted}, which is no program: set it to the path of a Chromium or Chrome, or unset it.`
			: 'The browser tests need Chromium, and none was found. Install it (Debian, Ubuntu: "apt-get install chromium"), or set CHROMIUM to its path, then run this again.',
	);
}

const pathsOf = (name) =>
	isAbsolute(name)
		? [name]
		: (process.env.PATH ?? '')
				.split(delimiter)
				.filter(Boolean)
				.map((folder) => join(folder, name));

function isProgram(path) {
	try {
		fs.accessSync(path, fs.constants.X_OK);
		return fs.statSync(path).isFile();
	} catch {
		return false;
	}
}
