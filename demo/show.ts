// The demo, on Node 24 with everything installed: `node demo/show.ts <tarball> [--once]`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startInstance, type Instance } from '../test/n8n/instance.ts';
import {
	runDemo,
	runExamples,
	saveCredentials,
	startServices,
	tellAddresses,
	type Services,
} from './services.ts';
import { root } from '../scripts/machine.mjs';
import { tellWhile } from '../scripts/waiting.mjs';

const [tarball = '', ...flags] = process.argv.slice(2);
const folder = join(root, '.demo', 'n8n');
const installed = join(root, '.demo', 'installed');

let services: Services | undefined;
/** It may still be starting when the demo is ended. */
let starting: Promise<Instance> | undefined;
await runDemo(show, stop, {
	once: flags.includes('--once'),
	goodbye: 'Its data stays in .demo: delete the folder to begin anew.',
});

async function show() {
	mkdirSync(tmpdir(), { recursive: true });
	services = await startServices();
	const isNew = !existsSync(installed) || readFileSync(installed, 'utf8') !== tarball;
	console.log(isNew ? 'Installing the package into n8n and starting it …' : 'Starting n8n …');
	const started = Date.now();
	starting = startInstance({ folder, port: 5678, tarball: isNew ? tarball : undefined });
	const { editor } = await tellWhile('n8n starts', starting);
	writeFileSync(installed, tarball);
	console.log(`  done in ${((Date.now() - started) / 1000).toFixed(0)} s`);

	const demo = { ...services, editor };
	await tellWhile('n8n saves the credentials', saveCredentials(demo));
	const { failures, first } = await runExamples(demo);
	tellAddresses(demo, first);
	return failures;
}

async function stop() {
	const instance = await starting?.catch(() => undefined);
	await instance?.stop();
	await services?.stop();
}
