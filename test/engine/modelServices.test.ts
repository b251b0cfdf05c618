import type { IDataObject } from 'n8n-workflow';

import { searchModels } from '../../nodes/ModelRouter/modelPicker';
import { PICTURE } from '../service/modelServices/answer';
import type { Row } from '../service/modelServices/row';
import { ROWS, rowOf } from '../service/modelServices/rows';
import { KEY, standIn, type Standing } from '../service/modelServices/stand';
import { CARRY_ON, chat, model } from './rig/calls';
import { useModel } from './rig/chatModel';
import { testCredential } from './rig/credentialTest';
import { pickerOf } from './rig/picker';
import { run } from './rig/run';

// services that people have, with their own key in its field, refuse what they refuse

/** What a test enters. On loopback no service is known by its host. */
const KEY_IN: Record<string, string> = { authorization: 'bearer', 'api-key': 'apiKey' };

/** Of a thousand tokens in and a hundred out, where the catalog has the price. */
const COSTS: Record<string, [costUsd: number, costSource?: string]> = {
	OpenRouter: [0.00045, 'service'],
	'LiteLLM proxy': [0.000495],
	'Vercel AI Gateway': [0.00045, 'service'],
	Requesty: [0.00045, 'service'],
	'Hugging Face router': [0.00254],
	xAI: [0.0015, 'service'],
	Together: [0.0045],
	Groq: [0.00021],
};
/** By the line that the others enter: $1 and $2. */
const BY_LINE: [number, string] = [0.0012, 'credential'];

/** Services that give their list to everybody, and have nothing that would prove a key. */
const UNPROVEN = ['Helicone AI Gateway', 'Hugging Face router'];

let service: Standing;
afterEach(async () => await service.stop());

async function begin(row: Row) {
	service = await standIn(row);
	const [asked] = row.answering;
	const keyIn = row.keys.length ? (KEY_IN[row.keys[0]?.header ?? ''] ?? 'bearer') : 'none';
	const ownPrices = COSTS[row.name] ? '' : `${asked} 1 2`;
	const data = { baseUrl: service.baseUrl, apiKey: service.key, keyIn, ownPrices };
	const secrets = { modelRouterApi: data };
	const ask = async (content: string, more: IDataObject = {}) => {
		const call = chat(content, { model: model(asked), ...(more as object) });
		return await run({ ...call, secrets, settings: CARRY_ON });
	};
	const posts = () => service.asked.filter(({ method }) => method === 'POST');
	return { asked, data, secrets, ask, posts };
}

it.each(ROWS)('$name: answers with its cost, by the key in its field', async (row) => {
	const { ask, posts } = await begin(row);
	const { items, failed } = await ask('hello');
	expect(failed).toEqual([]);
	const [costUsd, costSource] = COSTS[row.name] ?? BY_LINE;
	expect(items[0]?.json).toMatchObject({ output: `Hello from ${row.name}`, costUsd });
	expect(items[0]?.json['costSource']).toBe(costSource);
	// on loopback, nobody knows whether it keeps to its prices
	expect(items[0]?.json['maxCostIsGuess']).toBe(true);
	// what it refuses of our own fields is left out once and for all
	const before = posts().length;
	await ask('again');
	expect(posts().length - before).toBe(1);
});

it.each(ROWS)('$name: a cap that is too small sends nothing', async (row) => {
	const { ask, posts } = await begin(row);
	const { failed } = await ask('hello', { spendingCapPerItem: 0.000001 });
	expect(failed[0]?.json['error']).toMatch(/more than the spending cap of \$0\.000001/);
	expect(posts()).toEqual([]);
});

it.each(ROWS)('$name: the model picker has its models', async (row) => {
	const { asked, secrets } = await begin(row);
	// the list of Anthropic takes the key in another header, which only its own host tells
	if (row.elsewhere) return;
	const context = pickerOf('modelRouter', 'model', { credential: 'modelRouterApi' }, secrets);
	const { results } = await searchModels.call(context, asked.slice(-9));
	expect(results.map(({ value }) => value)).toContain(asked);
});

