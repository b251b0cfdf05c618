import { startContrary, type Contrary } from './contrary';
import { chat, job, models } from './rig/calls';
import { run } from './rig/run';

// a catalog in pages, and one that has changed since it was read
let service: Contrary;
beforeEach(async () => (service = await startContrary()));
afterEach(async () => {
	jest.restoreAllMocks();
	await service.stop();
});

const priced = (id: string, more: object = {}) => ({
	id,
	kind: 'text',
	pricing: { input_per_mtok: 1, output_per_mtok: 1 },
	...more,
});
const json = (value: unknown) => ({ type: 'application/json', body: JSON.stringify(value) });
const STREAM = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n';
const isCatalog = ({ url = '' }: { url?: string | undefined }) => url.startsWith('/v1/models');
const reads = () => service.asked.filter((asked) => asked.startsWith('GET /v1/models')).length;
const model = (value: string) => ({ __rl: true, mode: 'id', value });
const later = (milliseconds: number) => {
	const { now } = Date;
	jest.spyOn(Date, 'now').mockImplementation(() => now() + milliseconds);
};

it('all pages are listed', async () => {
	service.answer(({ url = '' }) =>
		url.endsWith('page=2')
			? json({ data: [priced('v/b')] })
			: json({ data: [priced('v/a')], next: '/v1/models?page=2' }),
	);
	const { items } = await run({
		...models('getMany', { returnAll: true }),
		secrets: service.secrets,
	});
	expect(items.map((item) => item.json['model'])).toEqual(['v/a', 'v/b']);
});

it('what is missing is said', async () => {
	service.answer(() => json({ data: [priced('v/a')], total: 7 }));
	const { items, run: executed } = await run({
		...models('getMany', { returnAll: true }),
		secrets: service.secrets,
	});
	expect(items).toHaveLength(1);
	const [data] = executed.data.resultData.runData['Node'] ?? [];
	expect(JSON.stringify(data?.hints)).toContain('Only the first 1 entries of the catalog could be read');
});

it.each<[string, Parameters<typeof run>[0], object]>([
	[
		'a chat',
		{ ...chat('q', { model: model('v/new'), spendingCapPerItem: 1 }), secrets: {} },
		priced('v/new'),
	],
	[
		'a job',
		{
			...job('start', {
				mediaType: 'images',
				model: model('v/new'),
				prompt: 'p',
				spendingCapPerItem: 1,
			}),
			secrets: {},
		},
		priced('v/new', { kind: 'image', pricing: { unit: 'image', per_unit: 0.04 } }),
	],
])(
	'%s with a model that was added a minute ago is not refused by its cap',
	async (_what, what, entry) => {
		let entries: object[] = [priced('v/old')];
		service.answer((request) => {
			if (isCatalog(request)) return json({ data: entries });
			return request.url?.includes('/jobs')
				? json({ id: 'j-1', status: 'queued' })
				: { type: 'text/event-stream', body: STREAM };
		});
		const asked = { ...what, secrets: service.secrets };
		const refused = await run(asked);
		expect(refused.error?.message).toContain('the catalog does not have the model v/new');
		expect([reads(), service.posted.length]).toEqual([1, 0]);

		entries = [priced('v/old'), entry];
		// at once, it is believed; a minute later it is read again
		expect((await run(asked)).error).toBeDefined();
		expect(reads()).toBe(1);
		later(60_000);
		expect((await run(asked)).error).toBeUndefined();
		expect([reads(), service.posted.length]).toEqual([2, 1]);
	},
);

it('a price that was lowered a minute ago is the price', async () => {
	let price = 1000;
	service.answer((request) =>
		isCatalog(request)
			? json({
					data: [priced('v/a', { pricing: { input_per_mtok: price, output_per_mtok: price } })],
				})
			: { type: 'text/event-stream', body: STREAM },
	);
	const what = {
		...chat('q', { model: model('v/a'), spendingCapPerItem: 0.1 }),
		secrets: service.secrets,
	};
	expect((await run(what)).error?.message).toContain('more than the spending cap');
	price = 1;
	later(60_000);
	expect((await run(what)).items[0]?.json).toMatchObject({ output: 'a' });
});
