import type { INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { job, posts, secretsOf } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// what a job is started with: everything that was given is sent, nothing is invented
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => {
	service.reset();
	service.forms.jobSteps = 0;
});
afterAll(() => service.stop());

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const png = base64(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
const files = {
	data: { data: png, mimeType: 'image/png', fileName: 'a.png' },
	mask: { data: png, mimeType: 'image/jpeg', fileName: 'b.jpg' },
	notes: { data: base64('a,b'), mimeType: 'text/csv', fileName: 'c.csv' },
};
const pngUrl = `data:image/png;base64,${png}`;

const start = (
	input: INodeParameters[],
	parameters: INodeParameters = {},
	more: Partial<RunOptions> = {},
) =>
	run({
		...job('start', {
			mediaType: 'images',
			model: { __rl: true, mode: 'id', value: 'canvas/sketch-1' },
			prompt: 'a cat',
			inputs: { input },
			...parameters,
		}),
		files,
		secrets: secretsOf(service),
		...more,
	});

it('sends files as data URLs and addresses as they are, each where it belongs', async () => {
	const { error } = await start(
		[
			{ name: 'image', source: 'binary', binaryProperty: 'data' },
			{ name: 'extra.mask', source: 'binary', binaryProperty: 'mask' },
			{ name: 'references', source: 'url', url: 'https://example.com/1.png' },
			{ name: 'references', source: 'binary', binaryProperty: 'notes' },
			{ name: 'frames[]', source: 'url', url: ' https://example.com/2.png ' },
		],
		{ parameters: '{"size": "1x1", "extra": {"strength": 0.5}}' },
	);
	expect(error).toBeUndefined();
	expect(posts(service)[0]?.body).toEqual({
		model: 'canvas/sketch-1',
		prompt: 'a cat',
		size: '1x1',
		image: pngUrl,
		// the bytes know better than what n8n was told
		extra: { strength: 0.5, mask: pngUrl },
		references: ['https://example.com/1.png', `data:text/csv;base64,${base64('a,b')}`],
		frames: ['https://example.com/2.png'],
	});
});

it('takes the defaults of the editor: the binary field "data"', async () => {
	await start([{ name: 'image' }]);
	expect(posts(service)[0]?.body).toMatchObject({ image: pngUrl });
});

it('sends nothing but what was given', async () => {
	await start([]);
	expect(posts(service)[0]?.body).toEqual({ model: 'canvas/sketch-1', prompt: 'a cat' });
});

it.each<[string, INodeParameters, RegExp]>([
	[
		'a file that only the second item lacks',
		{ name: 'image', binaryProperty: '={{ $itemIndex ? "photo" : "data" }}' },
		/Inputs 1.*"photo"/,
	],
	['a file that is not there', { name: 'image', binaryProperty: 'photo' }, /Inputs 1.*"photo"/],
	['an address that nobody can read', { name: 'image', source: 'url', url: 'cat.png' }, /URL must/],
	['no name', { name: '' }, /Parameter Name is empty/],
	['a name that is taken', { name: 'prompt' }, /must not contain "prompt"/],
	['a name below one that is taken', { name: 'model.image' }, /nothing can be added to "model"/],
])('%s in one item costs nothing for any', async (_what, input, message) => {
	const { error } = await start([input], {}, { items: [{}, {}] });
	expect(error?.message).toMatch(message);
	expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

it('a file is sent once, also when the node is run again', async () => {
	service.fault({
		match: { method: 'POST', bodyIncludes: 'second' },
		times: 1,
		do: { type: 'status', status: 403 },
	});
	const { error } = await start(
		[{ name: 'image' }],
		{ prompt: '={{ $json.prompt }}' },
		{
			items: [{ prompt: 'first' }, { prompt: 'second' }],
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		},
	);
	expect(error).toBeUndefined();
	expect([service.starts('first'), service.starts('second')]).toEqual([1, 1]);
});
