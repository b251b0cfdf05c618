import { startService, type Service } from '../service/service';
import { agent, assistant, chat, job, models, posts, secretsOf } from './rig/calls';
import { run } from './rig/run';

// every operation, in every form that the specification leaves open
let service: Service;
beforeAll(async () => (service = await startService({ strict: false })));
beforeEach(() => service.reset());
afterAll(() => service.stop());
const secrets = () => secretsOf(service);

describe('Workspace Agent: send', () => {
	it.each(['sse-json', 'sse-text', 'ndjson', 'text', 'json'] as const)(
		'reads an answer as %s',
		async (form) => {
			service.forms.agent = form;
			const { items, error } = await run({
				...agent({ message: 'Grüße 👋 aus Köln' }),
				secrets: secrets(),
			});
			expect(error).toBeUndefined();
			expect(items).toEqual([
				{
					json: {
						output: expect.stringContaining('You said: "Grüße 👋 aus Köln"'),
						sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
						sessionSource: 'new',
						complete: true,
						format: form.startsWith('sse') ? 'sse' : form,
					},
					pairedItem: { item: 0 },
				},
			]);
		},
	);

	it('continues a session, and keeps the items of one session in order', async () => {
		const sessionId = '6F1C2B1E-8d3a-4c0e-9a55-0d2f6b7c8e90';
		const { items } = await run({
			...agent({ sessionMode: 'id', sessionId, message: '={{ $json.text }}' }),
			items: [{ text: 'first' }, { text: 'second' }, { text: 'third' }],
			secrets: secrets(),
		});
		expect(items.map(({ json }) => json['output'])).toEqual([
			expect.stringContaining('"first"'),
			expect.stringMatching(/"second".*"first"/s),
			expect.stringMatching(/"third".*"second"/s),
		]);
		expect(items.every(({ json }) => json['sessionId'] === sessionId)).toBe(true);
		expect(service.mostInFlight).toBe(1);
	});

	it.each(['   ', 'abc', '../x', '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e9', '={{ undefined }}'])(
		'refuses the session id "%s" before any request',
		async (sessionId) => {
			const { error } = await run({
				...agent({ sessionMode: 'id', sessionId, message: 'x' }),
				secrets: secrets(),
			});
			expect(error?.message).toMatch(/^Session ID (is empty|must be a UUID)/);
			expect(service.requests).toEqual([]);
		},
	);

	it('adds the events when asked for', async () => {
		const { items } = await run({
			...agent({ message: 'x', options: { includeRawEvents: true } }),
			secrets: secrets(),
		});
		expect((items[0]?.json['events'] as unknown[]).length).toBeGreaterThan(2);
	});
});

describe('Market Assistant', () => {
	it.each([
		'answer',
		'message-text',
		'content-parts',
		'data-analysis',
		'messages',
		'text',
	] as const)('asks, and finds the text in a body of the form %s', async (form) => {
		service.forms.assistantBody = form;
		const { items, error } = await run({
			...assistant('ask', { question: 'What of BTC?' }),
			secrets: secrets(),
		});
		expect(error).toBeUndefined();
		expect(items).toMatchObject([
			{
				json: {
					output: expect.stringContaining('What of BTC?'),
					complete: true,
					body: expect.anything(),
				},
			},
		]);
	});

	it.each(['null', 'empty'] as const)('streams, with "finish" carrying %s', async (finish) => {
		service.forms.finish = finish;
		service.forms.assistantMessages = 2;
		const { items, error } = await run({
			...assistant('askStreaming', { question: 'What of ETH?' }),
			secrets: secrets(),
		});
		expect(error).toBeUndefined();
		const json = items[0]?.json ?? {};
		expect(json).toMatchObject({
			output: expect.stringContaining('What of ETH?'),
			chatId: expect.stringMatching(/^[0-9a-f-]{36}$/),
			chatTitle: expect.any(String),
			complete: true,
		});
		expect(json['messageIds']).toHaveLength(2);
		expect(json['toolCalls']).toContainEqual({
			callId: expect.any(String),
			title: { en: expect.any(String), de: expect.any(String) },
			label: 'Reading market data',
			startedMs: expect.any(Number),
			finished: true,
			finishedMs: expect.any(Number),
			durationMs: expect.any(Number),
		});
	});

	it('continues a chat: the id goes back exactly as it came', async () => {
		service.forms.unknownChat = 'accepted';
		await run({
			...assistant('askStreaming', {
				question: 'x',
				...{ sessionMode: 'id', chatId: ' Odd/Id 7 ' },
			}),
			secrets: secrets(),
		});
		expect(posts(service)[0]?.body).toEqual({ message: 'x', chat_id: ' Odd/Id 7 ' });
	});

	it('remembers what was said in the chat', async () => {
		const first = await run({
			...assistant('askStreaming', { question: 'What of SOL?' }),
			secrets: secrets(),
		});
		const chatId = first.items[0]?.json['chatId'] as string;
		const { items } = await run({
			...assistant('ask', { question: 'And now?', sessionMode: 'id', chatId }),
			secrets: secrets(),
		});
		expect(items[0]?.json['output']).toContain('What of SOL?');
	});
});

