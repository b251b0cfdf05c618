import { secretsOf } from './bridge.ts';
import { until } from './editor.ts';
import { itemsOf } from './execution.ts';
import { deliveryCases } from './triggerCases.ts';
import { idsOf, TriggerHost } from './triggers.ts';
import { workflow } from './workflow.ts';

// in the shared n8n, which has n8n's default scheduler; the other scheduler, and kills, are in test/long
let host: TriggerHost;
beforeAll(async () => (host = await TriggerHost.startShared()));
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

it('Stop while a second item runs: the file of the first one comes', async () => {
	const { editor, service } = host;
	const generate = host.startNode('', {
		operation: 'generate',
		prompt: '={{ $json.prompt }}',
		requestSettings: { concurrency: 1 },
		options: { triggerGroup: 'stopped' },
	});
	const items = [{ prompt: 'first of two' }, { prompt: 'second of two [[never]]' }];
	const id = await editor.start(await host.saved(workflow('stopped', items, generate)));
	const states = async () => await host.states('stopped');
	await until('the second job runs', async () => (await states()).join() === 'pending,pending');
	await editor.stopExecution(id);
	expect((await editor.finished(id)).status).toBe('canceled');
	const saved = await host.triggered('stopped');
	await editor.activate(saved);
	const delivered = await host.delivered(saved.id, 1);
	const [first] = await host.rows('stopped');
	expect(idsOf(delivered)).toEqual([first?.jobId]);
	await host.expectFiles(delivered);
	expect(await states()).toEqual(['delivered', 'pending']);
	expect(service.received('of two')).toBe(2);
	await editor.deactivate(saved.id);
});

it('a wrong key is told when the workflow is activated', async () => {
	const { editor } = host;
	const { router } = secretsOf(host.service);
	const wrongKey = 'x'.repeat(30);
	const wrong = await editor.createCredential({
		...router,
		name: 'wrong',
		data: { ...router.data, apiKey: wrongKey },
	});
	const saved = await host.triggered('wrong', {}, undefined, wrong);
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
