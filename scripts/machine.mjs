// What the machine must have before anything is installed. Runs on the system's own Node, without dependencies.
// as a whole: an old Node would fail on a name it does not have before it could be told so
import fs from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const hostFolder = join(root, 'test', 'host');
/** The same n8n with what its agents need. */
export const aiHostFolder = join(root, 'test', 'host-ai');
export const postgresFolder = join(root, 'test', 'postgres');
export const agentsFolder = join(root, 'test', 'host-agents');
export const gatewayFolder = join(root, 'test', 'host-gateway');

const oldestNode = 20;
const gigabyte = 1024 ** 3;

/** Something the person at the keyboard can put right: told as one sentence, without a stack. */
export class Refusal extends Error {}

const major = Number(process.versions.node.split('.')[0]);

/** The only release line that n8n and all of its prebuilt parts run on. npm scripts may run on the one that was brought. */
const systemIsNode24 = major === 24 && !process.execPath.includes('node_modules');

/** @throws Refusal when nothing here can work on this machine. */
export function checkMachine() {
	if (major < oldestNode) {
		throw new Refusal(
			`Node ${process.versions.node} is too old: install Node ${oldestNode} or newer, then run this again.`,
		);
	}
	if (!['linux', 'darwin'].includes(process.platform)) {
		throw new Refusal(
			`${process.platform} is not supported: use Linux, macOS or, on Windows, the Linux subsystem (WSL 2).`,
		);
	}
	if (!['x64', 'arm64'].includes(process.arch)) {
		throw new Refusal(
			`${process.arch} processors are not supported: n8n needs Node 24 on x64 or arm64.`,
		);
	}
	// the Node 24 that the installation brings is linked against glibc
	if (process.platform === 'linux' && !systemIsNode24 && !hasGlibc()) {
		throw new Refusal(
			'This Linux has no glibc (Alpine?): install Node 24 itself, then run this again.',
		);
	}
}

function hasGlibc() {
	/** @type {{ header?: { glibcVersionRuntime?: string } }} */
	const { header } = process.report.getReport();
	return Boolean(header?.glibcVersionRuntime);
}

/**
 * @param {string} folder
 * @param {number} gigabytes
 * @throws Refusal when `folder`'s disk has not `gigabytes` left.
 */
export function checkDisk(folder, gigabytes) {
	const { bavail, bsize } = fs.statfsSync(folder);
	const free = (bavail * bsize) / gigabyte;
	if (free < gigabytes) {
		throw new Refusal(
			`The disk of ${folder} has ${free.toFixed(1)} GB free, the installation needs about ${gigabytes} GB: free some space, then run this again.`,
		);
	}
}

/** A Node 24: the one the root's devDependencies brought, else the one that runs this. */
export function node24() {
	const brought = join(root, 'node_modules', '.bin', 'node');
	if (fs.existsSync(brought)) return brought;
	// it may be that of another clone, whose tests run this one; an installation may have replaced it
	if (major === 24 && fs.existsSync(process.execPath)) return process.execPath;
	throw new Refusal(
		'Node 24 is missing from node_modules: delete the folder node_modules, then run this again.',
	);
}

/** Whether the installation has to bring a Node 24. */
export const bringsNode24 = !systemIsNode24;

const withoutOwnBins = (process.env.PATH ?? '')
	.split(delimiter)
	.filter((folder) => !folder.includes('node_modules'))
	.join(delimiter);

/** The environment of an installation: not this clone's own binaries, which the installation may be replacing. */
export const systemEnvironment = () => ({ ...process.env, PATH: withoutOwnBins });

/** The environment of everything that n8n or the pack's tools run in: Node 24 first. */
export const node24Environment = () => ({
	...process.env,
	PATH: [dirname(node24()), join(root, 'node_modules', '.bin'), withoutOwnBins].join(delimiter),
});

/**
 * Whether a command of this name can be started.
 *
 * @param {string} name
 */
export const hasCommand = (name) =>
	withoutOwnBins.split(delimiter).some((folder) => folder && fs.existsSync(join(folder, name)));
