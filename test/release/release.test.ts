import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { commitAll, copyOfRepository, type Outcome, PATIENCE, releaseCheck } from './releaseCheck';

interface Sbom {
	bomFormat: string;
	serialNumber?: string;
	metadata: {
		timestamp?: string;
		component: { name: string; version: string; type: string; hashes: Array<{ content: string }> };
	};
	components: Array<{
		name: string;
		version: string;
		purl: string;
		licenses: Array<{ license?: { id: string }; expression?: string }>;
		hashes: Array<{ alg: string; content: string }>;
	}>;
	dependencies: Array<{ ref: string; dependsOn?: string[] }>;
}

let folder: string;
let outcome: Outcome;
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
	version: string;
	devDependencies: Record<string, string>;
};
const name = `n8n-nodes-agent-bridge-${manifest.version}`;

// as an owner would do it: docs/release.md
beforeAll(async () => {
	folder = copyOfRepository();
	const addresses = {
		repository: 'https://github.com/acme/agent-bridge',
		author: { name: 'Acme', email: 'nodes@acme.dev' },
	};
	writeFileSync(join(folder, 'addresses.json'), JSON.stringify(addresses));
	execFileSync(process.execPath, ['scripts/addresses.mjs'], { cwd: folder });
	commitAll(folder);
	outcome = await releaseCheck(folder, `--tag=v${manifest.version}`);
}, PATIENCE);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('is ready when the addresses are set and all is committed', () => {
	expect(outcome.output).toContain('Ready for release: see .release. Nothing was published.');
	const words = Object.values(outcome.said).flatMap((sentences) =>
		sentences.map((sentence) => sentence.split(':')[0]),
	);
	expect([outcome.code, words]).toEqual([0, Array<string>(12).fill('ok')]);
});

it('writes the addresses into every file that has one, and into the tarball', () => {
	const packed = (file: string) =>
		execFileSync('tar', ['-xzOf', `.release/${name}.tgz`, `package/${file}`], {
			cwd: folder,
			encoding: 'utf8',
		});
	const { homepage, bugs, repository, author } = JSON.parse(packed('package.json')) as Record<
		string,
		unknown
	>;
	expect({ homepage, bugs, repository, author }).toEqual({
		homepage: 'https://github.com/acme/agent-bridge#readme',
		bugs: { url: 'https://github.com/acme/agent-bridge/issues' },
		repository: { type: 'git', url: 'git+https://github.com/acme/agent-bridge.git' },
		author: { name: 'Acme', email: 'nodes@acme.dev' },
	});
	expect(packed('dist/credentials/ModelRouterApi.credentials.js')).toContain(
		'"https://github.com/acme/agent-bridge#credentials"',
	);
	const all = execFileSync('tar', ['-xzOf', `.release/${name}.tgz`], {
		cwd: folder,
		encoding: 'utf8',
		maxBuffer: 2 ** 26,
	});
	expect(all.match(/https:\/\/github\.com\/example\b.*/g)).toBeNull();
});

it('leaves the tarball, the list of what is in it, their hashes and the notes', () => {
	expect(readdirSync(join(folder, '.release')).sort()).toEqual([
		'SHA256SUMS',
		`${name}.cdx.json`,
		`${name}.tgz`,
		'notes.md',
	]);
	execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
		cwd: join(folder, '.release'),
	});
	expect(read('CHANGELOG.md')).toContain(read('.release/notes.md'));
	expect(read('.release/notes.md')).toMatch(/^### /m);
});

it('lists what is bundled, with version, license and hash, the same every time', () => {
	const { bomFormat, serialNumber, metadata, components, dependencies } = JSON.parse(
		read(`.release/${name}.cdx.json`),
	) as Sbom;
	const { timestamp, component } = metadata;
	expect([bomFormat, serialNumber, timestamp]).toEqual(['CycloneDX', undefined, undefined]);
	expect(component).toMatchObject({
		type: 'library',
		name: 'n8n-nodes-agent-bridge',
		version: manifest.version,
	});
	const [sum = ''] = execFileSync('sha512sum', [`.release/${name}.tgz`], {
		cwd: folder,
		encoding: 'utf8',
	}).split(' ');
	expect(component.hashes).toEqual([{ alg: 'SHA-512', content: sum }]);

	const bundled = {
		'@cfworker/json-schema': 'MIT',
		'big.js': 'MIT',
		'content-disposition': 'MIT',
		'magic-bytes.js': 'MIT',
		'sanitize-filename': 'WTFPL OR ISC',
		'truncate-utf8-bytes': 'WTFPL',
		uuid: 'MIT',
	};
	const listed = components.map(({ name: own, licenses, hashes, purl, version }) => ({
		name: own,
		license: licenses[0]?.license?.id ?? licenses[0]?.expression,
		algorithms: hashes.map(({ alg }) => alg),
		isAddress: purl.startsWith('pkg:npm/') && purl.endsWith(`@${version}`),
	}));
	expect(listed.sort((one, other) => (one.name < other.name ? -1 : 1))).toEqual(
		Object.entries(bundled).map(([own, license]) => ({
			name: own,
			license,
			algorithms: ['SHA-512'],
			isAddress: true,
		})),
	);
	for (const { name: own, version } of components)
		expect(version).toBe(manifest.devDependencies[own] ?? version);
	expect(dependencies.find(({ ref }) => ref.includes('sanitize-filename'))?.dependsOn).toEqual([
		expect.stringContaining('truncate-utf8-bytes'),
	]);
});

it('the workflows use the Node that everything is tested with', () => {
	const versions = ['ci', 'publish'].flatMap((file) => [
		...read(`.github/workflows/${file}.yml`).matchAll(/node-version: (\S+)/g),
	]);
	expect(new Set(versions.map(([, version]) => version))).toEqual(
		new Set([manifest.devDependencies['node']]),
	);
});
