import type { INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { chat, job, models, posts, response, secretsOf } from './rig/calls';
import { run, start, shownText } from './rig/run';

// the catalog: its filters, one entry in any spelling, and what it spares the user
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const model = (value: string) => ({ __rl: true, mode: 'id', value });
const list = async (filters: INodeParameters = {}, more: INodeParameters = {}) => {
	const { items, error } = await run({
		...models('getMany', { returnAll: true, filters, ...more }),
		secrets: secretsOf(service),
	});
	expect(error).toBeUndefined();
	return items.map(({ json }) => json);
};
const ids = async (filters: INodeParameters, more?: INodeParameters) =>
	(await list(filters, more)).map(({ model: id }) => id as string);

/** Of this one the catalog does not say what it is. */
const NO_KIND = 'tiny/plain-text-1';

describe('many models', () => {
	it('carry the request id, and only what the catalog says', async () => {
		const all = await list();
		expect(all.length).toBeGreaterThan(10);
		for (const entry of all) {
			expect(entry['requestId']).toMatch(/^req-/);
			expect(Object.values(entry)).not.toContain(null);
		}
		const bare = all.find((entry) => entry['model'] === NO_KIND);
		expect(bare).not.toHaveProperty('kind');
	});

	it('are simplified: prices with their units, and nothing that the catalog does not say', async () => {
		const all = await list();
		const requestId = expect.stringMatching(/^req-/);
		expect(all.find((entry) => entry['model'] === 'northwind/quill-2.5')).toEqual({
			model: 'northwind/quill-2.5',
			name: 'Quill 2.5',
			vendor: 'northwind',
			kind: 'text',
			contextLength: 128_000,
			maxOutputTokens: 16_384,
			inputModalities: ['text'],
			inputUsdPerMillionTokens: 0.5,
			cachedInputUsdPerMillionTokens: 0.05,
			outputUsdPerMillionTokens: 1.5,
			requestId,
		});
		expect(all.find((entry) => entry['model'] === 'canvas/sketch-1')).toMatchObject({
			usdPerUnit: 0.04,
			unit: 'image',
		});
		expect(all.find((entry) => entry['model'] === 'tiny/no-price-1')).toEqual({
			model: 'tiny/no-price-1',
			name: 'No Price 1',
			vendor: 'tiny',
			kind: 'text',
			contextLength: 128_000,
			maxOutputTokens: 16_384,
			requestId,
		});
	});

	it("are the catalog's own entries with Simplify off, as one model is", async () => {
		const all = await list({}, { simplify: false });
		const { items } = await run({
			...models('get', { model: model('northwind/QUILL-2.5'), simplify: false }),
			secrets: secretsOf(service),
		});
		for (const entry of [all.find(({ id }) => id === 'northwind/quill-2.5'), items[0]?.json])
			expect(entry).toMatchObject({
				id: 'northwind/quill-2.5',
				owned_by: 'northwind',
				context_length: 128_000,
				pricing: { input_per_mtok: 0.5, output_per_mtok: 1.5, cached_input_per_mtok: 0.05 },
				requestId: expect.stringMatching(/^req-/),
			});
		expect(all.find(({ id }) => id === 'tiny/no-price-1')?.['pricing']).toEqual({});
	});

	it.each(['text', 'image', 'video', 'music', 'audio'])(
		'of kind %s, and the one without a kind',
		async (kind) => {
			const found = await list({}, { kind });
			expect(new Set(found.map((entry) => entry['kind']))).toEqual(new Set([kind, undefined]));
		},
	);

	it.each<[string, INodeParameters, string[], string[]]>([
		[
			'that take images',
			{ inputModality: 'image' },
			['Aurora-Labs/Prism-4.1-Turbo', 'aurora-labs/omni-2', 'tiny/no-price-1'],
			['northwind/quill-2.5'],
		],
		[
			'of a vendor',
			{ vendor: 'AURORA labs' },
			['Aurora-Labs/Prism-4.1-Turbo'],
			['tiny/plain-text-1'],
		],
		[
			'with a large context',
			{ minContext: 500_000 },
			['Aurora-Labs/Prism-4.1-Turbo', 'tiny/no-context-1'],
			['northwind/quill-2.5'],
		],
		[
			'with a low input price',
			{ maxInputPrice: 0.5 },
			['northwind/quill-2.5', NO_KIND, 'tiny/no-price-1'],
			['aurora-labs/deep-reason-1', 'canvas/sketch-1'],
		],
		[
			'with a low output price',
			{ maxOutputPrice: 1 },
			['northwind/quill-mini', 'tiny/input-price-1'],
			['northwind/quill-2.5'],
		],
		[
			'with a low unit price',
			{ maxUnitPrice: 0.02 },
			['canvas/Oil.Paint-2', 'voice/speaker-1', NO_KIND],
			['canvas/sketch-1', 'northwind/quill-2.5'],
		],
		[
			'by a part of the name',
			{ search: 'prism 4' },
			['Aurora-Labs/Prism-4.1-Turbo'],
			['northwind/quill-2.5'],
		],
	])('%s', async (_what, filters, kept, left) => {
		const found = await ids(filters);
		expect(found).toEqual(expect.arrayContaining(kept));
		expect(found.filter((id) => left.includes(id))).toEqual([]);
	});

	it('up to a limit, which counts after the filters', async () => {
		expect(await ids({ vendor: 'northwind' }, { returnAll: false, limit: 1 })).toEqual([
			'northwind/quill-2.5',
		]);
	});
});

describe('a model of another kind', () => {
	const wrong = { model: model('canvas/SKETCH_1') };
	const sentence =
		'The model canvas/sketch-1 makes images. Use "Media" with the Media Type "Image" for it.';

	it.each([
		['a chat', () => chat('x', wrong), sentence],
		['a response', () => response('x', wrong), sentence],
		[
			'an estimate',
			() => ({
				...chat('x'),
				parameters: { ...chat('x', wrong).parameters, operation: 'estimateCost' },
			}),
			sentence,
		],
		['a job', () => job('start', { mediaType: 'videos', ...wrong, prompt: 'x' }), sentence],
		[
			'a job with a text model',
			() =>
				job('generate', { mediaType: 'images', model: model('northwind/quill-2.5'), prompt: 'x' }),
			'The model northwind/quill-2.5 answers with text. Use "Text: Message a Model" for it.',
		],
	])('is refused before %s is sent', async (_what, call, message) => {
		const { error } = await run({ ...call(), secrets: secretsOf(service) });
		expect(shownText(error)).toBe(message);
		expect(posts(service)).toEqual([]);
	});

	it.each([400, 404, 422])(
		'and in the same words when the service says so with %i',
		async (status) => {
			const other = await startService();
			other.forms.wrongEndpointStatus = status;
			other.fault({ match: { path: '/v1/models' }, do: { type: 'status', status: 500 } });
			const { error } = await run({
				...chat('x', { model: model('canvas/sketch-1'), options: { allowUnknownCost: true } }),
				secrets: secretsOf(other),
			});
			await other.stop();
			expect(error?.message).toBe('The model canvas/sketch-1 makes images: wrong_endpoint');
			expect(error?.description).toContain('Use "Media" with the Media Type "Image" for it.');
		},
	);

	it('is not judged when the catalog does not know the model', async () => {
		const { error } = await run({
			...chat('x', { model: model('no/one'), options: { allowUnknownCost: true } }),
			secrets: secretsOf(service),
		});
		expect(error?.message).toContain('404');
		expect(posts(service)).toHaveLength(1);
	});
});

it('the catalog is read once for many items, executions and nodes', async () => {
	const other = await startService();
	const secrets = secretsOf(other);
	const items = Array.from({ length: 30 }, (_, n) => ({ n }));
	await run({ ...chat('x'), items, secrets });
	await run({ ...response('x'), secrets });
	await run({ ...job('start', { mediaType: 'images', model: model('canvas/sketch-1') }), secrets });
	const reads = other.requests.filter(({ path }) => path === '/v1/models');
	await other.stop();
	expect(reads).toHaveLength(1);
});

it('a catalog that never comes holds nobody up for long', async () => {
	const other = await startService();
	other.fault({ match: { path: '/v1/models' }, do: { type: 'timeout' } });
	const asked = { items: [{}, {}, {}], secrets: secretsOf(other) };
	const { items } = await run({ ...chat('x', { options: { allowUnknownCost: true } }), ...asked });
	expect(items).toHaveLength(3);
	expect((await run({ ...chat('x'), ...asked })).error?.message).toMatch(
		/^The cost cannot be calculated: the catalog could not be read \(it did not come in time\)/,
	);
	await other.stop();
});

it.each([401, 403])('a key that is refused with %i is what is said', async (status) => {
	const other = await startService();
	other.fault({ match: { path: '/v1/models' }, do: { type: 'status', status } });
	const { error } = await run({ ...chat('x'), secrets: secretsOf(other) });
	const posted = posts(other);
	await other.stop();
	expect([error?.message, posted]).toEqual([
		expect.stringMatching(/^The (service refused the )?API key/),
		[],
	]);
	expect(shownText(error)).toContain('Copy the API key into the credential again');
	expect(shownText(error)).not.toContain('Allow Unknown Cost');
	expect(error?.description).toContain('nothing was started');
});

it('an entry with an error of its own does not make n8n repeat the node', async () => {
	service.fault({
		match: { path: '/v1/models' },
		do: {
			type: 'status',
			status: 200,
			body: [{ id: 'a/b', owned_by: 'a', pricing: {}, error: { message: 'odd' } }],
		},
	});
	const { items } = await run({
		...models('getMany', { returnAll: true }),
		secrets: secretsOf(service),
		settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
	});
	expect(items).toMatchObject([{ json: { model: 'a/b', failure: { message: 'odd' } } }]);
	expect(service.requests).toHaveLength(1);
});

it('Stop while the catalog hangs: nothing was sent, and that is what is said', async () => {
	const other = await startService();
	other.fault({ match: { path: '/v1/models' }, do: { type: 'timeout' } });
	const { finished, stop } = start({ ...chat('x'), secrets: secretsOf(other) });
	while (!other.requests.length) await new Promise((resolve) => setTimeout(resolve, 10));
	stop();
	const { error } = await finished;
	expect([error?.message, posts(other)]).toEqual(['The execution was stopped', []]);
	expect(error?.description).toContain('nothing was started');
	await other.stop();
});
