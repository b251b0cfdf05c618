// npm run addresses: writes the addresses of addresses.json into every file that has one: package.json, the credentials, the
// files of the nodes, the link to the runbook, and the documents. With `-- --check` it only says which files differ. Exits with 1 if one does.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './machine.mjs';

/** Where an address of the repository may be. */
const places = [
	'credentials/*.ts',
	'nodes/**/*.node.json',
	'src/n8n/documentation.ts',
	'*.md',
	'docs/**/*.md',
	'.github/**/*.{md,yml}',
];

export const readAddresses = () => JSON.parse(readFileSync(join(root, 'addresses.json'), 'utf8'));

/**
 * @param {{ repository?: string, author?: { name?: string, email?: string } }} addresses
 * @returns what is in addresses.json and cannot be published, as sentences
 */
export function findPlaceholders({ repository = '', author: { name = '', email = '' } = {} }) {
	const { name: packageName } = readPackage();
	const [, owner, project = ''] =
		/^https:\/\/github\.com\/([\w.-]+)\/([\w.-]+)$/.exec(repository) ?? [];
	const found = [];
	if (!owner || project.endsWith('.git')) {
		found.push(
			`"repository" has to be https://github.com/<owner>/<name>, without an ending: it is "${repository}"`,
		);
	} else if (isPlaceholder(owner)) found.push(`"repository" has the placeholder owner "${owner}"`);
	if (name.trim() === '' || name === packageName || isPlaceholder(name))
		found.push(`"author.name" has to be a person or a company: it is "${name}"`);
	if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email) || isPlaceholder(email.split('@')[1]))
		found.push(`"author.email" has to be an address that somebody reads: it is "${email}"`);
	return found;
}

/** @returns the files whose addresses differ from addresses.json, with the text that they should have */
export function findOutdated() {
	const addresses = readAddresses();
	const { repository } = addresses;
	const pattern = addressPattern();
	const texts = globSync(places, { cwd: root })
		.sort()
		.map((file) => {
			const before = readFileSync(join(root, file), 'utf8');
			return { file, before, after: before.replace(pattern, repository) };
		});
	const before = readFileSync(join(root, 'package.json'), 'utf8');
	const manifest = Object.assign(JSON.parse(before), {
		homepage: `${repository}#readme`,
		bugs: { url: `${repository}/issues` },
		author: addresses.author,
		repository: { type: 'git', url: `git+${repository}.git` },
	});
	const after = `${JSON.stringify(manifest, undefined, '\t')}\n`;
	return [{ file: 'package.json', before, after }, ...texts].filter(
		(text) => text.before !== text.after,
	);
}

const readPackage = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * Words of templates, and the domains that are reserved for examples (RFC 2606).
 *
 * @param {string} [text]
 */
const isPlaceholder = (text = '') =>
	/^(your|my|the)?[-_. ]*(example|owner|name|user(name)?|author|org|company|placeholder|todo)[-_. ]*$/i.test(
		text,
	) || /(^|\.)(example(\.\w+)?|test|invalid|localhost)$/i.test(text);

/** What was written last, and whatever has the package's name: the address of a fork is replaced as well. */
function addressPattern() {
	const { name, repository } = readPackage();
	const last = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
	/** @param {string} text */
	const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
	// not where the name of another repository goes on
	return new RegExp(
		`(?:${escaped(last)}|https://github\\.com/[\\w.-]+/${escaped(name)})(?![\\w-])`,
		'g',
	);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	const outdated = findOutdated();
	const checkOnly = process.argv.includes('--check');
	for (const { file, after } of outdated) {
		if (!checkOnly) writeFileSync(join(root, file), after);
		console.log(`${file} ${checkOnly ? 'differs from addresses.json' : 'is written'}`);
	}
	if (outdated.length === 0) console.log('Every file has the addresses of addresses.json.');
	for (const sentence of findPlaceholders(readAddresses()))
		console.log(`Not ready for a release: ${sentence}.`);
	process.exitCode = checkOnly && outdated.length > 0 ? 1 : 0;
}
