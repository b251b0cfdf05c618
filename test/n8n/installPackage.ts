import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Installs the package's tarball into an n8n user folder, where n8n's own community nodes are installed to. */
export async function installPackage(userFolder: string, tarball: string) {
	const nodes = nodesFolder(userFolder);
	mkdirSync(nodes, { recursive: true });
	const manifest = join(nodes, 'package.json');
	if (!existsSync(manifest))
		writeFileSync(manifest, '{ "name": "installed-nodes", "private": true, "dependencies": {} }\n');
	const quick = [
		'--ignore-scripts',
		'--no-audit',
		'--no-fund',
		'--no-package-lock',
		'--loglevel=error',
	];
	// n8n provides the peer dependency; npm would bring a second copy of it
	await promisify(execFile)('npm', ['install', '--omit=peer', ...quick, tarball], { cwd: nodes });
	if (!existsSync(join(nodes, 'node_modules', 'n8n-nodes-agent-bridge', 'package.json'))) {
		throw new Error(`npm did not install ${tarball} into ${nodes}`);
	}
}

/** Gives an n8n user folder the community nodes that another one has, as an image with them installed would. */
export function copyInstalledPackage(from: string, to: string) {
	cpSync(nodesFolder(from), nodesFolder(to), { recursive: true });
}

const nodesFolder = (userFolder: string) => join(userFolder, '.n8n', 'nodes');
