// Builds and packs what is committed twice, in two folders and under different conditions: what differs could hide anything.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { node24Environment } from '../machine.mjs';
import { listSourceFiles } from './sourceFiles.mjs';

const run = promisify(execFile);

/** What must not matter: how long the path is, the time zone, the language, and who may read new files. */
const first = { folder: 'a', umask: '022', env: { TZ: 'UTC', LC_ALL: 'C' } };
const second = {
	folder: join('second', 'build in a longer path'),
	umask: '077',
	env: { TZ: 'Pacific/Auckland', LC_ALL: 'C.UTF-8' },
};

/**
 * The copy that it was made in, its tarball, and its unpacked files by their paths.
 *
 * @typedef {{ copy: string, tarball: string, files: Map<string, Buffer> }} Build
 */

/**
 * @param {string} root
 * @param {string} folder where the copies go
 * @returns {Promise<[Build, Build]>}
 */
export async function buildTwice(root, folder) {
	const files = await sourceFiles(root);
	/** @param {typeof first} condition */
	const build = async ({ folder: name, umask, env }) => {
		const copy = join(folder, name, 'package');
		copySources(root, copy, files);
		const command = `umask ${umask} && node scripts/build.mjs >&2 && npm pack --ignore-scripts --json --loglevel=error`;
		const { stdout } = await run('sh', ['-c', command], {
			cwd: copy,
			env: { ...node24Environment(), ...env },
			maxBuffer: 2 ** 26,
		});
		const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
		const unpacked = join(folder, name, 'unpacked');
		mkdirSync(unpacked);
		await run('tar', ['-xzf', join(copy, filename), '-C', unpacked]);
		return { copy, tarball: join(copy, filename), files: readAll(join(unpacked, 'package')) };
	};
	// one after the other: they are not to share a moment either
	return [await build(first), await build(second)];
}

/**
 * @param {readonly [Build, Build]} builds
 * @returns what is not the same in both, as sentences
 */
export function findDifferences([one, other]) {
	const paths = [...new Set([...one.files.keys(), ...other.files.keys()])].sort();
	const different = paths.filter((path) => {
		const [bytes, others] = [one.files.get(path), other.files.get(path)];
		return !bytes || !others || !bytes.equals(others);
	});
	if (different.length) {
		return [
			`two builds differ in ${different.slice(0, 5).join(', ')}${different.length > 5 ? ` and ${different.length - 5} more` : ''}: something of the machine, the folder or the time goes into them`,
		];
	}
	return readFileSync(one.tarball).equals(readFileSync(other.tarball))
		? []
		: ['the files of two builds are the same, their tarballs are not: npm packed them differently'];
}

/** @param {string} file */
export const hashOf = (file, algorithm = 'sha256') =>
	createHash(algorithm).update(readFileSync(file)).digest('hex');

/**
 * What goes into the package, or decides how it is built.
 *
 * @param {string} root
 */
async function sourceFiles(root) {
	const files = await listSourceFiles(root);
	return files.filter((file) => !/^(test|docs|gallery|lessons|\.github|\.ci)\//.test(file));
}

/**
 * @param {string} root
 * @param {string} copy
 * @param {readonly string[]} files
 */
function copySources(root, copy, files) {
	for (const file of files) {
		mkdirSync(dirname(join(copy, file)), { recursive: true });
		cpSync(join(root, file), join(copy, file));
		// git keeps no more of a file's mode than whether it can be run, and npm packs the mode
		chmodSync(join(copy, file), 0o644);
	}
	// each package by itself: what a build remembers in node_modules/.cache stays in the copy
	mkdirSync(join(copy, 'node_modules'));
	for (const name of readdirSync(join(root, 'node_modules'))) {
		if (!name.startsWith('.'))
			symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
	}
}

/** @param {string} folder */
function readAll(folder) {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => !entry.isDirectory())
		.map((entry) => join(entry.parentPath, entry.name));
	return new Map(files.map((file) => [file.slice(folder.length + 1), readFileSync(file)]));
}
