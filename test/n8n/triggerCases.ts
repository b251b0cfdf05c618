import { until } from './editor.ts';
import { itemsOf } from './execution.ts';
import { idsOf, type TriggerHost } from './triggers.ts';

/** A job comes from one workflow to another, on any n8n. */
export function deliveryCases(host: () => TriggerHost) {
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
			triggerGroup: 'plain',
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
		const started = await editor.runOnce(host().example('start-a-video-without-waiting.json'));
		expect(started.error?.message).toBeUndefined();
		const [job] = itemsOf(started, 'Start a Video');
		const [failing] = await host().startJobs('product videos', ['a lighthouse [[fail]]']);
		const saved = await host().saved(host().example('get-finished-videos.json'));
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
