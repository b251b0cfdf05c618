import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startQueue, type Queue } from '../queue/queue.ts';
import { startService, type Service } from '../service/service.ts';
import { startInstance, type Instance } from './instance.ts';
import { tellTests } from './shared.ts';

export const holder = globalThis as typeof globalThis & {
	shared?: { n8n: Instance | Queue; service: Service; folder: string };
};

/**
 * jest's globalSetup: one boot for all files, since a boot takes longer than most of them. After `--on-workers` it is an n8n
 * in queue mode, whose workers execute everything.
 */
export default async function bootShared() {
	const folder = mkdtempSync(join(tmpdir(), 'authority-'));
	const service = await startService({ https: true });
	const authority = join(folder, 'ca.pem');
	writeFileSync(authority, service.ca);
	const env = {
		NODE_EXTRA_CA_CERTS: authority,
		NODE_OPTIONS: `--require ${resolve('test/n8n/containerNames.cjs')}`,
	};
	if (process.env['AGENT_BRIDGE_ON_WORKERS']) {
		// as docs/scale.md says: a folder for files that all processes share; and pages, for forms
		const files = {
			N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
			N8N_BINARY_DATA_STORAGE_PATH: join(folder, 'files'),
		};
		const queue = await startQueue({ env: { ...env, ...files, N8N_DISABLE_UI: 'false' } });
		holder.shared = { n8n: queue, service, folder };
		tellTests(queue.main, queue.workers);
	} else {
		const tarball = process.env['AGENT_BRIDGE_TARBALL'];
		const instance = await startInstance({ tarball, env });
		holder.shared = { n8n: instance, service, folder };
		tellTests(instance);
	}
	process.env['AGENT_BRIDGE_TRUSTED'] = service.httpsUrl;
}
