// The demo, on Node 24 with everything installed: `node scripts/showDemo.mjs <tarball> [--once]`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startInstance } from '../test/n8n/instance.ts';
import { dataTableScopes } from '../test/n8n/publicApi.ts';
import {
	createEnd,
	runExamples,
	saveCredentials,
	startServices,
	tellAddresses,
} from './demoServices.mjs';
import { root } from './machine.mjs';

const [tarball, ...flags] = process.argv.slice(2);
const folder = join(root, '.demo', 'n8n');
const installed = join(root, '.demo', 'installed');

let services;
let instance;
const run = createEnd(async () => {
	await instance?.stop();
	await services?.service.stop();
	await services?.mails.stop();
});
await run(show, {
	once: flags.includes('--once'),
	goodbye: 'Its data stays in .demo: delete the folder to begin anew.',
});

async function show() {
	mkdirSync(process.env.TMPDIR, { recursive: true });
	services = await startServices();
	const isNew = !existsSync(installed) || readFileSync(installed, 'utf8') !== tarball;
	console.log(isNew ? 'Installing the package into n8n and starting it …' : 'Starting n8n …');
	const started = Date.now();
	instance = await startInstance({ folder, port: 5678, tarball: isNew ? tarball : undefined });
	writeFileSync(installed, tarball);
	console.log(`  done in ${((Date.now() - started) / 1000).toFixed(0)} s`);

	const demo = { ...services, editor: instance.editor };
	await saveCredentials(demo, await instance.editor.createApiKey(dataTableScopes));
	const failures = await runExamples(demo);
	tellAddresses(demo);
	return failures;
}
