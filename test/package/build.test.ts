import { appendFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { build, copyOfPackage, packedFiles } from './copyOfPackage';

let folder: string;
let said: string;
let files: string[];

beforeAll(async () => {
	folder = copyOfPackage();
	said = await build(folder);
	files = await packedFiles(folder);
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
	const { n8n } = JSON.parse(read('package.json')) as { n8n: Record<string, string[]> };
	expect([...n8n['nodes']!, ...n8n['credentials']!].sort()).toEqual(
		files.filter((file) => /\.(node|credentials)\.js$/.test(file)),
	);
});

it('tells nothing of the machine that it was built on', () => {
	const telling = files.filter((file) =>
		[folder, process.cwd()].some((at) => read(file).includes(at)),
	);
	expect(telling).toEqual([]);
});

describe('the build fails', () => {
	const file = 'src/n8n/itemPool.ts';
	it.each([
		[
			'for a module of Node that n8n forbids',
			"\nimport { readFile } from 'fs';\nexport const planted = readFile;\n",
			/dist\/src\/n8n\/itemPool\.js needs fs, which no n8n installation provides/,
		],
		[
			'for one package in two files',
			"\nexport { Big } from 'big.js';\n",
			/big\.js.* is in dist\/.* and in dist\/.*: import it in one file only/,
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
