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

const message = ['text', 'message'] as const;

it('completes chats, streamed inside, one item each', async () => {
	const execution = await bridge.editor.runOnce(
		workflow(
			'chat',
			[{ q: 'one' }, { q: 'two' }],
			router('Chat', message, {
				model: model('northwind/quill-2.5'),
				...messages('={{ $json.q }}'),
				options: { maxTokens: 100, temperature: 0.5 },
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
	expect(bridge.service.requests.find(({ method }) => method === 'POST')?.body).toMatchObject({
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
			router('Chat', message, {
				model: model('northwind/quill-2.5'),
				...messages('[[words:50]]'),
				options: { maxTokens: 5 },
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
		model: 'northwind/quill-2.5',
		kind: 'text',
		inputUsdPerMillionTokens: 0.5,
		outputUsdPerMillionTokens: 1.5,
	});
});

it.each([
	['all', { kind: '', returnAll: true }, 17],
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

it('puts a broken answer on the error output with its text, or among the items where that is wanted', async () => {
	const broken = (options: Record<string, unknown>, name: string) =>
		router(
			name,
			message,
			{ model: model('northwind/quill-2.5'), ...messages('={{ $json.q }}'), options },
			{ onError: 'continueErrorOutput' },
		);
	const input = [{ q: 'fine' }, { q: '[[words:30]] [[break:4]]' }];
	const failing = await bridge.editor.runOnce(workflow('broken', input, broken({}, 'Chat')));
	expect(itemsOf(failing, 'Chat')).toHaveLength(1);
	expect(itemsOf(failing, 'Chat', 1)).toMatchObject([
		{
			json: {
				q: '[[words:30]] [[break:4]]',
				error: expect.stringContaining('stopped before its end'),
				details: {
					kind: 'truncated',
					requestId: expect.any(String),
					partial: { text: 'word1 word2 word3 word4 ' },
				},
			},
			pairedItem: { item: 1 },
		},
	]);
	const kept = await bridge.editor.runOnce(
		workflow('kept', input, broken({ onIncomplete: 'partial' }, 'Chat')),
	);
	expect(itemsOf(kept, 'Chat').map(({ json }) => [json['complete'], json['output']])).toEqual([
		[true, 'You said: "fine".'],
		[false, 'word1 word2 word3 word4 '],
	]);
});

it('checks an answer by a schema, and says where it breaks it', async () => {
	const schema = '{"type":"object","properties":{"size":{"enum":["S","M"]}},"required":["size"]}';
	const execution = await bridge.editor.runOnce(
		workflow(
			'schema',
			[{ q: 'x' }, { q: '[[break_schema]]' }],
			router(
				'Chat',
				message,
				{
					model: model('northwind/quill-2.5'),
					prompt: '={{ $json.q }}',
					responseFormat: 'json_schema',
					jsonSchema: schema,
				},
				{ onError: 'continueErrorOutput' },
			),
		),
	);
	expect(itemsOf(execution, 'Chat').map(({ json }) => json['parsed'])).toEqual([{ size: 'S' }]);
	expect(itemsOf(execution, 'Chat', 1)[0]?.json).toMatchObject({
		details: {
			kind: 'schemaMismatch',
			computed: { place: expect.any(String) },
			partial: { text: expect.stringMatching(/./) },
		},
	});
});

it('estimates, and holds back what could cost more than the cap', async () => {
	const chat = { model: model('northwind/quill-2.5'), ...messages('hello') };
	const execution = await bridge.editor.runOnce(
		workflow(
			'money',
			[{}],
			router('Estimate', ['text', 'estimateCost'], chat),
			router(
				'Capped',
				message,
				{ ...chat, spendingCapPerItem: 0.001 },
				{ onError: 'continueErrorOutput' },
			),
		),
	);
	expect(itemsOf(execution, 'Estimate')[0]?.json).toMatchObject({
		maxOutputTokens: 16_384,
		maxCostUsd: expect.any(Number),
		costComputed: true,
	});
	expect(itemsOf(execution, 'Capped', 1)[0]?.json['error']).toMatch(/could cost up to \$0\.006/);
	expect(bridge.service.requests.some(({ method }) => method === 'POST')).toBe(false);
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
		return results;
	};
	const valuesOf = async (...given: Parameters<typeof search>) =>
		(await search(...given)).map(({ value }) => value);

	it('offers text models for a text, found by name', async () => {
		expect(await valuesOf({ resource: 'text', operation: 'message' })).toContain(
			'northwind/quill-2.5',
		);
		expect(await valuesOf({ resource: 'text', operation: 'message' })).not.toContain(
			'canvas/sketch-1',
		);
		expect(await valuesOf({ resource: 'text', operation: 'estimateCost' }, 'prism')).toEqual([
			'Aurora-Labs/Prism-4.1-Turbo',
		]);
	});

	it('offers the models of the chosen media type to a media job', async () => {
		const found = await valuesOf({ resource: 'media', operation: 'start', mediaType: 'images' });
		// and one of which the catalog does not say what it is
		expect(found.sort()).toEqual(['canvas/Oil.Paint-2', 'canvas/sketch-1', 'tiny/plain-text-1']);
	});

	it('shows price and context, and nothing that the catalog does not say', async () => {
		const names = (await search({ resource: 'model', operation: 'get' })).map(({ name }) => name);
		expect(names).toEqual(
			expect.arrayContaining([
				'Quill 2.5 · $0.5 in, $1.5 out per 1M tokens · 128k context · northwind/quill-2.5',
				'northwind/quill-mini · $0.1 in, $0.4 out per 1M tokens · 128k context',
				'Prism 4.1 Turbo · $3 in, $15 out per 1M tokens · 1M context · Aurora-Labs/Prism-4.1-Turbo',
				'No Context 1 · $0.01 in, $0.02 out per 1M tokens · tiny/no-context-1',
				'Input Price 1 · $0.15 in, ? out per 1M tokens · 128k context · tiny/input-price-1',
				'No Price 1 · 128k context · tiny/no-price-1',
				'Sketch 1 · from $0.04 per image · canvas/sketch-1',
				'Speaker 1 · from $0.015 per 1k characters · voice/speaker-1',
			]),
		);
	});

	it('says why when the catalog cannot be read; a typed id works all the same', async () => {
		bridge.service.fault({
			match: { path: '/v1/models' },
			do: { type: 'status', status: 503 },
		});
		await expect(search({ resource: 'text', operation: 'message' })).rejects.toThrow(
			/The service reported an internal error \(503\)/,
		);
		const execution = await bridge.editor.runOnce(
			workflow(
				'typed',
				[{}],
				router('Chat', message, {
					model: model('northwind/quill-2.5'),
					...messages('hello'),
					options: { allowUnknownCost: true },
				}),
			),
		);
		expect(itemsOf(execution, 'Chat')[0]?.json['output']).toBe('You said: "hello".');
	});
});

/** The name that the node itself gives to the search of its model list. */
async function searchMethod(): Promise<string> {
	const found = await bridge.editor.nodeType(`${packageName}.modelRouter`);
	const text = JSON.stringify(found?.['properties']);
	return /"searchListMethod":"(\w+)"/.exec(text)?.[1] ?? 'the node has no list to search';
}