describe('Model Router: text and catalog', () => {
	it('completes a chat and gives usage, reason and request id', async () => {
		const { items, error } = await run({ ...chat('Hello, 世界'), secrets: secrets() });
		expect(error).toBeUndefined();
		expect(items[0]?.json).toEqual({
			output: expect.stringContaining('Hello, 世界'),
			model: 'northwind/quill-2.5',
			finishReason: 'stop',
			usage: expect.objectContaining({
				prompt_tokens: expect.any(Number),
				completion_tokens: expect.any(Number),
			}),
			costUsd: expect.any(Number),
			costComputed: true,
			requestId: expect.any(String),
			complete: true,
		});
		expect(posts(service)[0]?.body).toMatchObject({ stream: true });
	});

	it('sends options as the protocol names them, and no others', async () => {
		const options = { maxTokens: 7, temperature: 0.5, reasoningEffort: 'low' };
		const { items } = await run({
			...chat('one two three four five six seven eight nine', { options }),
			secrets: secrets(),
		});
		expect(posts(service)[0]?.body).toEqual({
			model: 'northwind/quill-2.5',
			messages: [{ role: 'user', content: 'one two three four five six seven eight nine' }],
			stream: true,
			max_tokens: 7,
			temperature: 0.5,
			reasoning_effort: 'low',
		});
		expect(items[0]?.json['finishReason']).toBe('length');
	});

	it.each(['data', 'array', 'models', 'object-by-id'] as const)(
		'lists the catalog from the form %s',
		async (list) => {
			service.forms.list = list;
			const { items, error } = await run({
				...models('getMany', { returnAll: true }),
				secrets: secrets(),
			});
			expect(error).toBeUndefined();
			expect(items.length).toBeGreaterThan(10);
			expect(items.map(({ json }) => json['kind'])).toEqual(
				expect.arrayContaining(['text', 'image', 'video', 'music', 'audio', undefined]),
			);
		},
	);

	it('keeps a model without a kind whatever the filter, and obeys the limit', async () => {
		const all = await run({
			...models('getMany', { kind: 'image', returnAll: true }),
			secrets: secrets(),
		});
		expect(new Set(all.items.map(({ json }) => json['kind']))).toEqual(
			new Set(['image', undefined]),
		);
		const two = await run({ ...models('getMany', { limit: 2 }), secrets: secrets() });
		expect(two.items).toHaveLength(2);
	});

	it.each(['bare', 'data', 'model'] as const)(
		'reads one entry (%s) in any spelling',
		async (entry) => {
			service.forms.entry = entry;
			for (const value of ['Aurora-Labs/Prism-4.1-Turbo', 'aurora_labs/prism 4-1 turbo']) {
				const { items, error } = await run({
					...models('get', { model: { __rl: true, mode: 'id', value } }),
					secrets: secrets(),
				});
				expect(error).toBeUndefined();
				expect(items[0]?.json).toMatchObject({
					model: 'Aurora-Labs/Prism-4.1-Turbo',
					inputUsdPerMillionTokens: 3,
				});
			}
		},
	);
});

describe('Model Router: media jobs', () => {
	const start = (parameters: object = {}) =>
		run({
			...job('start', {
				model: { __rl: true, mode: 'id', value: 'canvas/sketch-1' },
				prompt: 'a cat',
				...parameters,
			}),
			secrets: secrets(),
		});

	it.each([
		[{}],
		[{ jobStart: 'job', jobStatus: 'data' }],
		[{ jobStart: 'data', jobId: 'number' }],
		[{ jobId: 'slash' }],
		[{ jobPath: 'kind' }],
		[{ jobPath: 'segment' }],
		[{ jobState: { field: 'state', pending: 'QUEUED', completed: 'SUCCEEDED', failed: 'ERROR' } }],
		[{ jobState: { field: '', pending: '', completed: '', failed: '' } }],
		[{ jobCost: 'string' }],
	] as const)('starts, reads, waits and downloads in the form %j', async (forms) => {
		Object.assign(service.forms, forms);
		const started = await start();
		expect(started.error).toBeUndefined();
		const { jobId, mediaType } = started.items[0]?.json as { jobId: string; mediaType: string };
		expect(started.items[0]?.json).toMatchObject({
			mediaType: 'images',
			state: 'unfinished',
			estimatedCostUsd: expect.any(Number),
			requestId: expect.any(String),
		});
		const read = await run({
			...job('get', { mediaType, jobId, simplify: false }),
			secrets: secrets(),
		});
		expect(read.items[0]?.json).toMatchObject({
			...{ jobId, state: 'unfinished', mediaType: 'images' },
			job: expect.any(Object),
		});
		const waited = await run({ ...job('wait', { mediaType, jobId }), secrets: secrets() });
		expect(waited.items[0]?.json).toMatchObject({
			jobId,
			state: 'completed',
			costUsd: expect.any(Number),
		});
		const brought = await run({ ...job('download', { mediaType, jobId }), secrets: secrets() });
		expect(brought.error).toBeUndefined();
		expect(brought.items[0]).toMatchObject({
			json: { jobId, file: { mimeType: 'image/png' } },
			binary: { data: { mimeType: 'image/png', fileExtension: 'png' } },
		});
	});

	it.each([
		['images', 'canvas/sketch-1', 'image/png'],
		['videos', 'reel/clip-3', 'video/mp4'],
		['music', 'tune/melody-1', 'audio/mpeg'],
		['audio', 'voice/speaker-1', 'audio/wav'],
	])('generates a file of %s', async (mediaType, value, mimeType) => {
		service.forms.contentType = 'application/octet-stream';
		const { items, error } = await run({
			...job('generate', { mediaType, model: { __rl: true, mode: 'id', value }, prompt: 'x' }),
			secrets: secrets(),
		});
		expect(error).toBeUndefined();
		expect(items[0]).toMatchObject({
			json: { state: 'completed', file: { mimeType, bytes: expect.any(Number) } },
			binary: { data: { mimeType } },
		});
	});

	it('sends everything given with a start, and nothing else', async () => {
		await start({ parameters: '{"size":"1024x1024","seed":7}' });
		expect(posts(service)[0]?.body).toEqual({
			model: 'canvas/sketch-1',
			prompt: 'a cat',
			size: '1024x1024',
			seed: 7,
		});
	});
});
