import type { ILoadOptionsFunctions, INode } from 'n8n-workflow';

import { searchModels } from '../../../nodes/ModelRouter/modelPicker';
import { json, response, type Answer } from '../inMemoryHttp';

const KEY = ['key', '0123456789', 'abcdefghij'].join('-');
const NODE = { id: '1', name: 'Node', type: 'x', typeVersion: 1, position: [0, 0], parameters: {} };

/** As much of n8n's editor as the picker asks for. */
function editor(answer: Answer) {
	const { status, headers, body } = response(answer);
	return {
		getNode: () => NODE as INode,
		getChatTrigger: () => null,
		getCredentials: async () => ({ baseUrl: 'https://router.example', apiKey: KEY }),
		getCurrentNodeParameter: () => undefined,
		helpers: {
			httpRequestWithAuthentication: async () => ({ statusCode: status, headers, body }),
		},
	} as unknown as ILoadOptionsFunctions;
}

it('a key that the service echoes is not shown to whoever opens the picker', async () => {
	const refusal = json({ error: { code: KEY, message: `bad key ${KEY}` } }, { status: 401 });
	const shown = await searchModels.call(editor(refusal)).catch((error: unknown) => error);
	expect(shown).toMatchObject({ message: expect.stringContaining('401') });
	const { message, description, context, ...rest } = shown as Error & Record<string, unknown>;
	expect(JSON.stringify([message, description, context, rest])).not.toContain(KEY);

	const listed = await searchModels.call(editor(json([{ id: 'v/m', name: `of ${KEY}` }])));
	expect(listed).toEqual({ results: [{ name: 'of *** · v/m', value: 'v/m' }] });
});

it('a name that is no text is none', async () => {
	const { results } = await searchModels.call(editor(json([{ id: 'v/m', name: { en: 'x' } }])));
	expect(results).toEqual([{ name: 'v/m', value: 'v/m' }]);
});

it.each([
	[['text', 'image', 'file'], 'v/m · images, files'],
	[['video', 'audio', 'telepathy'], 'v/m · audio, videos'],
	[['text'], 'v/m'],
	['image', 'v/m'],
])('the list shows the inputs %j as %j', async (inputs, name) => {
	const entry = { id: 'v/m', input_modalities: inputs, capabilities: { tools: false } };
	const { results } = await searchModels.call(editor(json([entry])));
	expect(results).toEqual([{ name, value: 'v/m' }]);
});

it.each([
	[{ input_per_mtok: 0.5, output_per_mtok: 3 }, '$0.50 in, $3.00 out per 1M tokens'],
	[{ input_per_mtok: '0.075' }, '$0.075 in, ? out per 1M tokens'],
	[{ unit: '1k_characters', per_unit: 0.1 }, 'from $0.10 per 1k characters'],
])('the list shows the price %j as %j, before what it may truncate', async (pricing, price) => {
	const entry = { id: 'v/m', input_modalities: ['image'], context_length: 128_000, pricing };
	const { results } = await searchModels.call(editor(json([entry])));
	expect(results[0]?.name).toBe(`v/m · ${price} · images · 128k context`);
});

it.each([
	['', ['v/free', 'v/cheap', 'v/dear', 'v/unknown', 'v/odd']],
	['images', ['v/dear']],
	['3.00 OUT', ['v/dear']],
	['v/cheap', ['v/cheap']],
	['the cheap', ['v/cheap']],
])('the list has the cheapest first, and is searched by what it shows: %j', async (search, ids) => {
	const kind = 'text';
	const of = (input_per_mtok: number, more = {}) => ({
		pricing: { input_per_mtok, ...more },
		kind,
	});
	const entries = [
		{ id: 'v/odd', pricing: { input_per_mtok: 0 } },
		{ id: 'v/unknown', kind },
		{ id: 'v/dear', ...of(1, { output_per_mtok: 3 }), input_modalities: ['text', 'image'] },
		{ id: 'v/cheap', name: 'The Cheap-One', ...of(0.1) },
		{ id: 'v/free', ...of(0) },
	];
	const { results } = await searchModels.call(editor(json(entries)), search);
	expect(results.map(({ value }) => value)).toEqual(ids);
});
