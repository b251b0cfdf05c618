import type { INodeParameters } from 'n8n-workflow';

import { CARRY_ON, job, model as modelOf, PICTURE, posts, SKETCH as model } from './rig/calls';
import { type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// what a job is started with, where nothing is invented, and what the editor shows of it; what is simplified is in the documentation
// (documented.test.ts)
const service = serviceForTests({ jobSteps: 0 });

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
const csv = Buffer.from('a,b').toString('base64');
const files = {
	data: { data: png, mimeType: 'image/png', fileName: 'a.png' },
	mask: { data: png, mimeType: 'image/jpeg', fileName: 'b.jpg' },
	notes: { data: csv, mimeType: 'text/csv', fileName: 'c.csv' },
};
const pngUrl = `data:image/png;base64,${png}`;

const start = (
	input: INodeParameters[],
	parameters: INodeParameters = {},
	more: Partial<RunOptions> = {},
) => {
	return service.run(job('start', { ...PICTURE, inputs: { input }, ...parameters }), {
		files,
		...more,
	});
};
const sent = () => posts(service)[0]?.body;

it('sends files as data URLs and addresses as they are, each where it belongs', async () => {
	const { error } = await start(
		[
			{ name: 'image', file: 'data' },
			{ name: 'extra.mask', file: 'mask' },
			{ name: 'references', file: 'https://example.com/1.png' },
			{ name: 'references', file: 'notes' },
			{ name: 'frames[]', file: ' https://example.com/2.png ' },
		],
		{ options: { parameters: '{"size": "1x1", "extra": {"strength": 0.5}}' } },
	);
	expect(error).toBeUndefined();
	expect(sent()).toEqual({
		model: 'canvas/sketch-1',
		prompt: 'a cat',
		size: '1x1',
		image: pngUrl,
		// the bytes know better than what n8n was told
		extra: { strength: 0.5, mask: pngUrl },
		references: ['https://example.com/1.png', `data:text/csv;base64,${csv}`],
		frames: ['https://example.com/2.png'],
	});
});

describe('a job without a text that the service refuses', () => {
	const INVALID = 'invalid_request';
	const refuse = (status: number, code = INVALID) => {
		const body = { error: { code, message: 'Invalid request' } };
		service.fault({ match: { method: 'POST' }, do: { type: 'status', status, body } });
	};

	it.each<[string, number, INodeParameters]>([
		['no prompt', 400, {}],
		['no prompt', 422, {}],
		['blanks', 400, { prompt: '  ' }],
		['other fields', 400, { options: { parameters: '{"size": "1x1"}' } }],
	])('is told that its prompt is empty: %s (%d)', async (_what, status, more) => {
		refuse(status);
		for (const operation of ['start', 'generate']) {
			const { error } = await service.run(job(operation, { ...PICTURE, prompt: '', ...more }));
			expect(error?.message).toBe(
				`Prompt is empty. The service refused the request (${status}): invalid_request`,
			);
			expect(error?.description).toMatch(
				/^The service says: Invalid request\.\nEnter in Prompt what to make, or for speech, the text to read aloud\./,
			);
		}
		expect(sent()).not.toHaveProperty('prompt');
	});

	it.each<[string, number, INodeParameters, code: string]>([
		['a prompt', 400, {}, INVALID],
		[
			'a text of another name',
			400,
			{ prompt: '', options: { parameters: '{"text": "Hello"}' } },
			INVALID,
		],
		['a missing permission', 403, { prompt: '' }, INVALID],
		['a model of another kind', 400, { prompt: '' }, 'wrong_endpoint'],
		['no money', 400, { prompt: '' }, 'insufficient_quota'],
	])('is told so only where that may be why: %s', async (_what, status, more, code) => {
		refuse(status, code);
		const { error } = await service.run(job('start', { ...PICTURE, ...more }));
		expect(error?.message).toMatch(/^The (service|API key|model|balance)/);
	});
});

it('sends nothing but what was given, and takes the default of the editor: the binary field "data"', async () => {
	await start([{ name: 'image' }]);
	expect(sent()).toEqual({ model: 'canvas/sketch-1', prompt: 'a cat', image: pngUrl });
});

it.each([
	[
		'a file that only the second item lacks',
		{ name: 'image', file: '={{ $itemIndex ? "photo" : "data" }}' },
		/Inputs 1.*"photo"/,
	],
	['an address that nobody can read', { name: 'image', file: 'ftp://x/cat.png' }, /URL must/],
	['an empty field', { name: 'image', file: ' ' }, /^Inputs 1: Input Binary Field or URL is empty/],
	['a name that is taken', { name: 'prompt' }, /must not contain "prompt"/],
])('%s in one item costs nothing for any', async (_what, input, message) => {
	const { error } = await start([input], {}, { items: [{}, {}] });
	expect(error?.message).toMatch(message);
	expect(posts(service)).toEqual([]);
});

const execute = async (operation: string, parameters: INodeParameters) =>
	await service.run(job(operation, { mediaType: 'images', ...parameters }), { settings: CARRY_ON });
const started = async (prompt = 'a cat') =>
	(await execute('start', { model, prompt })).items[0]?.json['jobId'] as string;

const COMPLETED = {
	jobId: expect.any(String),
	mediaType: 'images',
	state: 'completed',
	status: 'completed',
	model: 'canvas/sketch-1',
	costUsd: 0.04,
	estimatedCostUsd: 0.04,
	requestId: expect.any(String),
};

it('a job that failed says why, and keeps its record', async () => {
	const { items } = await execute('wait', { jobId: await started('[[fail]] a cow') });
	const reason = 'The model could not do this';
	const failure = { message: 'The media job failed', code: 'generation_failed' };
	const advice = expect.stringContaining('not charged');
	expect(items[0]?.json).toMatchObject({
		state: 'failed',
		failure: { ...failure, reason, advice },
		job: { status: 'failed', error: expect.anything() },
	});
	expect(items[0]?.json).not.toHaveProperty('error');
});

it('a record that is not understood as a whole is kept, and an unknown state is said', async () => {
	const jobId = await started();
	service.fault({
		match: { method: 'GET', path: '/jobs/' },
		do: { type: 'replace', find: '"status":"completed"', with: '"status":"moderated"' },
	});
	const { items, hints } = await execute('getJob', { jobId });
	expect(items[0]?.json).toMatchObject({ state: 'completed', job: { status: 'moderated' } });
	service.forms.jobCost = 'absent';
	const unknown = await execute('getJob', { jobId });
	expect(unknown.items[0]?.json).toMatchObject({ state: 'unfinished', status: 'moderated' });
	expect([hints, unknown.hints]).toEqual([
		[],
		[
			'It is not known what the state "moderated" means: the job counts as unfinished until the service reports a cost. Check its record before you start it again.',
		],
	]);
});

it.each([
	['response_format', 'mp3', true],
	['output_format', 'mp3_44100_128', true],
	['response_format', 'wav', false],
	['response_format', 'b64_json', false],
])(
	'%s %s: whether it is said that the file has another format: %s',
	async (field, asked, isSaid) => {
		const speech = { mediaType: 'audio', model: modelOf('voice/speaker-1'), prompt: 'Hello' };
		const options = { parameters: JSON.stringify({ [field]: asked }) };
		const { items, hints } = await service.run(job('generate', { ...speech, options }));
		expect(items[0]?.json['file']).toMatchObject({ mimeType: 'audio/wav' });
		const said = `${field} asks for "${asked}", but the file is audio/wav: the model has chosen the format.`;
		expect(hints.filter((hint) => hint.startsWith(said))).toHaveLength(isSaid ? 1 : 0);
	},
);

it('the record only without Simplify', async () => {
	const jobId = await started();
	for (const operation of ['getJob', 'wait']) {
		const { items: simplified } = await execute(operation, { jobId });
		expect(simplified[0]?.json).toEqual(COMPLETED);
	}
	const { items } = await execute('getJob', { jobId, simplify: false });
	const record = expect.objectContaining({ id: expect.any(String), cost: 40_000 });
	expect(items[0]?.json).toEqual({ ...COMPLETED, job: record });
});

it('a pasted URL gives only the ID, and without an ID it is refused', async () => {
	const jobId = await started();
	const { items } = await execute('getJob', { jobId: `https://elsewhere.example/jobs/${jobId}` });
	expect(items[0]?.json).toMatchObject({ jobId, state: 'completed' });
	service.reset();
	const { failed } = await execute('download', { jobId: `${service.url}/v1/images` });
	expect(failed[0]?.json['error']).toMatch(/^Job ID is a URL without a job ID\. Enter the ID/);
	expect(service.requests).toEqual([]);
});

describe('presets', () => {
	const sent = async (more: INodeParameters, parameters: INodeParameters) => {
		const options = { allowUnknownCost: true, ...more };
		const { failed } = await execute('start', { prompt: 'x', options, ...parameters });
		return failed[0]?.json['error'] ?? posts(service).at(-1)?.body;
	};
	const video = { mediaType: 'videos', model: { ...model, value: 'reel/clip-3' } };
	const speech = { mediaType: 'audio', model: { ...model, value: 'voice/speaker-1' } };

	it.each([
		['not set', {}, { model }, {}],
		['blank', { quality: ' ' }, { model }, {}],
		[
			'of an image',
			{ aspectRatio: '16:9', quality: ' high ' },
			{ model },
			{ aspect_ratio: '16:9', quality: 'high' },
		],
		[
			'of a video',
			{ aspectRatio: '9:16', duration: 2.5, quality: '720p' },
			video,
			{ aspect_ratio: '9:16', duration: 2.5, quality: '720p' },
		],
		[
			'of speech: those of another media type are not sent, since the editor hides them',
			{ aspectRatio: '16:9', duration: 5, quality: 'high', voice: 'alloy' },
			speech,
			{ quality: 'high', voice: 'alloy' },
		],
	])('%s', async (_what, presets, parameters, fields) => {
		expect(await sent(presets, parameters)).toEqual({
			model: expect.any(String),
			prompt: 'x',
			...fields,
		});
	});

	it('count for the spending cap: more seconds cost more', async () => {
		expect(await sent({ duration: 8 }, { ...video, spendingCapPerItem: 0.5 })).toMatch(
			/^This costs at least \$0\.80, more than the spending cap of \$0\.50/,
		);
	});

	it.each([
		[
			'a preset',
			{ aspectRatio: '1:1', parameters: '{"aspect_ratio": "16:9"}' },
			/must not contain "aspect_ratio".*It is set by the field Aspect Ratio/,
		],
		['the prompt', { parameters: '{"prompt": "y"}' }, /"prompt".*by the field Prompt/],
		['the model', { parameters: '{"model": "y"}' }, /"model".*by the field Model/],
	])('%s and Additional Parameters: one place only', async (_what, options, message) => {
		expect(await sent(options, { model })).toMatch(message);
		expect(posts(service)).toEqual([]);
	});
});
