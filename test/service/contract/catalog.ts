import { MODELS } from '../router/catalog.ts';
import type { Row } from './ask.ts';
import { get, like } from './calls.ts';

const ENTRIES = MODELS.map(({ entry }) => entry);
const QUILL = {
	id: 'northwind/quill-2.5',
	kind: 'text',
	pricing: { input_per_mtok: 0.5, output_per_mtok: 1.5, cached_input_per_mtok: 0.05 },
};

/** Section C: the catalog. */
export const CATALOG: Row[] = [
	[
		get('models'),
		{ body: { object: 'list', data: ENTRIES }, headers: { 'x-request-id': like(/^req-/) } },
	],
	[get('models', { list: 'models' }), { body: { models: ENTRIES } }],
	...[
		'northwind/quill-2.5',
		'northwind%2Fquill-2.5',
		'NORTHWIND/Quill-2-5',
		'northwind/quill_2.5',
	].map((id): Row => [get(`models/${id}`), { body: QUILL }]),
	[get('models/no/such'), { status: 404, code: 'model_not_found' }],
	// POST: 405
	[{ ...get('models'), body: {} }, { status: 405 }],
	...['chat', 'images/jobs/a/b/c', '%zz'].map(
		(path): Row => [{ path: `/v1/${path}`, body: {} }, { status: 404 }],
	),
];
