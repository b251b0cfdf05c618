import type { INodeParameters } from 'n8n-workflow';

import { resources } from '../../nodes/ModelRouter/resources';
import { endJob } from '../service/router/job';
import { startService, type Fault, type Service } from '../service/service';
import { CARRY_ON, job, model, secretsOf } from './rig/calls';
import { run, start, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// many jobs are waited for together, and a wait is survived by the job's id, whatever happens
const shared = serviceForTests({ jobSteps: 0 });
let service: Service = shared;

const options = (
	operation: string,
	parameters: INodeParameters,
	items: RunOptions['items'] & object,
): RunOptions => ({
	...job(operation, { mediaType: 'images', model: model('canvas/sketch-1'), ...parameters }),
	secrets: secretsOf(service),
	settings: CARRY_ON,
	items,
});
const generating = (prompt: string, count: number, requestSettings: INodeParameters = {}) => {
	const items = Array.from({ length: count }, () => ({}));
	return options('generate', { prompt, options: { maxWait: 86_400 }, requestSettings }, items);
};
const reached = async (condition: () => boolean) => {
	while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};
const reads = () => service.requests.filter(({ path }) => /\/jobs\/[^/]+$/.test(path));
const complete = () => {
	for (const each of service.world.jobs.values()) endJob(service.world, each, 'completed');
};

it.each([
	['fifty jobs are waited for at the same time, with never more than five requests', 50, {}, 5],
	['one place is enough for many jobs', 4, { concurrency: 1 }, 1],
])('%s', async (_what, count, requestSettings, most) => {
	const running = start(generating('x [[never]]', count, requestSettings));
	// no job ends before the last is started
	await reached(() => service.world.starts.length === count);
	complete();
	const { items } = await running.finished;
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
		Array.from({ length: count }, (_, item) => ({ item })),
	);
	expect(service.mostInFlight).toBeLessThanOrEqual(most);
	expect(service.world.starts).toHaveLength(count);
});

it('Wait waits for many together, too', async () => {
	const { items: started } = await run(options('start', { prompt: 'x [[never]]' }, [{}, {}, {}]));
	const jobs = started.map(({ json }) => json);
	const one = { jobId: '={{ $json.jobId }}', requestSettings: { concurrency: 1 } };
	const running = start(options('wait', one, jobs));
	await reached(() => new Set(reads().map(({ path }) => path)).size === 3);
	complete();
	const { items } = await running.finished;
	expect(items.map(({ json }) => json['jobId'])).toEqual(jobs.map(({ jobId }) => jobId));
});

it('where one item ends the node, the others do not wait for their jobs', async () => {
	const prompt = '={{ $itemIndex ? "x [[never]]" : "x [[fail]]" }}';
	const { error } = await run({ ...generating(prompt, 4), settings: {} });
	expect(error?.message).toMatch(/^The media job failed/);
});

it.each<[string, Fault | Fault[]]>([
	['while it waits', []],
	['while the service has asked to wait', { type: 'too_many_requests', retryAfter: 3000 }],
	['while the service says nothing', { type: 'timeout' }],
])('Stop ends it %s, and the id is known', async (_when, fault) => {
	// what is on its way when an execution is stopped may still arrive: not at the next test
	service = await startService();
	service.fault({ match: { method: 'GET', path: '/jobs/' }, do: fault });
	const running = start(generating('x [[never]]', 8, { maxRateLimitWait: 3600, concurrency: 2 }));
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

it.each(['start', 'generate'])('%s says that it costs money, which an AI agent reads', (value) => {
	const operations = resources.find((resource) => resource.value === 'media')?.operations ?? [];
	const { description } = operations.find((operation) => operation.value === value) ?? {};
	expect(description).toMatch(/paid job/);
});
