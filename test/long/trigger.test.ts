import { until } from '../n8n/editor.ts';
import { idsOf } from '../n8n/triggers.ts';
import { schedulers, startOwn } from './ownTrigger.ts';

const MINUTES = 60;

/** Polls come a minute apart, and a lease is five minutes at least: everything happens in both at the same time. */
it.concurrent.each(Object.keys(schedulers) as Array<keyof typeof schedulers>)(
	'%s scheduler: leases run out and outages end by themselves',
	async (scheduler) => {
		const host = await startOwn(scheduler);
		try {
			const { editor } = host;
			const killed = await host.startJobs('killed', ['one', 'two']);
			const ofKilled = await host.triggered('killed', { options: { deliverAgainAfter: 5 } });
			host.proxy.hold('PATCH', '"delivering"');
			await editor.activate(ofKilled);
			await until('the execution wants to mark', () => host.proxy.held() > 0);
			await host.instance.kill();
			host.proxy.release();
			await host.instance.boot();

			const waiting = await host.startJobs('outage', ['three']);
			let isDown = true;
			host.service.fault({ do: () => (isDown ? { type: 'status', status: 503 } : []) });
			const ofOutage = await host.triggered('outage');
			await editor.activate(ofOutage);
			expect(await host.ended(ofOutage.id)).toEqual([]);
			isDown = false;
			expect(idsOf(await host.delivered(ofOutage.id, 1))).toEqual(waiting);

			const items = await host.delivered(ofKilled.id, 2, 20 * MINUTES);
			expect(idsOf(items).sort()).toEqual([...killed].sort());
			await host.expectFiles(items);
			expect(await host.states('killed')).toEqual(['delivered', 'delivered']);
		} finally {
			await host.stop();
		}
	},
	40 * MINUTES * 1000,
);
