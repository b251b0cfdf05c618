import type { INodeParameters } from 'n8n-workflow';

import { job, posts, secretsOf } from './rig/calls';
import { run, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// what a job is started with: everything that was given is sent, nothing is invented
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
	const model = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
	const picture = { mediaType: 'images', model, prompt: 'a cat', inputs: { input } };
	return run({
		...job('start', { ...picture, ...parameters }),
		files,
		secrets: secretsOf(service),
		...more,
	});
};
const sent = () => posts(service)[0]?.body;

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
	expect(sent()).toEqual({
		...{ model: 'canvas/sketch-1', prompt: 'a cat', size: '1x1', image: pngUrl },
		// the bytes know better than what n8n was told
		extra: { strength: 0.5, mask: pngUrl },
		references: ['https://example.com/1.png', `data:text/csv;base64,${csv}`],
		frames: ['https://example.com/2.png'],
	});
});

it('sends nothing but what was given, and takes the default of the editor: the binary field "data"', async () => {
	await start([{ name: 'image' }]);
	expect(sent()).toEqual({ model: 'canvas/sketch-1', prompt: 'a cat', image: pngUrl });
});

it.each<[string, INodeParameters, RegExp]>([
	[
		'a file that only the second item lacks',
		{ name: 'image', binaryProperty: '={{ $itemIndex ? "photo" : "data" }}' },
		/Inputs 1.*"photo"/,
	],
	['an address that nobody can read', { name: 'image', source: 'url', url: 'cat.png' }, /URL must/],
	['no name', { name: '' }, /Parameter Name is empty/],
	['a name that is taken', { name: 'prompt' }, /must not contain "prompt"/],
	['a name below one that is taken', { name: 'model.image' }, /nothing can be added to "model"/],
])('%s in one item costs nothing for any', async (_what, input, message) => {
	const { error } = await start([input], {}, { items: [{}, {}] });
	expect(error?.message).toMatch(message);
	expect(posts(service)).toEqual([]);
});
