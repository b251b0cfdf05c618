import { appendFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { build, copyOfPackage, packedFiles } from './copyOfPackage';

interface Manifest {
	dependencies?: object;
	peerDependencies: object;
	n8n: {
		nodes: string[];
		credentials: string[];
		strict: boolean;
		n8nNodesApiVersion: number;
		aiNodeSdkVersion: number;
	};
}

let folder: string;
let said: string;
let files: string[];
let manifest: Manifest;

beforeAll(async () => {
	folder = copyOfPackage();
	said = await build(folder);
	files = await packedFiles(folder);
	manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const scripts = () => files.filter((file) => file.endsWith('.js'));

it('packs what is built from the sources, and the papers', () => {
	const built = globSync('{credentials,nodes,src}/**/*.ts', { cwd: folder }).map(
		(file) => `dist/${file.replace(/ts$/, 'js')}`,
	);
	const data = ['*.node', '__schema__/**/*', 'outputFields'].map((name) => `nodes/**/${name}.json`);
	const copied = globSync([...data, 'icons/*'], { cwd: folder }).map((file) => `dist/${file}`);
	const papers = ['LICENSE.md', 'README.md', 'package.json', 'dist/THIRD_PARTY_LICENSES.txt'];
	expect(files).toEqual([...built, ...copied, ...papers].sort());
});

it('depends on nothing but what n8n has', () => {
	expect(Object.keys(manifest.dependencies ?? {})).toEqual([]);
	expect(manifest.peerDependencies).toEqual({ '@n8n/ai-node-sdk': '*', 'n8n-workflow': '*' });
	expect(manifest.n8n.aiNodeSdkVersion).toBe(1);
});

it('requires nothing that an n8n installation does not have', () => {
	const required = scripts().flatMap((file) =>
		[...read(file).matchAll(/\b(?:require|import)\("([^"]+)"\)/g)].map(([, name]) => name),
	);
	const packages = required.filter((name) => !name?.startsWith('.'));
	expect([...new Set(packages)].sort()).toEqual([
		'@n8n/ai-node-sdk',
		'crypto',
		'n8n-workflow',
		'node:crypto',
	]);
});

// one file that fails to load keeps n8n from loading the whole package
it('loads n8n’s SDK for AI nodes only where the chat model is used', () => {
	const using = scripts().filter((file) => read(file).includes('"@n8n/ai-node-sdk"'));
	expect(using).toEqual(['dist/nodes/ModelRouter/LmChatModelRouter.node.js']);
	const lines = read(using[0]!).split('\n');
	const loading = lines.filter((line) => line.includes('require("@n8n/ai-node-sdk")'));
	// no line of the file's top level
	expect(loading).toEqual([expect.stringMatching(/^\s+.*Promise/)]);
});

it('every relative require leads to a file of the package', () => {
	for (const file of scripts()) {
		for (const [, name] of read(file).matchAll(/require\("(\.[^"]+)"\)/g)) {
			const path = join(file, '..', name ?? '');
			expect(files).toContain(path.endsWith('.json') ? path : `${path}.js`);
		}
	}
});

it('every module is there once', () => {
	// esbuild writes the name of each module that it puts into a file
	for (const file of scripts()) {
		const own = [...read(file).matchAll(/^\/\/ ((?:src|nodes|credentials)\/\S+\.ts)$/gm)].map(
			([, name]) => name,
		);
		expect([...new Set(own)]).toEqual([file.replace(/^dist\//, '').replace(/js$/, 'ts')]);
	}
	const bundled = scripts().filter((file) => /^\/\/ .*node_modules\//m.test(read(file)));
	expect(bundled).toEqual([
		'dist/src/core/files.js',
		'dist/src/core/money.js',
		'dist/src/core/schemaErrors.js',
		'dist/src/n8n/uuid.js',
	]);
	expect(said).toContain('bundled: dist/src/');
});

it('package.json names every node and credential, and each of them is there', () => {
	const { nodes, credentials, strict, n8nNodesApiVersion } = manifest.n8n;
	expect([strict, n8nNodesApiVersion]).toEqual([true, 1]);
	expect([...nodes, ...credentials].sort()).toEqual(
		files.filter((file) => /\.(node|credentials)\.js$/.test(file)),
	);
});

it('has every icon that a node or credential names', () => {
	const named = files
		.filter((file) => /\.(node|credentials)\.js$/.test(file))
		.flatMap((file) =>
			[...read(file).matchAll(/"file:([^"]+)"/g)].map(([, path]) => join(file, '..', path!)),
		);
	expect(named.length).toBeGreaterThan(0);
	for (const path of named) expect(files).toContain(path);
});

it('tells nothing of the machine that it was built on', () => {
	const telling = files.filter((file) =>
		[folder, process.cwd()].some((at) => read(file).includes(at)),
	);
	expect(telling).toEqual([]);
});

describe('the build fails', () => {
	const file = 'src/n8n/itemPool.ts';
	it.each<[string, string, RegExp]>([
		[
			'for a module of Node that n8n forbids',
			"\nimport { readFile } from 'fs';\nexport const planted = readFile;\n",
			/dist\/src\/n8n\/itemPool\.js needs fs, which no n8n installation provides/,
		],
		[
			'for a part of n8n-workflow that older ones do not have',
			"\nexport { NodeApiError as planted } from 'n8n-workflow/common';\n",
			/needs n8n-workflow\/common, which no n8n installation provides/,
		],
		[
			'for one package in two files',
			"\nexport { Big } from 'big.js';\n",
			/big\.js.* is in dist\/.* and in dist\/.*: import it in one file only/,
		],
		[
			'for a package that is not installed',
			"\nexport { x } from 'no-such-package';\n",
			/Could not resolve "no-such-package"/,
		],
	])('%s', async (_why, planted, message) => {
		const original = read(file);
		appendFileSync(join(folder, file), planted);
		await expect(build(folder)).rejects.toThrow(message);
		writeFileSync(join(folder, file), original);
		// what was built before is still in place
		expect(read('dist/src/n8n/itemPool.js')).not.toContain('planted');
	});

	it('for a node that is named and not there', async () => {
		const original = read('package.json');
		writeFileSync(
			join(folder, 'package.json'),
			original.replace('WorkspaceAgent.node.js', 'Missing.node.js'),
		);
		await expect(build(folder)).rejects.toThrow(
			'package.json names dist/nodes/WorkspaceAgent/Missing.node.js, which was not built',
		);
		writeFileSync(join(folder, 'package.json'), original);
	});
});

it.each([
	'.',
	'test/host',
	'test/host-ai',
	'test/host-agents',
	'test/host-gateway',
	'test/postgres',
])('the lock file in %s names no place to download from', (folder) => {
	expect(readFileSync(`${folder}/package-lock.json`, 'utf8')).not.toMatch(/"resolved"/);
});
