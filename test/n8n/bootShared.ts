import { startInstance, type Instance } from './instance.ts';

export const holder = globalThis as typeof globalThis & { sharedN8n?: Instance };

/** jest's globalSetup: one boot for all files, since a boot takes longer than most of them. */
export default async function bootShared(): Promise<void> {
	holder.sharedN8n = await startInstance({ tarball: process.env['AGENT_BRIDGE_TARBALL'] });
	process.env['AGENT_BRIDGE_N8N'] = holder.sharedN8n.url;
}
