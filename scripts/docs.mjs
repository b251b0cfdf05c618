// npm run docs: writes the pages of docs that are made from the nodes and the gallery by scripts/docs, and scripts/docs/outputs.json,
// which the pages use. Tests compare them with what is committed.
import { spawnSync } from 'node:child_process';
import { install, tellAndExit } from './install.mjs';
import { node24, node24Environment, root } from './machine.mjs';

try {
	await install({ host: true });
	// the pages show the outputs: those come first
	write('engine', 'test/engine/documented.test.ts');
	write('package', 'test/package/pages.test.ts', 'test/package/gallery.test.ts');
} catch (error) {
	tellAndExit(error);
}

/**
 * @param {string} project
 * @param {string[]} tests
 */
function write(project, ...tests) {
	const flags = ['--disable-warning=ExperimentalWarning', '--experimental-vm-modules'];
	const jest = ['node_modules/jest/bin/jest.js', '--selectProjects', project, '--', ...tests];
	const { status } = spawnSync(node24(), [...flags, ...jest], {
		cwd: root,
		stdio: 'inherit',
		env: { ...node24Environment(), AGENT_BRIDGE_DOCS: 'write' },
	});
	if (status !== 0) throw new Error(`${tests.join(' or ')} failed.`);
}
