// What package.json and package-lock.json have to say about packages, so that an installation gets nothing but this one, and a
// build always the same tools.

/** npm runs these on the machine of whoever installs; the others, such as `prepack`, only where the package is made. */
const runWhenInstalled = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];

/** @returns what is wrong, as sentences */
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
	const unhashed = Object.entries(lock.packages).filter(
		([path, { integrity, link }]) => path !== '' && !link && !integrity?.startsWith('sha512-'),
	);
	if (unhashed.length)
		problems.push(
			`package-lock.json has no sha512 of ${unhashed[0][0]}: npm ci could not check it`,
		);
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
