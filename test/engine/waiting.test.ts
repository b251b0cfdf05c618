import type { INodeParameters } from 'n8n-workflow';

import { resources } from '../../nodes/ModelRouter/resources';
import { endJob } from '../service/router/job';
import { startService, type Forms, type Service } from '../service/service';
import { job, secretsOf } from './rig/calls';
import { run, start, type RunOptions } from './rig/run';

// many jobs are waited for together, and a wait is survived by the job's id, whatever happens
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const carryOn = { onError: 'continueErrorOutput' } as const;
const model = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
const options = (
	operation: string,
	parameters: INodeParameters,
	more: Partial<RunOptions> = {},
): RunOptions => ({
	...job(operation, { mediaType: 'images', ...parameters }),
	secrets: secretsOf(service),
	settings: carryOn,
	...more,
});
const generating = (prompt: string, items: number, parameters: INodeParameters = {}) =>
	options(
		'generate',
		{ model, prompt, options: { maxWait: 86_400 }, ...parameters },
		{ items: Array.from({ length: items }, () => ({})) },
	);
const reached = async (condition: () => boolean) => {
	while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};
const reads = () => service.requests.filter(({ path }) => /\/jobs\/[^/]+$/.test(path));
const complete = () => {
	for (const each of service.world.jobs.values()) endJob(service.world, each, 'completed');
};

it('fifty jobs are waited for at the same time, with never more than five requests', async () => {
	const running = start(generating('x [[never]]', 50));
	// no job ends before the last is started
	await reached(() => service.world.starts.length === 50);
	complete();
	const { items } = await running.finished;
	expect(items).toHaveLength(50);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
		Array.from({ length: 50 }, (_, item) => ({ item })),
	);
	expect(service.mostInFlight).toBeLessThanOrEqual(5);
	expect(service.world.starts).toHaveLength(50);
});

it('one place is enough for many jobs', async () => {
	const running = start(generating('x [[never]]', 4, { requestSettings: { concurrency: 1 } }));
	await reached(() => service.world.starts.length === 4);
	complete();
	expect((await running.finished).items).toHaveLength(4);
	expect(service.mostInFlight).toBe(1);
});

it('Wait waits for many together, too', async () => {
	const { items: started } = await run(
		options('start', { model, prompt: 'x [[never]]' }, { items: [{}, {}, {}] }),
	);
	const running = start(
		options(
			'wait',
			{ jobId: '={{ $json.jobId }}', requestSettings: { concurrency: 1 } },
			{ items: started.map(({ json }) => json) },
		),
	);
	await reached(() => new Set(reads().map(({ path }) => path)).size === 3);
	complete();
	const { items } = await running.finished;
	expect(items.map(({ json }) => json['jobId'])).toEqual(started.map(({ json }) => json['jobId']));
});

it('where one item ends the node, the others do not wait for their jobs', async () => {
	const prompt = '={{ $itemIndex ? "x [[never]]" : "x [[fail]]" }}';
	const { error } = await run({ ...generating(prompt, 4), settings: {} });
	expect(error?.message).toMatch(/^The media job failed/);
});

it.each<[string, () => void]>([
	['while it waits', () => {}],
	[
		'while the service has asked to wait for an hour',
		() =>
			service.fault({
				match: { method: 'GET', path: '/jobs/' },
				do: { type: 'too_many_requests', retryAfter: 3000 },
			}),
	],
	[
		'while the service says nothing',
		() => service.fault({ match: { method: 'GET', path: '/jobs/' }, do: { type: 'timeout' } }),
	],
])('Stop ends it %s, and the id is known', async (_when, prepare) => {
	// what is on its way when an execution is stopped may still arrive: not at the next test
	const shared = service;
	service = await startService();
	prepare();
	const running = start(
		generating('x [[never]]', 8, { requestSettings: { maxRateLimitWait: 3600, concurrency: 2 } }),
	);
	await reached(() => reads().length > 0);
	running.stop();
	const { run: stopped } = await running.finished;
	// n8n keeps no output of a node that was stopped, but its custom data
	const noted = JSON.stringify(stopped.data.resultData.metadata);
	// a start that was under way may have got no answer: those that are waited for did
	for (const { path } of reads()) expect(noted).toContain(path.split('/').at(-1));
	await service.settled();
	await service.stop();
	service = shared;
});

it.each<[string, Partial<Forms>]>([
	[
		'words that nobody knows',
		{ jobState: { field: 'status', pending: 'simmering', completed: 'Succeeded', failed: 'x' } },
	],
	[
		'another field',
		{ jobState: { field: 'state', pending: 'QUEUED', completed: 'DONE', failed: 'x' } },
	],
	['no state at all', { jobState: { field: '', pending: '', completed: '', failed: '' } }],
	['records in a wrapper', { jobStart: 'job', jobStatus: 'data' }],
	['ids that are numbers', { jobId: 'number' }],
	['ids with a slash', { jobId: 'slash' }],
	['only the segment in paths', { jobPath: 'segment' }],
	['only the kind in paths', { jobPath: 'kind' }],
	['costs as text', { jobCost: 'string' }],
])('a job is found and waited for, with %s', async (_what, forms) => {
	Object.assign(service.forms, forms);
	const { items } = await run(generating('x', 1));
	expect(items).toMatchObject([
		{
			json: { state: 'completed', jobId: expect.any(String) },
			binary: { data: { mimeType: 'image/png' } },
		},
	]);
	expect(service.starts('x')).toBe(1);
});

it('a job that is not found at first is waited for', async () => {
	// each is asked for under both spellings
	service.fault({
		match: { method: 'GET', path: '/jobs/' },
		times: 4,
		do: { type: 'status', status: 404 },
	});
	expect((await run(generating('x', 1))).items).toHaveLength(1);
});

it.each(['start', 'generate'])('%s says that it costs money, which an AI agent reads', (value) => {
	const operations = resources.find((resource) => resource.value === 'media')?.operations ?? [];
	expect(operations.find((operation) => operation.value === value)?.description).toMatch(
		/costs money/,
	);
});
