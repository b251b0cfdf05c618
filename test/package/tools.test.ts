import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// an npm command installs only the packages that it needs: scripts/tools.json says which
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as unknown;
const { devDependencies, peerDependencies } = read('package.json') as {
	devDependencies: Record<string, string>;
	peerDependencies: Record<string, string>;
};
const tools = read('scripts/tools.json') as { build: string[]; checks: string[] };
let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'imported-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Metafile {
	outputs: Record<string, { imports: Array<{ path: string; external?: boolean }> }>;
}

/** The packages that these files import, and our files that they import. */
function packagesOf(files: string[]) {
	const metafile = join(folder, 'metafile.json');
	const options = ['--bundle', '--platform=node', '--format=esm', '--packages=external'];
	const outputs = [`--outdir=${folder}`, `--metafile=${metafile}`, '--log-level=error'];
	execFileSync('node_modules/esbuild/bin/esbuild', [...files, ...options, ...outputs]);
	const { outputs: written } = read(metafile) as Metafile;
	const paths = Object.values(written)
		.flatMap(({ imports }) => imports)
		.map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
	return [...new Set(paths)].filter((name) => name in devDependencies).sort();
}

it('the build, the reference service and the demo need these, and the Node of n8n', () => {
	const sources = globSync('{src,nodes,credentials}/**/*.ts');
	const bundled = packagesOf(sources).filter((name) => !(name in peerDependencies));
	const programs = ['scripts/build.mjs', 'scripts/demo.mjs', 'demo/show.ts', 'demo/showQueue.ts'];
	const imported = packagesOf([...programs, 'test/service/main.ts']);
	expect([...new Set([...bundled, ...imported, 'node'])].sort()).toEqual(tools.build);
});

it('no test needs what checks style and spelling', () => {
	expect(tools.checks.filter((name) => !(name in devDependencies))).toEqual([]);
	const needing = globSync('test/*/**/*.ts', { exclude: (path) => path.includes('node_modules') })
		.filter((file) => !file.startsWith('test/release/'))
		.filter((file) => {
			const text = readFileSync(file, 'utf8');
			return tools.checks.some((name) => text.includes(`from '${name}`));
		});
	expect(needing).toEqual([]);
});
