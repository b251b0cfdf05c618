// The list of what is in the package (SBOM, CycloneDX). npm writes it for an installation that has the bundled packages and no
// others: for this one, it would list 1,000 tools that nobody gets, and not tell which are bundled.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hashOf } from './twoBuilds.mjs';

const run = promisify(execFile);

/**
 * @import { BundledPackage } from './bundled.mjs'
 * @import { Lock, Manifest } from './packages.mjs'
 */

/**
 * What the list is made of.
 *
 * @typedef {object} About
 * @property {Manifest} manifest
 * @property {Lock} lock
 * @property {readonly BundledPackage[]} packages
 * @property {string} tarball
 * @property {string} folder for the files that npm reads. npm takes its name for that of the package.
 *
 * @typedef {object} Component
 * @property {string} name
 * @property {string} version
 * @property {string} [purl]
 * @property {unknown[]} [licenses]
 * @property {unknown[]} [hashes]
 *
 * @typedef {{ metadata: { component: Component }, components: Component[] }} Sbom
 */

/**
 * @param {About} about
 * @returns {Promise<Sbom>} the list as an object. The same for the same package: it names no time and no random number.
 */
export async function createSbom({ manifest, lock, packages, tarball, folder }) {
	mkdirSync(folder, { recursive: true });
	const names = packages.map(({ name }) => name);
	/** @param {Record<string, string>} [dependencies] */
	const only = (dependencies = {}) =>
		Object.fromEntries(Object.entries(dependencies).filter(([name]) => names.includes(name)));
	const { name, version, description, license, author, homepage, repository, bugs } = manifest;
	const installed = {
		name,
		version,
		description,
		license,
		author,
		homepage,
		repository,
		bugs,
		dependencies: only(manifest.devDependencies),
	};
	const locked = packages.map(({ path }) => {
		const { version, integrity, license, dependencies } = lock.packages[path] ?? {};
		return [path, { version, integrity, license, dependencies: only(dependencies) }];
	});
	/**
	 * @param {string} file
	 * @param {unknown} value
	 */
	const write = (file, value) => writeFileSync(join(folder, file), JSON.stringify(value));
	write('package.json', installed);
	write('package-lock.json', {
		name,
		version,
		lockfileVersion: 3,
		requires: true,
		packages: { '': installed, ...Object.fromEntries(locked) },
	});
	const { stdout } = await run(
		'npm',
		['sbom', '--sbom-format=cyclonedx', '--sbom-type=library', '--package-lock-only'],
		{ cwd: folder, maxBuffer: 2 ** 26 },
	);
	const {
		serialNumber: _number,
		metadata,
		...sbom
	} = JSON.parse(stdout.slice(stdout.indexOf('{')));
	const { timestamp: _time, component, ...rest } = metadata;
	const hashes = [{ alg: 'SHA-512', content: hashOf(tarball, 'sha512') }];
	return { ...sbom, metadata: { ...rest, component: { ...component, hashes } } };
}

/**
 * @param {Pick<About, 'lock' | 'packages'>} about
 * @returns what was bundled in another version than the lock file has, as sentences: npm would list a third thing
 */
export const findOtherVersions = ({ lock, packages }) =>
	packages
		.map((one) => ({ ...one, locked: lock.packages[one.path]?.version }))
		.filter(({ version, locked }) => version !== locked)
		.map(
			({ name, version, locked }) =>
				`${name} ${version} is bundled, and package-lock.json has ${locked}: run npm ci`,
		);

/**
 * @param {Sbom} sbom
 * @param {Pick<About, 'manifest' | 'packages'>} about
 * @returns what the list lacks or has wrong, as sentences
 */
export function findSbomProblems(sbom, { manifest, packages }) {
	const { component } = sbom.metadata;
	const listed = sbom.components.map(({ name, version }) => `${name} ${version}`);
	const bundled = packages.map(({ name, version }) => `${name} ${version}`);
	return [
		...(component.name === manifest.name && component.version === manifest.version
			? []
			: [`the SBOM is about ${component.name} ${component.version}`]),
		...bundled.filter((one) => !listed.includes(one)).map((one) => `the SBOM lacks ${one}`),
		...listed
			.filter((one) => !bundled.includes(one))
			.map((one) => `the SBOM has ${one}, which is not bundled`),
		...sbom.components
			.filter(({ purl, licenses, hashes }) => !purl || !licenses?.length || !hashes?.length)
			.map(({ name }) => `the SBOM has no address, license or hash of ${name}`),
	];
}