it.each(ROWS)('$name: the credential test proves the key, or says that it cannot', async (row) => {
	const { data } = await begin(row);
	if (row.elsewhere) return;
	const right = await testCredential('modelRouterApi', data);
	expect(right.status).toBe('OK');
	const wrong = await testCredential('modelRouterApi', { ...data, apiKey: `${KEY}-wrong` });
	if (!row.keys.length) expect(right.message).toMatch(/It gets no key/);
	else if (!row.models) expect(right.message).toMatch(/has no list of models.*key is not known$/);
	else if (UNPROVEN.includes(row.name)) expect(right.message).toMatch(/to everybody$/);
	else {
		expect(right.message).toMatch(/accepted the key$/);
		expect(wrong).toMatchObject({ status: 'Error', message: expect.stringMatching(/API key/) });
	}
	expect(JSON.stringify([right, wrong])).not.toContain(KEY.slice(3));
});

it('a list in the form of Groq that everybody may read proves no key', async () => {
	const groq = rowOf('Groq');
	const { data } = await begin({ ...groq, open: [String(groq.models)] });
	const { message } = await testCredential('modelRouterApi', { ...data, apiKey: 'sk-wrong-key' });
	expect(message).toMatch(/to everybody$/);
});

it('a service without a list of models: the credential test says what to enter', async () => {
	const { data } = await begin(rowOf('Cloudflare AI Gateway'));
	expect(await testCredential('modelRouterApi', { ...data, ownPrices: '' })).toEqual({
		status: 'Error',
		message: expect.stringMatching(
			/\(40[45]\)\. Check the base URL\. For a service without a list of models, enter its models in Prices$/,
		),
	});
});

it('a server without a list of models may cost nothing in the own network', async () => {
	const { asked, data } = await begin(rowOf('Cloudflare AI Gateway'));
	expect(await testCredential('modelRouterApi', { ...data, ownPrices: `${asked} 0 0` })).toEqual({
		status: 'OK',
		message: expect.stringMatching(/has no list of models: those with a line in Prices/),
	});
});

it.each(ROWS.filter(({ errors }) => errors.broke.length))(
	'$name: an empty balance is called so, and nothing is sent again',
	async (row) => {
		const { ask, posts } = await begin(row);
		await ask('hello');
		for (const at of row.errors.broke.keys()) {
			const before = posts().length;
			const { failed } = await ask(at ? `[[broke-${at + 1}]]` : '[[broke]]');
			if (row.name === 'Vercel AI Gateway') continue;
			expect(failed[0]?.json['error']).toMatch(/balance|is used up/);
			expect(posts().length - before).toBe(1);
		}
	},
);

it.each(ROWS)('$name: an agent asks its model, and that calls a tool', async (row) => {
	const { asked, secrets } = await begin(row);
	const { given, calls } = await useModel({
		secrets,
		parameters: { model: model(asked) },
		async use(one) {
			const tool = {
				type: 'function',
				function: { name: 'weather', parameters: { type: 'object', properties: {} } },
			};
			return (await one.bindTools([tool]).invoke('How is the weather?')).tool_calls;
		},
	});
	expect(given[0]).toMatchObject([{ name: 'weather' }]);
	expect(calls[0]?.output).toMatchObject({ costUsd: (COSTS[row.name] ?? BY_LINE)[0] });
});

it('an answer of another model costs what the dearer of both does, and the day of a model is no other one', async () => {
	const { data, asked, posts } = await begin(rowOf('OpenAI'));
	const costOf = async (ownPrices: string, content = 'hello') => {
		const secrets = { modelRouterApi: { ...data, ownPrices } };
		const { items } = await run({ ...chat(content, { model: model(asked) }), secrets });
		return items[0]?.json['costUsd'];
	};
	expect(await costOf(`${asked} 1 2\n* 100 100`)).toBe(0.0012);
	const other = rowOf('OpenAI').otherModel;
	expect(await costOf(`${asked} 1 2\n${other} 10 20`, '[[other-model]]')).toBe(0.012);
	// the lines of people name no day
	expect(await costOf(`${asked} 1 2\ngpt-5 10 20`, '[[other-model]]')).toBe(0.012);
	expect(posts().length).toBeGreaterThan(1);
});

