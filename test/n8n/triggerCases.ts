import { secretsOf } from './bridge.ts';
import { until } from './editor.ts';
import { itemsOf } from './execution.ts';
import { idsOf, type TriggerHost } from './triggers.ts';

/** A job comes from one workflow to another, on any n8n. */
export function deliveryCases(host: () => TriggerHost): void {
	it('a job that one workflow starts comes to another with its file, once', async () => {
		const ids = await host().startJobs('plain', ['one', 'two']);
		const { editor } = host();
		const saved = await host().triggered('plain');
		await editor.activate(saved);
		const items = await host().delivered(saved.id, 2);
		expect(idsOf(items).sort()).toEqual([...ids].sort());
		expect(items[0]?.json).toMatchObject({
			event: 'mediaJobCompleted',
			state: 'completed',
			ledgerLabel: 'plain',
		});
		expect(items[0]?.json).not.toHaveProperty('claim');
		await host().expectFiles(items);
		expect(await host().states('plain')).toEqual(['delivered', 'delivered']);
		// the file belongs to the execution, and goes with it
		expect(items[0]?.binary?.['data']?.id).toMatch(/executions\/\d+\//);
		// republished it brings nothing again
		await editor.deactivate(saved.id);
		await editor.activate(saved);
		expect(await host().ended(saved.id)).toHaveLength(1);
	});

	it('the example: one workflow starts a video, the other gets it, and tells of one that failed', async () => {
		const { editor } = host();
		const started = await editor.runOnce(host().example('video-1-start.json'));
		expect(started.error?.message).toBeUndefined();
		const [job] = itemsOf(started, 'Start a Video');
		const [failing] = await host().startJobs('product videos', ['a lighthouse [[fail]]']);
		const saved = await host().saved(host().example('video-2-bring.json'));
		await editor.activate(saved);
		await until('the video is there', async () => (await host().ended(saved.id)).length > 0);
		const [execution] = await host().ended(saved.id);
		const items = itemsOf(execution!, 'Use the Video');
		expect(idsOf(items)).toEqual([job?.json['jobId']]);
		expect(items[0]?.binary?.['data']?.mimeType).toBe('video/mp4');
		await host().expectFiles(items);
		expect(idsOf(itemsOf(execution!, 'No Video'))).toEqual([failing]);
		// once behind each branch
		const runs = execution!.runData['Save the Outcome'] ?? [];
		expect(runs.flatMap(({ data }) => data?.main?.[0] ?? [])).toMatchObject([
			{ json: { jobId: job?.json['jobId'], file: expect.stringMatching(/ bytes$/), why: null } },
			{ json: { jobId: failing, file: null, why: expect.stringMatching(/./) } },
		]);
		await editor.deactivate(saved.id);
	});
}

/** The example whose workflow confirms. */
export function confirmCases(host: () => TriggerHost): void {
	it('the example: the workflow confirms the video that it got', async () => {
		const { editor } = host();
		const started = await editor.runOnce(host().example('video-1-start.json'));
		const [job] = itemsOf(started, 'Start a Video');
		const saved = await host().saved(host().example('confirm-each-video.json'));
		await editor.activate(saved);
		await until('the video is confirmed', async () => (await host().ended(saved.id)).length > 0);
		const [execution] = await host().ended(saved.id);
		expect(execution?.error?.message).toBeUndefined();
		const described = itemsOf(execution!, 'Describe the Video');
		expect(described).toMatchObject([
			{ json: { text: expect.stringMatching(/^Video of job .*, delivery 1$/) } },
		]);
		await host().expectFiles(described);
		expect(itemsOf(execution!, 'Confirm Delivery')).toMatchObject([
			{ json: { jobId: job?.json['jobId'], state: 'delivered', alreadyDelivered: false } },
		]);
		await editor.deactivate(saved.id);
	});
}

/** What the trigger does on any n8n. n8n polls when a workflow is activated: what needs a further poll is in test/long. */
export function triggerCases(host: () => TriggerHost): void {
	deliveryCases(host);
	confirmCases(host);

	it('a job that was entered twice comes once, a bad one does not hold up the others', async () => {
		const ids = await host().startJobs('mixed', [
			'good',
			'gone',
			'failing [[fail]]',
			'running [[never]]',
		]);
		await host().enterAgain('mixed');
		const content = `/v1/images/jobs/${ids[1]}/content`;
		host().service.fault({ match: { path: content }, do: { type: 'status', status: 403 } });
		const saved = await host().triggered('mixed');
		await host().editor.activate(saved);
		const items = await host().delivered(saved.id, 3);
		expect(
			items.map(({ json }) => [json['jobId'], json['event'], Boolean(json['failure'])]).sort(),
		).toEqual(
			[
				[ids[0], 'mediaJobCompleted', false],
				[ids[1], 'mediaJobCompleted', true],
				[ids[2], 'mediaJobFailed', true],
			].sort(),
		);
		expect((await host().states('mixed')).sort()).toEqual([
			...Array<string>(6).fill('delivered'),
			...Array<string>(2).fill('pending'),
		]);
	});

	it('a test run takes nothing away', async () => {
		const ids = await host().startJobs('tested', ['one']);
		const saved = await host().triggered('tested');
		const { editor } = host();
		const test = await editor.run(saved);
		expect(test.error?.message).toBeUndefined();
		expect(idsOf(itemsOf(test, 'After'))).toEqual(ids);
		await host().expectFiles(itemsOf(test, 'After'));
		expect(await host().states('tested')).toEqual(['pending']);
		await host().deleteWorkflow(saved.id);
		const active = await host().triggered('tested');
		await editor.activate(active);
		expect(idsOf(await host().delivered(active.id, 1))).toEqual(ids);
		const nothing = await editor.run(await host().triggered('tested'));
		expect(nothing.error?.message).toMatch(/no finished job to show/);
	});

	it('a wrong key is told when the workflow is activated', async () => {
		const { editor } = host();
		const { router } = secretsOf(host().service);
		const wrongKey = 'x'.repeat(30);
		const wrong = await editor.createCredential({
			...{ ...router, name: 'wrong' },
			data: { ...router.data, apiKey: wrongKey },
		});
		const saved = await host().triggered('wrong', {}, { modelRouterApi: wrong });
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
}
