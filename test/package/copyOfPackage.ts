import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PackageDirectoryLoader } from 'n8n-core';
import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');

const MADE_OF = [
	'credentials',
	'icons',
	'nodes',
	'src',
	'scripts',
	'package.json',
	'package-lock.json',
	'README.md',
	'LICENSE.md',
	'CHANGELOG.md',
];

/** A copy of the package in a folder of its own, which may be built, changed and broken without disturbing anybody. */
export function copyOfPackage(): string {
	const folder = mkdtempSync(join(tmpdir(), 'package-'));
	for (const name of MADE_OF) {
		if (existsSync(join(root, name)))
			cpSync(join(root, name), join(folder, name), { recursive: true });
	}
	linkPackages(folder);
	return folder;
}

/** Each package by itself: what a build remembers in node_modules/.cache stays in the folder. */
export function linkPackages(folder: string): void {
	mkdirSync(join(folder, 'node_modules'));
	for (const name of readdirSync(join(root, 'node_modules')))
		if (!name.startsWith('.'))
			symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
}

/** Runs the package's own build. @throws with what it said. */
export async function build(folder: string): Promise<string> {
	const { stdout } = await run(process.execPath, ['scripts/build.mjs'], { cwd: folder });
	return stdout;
}

/** The files that a user would get. */
export async function packedFiles(folder: string): Promise<string[]> {
	const options = ['pack', '--json', '--dry-run', '--ignore-scripts', '--loglevel=error'];
	const { stdout } = await run('npm', options, { cwd: folder });
	const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as Array<{
		files: Array<{ path: string }>;
	}>;
	return (packed?.files ?? []).map(({ path }) => path).sort();
}

/** The package as n8n has loaded it, from a copy of its own. */
export async function loadPackage() {
	const folder = copyOfPackage();
	await build(folder);
	const loader = new PackageDirectoryLoader(folder);
	await loader.loadAll();
	return {
		folder,
		loader,
		nodes: Object.values(loader.nodeTypes).map(({ type }) => type as INodeType),
		credentials: Object.values(loader.credentialTypes).map(({ type }): ICredentialType => type),
	};
}

export type LoadedPackage = Awaited<ReturnType<typeof loadPackage>>;

interface Found {
	place: string;
	property: INodeProperties;
	/** Whether it is in a collection. */
	nested: boolean;
}

/** All fields, those in collections included. */
export function propertiesBelow(
	place: string,
	properties: INodeProperties[],
	nested = false,
): Found[] {
	return properties.flatMap((property) => {
		const path = `${place}.${property.name}`;
		const inner = (property.options ?? []).flatMap((option) =>
			'values' in option ? option.values : 'type' in option ? [option as INodeProperties] : [],
		);
		return [{ place: path, property, nested }, ...propertiesBelow(path, inner, true)];
	});
}
