import { bridgeOfFile, messages, model, modelsListedBy, nodesFor, originalFile } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { workflow } from './workflow.ts';

const bridge = bridgeOfFile();
const router = (...given: Parameters<ReturnType<typeof nodesFor>['router']>) =>
	nodesFor(bridge.accounts).router(...given);

it.each([
	['images', 'canvas/sketch-1', 'image/png'],
	['videos', 'reel/clip-3', 'video/mp4'],
])(
	'%s: start, get, wait and download, one node each, and generate: n8n stores the files as the service has them',
	async (mediaType, id, mimeType) => {
		const job = { mediaType, jobId: '={{ $json.jobId }}' };
		const start = { mediaType, model: model(id), prompt: 'a test' };
		const options = { parameters: '{ "seed": 7 }' };
		const execution = await bridge.editor.runOnce(
			workflow(
				mediaType,
				[{}],
				router('Start', ['media', 'start'], { ...start, options }),
				router('Get', ['media', 'getJob'], job),
				router('Wait', ['media', 'wait'], { ...job, options: { maxWait: 60 } }),
				router('Download', ['media', 'download'], { ...job, binaryProperty: 'result' }),
				router('Generate', ['media', 'generate'], { ...start, prompt: 'another' }),
			),
		);
		expect(execution.error?.message).toBeUndefined();
		const given = (node: string) => itemsOf(execution, node)[0]!;
		expect(given('Start').json).toMatchObject({ mediaType, state: 'unfinished' });
		expect(given('Get').json).toMatchObject({ mediaType, status: expect.any(String) });
		expect(given('Wait').json).toMatchObject({ state: 'completed', costUsd: expect.any(Number) });
		expect(given('Generate').json).toMatchObject({ state: 'completed', mediaType });
		for (const [node, property] of [
			['Download', 'result'],
			['Generate', 'data'],
		] as const) {
			const { json, binary } = given(node);
			expect(binary?.[property]).toMatchObject({ mimeType });
			const bytes = await bridge.editor.bytesOf(binary?.[property]);
			expect(bytes.equals(await originalFile(bridge.service, json))).toBe(true);
			expect(json['file']).toMatchObject({ bytes: bytes.length });
		}
		expect(bridge.service.world.starts).toMatchObject([
			{ prompt: 'a test' },
			{ prompt: 'another' },
		]);
	},
);

// the last one: it is remembered for a while that the catalog cannot be read
it('the model picker says why when the catalog cannot be read; a typed id works all the same', async () => {
	bridge.service.fault({ match: { path: '/v1/models' }, do: { type: 'status', status: 503 } });
	await expect(modelsListedBy('modelRouter', bridge)).rejects.toThrow(
		/The service reported an internal error \(503\)/,
	);
	const chat = router('Chat', ['text', 'message'], {
		model: model('northwind/quill-2.5'),
		...messages('hello'),
		options: { allowUnknownCost: true },
	});
	const execution = await bridge.editor.runOnce(workflow('typed', [{}], chat));
	expect(itemsOf(execution, 'Chat')[0]?.json['output']).toBe('You said: "hello".');
});
