import type { INodeParameters } from 'n8n-workflow';

import { CARRY_ON, job, posts, secretsOf } from './rig/calls';
import { run } from './rig/run';
import { serviceForTests } from './rig/service';

// what the editor shows of a media job; what is simplified is in the documentation (documented.test.ts)
const service = serviceForTests({ jobSteps: 0 });

const model = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
const execute = async (operation: string, parameters: INodeParameters) =>
	await run({
		...job(operation, { mediaType: 'images', ...parameters }),
		secrets: secretsOf(service),
		settings: CARRY_ON,
	});
const started = async (prompt = 'a cat') =>
	(await execute('start', { model, prompt })).items[0]?.json['jobId'] as string;

const COMPLETED = {
	...{ jobId: expect.any(String), mediaType: 'images', state: 'completed', status: 'completed' },
	...{ model: 'canvas/sketch-1', costUsd: 0.04, estimatedCostUsd: 0.04 },
	requestId: expect.any(String),
};

it('a job that failed says why, and keeps its record', async () => {
	const { items } = await execute('wait', { jobId: await started('[[fail]] a cow') });
	const failure = { message: 'The media job failed', code: 'generation_failed' };
	const reason = 'The model could not do this';
	const advice = expect.stringContaining('not charged');
	expect(items[0]?.json).toMatchObject({
		state: 'failed',
		failure: { ...failure, reason, advice },
		job: { status: 'failed', error: expect.anything() },
	});
	expect(items[0]?.json).not.toHaveProperty('error');
});

it('a field of the record that may tell of a failure keeps it', async () => {
	const jobId = await started();
	service.fault({
		match: { method: 'GET', path: '/jobs/' },
		do: { type: 'replace', find: '"id":', with: '"safety_warning":"blurred","id":' },
	});
	const { items } = await execute('get', { jobId });
	expect(items[0]?.json).toMatchObject({ ...COMPLETED, job: { safety_warning: 'blurred' } });
});

it.each(['get', 'wait'])('%s: the record only without Simplify', async (operation) => {
	const jobId = await started();
	const { items: simplified } = await execute(operation, { jobId });
	expect(simplified[0]?.json).toEqual(COMPLETED);
	const { items } = await execute(operation, { jobId, simplify: false });
	const record = expect.objectContaining({ id: expect.any(String), cost: 40_000 });
	expect(items[0]?.json).toEqual({ ...COMPLETED, job: record });
});

it('a pasted URL gives only the ID, and without an ID it is refused', async () => {
	const jobId = await started();
	const { items } = await execute('get', { jobId: `https://elsewhere.example/jobs/${jobId}` });
	expect(items[0]?.json).toMatchObject({ jobId, state: 'completed' });
	service.reset();
	const { failed } = await execute('download', { jobId: `${service.url}/v1/images` });
	expect(failed[0]?.json['error']).toMatch(/^Job ID is a URL without a job ID\. Enter the ID/);
	expect(service.requests).toEqual([]);
});

describe('presets', () => {
	const sent = async (parameters: INodeParameters) => {
		const options = { allowUnknownCost: true };
		const { failed } = await execute('start', { prompt: 'x', options, ...parameters });
		return failed[0]?.json['error'] ?? posts(service).at(-1)?.body;
	};
	const video = { mediaType: 'videos', model: { ...model, value: 'reel/clip-3' } };
	const speech = { mediaType: 'audio', model: { ...model, value: 'voice/speaker-1' } };

	it.each<[string, INodeParameters, object]>([
		['not set', { model }, {}],
		['blank', { model, presets: { quality: ' ' } }, {}],
		[
			'of an image',
			{ model, presets: { aspectRatio: '16:9', quality: ' high ' } },
			{ aspect_ratio: '16:9', quality: 'high' },
		],
		[
			'of a video',
			{ ...video, presets: { aspectRatio: '9:16', duration: 2.5, quality: '720p' } },
			{ aspect_ratio: '9:16', duration: 2.5, quality: '720p' },
		],
		[
			'of speech: those of another media type are not sent, since the editor hides them',
			{ ...speech, presets: { aspectRatio: '16:9', duration: 5, quality: 'high', voice: 'alloy' } },
			{ voice: 'alloy' },
		],
	])('%s', async (_what, parameters, fields) => {
		expect(await sent(parameters)).toEqual({ model: expect.any(String), prompt: 'x', ...fields });
	});

	it('count for the spending cap: more seconds cost more', async () => {
		expect(await sent({ ...video, presets: { duration: 8 }, spendingCapPerItem: 0.5 })).toMatch(
			/^This costs at least \$0\.80, more than the spending cap of \$0\.50/,
		);
	});

	it.each<[string, INodeParameters, RegExp]>([
		[
			'a preset',
			{ presets: { aspectRatio: '1:1' }, parameters: '{"aspect_ratio": "16:9"}' },
			/must not contain "aspect_ratio".*It is set by the field Aspect Ratio/,
		],
		['the prompt', { parameters: '{"prompt": "y"}' }, /"prompt".*by the field Prompt/],
		['the model', { parameters: '{"model": "y"}' }, /"model".*by the field Model/],
	])('%s and Additional Parameters: one place only', async (_what, parameters, message) => {
		expect(await sent({ model, ...parameters })).toMatch(message);
		expect(posts(service)).toEqual([]);
	});
});
