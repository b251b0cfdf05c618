// Tells whether what the package is made of has changed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './machine.mjs';

const madeOf = [
	'credentials',
	'icons',
	'nodes',
	'src',
	'CHANGELOG.md',
	'LICENSE.md',
	'README.md',
	'package-lock.json',
	'package.json',
	'scripts/build.mjs',
	'scripts/licences',
];

/** One hash of every file that goes into the package. */
export function sourcesHash() {
	const hash = createHash('sha256');
	for (const file of madeOf.flatMap((name) => filesOf(name))) {
		hash
			.update(file)
			.update('\0')
			.update(readFileSync(join(root, file)))
			.update('\0');
	}
	return hash.digest('hex');
}

/** Where the scripts keep what they can make again. */
export const cacheFolder = join(root, 'node_modules', '.cache', 'agent-bridge');

/** Holds the hash of the sources that dist/ was last built from. */
export const builtMark = join(cacheFolder, 'built');

/**
 * @param {string} name
 * @returns {string[]}
 */
function filesOf(name) {
	if (!existsSync(join(root, name))) return [];
	if (name.includes('.')) return [name];
	return readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
		.map((file) => join(name, file))
		.filter((file) => statSync(join(root, file)).isFile())
		.sort();
}
