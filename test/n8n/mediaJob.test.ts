import { model, nodesFor, openBridge, type Bridge } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { originalFile } from './originalFile.ts';
import { workflow } from './workflow.ts';

let bridge: Bridge;
let router: ReturnType<typeof nodesFor>['router'];
beforeAll(async () => {
	bridge = await openBridge();
	({ router } = nodesFor(bridge.accounts));
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const kinds = [
	['images', 'canvas/sketch-1', 'image/png'],
	['videos', 'reel/clip-3', 'video/mp4'],
	['music', 'tune/melody-1', 'audio/mpeg'],
	['audio', 'voice/speaker-1', 'audio/'],
] as const;

it.each(kinds)(
	'%s: start, get, wait and download, one node each',
	async (mediaType, id, mimeType) => {
		const job = { mediaType, jobId: '={{ $json.jobId }}' };
		const execution = await bridge.editor.runOnce(
			workflow(
				mediaType,
				[{}],
				router('Start', ['media', 'start'], {
					mediaType,
					model: model(id),
					prompt: 'a test',
					parameters: '{ "seed": 7 }',
				}),
				router('Get', ['media', 'get'], job),
				router('Wait', ['media', 'wait'], { ...job, options: { maxWait: 60 } }),
				router('Download', ['media', 'download'], { ...job, binaryProperty: 'result' }),
			),
		);
		expect(execution.error?.message).toBeUndefined();
		expect(itemsOf(execution, 'Start')[0]?.json).toMatchObject({
			mediaType,
			state: 'unfinished',
			estimatedCostUsd: expect.any(Number),
		});
		expect(itemsOf(execution, 'Get')[0]?.json).toMatchObject({
			mediaType,
			status: expect.any(String),
		});
		expect(itemsOf(execution, 'Wait')[0]?.json).toMatchObject({
			state: 'completed',
			costUsd: expect.any(Number),
		});
		const [file] = itemsOf(execution, 'Download');
		expect(file?.json).toMatchObject({
			file: { fileName: expect.any(String), mimeType: expect.stringContaining(mimeType) },
		});
		const bytes = await bridge.editor.bytesOf(file?.binary?.['result']);
		expect(bytes.equals(await originalFile(bridge.service, file!.json))).toBe(true);
		expect(bytes.length).toBe((file?.json['file'] as { bytes: number }).bytes);
		expect(bridge.service.requests.find(({ method }) => method === 'POST')?.body).toMatchObject({
			seed: 7,
			prompt: 'a test',
		});
		expect(bridge.service.starts('a test')).toBe(1);
	},
);

it.each(kinds)('%s: generate starts, waits and downloads', async (mediaType, id) => {
	const execution = await bridge.editor.runOnce(
		workflow(
			`generate ${mediaType}`,
			[{ n: 'first' }, { n: 'second' }],
			router('Generate', ['media', 'generate'], {
				mediaType,
				model: model(id),
				prompt: '=the {{ $json.n }}',
				binaryProperty: 'data',
			}),
		),
	);
	expect(execution.error?.message).toBeUndefined();
	const items = itemsOf(execution, 'Generate');
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	for (const item of items) {
		expect(item.json).toMatchObject({ state: 'completed', mediaType });
		expect(
			(await bridge.editor.bytesOf(item.binary?.['data'])).equals(
				await originalFile(bridge.service, item.json),
			),
		).toBe(true);
	}
	expect([bridge.service.starts('the first'), bridge.service.starts('the second')]).toEqual([1, 1]);
});

it('leaves the id of a started job in the custom data of an execution whose job fails', async () => {
	const execution = await bridge.editor.runOnce(
		workflow(
			'failing',
			[{}],
			router('Generate', ['media', 'generate'], {
				mediaType: 'images',
				model: model('canvas/sketch-1'),
				prompt: 'failing [[fail]]',
			}),
		),
	);
	expect(execution.status).toBe('error');
	expect(execution.error?.message).toMatch(/job-/);
	expect(JSON.stringify(execution.customData)).toMatch(/job-/);
});
