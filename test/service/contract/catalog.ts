import type { Forms } from '../forms.ts';
import { MODELS } from '../router/catalog.ts';
import type { Request, Row } from './ask.ts';

const get = (path: string, forms: Partial<Forms> = {}): Request => ({ path: `/v1/${path}`, forms });
const like = (expression: RegExp) => expect.stringMatching(expression) as string;
const ENTRIES = MODELS.map(({ entry }) => entry);
const QUILL = {
	id: 'northwind/quill-2.5',
	kind: 'text',
	pricing: { input_per_mtok: 0.5, output_per_mtok: 1.5, cached_input_per_mtok: 0.05 },
};

/** Section C: the catalog. */
export const CATALOG: Row[] = [
	[
		'the list',
		get('models'),
		{ body: { object: 'list', data: ENTRIES }, headers: { 'x-request-id': like(/^req-/) } },
	],
	['as a list alone', get('models', { list: 'array' }), { body: ENTRIES }],
	['under another name', get('models', { list: 'models' }), { body: { models: ENTRIES } }],
	[
		'by id',
		get('models', { list: 'object-by-id' }),
		{ body: Object.fromEntries(ENTRIES.map((entry) => [entry.id, entry])) },
	],
	[
		'with further fields',
		get('models', { catalogExtras: 'present' }),
		{
			body: {
				data: ENTRIES.map(({ pricing }) => ({
					description: null,
					pricing: { ...pricing, currency: 'USD' },
				})),
			},
		},
	],
	[
		'without modalities',
		get(`models/${QUILL.id}`, { inputModalities: 'absent' }),
		{ body: expect.not.objectContaining({ input_modalities: expect.anything() }) },
	],
	...[
		'northwind/quill-2.5',
		'northwind%2Fquill-2.5',
		'NORTHWIND/Quill-2-5',
		'northwind/quill_2.5',
	].map(
		(id): Row => [
			`${id}: case and separators do not count (2C)`,
			get(`models/${id}`),
			{ body: QUILL },
		],
	),
	['an entry in data', get(`models/${QUILL.id}`, { entry: 'data' }), { body: { data: QUILL } }],
	['in model', get(`models/${QUILL.id}`, { entry: 'model' }), { body: { model: QUILL } }],
	['no such model', get('models/no/such'), { status: 404, code: 'model_not_found' }],
	['POST: 405', { ...get('models'), body: {} }, { status: 405 }],
	...['chat', 'images/jobs/a/b/c', '%zz'].map(
		(path): Row => [
			`no such path: /v1/${path}`,
			{ path: `/v1/${path}`, body: {} },
			{ status: 404 },
		],
	),
];
