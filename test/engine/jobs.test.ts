import type { Fault } from '../service/service';
import { CARRY_ON, failPosts, job, model, RETRIED } from './rig/calls';
import { fakeMinutes, letMinutesPass } from './rig/fakeMinutes';
import { type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// the life of a media job: its ID is never lost
const service = serviceForTests({}, { now: () => Date.now() });
fakeMinutes();

const carryOnRetried = { ...CARRY_ON, ...RETRIED };
const execute = async (
	operation: string,
	parameters: object,
	settings: RunOptions['settings'] = CARRY_ON,
	more: Partial<RunOptions> = {},
) => {
	const call = job(operation, { mediaType: 'images', ...parameters });
	const outcome = service.run(call, { settings, ...more });
	return await letMinutesPass(outcome, [service], 100);
};
const sketch = { model: model('canvas/sketch-1') };
const generate = async (prompt: string, options: object = {}, settings?: RunOptions['settings']) =>
	await execute('generate', { ...sketch, prompt, options }, settings);
const anId = { jobId: expect.any(String) };

describe('generate', () => {
	const notReady = { error: { code: 'job_not_completed' } };
	it.each<[string, Fault, number]>([
		['a file that is a moment late', { type: 'status', status: 409, body: notReady }, 1],
		['a file that is being processed', { type: 'status', status: 202, body: {} }, 1],
		['an empty file', { type: 'status', status: 204, body: '' }, 1],
		['a file that is not there yet', { type: 'status', status: 404 }, 2],
	])('survives %s', async (_what, fault, times) => {
		service.fault({ match: { method: 'GET', path: '/content' }, times, do: fault });
		const { items } = await generate('a cat');
		expect(items).toMatchObject([
			{ json: { state: 'completed' }, binary: { data: { mimeType: 'image/png' } } },
		]);
		expect(service.starts('a cat')).toBe(1);
	});

	const late = { kind: 'timeout', ...anId };
	it.each([
		[
			'a failed job',
			'x [[fail]]',
			{},
			/^The media job failed: The model could not do this \(jobId: [^()]+\)\. A failed job is not/,
			anId,
		],
		[
			'a job that is late',
			'x [[never]]',
			{ maxWait: 1 },
			/not finished after 1 s.*do not start it/,
			late,
		],
	])(
		'tells of %s with its ID, and does not start it again',
		async (_what, prompt, options, error, details) => {
			const { failed } = await generate(prompt, options, carryOnRetried);
			expect(failed).toMatchObject([{ json: { error: expect.stringMatching(error), details } }]);
			expect(service.starts('x')).toBe(1);
		},
	);

	it('that ends the node names its one job once, without alarm', async () => {
		const { error } = await generate('a cat [[fail]]', {}, {});
		expect(error?.context?.['metadata']).toMatchObject({ ids: anId });
		expect(error?.message).toMatch(/^The media job failed: The model could not do this \(jobId: /);
		// each thing once
		expect(error?.description).toMatch(/^A failed job is not charged[^]*Code: generation_failed\./);
		expect(error?.description).not.toContain('had started');
	});

	it('calls the outcome unknown after an answer that is cut, and does not start again', async () => {
		failPosts(service, { type: 'cut_json', effect: true });
		const { failed } = await generate('a cat', {}, carryOnRetried);
		const error = expect.stringContaining('It is not known whether');
		expect(failed).toMatchObject([{ json: { error, details: { outcome: 'unknown' } } }]);
		expect(service.starts('a cat')).toBe(1);
	});
});

describe('an error that ends the node', () => {
	const startAll = async (prompts: string[]) =>
		await execute(
			'start',
			{ ...sketch, prompt: '={{ $json.prompt }}', requestSettings: { concurrency: 1 } },
			{},
			{ items: prompts.map((prompt) => ({ prompt })) },
		);
	beforeEach(() =>
		service.fault({ match: { bodyIncludes: 'refused' }, do: { type: 'status', status: 422 } }),
	);

	it('has the IDs of all jobs that were started, because a failed run keeps no items', async () => {
		const { error } = await startAll([...Array.from({ length: 40 }, (_, i) => `p${i}`), 'refused']);
		const mediaJob = service.world.starts.map(({ jobId }) => jobId);
		expect(mediaJob).toHaveLength(40);
		expect(error).toMatchObject({
			description: expect.stringContaining('the service had started: 40 media jobs.'),
			context: { itemIndex: 40, metadata: { outcome: 'not_started', started: { mediaJob } } },
		});
	});

	it('says nothing of starts where there were none', async () => {
		const { error } = await startAll(['refused']);
		expect(error?.context?.['metadata']).not.toHaveProperty('started');
		expect(error?.description).not.toContain('had started');
	});
});
