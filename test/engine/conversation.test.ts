import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { secretsOf } from './rig/calls';
import { converse, type Speaker } from './rig/converse';
import { made } from './rig/run';

/** Says which of its answers this is. */
const counting = (name: string, more: IDataObject = {}): Speaker => {
	let said = 0;
	return () => ({ output: `${name} ${++said}`, ...more });
};

const two = () => ({ Ada: counting('a'), Bob: counting('b') });

const transcriptOf = (json: IDataObject) => json['transcript'] as IDataObject[];
const textsOf = (json: IDataObject) => transcriptOf(json).map(({ text }) => text);

it('two speakers talk, and each is told what the other said', async () => {
	const { json, told, error, items } = await converse({
		parameters: { turnLimit: 3 },
		speakers: two(),
	});
	expect(error).toBeUndefined();
	expect(told.map(({ speaker, json: { message } }) => [speaker, message])).toEqual([
		['Ada', 'Hello'],
		['Bob', 'a 1'],
		['Ada', 'b 1'],
	]);
	expect(json).toMatchObject({
		output: 'a 2',
		ended: 'turnLimit',
		reason: 'Turn Limit of 3 was reached',
		turns: 3,
	});
	expect(items[0]?.pairedItem).toMatchObject({ item: 0 });
});

it('each has a session of its own, the same in all turns', async () => {
	const { told, json } = await converse({ parameters: { turnLimit: 4 }, speakers: two() });
	const [ada, bob, ...again] = told.map(({ json: { sessionId } }) => sessionId);
	expect(ada).not.toBe(bob);
	expect(again).toEqual([ada, bob]);
	expect(json['speakers']).toEqual([
		{ name: 'Ada', sessionId: ada },
		{ name: 'Bob', sessionId: bob },
	]);
});

