import { until } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { deliveryCases } from '../n8n/triggerCases.ts';
import { idsOf, type TriggerHost } from '../n8n/triggers.ts';
import { schedulers, startOwn } from './ownTrigger.ts';

describe.each(Object.keys(schedulers) as Array<keyof typeof schedulers>)(
	'%s scheduler',
	(scheduler) => {
		let host: TriggerHost;
		beforeAll(async () => (host = await startOwn(scheduler)));
		afterEach(() => host.proxy.release());
		afterAll(async () => await host?.stop());

		// under the default scheduler they are in test/n8n
		if (scheduler === 'durable') deliveryCases(() => host);

		it('an n8n that is killed behind the mark shows a crashed execution, whose retry delivers', async () => {
			const ids = await host.startJobs('behind', ['one']);
			const saved = await host.triggered('behind');
			const [jobId] = ids;
			host.service.fault({
				match: { path: `/v1/images/jobs/${jobId}/content` },
				times: 1,
				do: { type: 'timeout' },
			});
			await host.editor.activate(saved);
			const content = `/v1/images/jobs/${jobId}/content`;
			const isFetched = () => host.service.requests.some(({ path }) => path === content);
			await until('the file is fetched', isFetched);
			expect(await host.states('behind')).toEqual(['delivering']);
			await host.instance.restart('kill');
			await until(
				'the killed execution is found',
				async () => (await host.ended(saved.id)).length > 0,
			);
			const [crashed] = await host.ended(saved.id);
			expect(crashed?.status).toBe('crashed');
			const retried = await host.editor.retryExecution(crashed!.id);
			expect(idsOf(itemsOf(retried, 'After'))).toEqual(ids);
			expect(await host.states('behind')).toEqual(['delivered']);
		});
	},
);
