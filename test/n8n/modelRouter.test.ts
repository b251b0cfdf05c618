import { messages, model, nodesFor, openBridge, packageName, type Bridge } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { workflow } from './workflow.ts';

let bridge: Bridge;
let router: ReturnType<typeof nodesFor>['router'];
beforeAll(async () => {
	bridge = await openBridge();
	({ router } = nodesFor(bridge.accounts));
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const complete = ['chat', 'complete'] as const;

it('completes chats, streamed inside, one item each', async () => {
	const execution = await bridge.editor.runOnce(
		workflow(
			'chat',
			[{ q: 'one' }, { q: 'two' }],
			router('Chat', complete, {
				model: model('northwind/quill-2.5'),
				messages: messages('={{ $json.q }}'),
				options: { max_tokens: 100, temperature: 0.5 },
			}),
		),
	);
	expect(itemsOf(execution, 'Chat').map(({ json }) => json['output'])).toEqual([
		'You said: "one".',
		'You said: "two".',
	]);
	expect(itemsOf(execution, 'Chat')[1]).toMatchObject({
		json: {
			model: expect.stringMatching(/quill/i),
			finishReason: 'stop',
			complete: true,
			usage: { prompt_tokens: 1 },
		},
		pairedItem: { item: 1 },
	});
	expect(bridge.service.requests[0]?.body).toMatchObject({
		stream: true,
		max_tokens: 100,
		temperature: 0.5,
	});
});

it('says that an answer was cut off by the token cap', async () => {
	const execution = await bridge.editor.runOnce(
		workflow(
			'length',
			[{}],
			router('Chat', complete, {
				model: model('northwind/quill-2.5'),
				messages: messages('[[words:50]]'),
				options: { max_tokens: 5 },
			}),
		),
	);
	expect(itemsOf(execution, 'Chat')[0]?.json).toMatchObject({
		output: expect.stringMatching(/^word1 /),
		finishReason: 'length',
	});
});

it('gets one model, whatever its spelling', async () => {
	const execution = await bridge.editor.runOnce(
		workflow(
			'model',
			[{}],
			router('Model', ['model', 'get'], { model: model('northwind/QUILL-2-5') }),
		),
	);
	expect(itemsOf(execution, 'Model')[0]?.json).toMatchObject({
		id: 'northwind/quill-2.5',
		kind: 'text',
		pricing: { input_per_mtok: 0.5, output_per_mtok: 1.5 },
	});
});

it.each([
	['all', { kind: '', returnAll: true }, 12],
	['a limited number', { kind: '', returnAll: false, limit: 3 }, 3],
	// and the one of which the catalog does not say what it is
	['those of one kind', { kind: 'image', returnAll: true }, 3],
] as const)('gets many models: %s', async (_name, parameters, count) => {
	const execution = await bridge.editor.runOnce(
		workflow('models', [{}], router('Models', ['model', 'getMany'], parameters)),
	);
	const models = itemsOf(execution, 'Models').map(({ json }) => json);
	expect(models).toHaveLength(count);
	if (parameters.kind)
		expect(new Set(models.map(({ kind }) => kind))).toEqual(new Set([parameters.kind, undefined]));
});

describe('the model picker', () => {
	const search = async (parameters: Record<string, unknown>, filter?: string) => {
		const { results } = await bridge.editor.listSearch({
			nodeType: `${packageName}.modelRouter`,
			method: await searchMethod(),
			parameter: 'model',
			parameters,
			credentials: {
				modelRouterApi: { id: bridge.accounts.router.id, name: bridge.accounts.router.name },
			},
			...(filter === undefined ? {} : { filter }),
		});
		return results.map(({ value }) => value);
	};

	it('offers text models to a chat, found by name', async () => {
		expect(await search({ resource: 'chat', operation: 'complete' })).toContain(
			'northwind/quill-2.5',
		);
		expect(await search({ resource: 'chat', operation: 'complete' })).not.toContain(
			'canvas/sketch-1',
		);
		expect(await search({ resource: 'chat', operation: 'complete' }, 'prism')).toEqual([
			'Aurora-Labs/Prism-4.1-Turbo',
		]);
	});

	it('offers the models of the chosen segment to a media job', async () => {
		const found = await search({ resource: 'job', operation: 'start', segment: 'images' });
		// and one of which the catalog does not say what it is
		expect(found.sort()).toEqual(['canvas/Oil.Paint-2', 'canvas/sketch-1', 'tiny/plain-text-1']);
	});
});

/** The name that the node itself gives to the search of its model list. */
async function searchMethod(): Promise<string> {
	const types = await bridge.editor.nodeTypes();
	const found = types.find(({ name }) => name === `${packageName}.modelRouter`);
	const text = JSON.stringify(found?.['properties']);
	return /"searchListMethod":"(\w+)"/.exec(text)?.[1] ?? 'the node has no list to search';
}