it.each<[string, INodeParameters, IDataObject, IDataObject]>([
	['a session from the input', {}, { sessionId: 'thread' }, { sessionId: 'thread' }],
	['a key', { sessionMode: 'key', sessionKey: 'order 5' }, {}, {}],
	[
		'an ID',
		{ sessionMode: 'id', conversationId: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90' },
		{ sessionId: 'one' },
		{ sessionId: 'another' },
	],
])('%s continues the conversation in another execution', async (_what, parameters, one, other) => {
	const run = async (more: IDataObject) =>
		await converse({
			parameters: { turnLimit: 2, ...parameters },
			items: [{ chatInput: 'Hello', ...more }],
			speakers: two(),
		});
	const [first, second] = [await run(one), await run(other)];
	expect(second.json['conversationId']).toBe(first.json['conversationId']);
	expect(second.json['speakers']).toEqual(first.json['speakers']);
});

it('without a session, or with New, every item begins a conversation of its own', async () => {
	const items = [{ chatInput: 'Hello' }, { chatInput: 'Hello', sessionId: 'thread' }];
	const { items: results } = await converse({
		parameters: { turnLimit: 1, sessionMode: 'new' },
		items,
		speakers: two(),
	});
	const ids = results.map(({ json }) => json['conversationId']);
	expect(new Set(ids).size).toBe(2);
	const fromInput = await converse({ parameters: { turnLimit: 1 }, items, speakers: two() });
	expect(ids).not.toContain(fromInput.json['conversationId']);
});

it('a speaker gets nothing of the item under the names of a conversation', async () => {
	const { told } = await converse({
		parameters: { turnLimit: 1 },
		items: [{ chatInput: 'Hello', message: 'other', sessionId: 'thread', turn: 99, input: 'x' }],
		speakers: two(),
	});
	expect(told[0]?.json).toMatchObject({ message: 'Hello', input: 'Hello', turn: 1 });
	expect(told[0]?.json['sessionId']).not.toBe('thread');
});

it('several items are several conversations, each with its own rules', async () => {
	const items = [1, 3, 2].map((limit) => ({ chatInput: `item ${limit}`, limit }));
	const { items: results, told } = await converse({
		parameters: { turnLimit: '={{ $json.limit }}' },
		items,
		speakers: two(),
	});
	expect(results.map(({ json }) => json['turns'])).toEqual([1, 3, 2]);
	expect(results.map(({ pairedItem }) => (pairedItem as { item: number }).item)).toEqual([0, 1, 2]);
	expect(told).toHaveLength(6);
	expect(told.slice(0, 3).map(({ json }) => json['message'])).toEqual([
		'item 1',
		'item 3',
		'item 2',
	]);
});

it('one item per turn: rows that a Data Table takes as they are', async () => {
	const { items, json } = await converse({
		parameters: { turnLimit: 2, outputMode: 'turns' },
		speakers: { Ada: counting('a', { costUsd: 0.5, model: 'm' }), Bob: counting('b') },
	});
	expect(items).toHaveLength(2);
	expect(Object.keys(json)).toEqual([
		'conversationId',
		'turn',
		'speaker',
		'text',
		'sessionId',
		'model',
		'costUsd',
		'inputTokens',
		'outputTokens',
		'requestId',
		'approvedBy',
		'at',
		'note',
	]);
	for (const value of items.flatMap((item) => Object.values(item.json)))
		expect(value === null || ['string', 'number'].includes(typeof value)).toBe(true);
});

it('a transcript goes on in the same sessions', async () => {
	const first = await converse({ parameters: { turnLimit: 3 }, speakers: two() });
	const second = await converse({
		parameters: {
			turnLimit: 1,
			options: { transcript: JSON.stringify(first.json['transcript']) },
		},
		items: [{}],
		speakers: two(),
	});
	expect(second.told.map(({ speaker, json: { message } }) => [speaker, message])).toEqual([
		['Bob', 'a 2'],
	]);
	expect(second.told[0]?.json['sessionId']).toBe(first.told[1]?.json['sessionId']);
	expect(second.json).toMatchObject({ turns: 4, conversationId: first.json['conversationId'] });
	expect(textsOf(second.json)).toEqual(['a 1', 'b 1', 'a 2', 'b 1']);
});

describe('the moderator', () => {
	const parameters = { turnOrder: 'moderator', turnLimit: 5 };

	it('decides who speaks, and when it is done', async () => {
		const { json, told, prompts } = await converse({
			parameters,
			speakers: two(),
			moderator: ['Bob', 'Bob', 'DONE'],
		});
		expect(told.map(({ speaker }) => speaker)).toEqual(['Bob', 'Bob']);
		expect(json).toMatchObject({
			ended: 'moderator',
			reason: 'The moderator ended the conversation',
		});
		expect(prompts).toHaveLength(3);
	});

	it('that is not clear, or fails, costs nothing: the next in turn speaks, and the transcript says so', async () => {
		const { json, told } = await converse({
			parameters,
			speakers: two(),
			moderator: ['Eve', new Error('It broke'), 'DONE'],
		});
		expect(told.map(({ speaker }) => speaker)).toEqual(['Ada', 'Bob']);
		expect(transcriptOf(json).map(({ note }) => note)).toEqual([
			'The moderator\'s answer was not clear ("Eve"), so the next speaker in turn was asked.',
			'The moderator could not be asked, so the next speaker in turn was asked.',
		]);
	});

	it('has to be connected', async () => {
		const { error, told } = await converse({ parameters, speakers: two() });
		expect(error?.message).toBe(
			'Who Speaks Next is "Moderator", and no model is connected as Moderator',
		);
		expect(told).toEqual([]);
	});
});

describe('what cannot begin', () => {
	it.each<[string, Parameters<typeof converse>[0], string]>([
		['one speaker', { speakers: { Ada: counting('a') } }, 'Only one speaker is connected: Ada'],
		[
			'the legacy execution order',
			{ speakers: two(), executionOrder: 'v0' },
			'This workflow runs in the legacy execution order (v0), in which conversations are not possible',
		],
		[
			'an instruction for nobody',
			{
				speakers: two(),
				parameters: { instructions: { instruction: [{ speaker: 'Eve', text: 'x' }] } },
			},
			'Instructions 1: no speaker has the name "Eve"',
		],
		[
			'a pattern that cannot be used',
			{ speakers: two(), parameters: { options: { stopPattern: '(' } } },
			'Stop Pattern cannot be used',
		],
		[
			'no opening',
			{ speakers: two(), items: [{}] },
			"Opening Message: the item has no text in 'chatInput'",
		],
		[
			'an ID that is none',
			{ speakers: two(), parameters: { sessionMode: 'id', conversationId: 'x' } },
			'Conversation ID must be a UUID',
		],
	])('%s is refused before anything is sent', async (_what, options, message) => {
		const { error, told } = await converse(options);
		expect(error?.message).toBe(message);
		expect(error?.description).toBeTruthy();
		expect(told).toEqual([]);
	});

	it('one wrong item costs the others nothing, and no turn is sent twice by Retry On Fail', async () => {
		const { items, told, error } = await converse({
			parameters: { turnLimit: 2 },
			settings: { onError: 'continueRegularOutput', retryOnFail: true, waitBetweenTries: 0 },
			items: [{}, { chatInput: 'Hello' }],
			speakers: two(),
		});
		expect(error).toBeUndefined();
		expect(told).toHaveLength(2);
		expect(items.map(({ json }) => json)).toEqual([
			{ error: "Opening Message: the item has no text in 'chatInput'" },
			expect.objectContaining({ ended: 'turnLimit', turns: 2 }),
		]);
	});
});

describe('a speaker that fails', () => {
	const failing: Speaker = () => {
		throw new Error('It broke');
	};
	const retried = { retryOnFail: true, waitBetweenTries: 0 };

	it('ends the conversation, which is no failure of the node: nothing is sent again', async () => {
		const { json, told, error } = await converse({
			settings: retried,
			speakers: { Ada: counting('a'), Bob: failing },
		});
		expect(error).toBeUndefined();
		expect(told).toHaveLength(2);
		expect(json).toMatchObject({
			ended: 'speakerFailed',
			output: 'a 1',
			failure: { speaker: 'Bob', message: 'a 1', error: 'It broke' },
		});
		expect(json).not.toHaveProperty('error');
	});

	it.each<[string, Partial<INode>, Speaker]>([
		['Continue', { onError: 'continueRegularOutput' }, failing],
		['an item with error', {}, () => ({ error: 'It broke', details: { outcome: 'unknown' } })],
	])('says so also with %s', async (_what, settings, speaker) => {
		const { json } = await converse({
			speakers: { Ada: counting('a'), Bob: speaker },
			speakerSettings: { Bob: settings },
		});
		expect(json).toMatchObject({ ended: 'speakerFailed', failure: { error: 'It broke' } });
	});

	it.each([['unknown'], ['not_started']])(
		'is not asked once more, whatever a node of another package says about the outcome: %s',
		async (outcome) => {
			const { json, told } = await converse({
				parameters: { turnLimit: 2, options: { onFailure: 'askAgain' } },
				speakers: {
					Ada: counting('a'),
					Bob: () => ({ error: 'It broke', details: { outcome } }),
				},
			});
			expect(told).toHaveLength(2);
			expect(json).toMatchObject({ ended: 'speakerFailed', turns: 2 });
		},
	);
});

it('50 turns are stored in less than 100 kB', async () => {
	const sentence =
		'A sentence such as an agent writes, neither short nor long, about the release. ';
	const speaker: Speaker = ({ turn }) => ({ output: `${String(turn)}. ${sentence}` });
	const { run, json } = await converse({
		parameters: { turnLimit: 50 },
		speakers: { Ada: speaker, Bob: speaker },
	});
	expect(json['turns']).toBe(50);
	expect(JSON.stringify(run.data).length).toBeLessThan(100_000);
});

it('the custom data tells how far it has come', async () => {
	const { customData, json } = await converse({ parameters: { turnLimit: 2 }, speakers: two() });
	expect(customData).toMatchObject({
		conversation: `${String(json['conversationId'])}, turns: 2, ended: turnLimit`,
		speakers: expect.stringContaining('Ada '),
		conversationId: json['conversationId'],
		ended: 'turnLimit',
		turns: '2',
		costUsd: '0',
	});
});

describe('On Failure of a Speaker: Fail', () => {
	const failing = (settings: Partial<INode> = {}) => {
		let calls = 0;
		const speakers = {
			Ada: counting('a'),
			Bob: () => {
				calls++;
				throw new Error('Bob is out');
			},
		};
		const parameters = { options: { onFailure: 'fail' } };
		const items = [{ chatInput: 'Hello' }, { chatInput: 'Good day' }];
		return { run: converse({ parameters, settings, speakers, items }), asked: () => calls };
	};
	const kept = { ended: 'speakerFailed', transcript: [{ text: 'a 1' }, { speaker: 'Bob' }] };

	it.each<[string, Partial<INode>]>([
		['the node', {}],
		['the node with every try of Retry On Fail', { retryOnFail: true, maxTries: 3 }],
	])('fails %s, with all turns, and asks nobody again', async (_what, settings) => {
		const { run, asked } = failing(settings);
		const { error } = await run;
		expect(error).toMatchObject({
			message: expect.stringMatching(/^Bob failed: .*Bob is out/),
			context: { itemIndex: 0, metadata: { conversations: [kept, { ended: 'speakerFailed' }] } },
		});
		expect(asked()).toBe(2);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'with %s, the item has the error and all turns',
		async (onError) => {
			const { run, asked } = failing({ onError });
			const { error, run: done } = await run;
			expect(error).toBeUndefined();
			const outputs = done.data.resultData.runData['Conversation']?.at(-1)?.data?.['main'] ?? [];
			expect(outputs.flatMap((items) => items ?? [])).toMatchObject([
				{ json: { error: expect.stringContaining('Bob failed'), details: kept } },
				{ json: { error: expect.stringContaining('Bob failed') } },
			]);
			expect(asked()).toBe(2);
		},
	);

	it('with Retry On Fail, nobody is asked again where the node continues', async () => {
		const { run, asked } = failing({
			onError: 'continueRegularOutput',
			...{ retryOnFail: true, maxTries: 3 },
		});
		expect((await run).json).toMatchObject(kept);
		expect(asked()).toBe(2);
	});
});

it.each<[string, INodeParameters, string[]]>([
	['a chat that does not stream', {}, [expect.stringContaining('to Streaming')]],
	['turns that are hidden', { hideTurns: true }, []],
])('%s: says how to read along where it helps', async (_what, options, expected) => {
	const { hints } = await converse({
		parameters: { turnLimit: 2, options },
		speakers: two(),
		others: [made('Chat', '@n8n/n8n-nodes-langchain.chatTrigger')],
		connections: { Chat: { main: [[{ node: 'Start', type: 'main', index: 0 }]] } },
	});
	expect(hints).toEqual(expected);
});

it('each turn is shown once, with the name of the speaker', async () => {
	const chunks: string[] = [];
	await converse({
		parameters: { turnLimit: 2 },
		speakers: two(),
		onChunk: ({ type, content }) => void chunks.push(type === 'item' ? String(content) : type),
	});
	expect(chunks).toEqual(['begin', '**Ada:**\n\na 1', 'end', 'begin', '**Bob:**\n\nb 1', 'end']);
});

it('nothing is shown with Hide Turns', async () => {
	const chunks: unknown[] = [];
	await converse({
		parameters: { turnLimit: 2, options: { hideTurns: true } },
		speakers: two(),
		onChunk: (chunk) => void chunks.push(chunk),
	});
	expect(chunks).toEqual([]);
});

it('the result is linked to the item that began it, wherever that came from', async () => {
	const { run } = await converse({ parameters: { turnLimit: 3 }, speakers: two() });
	const [item] = run.data.resultData.runData['Conversation']?.[0]?.data?.['main']?.[0] ?? [];
	expect(item?.pairedItem).toEqual({
		item: 0,
		sourceOverwrite: { previousNode: 'Start', previousNodeOutput: 0, previousNodeRun: 0 },
	});
});

describe('our own nodes as speakers, with only a credential', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startService();
	});
	beforeEach(() => service.reset());
	afterAll(async () => await service.stop());

	const speaker = (type: string, credential: string, parameters: INodeParameters = {}): INode => ({
		...made(type, `n8n-nodes-agent-bridge.${type}Tool`, parameters),
		credentials: { [credential]: { id: credential, name: credential } },
	});
	const ours = () => ({
		Agent: speaker('workspaceAgent', 'workspaceAgentApi'),
		Market: speaker('marketAssistant', 'marketAssistantApi'),
		Model: speaker('modelRouter', 'modelRouterApi', {
			model: { __rl: true, mode: 'id', value: 'northwind/quill-2.5' },
		}),
	});
	const posts = () =>
		service.requests
			.filter(({ method }) => method === 'POST')
			.map(({ path, body }) => ({ path, ...(body as object) }));

	it('talk, each in its own conversation at the service', async () => {
		const { json, error } = await converse({
			parameters: { turnLimit: 6 },
			items: [{ chatInput: 'Hello', chatId: 'of an earlier node', sessionId: 'thread' }],
			speakers: ours(),
			secrets: secretsOf(service),
		});
		expect(error).toBeUndefined();
		expect(json).toMatchObject({
			ended: 'turnLimit',
			turns: 6,
			speakersWithoutCost: ['Agent', 'Market'],
		});
		const [agent, market, model, agentAgain, marketAgain, modelAgain] = posts() as IDataObject[];
		const [{ sessionId }, { chatId }] = json['speakers'] as [IDataObject, IDataObject];
		expect([agent, agentAgain]).toEqual([
			expect.objectContaining({
				content: 'Hello',
				path: expect.stringContaining(String(sessionId)),
			}),
			expect.objectContaining({ path: agent?.['path'] }),
		]);
		expect(market).not.toHaveProperty('chat_id');
		expect(marketAgain).toMatchObject({ chat_id: chatId });
		expect(model?.['messages']).toHaveLength(1);
		const [told, said, now] = modelAgain?.['messages'] as IDataObject[];
		expect(told).toEqual((model?.['messages'] as IDataObject[])[0]);
		expect(said).toMatchObject({ role: 'assistant', content: textsOf(json)[2] });
		expect(now).toMatchObject({ role: 'user', content: expect.stringContaining('Market: ') });
	});

	it('write into the chat themselves, each turn once and with its name', async () => {
		const chunks: Array<[string, string]> = [];
		const { json } = await converse({
			parameters: { turnLimit: 3 },
			speakers: ours(),
			secrets: secretsOf(service),
			onChunk: ({ content = '', metadata }) => void chunks.push([metadata.nodeName, content]),
		});
		const writtenBy = (name: string) =>
			chunks.flatMap(([node, content]) => (node === name ? [content] : [])).join('');
		expect(['Agent', 'Market', 'Model'].map(writtenBy)).toEqual(
			transcriptOf(json).map(
				({ speaker: name, text }) => `**${String(name)}:**\n\n${String(text)}`,
			),
		);
		expect(writtenBy('Conversation')).toBe('');
	});

	it.each([
		['certainly received nothing', 403, 3, 'turnLimit'],
		['may have received it', 500, 2, 'speakerFailed'],
	])('are asked once more only if the service %s', async (_what, status, sent, ended) => {
		service.fault({
			match: { method: 'POST', path: 'invoke_assistant' },
			times: 1,
			do: { type: 'status', status },
		});
		const { json } = await converse({
			parameters: { turnLimit: 2, options: { onFailure: 'askAgain' } },
			speakers: ours(),
			secrets: secretsOf(service),
		});
		expect(json['ended']).toBe(ended);
		expect(posts()).toHaveLength(sent);
	});

	it('that fail are told of once, with all that is known', async () => {
		service.fault({
			match: { method: 'POST', path: 'invoke_assistant' },
			do: { type: 'status', status: 500 },
		});
		const { json } = await converse({ speakers: ours(), secrets: secretsOf(service) });
		expect(json).toMatchObject({
			ended: 'speakerFailed',
			failure: { speaker: 'Market', details: { status: 500, outcome: 'unknown' } },
		});
		// people read it, not the model of an AI agent
		expect(JSON.stringify(json)).not.toContain('Do not call this tool again');
		expect(posts()).toHaveLength(2);
	});
});