it('an answer that names another model without its vendor costs what the dearer of both does', async () => {
	const { data, asked } = await begin(rowOf('Cloudflare AI Gateway'));
	const secrets = { modelRouterApi: { ...data, ownPrices: `${asked} 1 2\nopenai/gpt-5 10 20` } };
	const call = chat('[[other-model]]', { model: model(asked) });
	const { items } = await run({ ...call, secrets });
	expect(items[0]?.json).toMatchObject({ model: 'gpt-5-2025-08-07', costUsd: 0.012 });
});

it('a price that comes from an item is refused', async () => {
	const { data, asked, posts } = await begin(rowOf('Ollama'));
	const secrets = { modelRouterApi: { ...data, ownPrices: '={{ $json.prices }}' } };
	const items = [{ prices: `${asked} 0 0` }];
	const call = chat('hello', { model: model(asked) });
	const { failed } = await run({ ...call, secrets, items, settings: CARRY_ON });
	expect(failed[0]?.json['error']).toMatch(/"Prices" of the credential comes from an item/);
	expect(posts()).toEqual([]);
});

it('http:// in the own network is taken as it was entered, and not from an expression', async () => {
	const { ask, data } = await begin(rowOf('Ollama'));
	const { items } = await ask('hello');
	expect(items).toHaveLength(1);
	const askAt = async (baseUrl: string) => {
		const secrets = { modelRouterApi: { ...data, baseUrl } };
		const { failed } = await run({ ...chat('hello'), secrets, settings: CARRY_ON });
		return String(failed[0]?.json['error']);
	};
	expect(await askAt('http://no-such-container:1')).toMatch(/could not be reached/);
	expect(await askAt("={{ 'http://no-such-container:1' }}")).toMatch(/must begin with https:\/\//);
});

describe('pictures and sound within an answer', () => {
	const options = (more: object = {}): IDataObject => ({
		options: { additionalFields: JSON.stringify(more), allowUnknownCost: true },
	});

	it('become files, and what is behind an address stays where it is', async () => {
		const { ask, posts } = await begin(rowOf('OpenRouter'));
		const raw = { simplify: false, ...options({ modalities: ['image', 'text'] }) };
		const { items } = await ask('[[picture]]', raw);
		const [{ json, binary } = {}] = items;
		expect(json).toMatchObject({
			output: 'Hello from OpenRouter',
			files: [
				{ binaryProperty: 'data', fileName: 'image-1.png', mimeType: 'image/png', bytes: 70 },
			],
			completion: {
				choices: [
					{
						message: {
							images: [
								{ image_url: { url: 'files[0]' } },
								{ image_url: { url: 'https://pictures.example/1.png' } },
							],
						},
					},
				],
			},
		});
		expect(binary?.['data']).toMatchObject({ fileName: 'image-1.png', mimeType: 'image/png' });
		expect(JSON.stringify(json)).not.toContain(PICTURE.slice(0, 40));
		expect(posts()).toHaveLength(1);
	});

	it('sound can be played, and what it says is the text', async () => {
		const { ask } = await begin(rowOf('OpenAI'));
		const audio = { modalities: ['text', 'audio'], audio: { voice: 'ash', format: 'pcm16' } };
		const { items } = await ask('[[speech]]', options(audio));
		expect(items[0]?.json).toMatchObject({
			output: 'Good morning, everybody, and welcome',
			files: [{ binaryProperty: 'data', fileName: 'audio-1.wav', bytes: 44 + 6 }],
		});
		expect(items[0]?.json).not.toHaveProperty('notice');
	});

	it('what is none stays in the JSON, with the reason', async () => {
		const { ask } = await begin(rowOf('OpenRouter'));
		const { items } = await ask('[[junk]]');
		expect(items[0]?.json).toMatchObject({
			output: 'Hello from OpenRouter',
			files: [{ notStored: expect.any(String), base64: 'PGh0bWw+' }],
		});
	});

	it('are told to an agent that calls the node as its tool, which gets no files', async () => {
		const { asked, secrets } = await begin(rowOf('OpenRouter'));
		const call = chat('[[picture]]', { model: model(asked) });
		const { items } = await run({ ...call, secrets, asTool: true });
		const { json, binary } = items[0] ?? {};
		expect(binary).toBeUndefined();
		expect(json).toMatchObject({
			output: 'Hello from OpenRouter',
			notice: expect.stringMatching(/which an AI agent does not get/),
		});
		expect(json).not.toHaveProperty('files');
		expect(JSON.stringify(json)).not.toContain(PICTURE.slice(0, 40));
	});

	it('are no text of a chat model, which says where to get them', async () => {
		const { asked, secrets } = await begin(rowOf('OpenRouter'));
		const { given, calls } = await useModel({
			secrets,
			parameters: { model: model(asked) },
			use: async (one) => (await one.invoke('[[picture]]')).content,
		});
		expect(given).toEqual(['Hello from OpenRouter']);
		expect(calls[0]?.output).toMatchObject({
			notice: expect.stringMatching(/returns it as a file/),
		});
		expect(JSON.stringify(calls)).not.toContain(PICTURE.slice(0, 40));
	});
});

describe('OpenRouter', () => {
	const OPEN_ROUTER = rowOf('OpenRouter');

	it('is asked for no provider that is dearer than the bound, and says so if there is none', async () => {
		const { ask, posts } = await begin(OPEN_ROUTER);
		await ask('hello', { options: { additionalFields: '{"provider": {"sort": "price"}}' } });
		const max_price = { prompt: 0.25, completion: 2 };
		expect(posts()[0]?.body).toMatchObject({
			provider: { sort: 'price', max_price },
			plugins: [{ id: 'web', enabled: false }],
		});
		const { failed } = await ask('[[dearer-only]]');
		expect(failed[0]?.json['error']).toMatch(/dearer than its price/);
	});

	it.each([
		['[[byok]]', /./],
		['[[other-model]]', /./],
	])('%s has a cost', async (content) => {
		const { ask } = await begin(OPEN_ROUTER);
		const { items } = await ask(content);
		expect(items[0]?.json['costUsd']).toBeGreaterThan(0);
	});

	it.each([
		'openrouter/auto',
		'perplexity/sonar',
		'openai/gpt-5-mini:online',
		'openai/gpt-5-mini:new-thing',
		'@preset/ours',
	])('%s has no cost that could be calculated', async (id) => {
		const { ask, posts, data } = await begin(OPEN_ROUTER);
		const { failed } = await ask('hello', { model: model(id) });
		expect(failed).toHaveLength(1);
		// nor by the line for any other model
		const secrets = { modelRouterApi: { ...data, ownPrices: '* 1 2' } };
		if (/[:@]/.test(id)) {
			const outcome = await run({
				...chat('hello', { model: model(id) }),
				secrets,
				settings: CARRY_ON,
			});
			expect(outcome.failed[0]?.json['error']).toMatch(/variant/);
		}
		expect(posts()).toEqual([]);
	});

	it.each(['nitro', 'floor', 'exacto'])(
		'a model with :%s costs what the model does, and is asked under that name',
		async (suffix) => {
			const { ask, posts } = await begin(OPEN_ROUTER);
			await ask('hello', { model: model(`openai/gpt-5-mini:${suffix}`), spendingCapPerItem: 1 });
			expect(posts()[0]?.body).toMatchObject({
				model: `openai/gpt-5-mini:${suffix}`,
				provider: { max_price: { prompt: 0.25, completion: 2 } },
			});
		},
	);

	it.each([
		{ service_tier: 'priority' },
		{ plugins: [{ id: 'web' }] },
		{ models: ['openai/gpt-5'] },
		{ web_search_options: {} },
		{ tools: [{ type: 'openrouter:web_search' }] },
		{ some_day: true },
	])('with %j no cap is held, so nothing is sent', async (fields) => {
		const { ask, posts } = await begin(OPEN_ROUTER);
		const options = { additionalFields: JSON.stringify(fields) };
		const { failed } = await ask('hello', { options });
		expect(failed).toHaveLength(1);
		expect(posts()).toEqual([]);
	});
});
