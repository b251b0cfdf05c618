import { secretsOf } from '../n8n/bridge.ts';
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

		deliveryCases(() => host);

		it('the example: the workflow confirms the video that it got', async () => {
			const { editor } = host;
			const started = await editor.runOnce(host.example('start-a-video-without-waiting.json'));
			const [job] = itemsOf(started, 'Start a Video');
			const saved = await host.saved(host.example('get-every-finished-video.json'));
			await editor.activate(saved);
			await until('the video is confirmed', async () => (await host.ended(saved.id)).length > 0);
			const [execution] = await host.ended(saved.id);
			expect(execution?.error?.message).toBeUndefined();
			const described = itemsOf(execution!, 'Describe the Video');
			expect(described).toMatchObject([
				{ json: { text: expect.stringMatching(/^Video of job .*, delivery 1$/) } },
			]);
			await host.expectFiles(described);
			expect(itemsOf(execution!, 'Confirm Delivery')).toMatchObject([
				{ json: { jobId: job?.json['jobId'], state: 'delivered', alreadyDelivered: false } },
			]);
			await editor.deactivate(saved.id);
		});

		it('a job that was entered twice comes once, a bad one does not hold up the others', async () => {
			const ids = await host.startJobs('mixed', [
				'good',
				'gone',
				'failing [[fail]]',
				'running [[never]]',
			]);
			await host.enterAgain('mixed');
			const content = `/v1/images/jobs/${ids[1]}/content`;
			host.service.fault({ match: { path: content }, do: { type: 'status', status: 403 } });
			const saved = await host.triggered('mixed');
			await host.editor.activate(saved);
			const items = await host.delivered(saved.id, 3);
			expect(
				items.map(({ json }) => [json['jobId'], json['event'], Boolean(json['failure'])]).sort(),
			).toEqual(
				[
					[ids[0], 'mediaJobCompleted', false],
					[ids[1], 'mediaJobCompleted', true],
					[ids[2], 'mediaJobFailed', true],
				].sort(),
			);
			expect((await host.states('mixed')).sort()).toEqual([
				...Array<string>(6).fill('delivered'),
				...Array<string>(2).fill('pending'),
			]);
		});

		it('a test run takes nothing away', async () => {
			const ids = await host.startJobs('tested', ['one']);
			const saved = await host.triggered('tested');
			const { editor } = host;
			const test = await editor.run(saved);
			expect(test.error?.message).toBeUndefined();
			expect(idsOf(itemsOf(test, 'After'))).toEqual(ids);
			await host.expectFiles(itemsOf(test, 'After'));
			expect(await host.states('tested')).toEqual(['pending']);
			await editor.deleteWorkflow(saved.id);
			const active = await host.triggered('tested');
			await editor.activate(active);
			expect(idsOf(await host.delivered(active.id, 1))).toEqual(ids);
			const nothing = await editor.run(await host.triggered('tested'));
			expect(nothing.error?.message).toMatch(/no finished job to show/);
		});

		it('a wrong key is told when the workflow is activated', async () => {
			const { editor } = host;
			const { router } = secretsOf(host.service);
			const wrongKey = 'x'.repeat(30);
			const wrong = await editor.createCredential({
				...{ ...router, name: 'wrong' },
				data: { ...router.data, apiKey: wrongKey },
			});
			const saved = await host.triggered('wrong', {}, wrong);
			const { versionId, id } = saved;
			let told = '';
			await editor
				.call('POST', `/rest/workflows/${id}/activate`, { versionId })
				.catch((error: Error) => (told = error.message));
			await until('n8n says why', async () => {
				told += JSON.stringify(await editor.publication(id));
				return told.includes('refused the API key');
			});
			expect(told).not.toContain(wrongKey);
			await editor.deactivate(id);
		});

		it('an n8n that is killed between emission and mark delivers after the lease, once', async () => {
			const ids = await host.startJobs('killed', ['one', 'two', 'three']);
			const saved = await host.triggered('killed');
			host.proxy.hold('PATCH', '"delivering"');
			await host.editor.activate(saved);
			await until('the execution wants to mark', () => host.proxy.held() > 0);
			expect(await host.states('killed')).toEqual(['emitting', 'emitting', 'emitting']);
			await host.instance.kill();
			host.proxy.release();
			await host.instance.boot();
			await until(
				'the killed execution is found',
				async () => (await host.ended(saved.id)).length > 0,
			);
			expect(await host.states('killed')).toEqual(['emitting', 'emitting', 'emitting']);

			// ten minutes go by
			await host.change('killed', { leaseUntil: 1, checkAt: 1 });
			const { editor } = host;
			await editor.deactivate(saved.id);
			await editor.activate(saved);
			const items = await host.delivered(saved.id, 3);
			expect(idsOf(items).sort()).toEqual([...ids].sort());
			await host.expectFiles(items);
			expect(await host.states('killed')).toEqual(['delivered', 'delivered', 'delivered']);
			// the crashed execution is too late, whoever retries it
			const [crashed] = await host.ended(saved.id);
			const retried = await editor.retryExecution(crashed!.id);
			expect(itemsOf(retried, 'After')).toEqual([]);
		});

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
