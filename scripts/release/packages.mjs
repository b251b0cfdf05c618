// What package.json and package-lock.json have to say about packages, so that an installation gets nothing but this one, and a
// build always the same tools.

/**
 * As much of package.json as the checks read.
 *
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {string} description
 * @property {string} license
 * @property {unknown} author
 * @property {string} homepage
 * @property {unknown} repository
 * @property {unknown} bugs
 * @property {Record<string, string>} scripts
 * @property {Record<string, string>} devDependencies
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {readonly string[]} [bundledDependencies]
 * @property {{ access?: string, provenance?: boolean }} [publishConfig]
 *
 * @typedef {object} LockedPackage
 * @property {string} version
 * @property {string} [integrity]
 * @property {string} [license]
 * @property {boolean} [link]
 * @property {Record<string, string>} [dependencies]
 *
 * @typedef {{ version: string, packages: Record<string, LockedPackage> }} Lock as much of package-lock.json
 */

/** npm runs these on the machine of whoever installs; the others, such as `prepack`, only where the package is made. */
const runWhenInstalled = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];

/**
 * @param {Manifest} manifest
 * @param {Lock} lock
 * @returns what is wrong, as sentences
 */
export function findPackageProblems(manifest, lock) {
	const problems = [];
	const dependencies = Object.keys({
		...manifest.dependencies,
		...manifest.optionalDependencies,
		...manifest.bundledDependencies,
	});
	if (dependencies.length) {
		problems.push(
			`package.json has the dependency ${dependencies[0]}: n8n verifies only packages without any. Make it a devDependency, which the build bundles`,
		);
	}
	for (const [name, version] of Object.entries(manifest.devDependencies)) {
		if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
			problems.push(`the devDependency ${name} is "${version}": write one exact version`);
		const locked = lock.packages[`node_modules/${name}`]?.version;
		if (locked !== version)
			problems.push(
				`package-lock.json has ${name} ${locked}, package.json ${version}: run npm install`,
			);
	}
	const unhashed = Object.entries(lock.packages).find(
		([path, { integrity, link }]) => path !== '' && !link && !integrity?.startsWith('sha512-'),
	);
	if (unhashed)
		problems.push(`package-lock.json has no sha512 of ${unhashed[0]}: npm ci could not check it`);
	for (const script of runWhenInstalled) {
		if (manifest.scripts[script])
			problems.push(`package.json has the script "${script}", which n8n forbids: remove it`);
	}
	const { access, provenance } = manifest.publishConfig ?? {};
	if (access !== 'public' || provenance !== true) {
		problems.push(
			'publishConfig in package.json has to be { "access": "public", "provenance": true }: n8n lists only packages with provenance',
		);
	}
	return problems;
}
