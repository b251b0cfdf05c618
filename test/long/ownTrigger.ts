import { instanceOn } from '../n8n/instanceOn.ts';
import { TriggerHost } from '../n8n/triggers.ts';

/** n8n's schedulers: in memory, which is the default, and durable. */
export const schedulers = {
	default: {},
	durable: {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	},
};

/** On an n8n of its own. */
export async function startOwn(scheduler: keyof typeof schedulers): Promise<TriggerHost> {
	const on = await instanceOn('sqlite', {
		tarball: process.env['AGENT_BRIDGE_TARBALL'],
		env: schedulers[scheduler],
	});
	return await TriggerHost.startIn(on.instance.editor, on);
}
