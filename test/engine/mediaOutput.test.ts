import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { callTool } from './rig/agentTool';
import { job, posts, secretsOf } from './rig/calls';
import { run } from './rig/run';

// what the editor shows of a media job, and what an AI agent gets
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => {
	service.reset();
	service.forms.jobSteps = 0;
});
afterAll(() => service.stop());

const model = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
const execute = async (operation: string, parameters: INodeParameters) =>
	await run({
		...job(operation, { mediaType: 'images', ...parameters }),
		secrets: secretsOf(service),
		settings: { onError: 'continueErrorOutput' },
	});
const started = async (prompt = 'a cat') =>
	(await execute('start', { model, prompt })).items[0]?.json['jobId'] as string;

const COMPLETED = {
	...{ jobId: expect.any(String), mediaType: 'images', state: 'completed', status: 'completed' },
	...{ model: 'canvas/sketch-1', costUsd: 0.04, estimatedCostUsd: 0.04 },
	requestId: expect.any(String),
};

describe('simplified', () => {
	it('start', async () => {
		service.forms.jobSteps = 1;
		const { items } = await execute('start', { model, prompt: 'a cat' });
		expect(items[0]?.json).toEqual({
			...{ jobId: expect.any(String), mediaType: 'images', state: 'unfinished' },
			...{ status: expect.any(String), model: 'canvas/sketch-1', estimatedCostUsd: 0.04 },
			requestId: expect.any(String),
		});
	});

	it.each(['get', 'wait'])('%s', async (operation) => {
		const { items } = await execute(operation, { jobId: await started() });
		expect(items[0]?.json).toEqual(COMPLETED);
	});

	it('generate', async () => {
		const { items } = await execute('generate', { model, prompt: 'a cat' });
		expect(items[0]?.json).toEqual({
			...COMPLETED,
			file: { fileName: expect.any(String), mimeType: 'image/png', bytes: expect.any(Number) },
		});
	});

	it('a job that failed says why, and keeps its record', async () => {
		const { items } = await execute('wait', { jobId: await started('[[fail]] a cow') });
		expect(items[0]?.json).toMatchObject({
			state: 'failed',
			failure: {
				message: 'The media job failed',
				code: 'generation_failed',
				reason: 'The model could not do this',
				advice: expect.stringContaining('not charged'),
			},
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
});

it.each(['get', 'wait'])(
	'%s, not simplified: the same fields, and the record',
	async (operation) => {
		const { items } = await execute(operation, { jobId: await started(), simplify: false });
		expect(items[0]?.json).toEqual({
			...COMPLETED,
			job: expect.objectContaining({ id: expect.any(String), cost: 40_000 }),
		});
	},
);

describe('a pasted URL', () => {
	it.each([
		['of the status', (id: string) => `${service.url}/v1/images/jobs/${id}`],
		['of the file', (id: string) => ` ${service.url}/v1/image/jobs/${id}/content?x=1 `],
		['of another address', (id: string) => `https://elsewhere.example/jobs/${id}`],
	])('%s gives only the ID', async (_what, toUrl) => {
		const jobId = await started();
		const { items } = await execute('get', { jobId: toUrl(jobId) });
		expect(items[0]?.json).toMatchObject({ jobId, state: 'completed' });
	});

	it('without an ID is refused before anything is sent', async () => {
		const { failed } = await execute('download', { jobId: `${service.url}/v1/images` });
		expect(failed[0]?.json['error']).toMatch(/^Job ID is a URL without a job ID\. Enter the ID/);
		expect(service.requests).toEqual([]);
	});
});

describe('presets', () => {
	const sent = async (parameters: INodeParameters) => {
		const { failed } = await execute('start', {
			...{ prompt: 'x', options: { allowUnknownCost: true } },
			...parameters,
		});
		return failed[0]?.json['error'] ?? posts(service).at(-1)?.body;
	};
	const video = { mediaType: 'videos', model: { ...model, value: 'reel/clip-3' } };
	const speech = { mediaType: 'audio', model: { ...model, value: 'voice/speaker-1' } };
	const body = { model: expect.any(String), prompt: 'x' };

	it('that are not set are not sent', async () => {
		expect(await sent({ model })).toEqual(body);
		expect(await sent({ model, presets: { quality: ' ' } })).toEqual(body);
	});

	it.each<[string, INodeParameters, object]>([
		[
			'an image',
			{ model, presets: { aspectRatio: '16:9', quality: ' high ' } },
			{ aspect_ratio: '16:9', quality: 'high' },
		],
		[
			'a video',
			{ ...video, presets: { aspectRatio: '9:16', duration: 2.5, quality: '720p' } },
			{ aspect_ratio: '9:16', duration: 2.5, quality: '720p' },
		],
		['speech', { ...speech, presets: { voice: 'alloy' } }, { voice: 'alloy' }],
	])('of %s', async (_what, parameters, fields) => {
		expect(await sent(parameters)).toEqual({ ...body, ...fields });
	});

	it('of another media type are not sent: the editor hides them', async () => {
		const presets = { aspectRatio: '16:9', duration: 5, quality: 'high', voice: 'alloy' };
		expect(await sent({ ...speech, presets })).toEqual({ ...body, voice: 'alloy' });
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

describe('as the tool of an AI agent', () => {
	const told = async (parameters: INodeParameters) => {
		const jobId = await started();
		const { answers } = await callTool('by the engine', {
			tool: job('get', { mediaType: 'images', jobId, ...parameters }),
			secrets: secretsOf(service),
			calls: [{}],
		});
		return (JSON.parse(answers[0] ?? '') as IDataObject[])[0];
	};

	it('Simplify counts as in a workflow', async () => {
		expect(await told({})).toEqual(COMPLETED);
		expect(await told({ simplify: false })).toEqual({ ...COMPLETED, job: expect.any(Object) });
	});
});
