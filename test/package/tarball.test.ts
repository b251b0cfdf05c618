import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// what a user's n8n gets: the packed tarball, unpacked; `npm run scan` makes the checks that n8n makes of it
let folder: string;
let files: string[];
let manifest: Record<string, unknown> & {
	n8n: { nodes: string[]; credentials: string[] };
	files: string[];
};

beforeAll(() => {
	const tarball = process.env['AGENT_BRIDGE_TARBALL'];
	if (!tarball) throw new Error('no tarball: these tests run by "npm test"');
	folder = mkdtempSync(join(tmpdir(), 'unpacked-'));
	execFileSync('tar', ['-xzf', tarball, '-C', folder]);
	const root = join(folder, 'package');
	files = readdirSync(root, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
		.sort();
	manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (file: string) => readFileSync(join(folder, 'package', file), 'utf8');

it('holds nothing but what was built and the papers', () => {
	const others = files.filter(
		(file) => !/^dist\/(credentials|nodes|src|icons)\/.+\.(js|node\.json|svg|png)$/.test(file),
	);
	expect(
		others.filter(
			(file) =>
				!/^(package\.json|(README|LICENSE|CHANGELOG)(\.md)?|dist\/THIRD_PARTY_LICENSES\.txt)$/.test(
					file,
				),
		),
	).toEqual([]);
});

it('needs nothing but n8n', () => {
	expect(manifest['dependencies']).toBeUndefined();
	expect(manifest['peerDependencies']).toEqual({ '@n8n/ai-node-sdk': '*', 'n8n-workflow': '*' });
	const needed = files
		.filter((file) => file.endsWith('.js'))
		.flatMap((file) => [...read(file).matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name!));
	const packages = new Set(needed.filter((name) => !name.startsWith('.')));
	expect(
		[...packages].filter(
			(name) => !['@n8n/ai-node-sdk', 'n8n-workflow', 'crypto', 'node:crypto'].includes(name),
		),
	).toEqual([]);
});

it('names six nodes and three credentials, all there', () => {
	const { nodes, credentials } = manifest.n8n;
	expect([nodes.length, credentials.length]).toEqual([6, 3]);
	for (const file of [...nodes, ...credentials]) expect(files).toContain(file);
	for (const file of nodes) expect(files).toContain(file.replace(/\.js$/, '.json'));
});

it('holds every icon that a node or credential names', () => {
	const named = files
		.filter((file) => /\.(node|credentials)\.js$/.test(file))
		.flatMap((file) =>
			[...read(file).matchAll(/"file:([^"]+)"/g)].map(([, path]) => join(file, '..', path!)),
		);
	expect(named.length).toBeGreaterThan(0);
	for (const path of named) expect(files).toContain(path);
});

it('tells nothing of the machine it was built on', () => {
	const here = process.cwd();
	for (const file of files)
		expect({ file, named: read(file).includes(here) }).toEqual({ file, named: false });
});
