import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService, type Service } from '../service/service.ts';
import { startInstance, type Instance } from './instance.ts';

export const holder = globalThis as typeof globalThis & {
	shared?: { instance: Instance; service: Service; folder: string };
};

/** jest's globalSetup: one boot for all files, since a boot takes longer than most of them. */
export default async function bootShared(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'authority-'));
	const service = await startService({ https: true });
	const authority = join(folder, 'ca.pem');
	writeFileSync(authority, service.ca);
	const instance = await startInstance({
		tarball: process.env['AGENT_BRIDGE_TARBALL'],
		env: { NODE_EXTRA_CA_CERTS: authority },
	});
	holder.shared = { instance, service, folder };
	process.env['AGENT_BRIDGE_N8N'] = instance.url;
	process.env['AGENT_BRIDGE_N8N_LOG'] = instance.logFile;
	process.env['AGENT_BRIDGE_TRUSTED'] = service.httpsUrl;
}
