import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { data } from '../service/answer';
import type { Fault } from '../service/service';
import {
	CARRY_ON,
	chat,
	failPosts,
	job,
	LOST,
	posts,
	RETRIED,
	says,
	secretsOf,
	streamed,
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
	nothing: { models: ['northwind/quil-2.5', 'canvas/sketch-1'] },
};

const secretsWith = (lists: Lists = LISTS) => {
	const list = Object.entries(lists).map(([name, { models, order = 'asListed' }]) => ({
		...{ name, models: models.join('\n'), order },
	}));
	return withAccount(secretsOf(service), { modelLists: { list } });
};
const from = (name: string) => ({ __rl: true, mode: 'modelList', value: name });
const picked = (name: string) => ({ __rl: true, mode: 'list', value: `modelList:${name}` });

const ask = (list: unknown, more: INodeParameters = {}, options: Partial<RunOptions> = {}) =>
	run({
		...chat('Hello', { model: list as INodeParameters, ...more }),
		...{ secrets: secretsWith(), settings: CARRY_ON, ...options },
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
const escalating = (more: object = {}) => ({ options: { escalate: true, ...more } });

describe('the first that can', () => {
	it.each<[string, unknown, string]>([
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

	it.each<[string, unknown, INodeParameters, string, RegExp]>([
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
				attachments: { attachment: [{ source: 'url', url: 'https://example.com/a.png' }] },
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

	it.each<[string, unknown, RegExp]>([
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
	it.each<[string, INodeParameters, RegExp]>([
		[
			'nothing',
			{},
			/northwind\/quil-2\.5: the catalog does not have[^;]* Did you mean northwind\/quill-2\.5\?; canvas\/sketch-1: /,
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

describe('Escalate', () => {
	/** The first of two models gives one thing, the second the other. */
	const escalate = async (
		first: Fault,
		second: Fault,
		more: INodeParameters = {},
		options: Partial<RunOptions> = {},
	) => {
		failModel(MINI, first);
		failModel(QUILL, second);
		return await ask(from('support'), { ...escalating(), ...more }, options);
	};
	const EMPTY = says({ content: '' });

	it.each<[string, Fault, INodeParameters, string]>([
		[
			'does not fit the schema',
			says({ content: 'no JSON' }),
			SCHEMA,
			'not in the requested format',
		],
		['was cut off', says({ content: '{"n": 1' }, 'length'), {}, 'cut off at'],
		['is a refusal', says({ refusal: 'No.' }), {}, 'refused to answer'],
		['was blocked', says({ content: '' }, 'content_filter'), {}, 'content_filter'],
		['is empty', says({ content: ' ' }), {}, 'empty'],
	])(
		'asks the next model where an answer %s, and counts both',
		async (_what, bad, more, reason) => {
			const { items } = await escalate(bad, says({ content: '{"n":7}' }), more);
			expect(askedModels()).toEqual([MINI, QUILL]);
			const [json] = items.map((item) => item.json);
			expect(json).toMatchObject({
				model: QUILL,
				attempts: [
					{ model: MINI, reason: expect.stringContaining(reason), costUsd: 0.00003 },
					{ model: QUILL, costUsd: 0.000125 },
				],
				costUsd: 0.000155,
			});
			expect(json?.['attempts']).not.toMatchObject([{}, { reason: expect.anything() }]);
		},
	);

	it('is off at first, and not for a limit that the user has set', async () => {
		failModel(MINI, says({ content: 'cut' }, 'length'));
		await ask(from('support'));
		await ask(from('support'), escalating({ maxTokens: 500 }));
		expect(askedModels()).toEqual([MINI, MINI]);
	});

	it('stops at the cap of the item: the second is not asked, and the first is the answer', async () => {
		failModel(
			MINI,
			says({ refusal: 'No.' }, 'stop', { prompt_tokens: 100, completion_tokens: 4000 }),
		);
		const { items, hints } = await ask(from('support'), {
			...escalating(),
			spendingCapPerItem: 0.0063,
		});
		expect(askedModels()).toEqual([MINI]);
		expect(items).toMatchObject([
			{ json: { model: MINI, attempts: [{ model: MINI, reason: 'the model refused to answer' }] } },
		]);
		expect(JSON.stringify(hints)).toContain('spending cap');
	});

	it('gives the last failure with all attempts', async () => {
		failPosts(service, says({ content: 'no JSON' }));
		const { failed } = await ask(from('support'), { ...SCHEMA, ...escalating() });
		expect(failed).toMatchObject([
			{
				json: {
					error: expect.stringContaining('not in the requested format'),
					details: { computed: { attempts: [{ model: MINI }, { model: QUILL }] } },
				},
			},
		]);
	});

	it('sends no attempt twice when n8n runs the node again', async () => {
		failModel(MINI, says({ content: '' }));
		failModel(QUILL, { type: 'status', status: 403 }, 1);
		const { items } = await ask(from('support'), escalating(), { settings: RETRIED });
		expect(items).toMatchObject([{ json: { model: QUILL, attempts: [{ model: MINI }, {}] } }]);
		expect(askedModels()).toEqual([MINI, QUILL, QUILL]);
		service.reset();
		const { error } = await escalate(EMPTY, LOST, {}, { settings: RETRIED });
		expect(error).toBeDefined();
		expect(askedModels()).toEqual([MINI, QUILL]);
	});

	// models by the times that they are asked for the item "one"
	it.each<[string, Fault, object]>([
		['refused the item', { type: 'status', status: 404 }, {}],
		['gave an answer that does not do', says({ content: '' }), escalating()],
	])('asks no item again that was answered after the first model %s', async (_how, fault, more) => {
		service.fault({ match: { method: 'POST', bodyIncludes: `one` }, times: 1, do: fault });
		const refused: Fault = { type: 'status', status: 403 };
		service.fault({ match: { method: 'POST', bodyIncludes: 'two' }, times: 2, do: refused });
		const { items } = await run({
			...chat('={{ $json.text }}', { model: from('support'), ...more }),
			...{ secrets: secretsWith(), settings: RETRIED, items: [{ text: 'one' }, { text: 'two' }] },
		});
		expect(items).toMatchObject([
			{ json: { model: QUILL, ...('options' in more && { attempts: [{ model: MINI }, {}] }) } },
			{ json: { model: MINI } },
		]);
		expect(askedModels('one')).toEqual([MINI, QUILL]);
	});

	it('starts no job again that another model of the list has started', async () => {
		const unknown: Fault = { type: 'status', status: 404 };
		service.fault({ match: { method: 'POST', bodyIncludes: 'one' }, times: 1, do: unknown });
		const refused: Fault = { type: 'status', status: 403 };
		service.fault({ match: { method: 'POST', bodyIncludes: 'two' }, times: 2, do: refused });
		const parameters = { mediaType: 'images', prompt: '={{ $json.text }}', model: from('media') };
		await run({
			...job('start', parameters),
			...{ secrets: secretsWith(), settings: RETRIED, items: [{ text: 'one' }, { text: 'two' }] },
		});
		expect(askedModels('one')).toEqual(['canvas/sketch-1', 'canvas/Oil.Paint-2']);
	});

	it('counts the attempts before a failure in its cost', async () => {
		const { failed } = await escalate(EMPTY, LOST);
		const computed = failed[0]?.json['details'] as { computed: { attempts: IDataObject[] } };
		const [first, second] = computed.computed.attempts;
		expect(computed).toMatchObject({
			outcome: 'unknown',
			computed: {
				attempts: [
					{ model: MINI, reason: 'the answer is empty', costUsd: 0.00003 },
					{ model: QUILL, reservedUsd: expect.any(Number) },
				],
				reservedUsd: expect.closeTo(Number(first?.['costUsd']) + Number(second?.['reservedUsd'])),
			},
		});
	});

	it('keeps the attempts before an answer that broke off, and their cost', async () => {
		const usage = { prompt_tokens: 100, completion_tokens: 50 };
		const broken = streamed(data({ choices: [{ index: 0, delta: { content: 'Half' } }], usage }));
		for (const simplify of [true, false]) {
			const options = { escalate: true, onIncomplete: 'partial' };
			const { items } = await escalate(EMPTY, broken, { simplify, options });
			expect(items).toMatchObject([
				{
					json: {
						...{ output: 'Half', complete: false, costUsd: 0.000155 },
						attempts: [
							{ model: MINI, costUsd: 0.00003 },
							{ model: QUILL, costUsd: 0.000125 },
						],
					},
				},
			]);
		}
	});

	it('does not know the cost where that of an attempt is not known', async () => {
		const unpriced = says({ content: '' }, 'stop', {});
		const { items } = await escalate(unpriced, says({ content: 'Yes' }));
		const [json = {}] = items.map((item) => item.json);
		const [{ reservedUsd } = {}] = json['attempts'] as Array<{ reservedUsd?: number }>;
		expect(json).not.toHaveProperty('costUsd');
		expect(json).not.toHaveProperty('costComputed');
		expect(json).toMatchObject({ reservedUsd: Number(reservedUsd) + 0.000125 });
	});

	it('asks the next model where an answer with a tool call has text that is no JSON', async () => {
		const call = { index: 0, id: 'a', function: { name: 'Clock', arguments: '{}' } };
		const broken = says({ content: 'no JSON', tool_calls: [call] });
		const { items } = await escalate(broken, says({ content: '{"n":7}' }), SCHEMA);
		expect(items).toMatchObject([{ json: { output: { n: 7 } } }]);
	});

	it('does not escalate over calls of tools alone, of one answer or several', async () => {
		const tool_calls = [{ index: 0, id: 'a', function: { name: 'Clock', arguments: '{}' } }];
		failModel(MINI, says({ tool_calls }, 'tool_calls'));
		await ask(from('support'), { ...SCHEMA, ...escalating() });
		expect(askedModels()).toEqual([MINI]);
	});

	it('shows an answer in a chat once, and only one that does', async () => {
		const shown: unknown[] = [];
		await escalate(says({ content: 'no JSON' }), says({ content: '{"n":7}' }), SCHEMA, {
			mode: 'webhook',
			chatted: { chatInput: 'Hi' },
			onChunk: (chunk) => void shown.push(chunk),
		});
		expect(JSON.stringify(shown)).not.toContain('no JSON');
	});

	it('never asks another model after an unknown outcome, though the order has changed', async () => {
		failModel(MINI, LOST);
		const first = await ask(from('support'), {}, { settings: {} });
		const secrets = secretsWith({ support: { models: [QUILL, MINI] } });
		const { error } = await ask(
			from('support'),
			{},
			{ secrets, settings: {}, retry: first.run.data },
		);
		expect(error?.description).toContain('It was not sent again');
		expect(askedModels()).toEqual([MINI]);
	});
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

	it.each<[string, object]>([
		['is empty', { content: '' }],
		[
			'has broken tool arguments',
			{ tool_calls: [{ index: 0, id: 'a', function: { name: 'Clock', arguments: '{"zo' } }] },
		],
	])('escalates where an answer %s', async (_what, delta) => {
		failModel(MINI, says(delta));
		const { given, calls } = await talk({ model: from('support'), options: { escalate: true } });
		expect(given).toEqual(['You said: "Hello".']);
		expect(askedModels()).toEqual([MINI, QUILL]);
		expect(calls[0]?.output).toMatchObject({
			attempts: [{ model: MINI, costUsd: 0.00003 }, { model: QUILL }],
		});
	});

	it('counts each attempt in the cap of its call', async () => {
		const dear = { prompt_tokens: 100, completion_tokens: 4000 };
		failModel(MINI, says({ content: '' }, 'stop', dear));
		const parameters = { spendingCapPerCall: 0.0063, options: { escalate: true } };
		const { error } = await talk({ model: from('support'), ...parameters });
		expect(askedModels()).toEqual([MINI]);
		expect(error?.message).toMatch(
			/quill-2\.5: This does not fit into what is left of .* this call/,
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

	it('does not escalate once text was passed on', async () => {
		const broken = { index: 0, id: 'a', function: { name: 'Clock', arguments: '{"zo' } };
		failModel(MINI, says({ content: 'Let me see', tool_calls: [broken] }));
		const use = async (chat: LanguageModel) => (await collect(chat.stream('Hello'))).length;
		const { error } = await talk({ model: from('support'), options: { escalate: true } }, use);
		expect([askedModels(), error === undefined]).toEqual([[MINI], false]);
	});
});
