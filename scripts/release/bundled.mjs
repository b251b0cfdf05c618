// Which packages are in the built files, and whether each has its license text beside them. Read from the built files themselves:
// the build could be wrong about what it did.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @import { Build } from './twoBuilds.mjs' */

/** @typedef {{ path: string, name: string, version: string, license?: unknown }} BundledPackage */

/**
 * A sentence that only the text of this license has. Others are not used: somebody has to read them first.
 *
 * @type {Record<string, RegExp>}
 */
const licenses = {
	MIT: /Permission is hereby granted, free of charge/,
	ISC: /Permission to use, copy, modify, and\/or distribute this software/,
	'0BSD': /Permission to use, copy, modify, and\/or distribute this software/,
	'BSD-2-Clause': /Redistributions of source code must retain/,
	'BSD-3-Clause': /Neither the name of/,
	'Apache-2.0': /Apache License\s+Version 2\.0/,
	WTFPL: /DO WHAT THE FUCK YOU WANT TO PUBLIC LICENSE/,
};

/**
 * @param {Build} build
 * @returns {BundledPackage[]} by their names
 */
export function bundledPackages({ copy, files }) {
	/** @type {Set<string>} */
	const paths = new Set();
	for (const [file, bytes] of files) {
		if (!file.endsWith('.js')) continue;
		// esbuild writes the path of each module above it
		const modules = bytes.toString('utf8').matchAll(/^\/\/ (node_modules\/\S+)$/gm);
		for (const [, path = ''] of modules) paths.add(packageFolder(copy, path));
	}
	return [...paths].sort().map((path) => {
		const { name, version, license } = JSON.parse(
			readFileSync(join(copy, path, 'package.json'), 'utf8'),
		);
		return { path, name, version, license };
	});
}

/**
 * @param {Build} build
 * @param {readonly BundledPackage[]} packages
 * @returns what is wrong with the license texts of a build, as sentences
 */
export function findLicenseProblems({ copy, files }, packages) {
	const text = files.get('dist/THIRD_PARTY_LICENSES.txt')?.toString('utf8') ?? '';
	const problems = [];
	for (const { name, path, license } of packages) {
		const section = sectionOf(text, name);
		if (section === undefined) problems.push(`${name} is bundled and has no license text`);
		else problems.push(...findTextProblems(name, license, section));
		if (globSync(`${path}/NOTICE*`, { cwd: copy }).length)
			problems.push(`${name} has a NOTICE file, which has to come along: the build leaves it out`);
	}
	const kept = globSync('scripts/licences/**/*.txt', { cwd: copy }).map((file) =>
		file.slice('scripts/licences/'.length, -'.txt'.length),
	);
	for (const name of kept) {
		const bundled = packages.find((one) => one.name === name);
		if (!bundled) problems.push(`scripts/licences has a text of ${name}, which is not bundled`);
		else if (globSync(`${bundled.path}/LICEN[CS]E*`, { cwd: copy }).length)
			problems.push(`scripts/licences has a text of ${name}, which brings its own`);
	}
	return problems;
}

/**
 * The path of a module goes on below its package.
 *
 * @param {string} copy
 * @param {string} path
 */
function packageFolder(copy, path) {
	const [, folder] = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
	if (!folder || !existsSync(join(copy, folder, 'package.json')))
		throw new Error(`${path} is in the build, and its package is not in node_modules`);
	return folder;
}

/**
 * @param {string} text
 * @param {string} name
 */
function sectionOf(text, name) {
	const at = `\n---\n\n${text}`.indexOf(`\n---\n\n${name}\n\n`);
	// an entry ends where the next one begins, or with the file
	return at < 0 ? undefined : text.slice(at).split(/\n---\n\n(?=\S+\n\n)/)[0];
}

/**
 * @param {string} name
 * @param {unknown} license
 * @param {string} text
 */
function findTextProblems(name, license, text) {
	if (typeof license !== 'string') return [`${name} does not say its license in package.json`];
	// of alternatives one is enough
	const alternatives = license.replace(/[()]/g, '').split(' OR ');
	const unknown = alternatives.flatMap((all) => all.split(' AND ')).filter((id) => !licenses[id]);
	if (unknown.length === alternatives.length)
		return [`${name} has the license ${license}, which nobody has agreed to yet`];
	const isThere = alternatives.some((all) =>
		all.split(' AND ').every((id) => licenses[id]?.test(text.replace(/\s+/g, ' '))),
	);
	return isThere ? [] : [`the license text of ${name} is not that of ${license}`];
}
