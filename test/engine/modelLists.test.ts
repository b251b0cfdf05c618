import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../service/service';
import {
	CARRY_ON,
	chat,
	job,
	LOST,
	posts,
	RETRIED,
	says,
	secretsOf,
	withAccount,
} from './rig/calls';
import { collect, useModel, type LanguageModel } from './rig/chatModel';
import { run, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// where a team decides once which models its workflows use
const service = serviceForTests({ jobSteps: 0 });

const QUILL = 'northwind/quill-2.5';
const MINI = 'northwind/quill-mini';
const PRISM = 'Aurora-Labs/Prism-4.1-Turbo';

type Lists = Record<string, { models: string[]; order?: string }>;
const LISTS: Lists = {
	support: { models: [MINI, QUILL] },
	Retired: { models: ['gone/model-1', 'NORTHWIND/Quill 2.5'] },
	cheap: { models: [PRISM, QUILL, MINI], order: 'cheapestFirst' },
	dear: { models: [PRISM, QUILL] },
	media: { models: [MINI, 'canvas/sketch-1', 'canvas/Oil.Paint-2'] },
	pictures: { models: ['canvas/sketch-1', 'canvas/Oil.Paint-2'], order: 'cheapestFirst' },
	hearing: { models: [PRISM, 'aurora-labs/omni-2'] },
	nothing: { models: ['northwind/quil-2.5', 'canvas/sketch-1'] },
};

const secretsWith = (lists: Lists = LISTS) => {
	const list = Object.entries(lists).map(([name, { models, order = 'asListed' }]) => ({
		name,
		models: models.join('\n'),
		order,
	}));
	return withAccount(secretsOf(service), { modelLists: { list } });
};
const from = (name: string) => ({ __rl: true, mode: 'modelList', value: name });
const picked = (name: string) => ({ __rl: true, mode: 'list', value: `modelList:${name}` });

const ask = (list: unknown, more: INodeParameters = {}, options: Partial<RunOptions> = {}) =>
	run({
		...chat('Hello', { model: list as INodeParameters, ...more }),
		secrets: secretsWith(),
		settings: CARRY_ON,
		...options,
	});
const askedModels = (text = '') =>
	posts(service)
		.filter(({ bodyText }) => bodyText.includes(text))
		.map(({ body }) => (body as { model: string }).model);
const failModel = (id: string, fault: Fault, times = Infinity) =>
	service.fault({ match: { method: 'POST', bodyIncludes: `"${id}"` }, times, do: fault });

const SCHEMA = {
	responseFormat: 'json_schema',
	jsonSchema: '{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}',
};

describe('the first that can', () => {
	it.each([
		['as listed', from('support'), MINI],
		['by its name in any spelling', from('Sup-Port'), MINI],
		['as picked in the list', picked('support'), MINI],
		['cheapest first', from('cheap'), MINI],
		['in the catalog, with the ID of the catalog', from('retired'), QUILL],
	])('%s is asked', async (_how, list, id) => {
		const { items } = await ask(list);
		expect(items).toMatchObject([{ json: { output: expect.stringContaining('You said') } }]);
		expect(askedModels()).toEqual([id]);
	});

	it.each([
		['a retired model', from('retired'), {}, QUILL, /"Retired", these.*gone\/model-1: the catalog/],
		[
			'one that is too dear',
			from('dear'),
			{ spendingCapPerItem: 0.05 },
			QUILL,
			/more than the spending cap/,
		],
		[
			'one that takes no pictures',
			from('cheap'),
			{
				attachments: { attachment: [{ file: 'https://example.com/a.png' }] },
				spendingCapPerItem: 5,
			},
			PRISM,
			/quill-mini: .*(image|picture)/i,
		],
	])('passes over %s, and a hint says so', async (_what, list, more, id, hint) => {
		const { hints } = await ask(list, more);
		expect(askedModels()).toEqual([id]);
		expect(hints.join('\n')).toMatch(hint);
	});

	it.each([
		['an unknown list', from('sales'), /^There is no model list "sales"/],
		['an empty name', from(' '), /^Model is empty: no model list is named/],
	])('refuses %s, with the names that there are', async (_what, list, sentence) => {
		const { failed } = await ask(list);
		expect(failed[0]?.json['error']).toMatch(sentence);
		expect(JSON.stringify(failed[0]?.json)).toContain(
			'The credential has \\"support\\", \\"Retired\\"',
		);
		expect(posts(service)).toEqual([]);
	});

	const long = { message: [{ role: 'user', content: 'word '.repeat(110_000) }] };
	it.each([
		[
			'nothing',
			{},
			/northwind\/quil-2\.5: the catalog does not have it\. Did you mean northwind\/quill-2\.5\?; canvas\/sketch-1: it makes images\./,
		],
		['support', { messages: long }, /context window of 128000/],
	])('says of each model of the list "%s" why not, and sends nothing', async (...row) => {
		const [name, more, reasons] = row;
		const { failed } = await ask(from(name), more);
		expect(failed[0]?.json['error']).toMatch(
			/^No model of the list "\w+" can take .*Nothing was sent/,
		);
		expect(JSON.stringify(failed[0]?.json)).toMatch(reasons);
		expect(posts(service)).toEqual([]);
	});

	it('of an expression, item by item', async () => {
		const list = { __rl: true, mode: 'modelList', value: '={{ $json.list }}' };
		await ask(list, {}, { items: [{ list: 'support' }, { list: 'retired' }] });
		expect(askedModels().sort()).toEqual([QUILL, MINI].sort());
	});

	it('goes on for free where a model refuses the request, and nowhere else', async () => {
		failModel(MINI, { type: 'status', status: 404 });
		const { hints } = await ask(from('support'));
		expect(askedModels()).toEqual([MINI, QUILL]);
		expect(JSON.stringify(hints)).toContain(MINI);
		service.reset();
		failModel(MINI, LOST);
		const { failed } = await ask(from('support'));
		expect(askedModels()).toEqual([MINI]);
		expect(failed).toMatchObject([{ json: { details: { outcome: 'unknown' } } }]);
	});

	// a limit of one model is not one of the account
	it.each([
		['texts', MINI, QUILL, () => chat('={{ $json.text }}', { model: from('support') })],
		[
			'jobs',
			'canvas/sketch-1',
			'canvas/Oil.Paint-2',
			() =>
				job('start', { mediaType: 'images', prompt: '={{ $json.text }}', model: from('media') }),
		],
	])('goes on at once where the first model is busy for long: %s', async (...row) => {
		const [, first, second, call] = row;
		failModel(first, { type: 'too_many_requests', retryAfter: 3600 });
		const items = [{ text: 'one' }, { text: 'two' }, { text: 'three' }];
		const settings = { requestSettings: { concurrency: 1 } };
		const { parameters, ...more } = call() as RunOptions;
		const outcome = await run({
			...more,
			parameters: { ...parameters, ...settings },
			secrets: secretsWith(),
			items,
		});
		expect(outcome.error).toBeUndefined();
		expect(outcome.items).toMatchObject(items.map(() => ({ json: { model: second } })));
		// the others know that it is busy
		expect(askedModels()).toEqual([first, second, second, second]);
	});

	it('is the one that an estimate is made for', async () => {
		const { items } = await ask(from('dear'), {
			operation: 'estimateCost',
			spendingCapPerItem: 0.05,
		});
		expect(items).toMatchObject([{ json: { model: QUILL, maxCostUsd: expect.any(Number) } }]);
	});

	it.each([
		['pictures', 'canvas/Oil.Paint-2'],
		['media', 'canvas/sketch-1'],
	])('starts a job of the list "%s"', async (list, id) => {
		const parameters = { mediaType: 'images', prompt: 'x', model: from(list) };
		const { items } = await run({ ...job('start', parameters), secrets: secretsWith() });
		expect(items).toMatchObject([{ json: { model: id } }]);
		expect(askedModels()).toEqual([id]);
	});
});

const TWO = { items: [{ text: 'one' }, { text: 'two' }], concurrency: 1 };
const REFUSED: Fault = { type: 'status', status: 403 };

describe('what was paid for', () => {
	afterEach(() => void jest.restoreAllMocks());

	/** Item one is answered, and item two is lost; then n8n runs the node again. */
	const runTwice = async (parameters: object, again: () => Partial<RunOptions>) => {
		service.fault({ match: { method: 'POST', bodyIncludes: 'two' }, times: 1, do: LOST });
		const given = { secrets: secretsWith(), items: TWO.items };
		const first = await run({ ...(parameters as RunOptions), ...given });
		const retry = { retry: first.run.data };
		return await run({ ...(parameters as RunOptions), ...given, ...retry, ...again() });
	};
	const serially = { requestSettings: { concurrency: TWO.concurrency } };
	const asking = (more: object = {}) =>
		chat('={{ $json.text }}', { model: from('support'), ...serially, ...more });
	const starting = (more: object = {}) =>
		job('start', {
			mediaType: 'images',
			prompt: '={{ $json.text }}',
			model: from('media'),
			...serially,
			...more,
		});
	/** Some hours later, when no copy of the catalog counts any more. */
	const failCatalog = (fault: Fault) => {
		const later = Date.now() + 5 * 3_600_000;
		jest.spyOn(Date, 'now').mockImplementation(() => later);
		service.fault({ match: { method: 'GET' }, times: Infinity, do: fault });
		return {};
	};
	const without = (id: string) =>
		failCatalog({ type: 'replace', find: `"${id}"`, with: '"v/other"' });
	const other = (models: string[]) => secretsWith({ support: { models }, media: { models } });

	it.each([
		['the list has other models', () => ({ secrets: other([PRISM]) })],
		['the list is gone', () => ({ secrets: secretsWith({}) })],
		['the model has left the catalog', () => without(MINI)],
		['the catalog cannot be read', () => failCatalog({ type: 'status', status: 500 })],
		['a cap is lower', () => asking({ spendingCapPerItem: 0 })],
		['the longest answer has a limit', () => asking({ options: { maxTokens: 9 } })],
		[
			'a model is chosen by its ID',
			() => asking({ model: { __rl: true, mode: 'id', value: PRISM } }),
		],
	])('as a text is not asked for again when %s', async (_what, again) => {
		const { error } = await runTwice(asking(), () => ({ settings: CARRY_ON, ...again() }));
		expect(error).toBeUndefined();
		expect(askedModels('one')).toEqual([MINI]);
	});

	it.each([
		['the list has other models', () => ({ secrets: other(['canvas/Oil.Paint-2']) })],
		['the list is gone', () => ({ secrets: secretsWith({}) })],
		['the model has left the catalog', () => without('canvas/sketch-1')],
		['the catalog cannot be read', () => failCatalog({ type: 'status', status: 500 })],
		['a cap is lower', () => starting({ spendingCapPerItem: 0 })],
	])('as a job is not started again when %s', async (_what, again) => {
		const { items } = await runTwice(starting(), () => ({ settings: CARRY_ON, ...again() }));
		expect(items[0]).toMatchObject({ json: { model: 'canvas/sketch-1' } });
		expect(askedModels('one')).toEqual(['canvas/sketch-1']);
	});

	it('is paid again for another prompt', async () => {
		await runTwice(asking(), () => chat('=Not {{ $json.text }}', { model: from('support') }));
		expect(askedModels('Not')).toEqual([MINI, MINI]);
	});

	it('is not paid again by Retry On Fail, where the first model has refused it', async () => {
		service.fault({ match: { method: 'POST', bodyIncludes: 'one' }, times: 1, do: REFUSED });
		service.fault({ match: { method: 'POST', bodyIncludes: 'two' }, times: 2, do: REFUSED });
		const { items } = await run({
			...asking(),
			secrets: secretsWith(),
			settings: RETRIED,
			items: TWO.items,
		});
		expect(items).toMatchObject([{ json: { model: QUILL } }, { json: { model: MINI } }]);
		expect(askedModels('one')).toEqual([MINI, QUILL]);
	});

	it.each([
		['in another order', [QUILL, MINI]],
		['without the model that was asked', [QUILL]],
		['with a name that objects have', ['__proto__', QUILL]],
	])('stays unknown, and no model is asked, with a list %s', async (_what, models) => {
		failModel(MINI, LOST);
		const first = await ask(from('support'), {}, { settings: {} });
		const secrets = secretsWith({ support: { models } });
		const again = { secrets, settings: {}, retry: first.run.data };
		const { error } = await ask(from('support'), {}, again);
		expect(error?.description).toContain('It was not sent again');
		expect(askedModels()).toEqual([MINI]);
	});
});

it.each([
	['does not fit the schema', says({ content: 'no JSON' }), SCHEMA],
	['is a refusal', says({ refusal: 'No.' }), {}],
	['is empty', says({ content: ' ' }), {}],
])('an answer that %s is paid for, and no other model is asked', async (_what, bad, more) => {
	failModel(MINI, bad);
	await ask(from('support'), more);
	expect(askedModels()).toEqual([MINI]);
});

it('a list may name a model as objects name their prototype', async () => {
	const secrets = secretsWith({ support: { models: ['__proto__', MINI] } });
	const { items } = await ask(from('support'), {}, { secrets });
	expect(items).toMatchObject([{ json: { model: MINI } }]);
});

describe('a chat model', () => {
	const talk = async (parameters: object, use?: (chat: LanguageModel) => Promise<unknown>) =>
		await useModel({
			secrets: secretsWith(),
			parameters: parameters as INodeParameters,
			use: use ?? (async (chat) => (await chat.invoke('Hello')).content),
		});

	it('over a list asks the first that can, and goes on after a refusal', async () => {
		failModel(MINI, { type: 'status', status: 404 });
		const { calls } = await talk({ model: from('support') });
		expect(askedModels()).toEqual([MINI, QUILL]);
		expect(calls[0]?.output).toMatchObject({ model: QUILL, refusedBy: [{ model: MINI }] });
	});

	it.each<[string, Fault]>([
		['400 for a conversation that is too long', { type: 'status', status: 400 }],
		['429 that lasts', { type: 'too_many_requests', retryAfter: 3600 }],
	])('goes on after %s, and says so', async (_what, fault) => {
		failModel(MINI, fault);
		const use = async (chat: LanguageModel) =>
			(await collect(chat.stream('x'))).map(({ content }) => content).join('');
		const { given, calls } = await talk({ model: from('support') }, use);
		expect(given).toEqual(['You said: "x".']);
		expect([...new Set(askedModels())]).toEqual([MINI, QUILL]);
		expect(calls[0]?.output).toMatchObject({
			model: QUILL,
			refusedBy: [{ model: MINI, reason: expect.stringMatching(/\w/) }],
		});
	});

	it.each<[string, Fault]>([
		['500', { type: 'status', status: 500 }],
		['an answer that broke off', { type: 'limit_data', bytes: 400 }],
		['a refused key', { type: 'status', status: 401 }],
		['a redirect (307)', { type: 'redirect', status: 307, to: '/elsewhere' }],
		['a redirect that was accepted (303)', { type: 'redirect', status: 303, to: '/elsewhere' }],
		['an empty answer', says({ content: '' })],
	])('asks no other model after %s', async (_what, fault) => {
		failModel(MINI, fault);
		expect((await talk({ model: from('support') })).error).toBeDefined();
		expect(askedModels()).toEqual([MINI]);
	});

	it('asks no model that is too expensive for its cap, and the error names the others', async () => {
		failModel(QUILL, { type: 'status', status: 404 });
		const { error } = await talk({ model: from('dear'), spendingCapPerCall: 0.01 });
		expect(askedModels()).toEqual([QUILL]);
		expect(error?.message).toMatch(
			/These models were passed over: Aurora-Labs\/Prism-4.1-Turbo: .* more than the spending cap/,
		);
	});

	it('asks no other model after an unknown outcome, whichever is the first by then', async () => {
		failModel(MINI, { type: 'status', status: 404 }, 1);
		failModel(QUILL, LOST, 1);
		const { given } = await talk({ model: from('support') }, async (chat) => {
			const failures: string[] = [];
			for (let at = 0; at < 2; at++)
				await chat.invoke('Hello').catch((error: Error) => failures.push(error.message));
			return failures.length;
		});
		expect([given, askedModels()]).toEqual([[2], [MINI, QUILL]]);
	});
});

it('a model that does not take what a file turns out to be is passed over', async () => {
	const head = Buffer.alloc(44);
	head.write('RIFF');
	head.write('WAVEfmt ', 8);
	const data = { data: head.toString('base64'), mimeType: 'application/octet-stream' };
	const attachment = [{ file: 'data' }];
	const more = { attachments: { attachment }, spendingCapPerItem: 10 };
	const { failed } = await ask(from('hearing'), more, { files: { data } });
	expect(failed).toEqual([]);
	expect(askedModels()).toEqual(['aurora-labs/omni-2']);
});
