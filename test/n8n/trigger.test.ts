import { readFileSync } from 'node:fs';
import { secretsOf } from './bridge.ts';
import { until } from './editor.ts';
import { itemsOf } from './execution.ts';
import { idsOf, schedulers, TriggerHost } from './triggers.ts';
import type { WorkflowFile } from './workflow.ts';

// n8n polls when a workflow is activated: what needs a further poll is in test/long
describe.each(Object.keys(schedulers) as Array<keyof typeof schedulers>)(
	'%s scheduler',
	(scheduler) => {
		let host: TriggerHost;
		beforeAll(async () => (host = await TriggerHost.start(scheduler)));
		afterEach(() => host.proxy.release());
		afterAll(async () => await host?.stop());

		it('a job that one workflow starts comes to another with its file, once', async () => {
			const ids = await host.startJobs('plain', ['one', 'two']);
			const { editor } = host.instance;
			const saved = await host.triggered('plain');
			await editor.activate(saved);
			const items = await host.delivered(saved.id, 2);
			expect(idsOf(items).sort()).toEqual([...ids].sort());
			expect(items[0]?.json).toMatchObject({
				event: 'mediaJobCompleted',
				state: 'completed',
				label: 'plain',
			});
			expect(items[0]?.json).not.toHaveProperty('claim');
			await host.expectFiles(items);
			expect(await host.states('plain')).toEqual(['delivered', 'delivered']);
			// the file belongs to the execution, and goes with it
			expect(items[0]?.binary?.['data']?.id).toMatch(/executions\/\d+\//);
			// republished it brings nothing again
			await editor.deactivate(saved.id);
			await editor.activate(saved);
			expect(await host.ended(saved.id)).toHaveLength(1);
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
			await host.instance.editor.activate(saved);
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

		it('the example: one workflow starts a video, the other gets it', async () => {
			const { editor } = host.instance;
			const read = (file: string) =>
				JSON.parse(readFileSync(`examples/${file}`, 'utf8')) as WorkflowFile;
			const started = await editor.runOnce(read('video-1-start.json'));
			expect(started.error?.message).toBeUndefined();
			const [job] = itemsOf(started, 'Start a Video');
			const saved = await editor.importWorkflow(read('video-2-bring.json'));
			await editor.activate(saved);
			await until('the video is there', async () => (await host.ended(saved.id)).length > 0);
			const [execution] = await host.ended(saved.id);
			const items = itemsOf(execution!, 'Use the Video');
			expect(idsOf(items)).toEqual([job?.json['jobId']]);
			expect(items[0]?.binary?.['data']?.mimeType).toBe('video/mp4');
			await host.expectFiles(items);
			await editor.deactivate(saved.id);
		});

		it('a test run takes nothing away', async () => {
			const ids = await host.startJobs('tested', ['one']);
			const saved = await host.triggered('tested');
			const { editor } = host.instance;
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
			const { editor } = host.instance;
			const { router } = secretsOf(host.service);
			const wrongKey = 'x'.repeat(30);
			const wrong = await editor.createCredential({
				...{ ...router, name: 'wrong' },
				data: { ...router.data, apiKey: wrongKey },
			});
			const saved = await host.triggered('wrong', {}, { modelRouterApi: wrong });
			const { versionId, id } = saved;
			let told = '';
			await editor
				.call('POST', `/rest/workflows/${id}/activate`, { versionId })
				.catch((error: Error) => (told = error.message));
			await until('n8n says why', async () => {
				told += JSON.stringify(
					await editor.call('GET', `/rest/workflows/${id}/publication-status`),
				);
				return told.includes('refused the API key');
			});
			expect(told).not.toContain(wrongKey);
			await editor.deactivate(id).catch(() => {});
		});

		it('an n8n that is killed between emission and mark delivers after the lease, once', async () => {
			const ids = await host.startJobs('killed', ['one', 'two', 'three']);
			const saved = await host.triggered('killed');
			host.proxy.hold('PATCH', '"delivering"');
			await host.instance.editor.activate(saved);
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
			const { editor } = host.instance;
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
			await host.instance.editor.activate(saved);
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
			const retried = await host.instance.editor.retryExecution(crashed!.id);
			expect(idsOf(itemsOf(retried, 'After'))).toEqual(ids);
			expect(await host.states('behind')).toEqual(['delivered']);
		});
	},
);
