import type { IDataObject, INode, INodeParameters, StructuredChunk } from 'n8n-workflow';

import { PICTURE, posts, RETRIED, secretsOf } from './rig/calls';
import { converse, type ConverseOptions, type Speaker } from './rig/converse';
import { ours } from './rig/flow';
import { serviceForTests } from './rig/service';

// of our own nodes, where they speak
const service = serviceForTests();

/** Says which of its answers this is. */
const counting = (name: string, more: IDataObject = {}): Speaker => {
	let said = 0;
	return () => ({ output: `${name} ${++said}`, ...more });
};
const failing: Speaker = () => {
	throw new Error('It broke');
};
const two = () => ({ Ada: counting('a'), Bob: counting('b') });
type Options = Partial<ConverseOptions>;
const talk = async (parameters: INodeParameters, more: Options = {}) =>
	await converse({ parameters, speakers: two(), ...more });

const transcriptOf = (json: IDataObject) => json['transcript'] as IDataObject[];
const toldIn = ({ told }: Awaited<ReturnType<typeof converse>>) =>
	told.map(({ speaker, json: { message } }) => [speaker, message]);

it('two speakers talk, each is told what the other said, in a session of its own', async () => {
	const outcome = await talk({ turnLimit: 4 });
	const { json, told, run } = outcome;
	expect(outcome.error).toBeUndefined();
	expect(toldIn(outcome)).toEqual([
		['Ada', 'Hello'],
		['Bob', 'a 1'],
		['Ada', 'b 1'],
		['Bob', 'a 2'],
	]);
	const [ada, bob, ...again] = told.map(({ json: { sessionId } }) => sessionId);
	expect([ada === bob, again]).toEqual([false, [ada, bob]]);
	expect(json).toMatchObject({
		output: 'b 2',
		ended: 'turnLimit',
		reason: 'Turn Limit of 4 was reached',
		turns: 4,
		transcriptText: 'Ada: a 1\n\nBob: b 1\n\nAda: a 2\n\nBob: b 2',
		speakers: [
			{ name: 'Ada', sessionId: ada },
			{ name: 'Bob', sessionId: bob },
		],
	});
	// linked to the item that began it
	const [item] = run.data.resultData.runData['Conversation']?.[0]?.data?.['main']?.[0] ?? [];
	expect(item?.pairedItem).toEqual({
		item: 0,
		sourceOverwrite: { previousNode: 'Start', previousNodeOutput: 0, previousNodeRun: 0 },
	});
	// and no cost, because none is known
	expect(outcome.customData).toEqual({
		conversation: `${String(json['conversationId'])}, turns: 4, ended: turnLimit`,
		speakers: expect.stringContaining('Ada '),
		conversationId: json['conversationId'],
		ended: 'turnLimit',
		turns: '4',
	});
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
])('%s continues the conversation in another execution', async (_what, parameters, ...items) => {
	const [first, second] = await Promise.all(
		items.map(async (more) => {
			const given = [{ chatInput: 'Hello', ...more }];
			return (await talk({ turnLimit: 2, ...parameters }, { items: given })).json;
		}),
	);
	expect(second?.['conversationId']).toBe(first?.['conversationId']);
	expect(second?.['speakers']).toEqual(first?.['speakers']);
});

it('without a session, or with New, every item begins a conversation of its own', async () => {
	const items = [{ chatInput: 'Hello' }, { chatInput: 'Hello', sessionId: 'thread' }];
	const { items: results } = await talk({ turnLimit: 1, sessionMode: 'new' }, { items });
	const ids = results.map(({ json }) => json['conversationId']);
	expect(new Set(ids).size).toBe(2);
	const fromInput = await talk({ turnLimit: 1 }, { items });
	expect(ids).not.toContain(fromInput.json['conversationId']);
});

it('a speaker gets nothing of the item under the names of a conversation', async () => {
	const fields = { message: 'x', turn: 99, input: 'x', taskId: 'x' };
	const item = { chatInput: 'Hello', sessionId: 'thread', ...fields };
	const { told } = await talk({ turnLimit: 1 }, { items: [item] });
	expect(told[0]?.json).toMatchObject({
		message: 'Hello',
		input: 'Hello',
		turn: 1,
		taskId: '',
	});
	expect(told[0]?.json['sessionId']).not.toBe('thread');
});

it('a message has an ID that no other one has, whatever is continued and whoever wrote the item', async () => {
	const parameters = { turnLimit: 3, sessionMode: 'key', sessionKey: 'a' };
	const items = [{ chatInput: 'Hello', messageId: 'm' }, { chatInput: 'Hello' }];
	const outcomes = [await talk(parameters, { items }), await talk(parameters, { items })];
	const told = outcomes.flatMap((outcome) => outcome.told.map(({ json }) => json));
	expect(new Set(told.map(({ conversationId }) => conversationId)).size).toBe(1);
	const ids = told.map(({ messageId }) => String(messageId));
	expect(new Set(ids).size).toBe(12);
	expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[\da-f-]{36}$/)));
});

it('several items are several conversations, each with its own rules', async () => {
	const items = [1, 3, 2].map((limit) => ({ chatInput: `item ${limit}`, limit }));
	const { items: results, told } = await talk({ turnLimit: '={{ $json.limit }}' }, { items });
	expect(results).toMatchObject(
		[1, 3, 2].map((turns, item) => ({ json: { turns }, pairedItem: { item } })),
	);
	expect(told).toHaveLength(6);
	const begun = told.slice(0, 3).map(({ json }) => json['message']);
	expect(begun).toEqual(['item 1', 'item 3', 'item 2']);
});

it('one item per turn: rows that a Data Table takes as they are', async () => {
	const { items } = await talk(
		{ turnLimit: 2, outputMode: 'turns' },
		{ speakers: { Ada: counting('a', { costUsd: 0.5, model: 'm' }), Bob: counting('b') } },
	);
	expect(items).toHaveLength(2);
	for (const { json: row } of items) expect(row['durationMs']).toBeGreaterThanOrEqual(0);
	for (const value of items.flatMap((item) => Object.values(item.json)))
		expect(value === null || ['string', 'number'].includes(typeof value)).toBe(true);
});

it('the moderator decides; one that is not clear, or fails, costs nothing: the next in turn speaks', async () => {
	const { json, told, prompts } = await talk(
		{ turnOrder: 'moderator', turnLimit: 5 },
		{ moderator: ['Bob', 'Bob', 'Eve', new Error('It broke'), 'DONE'] },
	);
	expect(told.map(({ speaker }) => speaker).join(' ')).toBe('Bob Bob Ada Bob');
	expect(json).toMatchObject({
		ended: 'moderator',
		reason: 'The moderator ended the conversation',
	});
	expect(transcriptOf(json).map(({ note }) => note)).toEqual([
		null,
		null,
		'The moderator\'s answer was not clear ("Eve"), so the next speaker in turn was asked.',
		'The moderator could not be asked, so the next speaker in turn was asked.',
	]);
	expect(prompts).toHaveLength(5);
});

it('the same message to all: the cap is checked before each turn of a round', async () => {
	const priced = (name: string): Speaker => counting(name, { costUsd: 0.25 });
	const parameters = { turnOrder: 'sameMessage', spendingCapPerConversation: 0.5 };
	const speakers = { Ada: priced('a'), Bob: priced('b'), Eve: priced('e') };
	const outcome = await talk(parameters, { speakers });
	expect(outcome.json).toMatchObject({ ended: 'spendingCap', turns: 2 });
	expect(toldIn(outcome)).toEqual(['Ada', 'Bob'].map((name) => [name, 'Hello']));
});

describe('what cannot begin', () => {
	const LEGACY =
		'This workflow runs in the legacy execution order (v0), in which conversations are not possible';
	const eve = { instructions: { instruction: [{ speaker: 'Eve', text: 'x' }] } };
	it.each<[string, INodeParameters, Options]>([
		['Only one speaker is connected: Ada', {}, { speakers: { Ada: counting('a') } }],
		[LEGACY, {}, { workflowSettings: { executionOrder: 'v0' } }],
		// nobody has set it
		[LEGACY, {}, { workflowSettings: {} }],
		['Instructions 1: there is no speaker named "Eve"', eve, {}],
		[
			'Who May Replace a Turn: there is no speaker named "Eve"',
			{ options: { editors: 'bob,\n Eve' } },
			{},
		],
		[
			'Continue After Turn: Transcript to Continue has no turn 3',
			{ options: { continueAfterTurn: 3, transcript: [{ speaker: 'Ada', text: 'a' }] } },
			{},
		],
		['Stop Pattern cannot be used', { options: { stopPattern: '(' } }, {}],
		['Conversation ID must be a UUID', { sessionMode: 'id', conversationId: 'x' }, {}],
		[
			'Who Speaks Next is "Moderator", but no model is connected as Moderator',
			{ turnOrder: 'moderator' },
			{},
		],
		// n8n would discard its answers
		[
			'Bob: "Continue (using error output)" is not possible for a speaker',
			{},
			{ speakerSettings: { Bob: { onError: 'continueErrorOutput' } } },
		],
	])('is refused before anything is sent: %s', async (message, parameters, more) => {
		const { error, told } = await talk(parameters, more);
		expect(error?.message).toBe(message);
		expect(error?.description).toBeTruthy();
		expect(told).toEqual([]);
	});

	it('one wrong item costs the others nothing, and no turn is sent twice by Retry On Fail', async () => {
		const settings = { onError: 'continueRegularOutput', ...RETRIED } as const;
		const items = [{}, { chatInput: 'Hello' }];
		const { items: results, told, error } = await talk({ turnLimit: 2 }, { settings, items });
		expect(error).toBeUndefined();
		expect(told).toHaveLength(2);
		expect(results.map(({ json }) => json)).toEqual([
			{ error: "Opening Message: the item has no text in 'chatInput'" },
			expect.objectContaining({ ended: 'turnLimit', turns: 2 }),
		]);
	});
});

describe('a speaker that fails', () => {
	it.each<[string, Speaker, Partial<INode>]>([
		['an error', failing, {}],
		['an error with Continue', failing, { onError: 'continueRegularOutput' }],
		['an item with error', () => ({ error: 'It broke', details: { outcome: 'unknown' } }), {}],
	])('ends the conversation, which is no failure of the node: %s', async (_what, Bob, settings) => {
		const { json, told, error } = await talk(
			{},
			{
				speakers: { Ada: counting('a'), Bob },
				settings: RETRIED,
				speakerSettings: { Bob: settings },
			},
		);
		expect(error).toBeUndefined();
		expect(told).toHaveLength(2);
		expect(json).toMatchObject({
			ended: 'speakerFailed',
			output: 'a 1',
			failure: { speaker: 'Bob', message: 'a 1', error: 'It broke' },
		});
		expect(json).not.toHaveProperty('error');
	});

	it('Retry On Fail of a speaker tries it again, and the last try counts', async () => {
		let tries = 0;
		const Bob: Speaker = () => {
			if (++tries < 3) throw new Error('It broke');
			return { output: 'b' };
		};
		const speakers = { Ada: counting('a'), Bob };
		const more = { speakers, speakerSettings: { Bob: RETRIED } };
		const { json, told } = await talk({ turnLimit: 2 }, more);
		expect([tries, json]).toMatchObject([3, { output: 'b', turns: 2 }]);
		// an agent elsewhere can tell that it is the same message
		const [, ...ids] = told.map(({ json: { messageId } }) => messageId);
		expect(ids).toEqual([ids[0], ids[0], ids[0]]);
	});

	describe('with On Failure of a Speaker: Fail', () => {
		const fail = async (settings: Partial<INode> = {}) => {
			const { run, error, told } = await talk(
				{ options: { onFailure: 'fail' } },
				{
					settings,
					speakers: { Ada: counting('a'), Bob: failing },
					items: [{ chatInput: 'Hello' }, { chatInput: 'Good day' }],
				},
			);
			// nobody is asked again: Ada and Bob once for each item
			expect(told).toHaveLength(4);
			const outputs = run.data.resultData.runData['Conversation']?.at(-1)?.data?.['main'] ?? [];
			return { error, items: outputs.flatMap((items) => items ?? []) };
		};
		const kept = { ended: 'speakerFailed', transcript: [{ text: 'a 1' }, { speaker: 'Bob' }] };

		it.each([{}, RETRIED])('fails the node, with all turns: %j', async (settings) => {
			expect((await fail(settings)).error).toMatchObject({
				message: expect.stringMatching(/^Bob failed: .*It broke/),
				context: { itemIndex: 0, metadata: { conversations: [kept, { ended: 'speakerFailed' }] } },
			});
		});

		it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
			'with %s, the item has the error and all turns',
			async (onError) => {
				const { error, items } = await fail({ onError });
				expect(error).toBeUndefined();
				expect(items).toMatchObject([
					{ json: { error: expect.stringContaining('Bob failed'), details: kept } },
					{ json: { error: expect.stringContaining('Bob failed') } },
				]);
			},
		);

		it('n8n would run a node again whose items have an error', async () => {
			const { items } = await fail({ onError: 'continueRegularOutput', ...RETRIED });
			expect(items[0]?.json).toMatchObject(kept);
			expect(items[0]?.json).not.toHaveProperty('error');
		});
	});
});

it('50 turns are stored in less than 115 kB', async () => {
	const sentence =
		'A sentence such as an agent writes, neither short nor long, about the release. ';
	const speaker: Speaker = ({ turn }) => ({ output: `${String(turn)}. ${sentence}` });
	const { run, json } = await talk({ turnLimit: 50 }, { speakers: { Ada: speaker, Bob: speaker } });
	expect(json['turns']).toBe(50);
	expect(JSON.stringify(run.data).length).toBeLessThan(115_000);
});

/** Notes what a reader gets, piece by piece. */
const noteIn =
	(chunks: string[]) =>
	({ type, content }: StructuredChunk) =>
		void chunks.push(type === 'begin' || type === 'end' ? type : String(content));

it('each turn is shown once, before the next speaker is asked, and nothing with Hide Turns', async () => {
	const shown = async (options: INodeParameters) => {
		const chunks: string[] = [];
		const Bob: Speaker = () => {
			chunks.push('Bob is asked');
			return { output: 'b' };
		};
		// another package's node may say what ours says about itself
		const speakers = { Ada: counting('a', { shownLive: true }), Bob };
		await talk({ turnLimit: 2, options }, { onChunk: noteIn(chunks), speakers });
		return chunks;
	};
	expect(await shown({})).toEqual([
		'begin',
		'**Ada:**\n\na 1',
		'end',
		'Bob is asked',
		'begin',
		'**Bob:**\n\nb',
		'end',
	]);
	expect(await shown({ hideTurns: true })).toEqual(['Bob is asked']);
});

it.each([
	[undefined, ['begin', '**Ada:**\n\n', 'end']],
	[false, ['begin', '**Ada:**\n\na', 'end']],
])("n8n's agent writes its turn itself, unless its streaming is %s", async (streams, shown) => {
	const chunks: string[] = [];
	const options = { ...(streams !== undefined && { enableStreaming: streams }) };
	const Ada = { type: 'test.agentTool', parameters: { options } };
	await talk(
		{ turnLimit: 1 },
		{
			onChunk: noteIn(chunks),
			speakers: { Ada: () => ({ output: 'a' }), Bob: counting('b') },
			speakerSettings: { Ada },
		},
	);
	expect(chunks).toEqual(shown);
});

const trigger = '@n8n/n8n-nodes-langchain.chatTrigger';

it('who reads along learns that a speaker could not answer, and nothing of its address, IDs and advice', async () => {
	const why = 'Refused (sessionId: s-1). Check https://10.0.0.7 in the credential "Prod".';
	const shown = async (parameters: INodeParameters, more: Options) => {
		const chunks: string[] = [];
		const speakers = { Ada: () => ({ error: why }), Bob: counting('b') };
		const { json } = await talk(parameters, { onChunk: noteIn(chunks), speakers, ...more });
		return { json, text: chunks.join(' ') };
	};
	const ended = await shown({}, {});
	expect(ended.text).toBe('begin Ada could not answer. end');
	expect(ended.json).toMatchObject({ ended: 'speakerFailed', failure: { error: why } });
	const ran = { Trigger: { chatInput: 'Hello' } };
	const { text } = await shown({ options: { onFailure: 'fail' } }, { trigger, ran });
	expect(text).toContain('Ada could not answer.');
	expect(text).toContain('Conversation could not answer.');
	const failing = { Ada: () => ({ error: why }), Bob: () => ({ error: why }) };
	const silent = await shown({ options: { onFailure: 'skip' } }, { speakers: failing });
	expect(silent.json).toMatchObject({ ended: 'emptyRound', failure: { error: why } });
	expect(silent.text).toContain('Bob could not answer.');
	expect(silent.text).not.toContain('10.0');
	expect(text).not.toMatch(/10\.0|s-1|Prod|"conversations"/);
});

const model = { model: { __rl: true, mode: 'id', value: 'northwind/quill-2.5' } };
const ourNodes = {
	Agent: ours('Agent', 'workspaceAgentTool', { credential: 'workspaceAgentApi' }),
	Market: ours('Market', 'marketAssistantTool', { credential: 'marketAssistantApi' }),
	Model: ours('Model', 'modelRouterTool', { credential: 'modelRouterApi', parameters: model }),
};

describe('a hint beside the output', () => {
	const ends = (whose: string, turn: number, why = 'It broke.') =>
		`${whose} failed, so the conversation ended in turn ${turn}: ${why} To make the execution fail, choose On Failure of a Speaker: Fail.`;
	const link = () => ({ error: '<a href="https://example.org">It broke</a> & more' });
	const shown = '&lt;a href="https://example.org">It broke&lt;/a> &amp; more.';
	const [Ada, Bob] = [counting('a'), counting('b')];
	const both = { Ada: failing, Bob: failing };
	const skip = { turnLimit: 2, options: { onFailure: 'skip' } };
	const twice = [{ chatInput: 'Hello' }, { chatInput: 'Hello' }];
	const live = [expect.stringContaining('to Streaming')];
	const hideTurns = { turnLimit: 2, options: { hideTurns: true } };
	/** Agents by their credentials, beside a model that takes two turns. */
	const agents = (...ids: string[]) => {
		const named = ids.map((id, index) => {
			const credentials = { workspaceAgentApi: { id, name: id } };
			const name = `Agent ${index + 1}`;
			const node = ours(name, 'workspaceAgentTool', { credential: '', settings: { credentials } });
			return [name, node];
		});
		const { Model } = ourNodes;
		return { ...(Object.fromEntries(named) as object), Model, Judge: Model };
	};
	const one = { turnLimit: 1 };
	const itself =
		'Agent 1 and Agent 3 use the same credential, so one agent talks to itself. For another agent, choose another credential.';

	it.each<[string, string[], INodeParameters, Options]>([
		[
			'says who failed, and in which turn',
			[ends('Bob', 2)],
			{},
			{ speakers: { Ada, Bob: failing } },
		],
		['has the words of a stranger', [ends('Ada', 1, shown)], {}, { speakers: { Ada: link, Bob } }],
		[
			'says how many failed',
			[`2 of 2 conversations failed. ${ends('Ada', 1)}`],
			{},
			{ speakers: both, items: twice },
		],
		['says nothing of who is skipped', [], skip, { speakers: { Ada: failing, Bob } }],
		[
			'says nothing of what is an error',
			[],
			{ options: { onFailure: 'fail' } },
			{ speakers: both },
		],
		['says how to read along in a chat', live, { turnLimit: 2 }, { trigger }],
		['says nothing of turns that are hidden', [], hideTurns, { trigger }],
		[
			'says that one agent talks to itself',
			[itself],
			one,
			{ speakers: agents('one', 'other', 'one') },
		],
		['says nothing of two agents', [], one, { speakers: agents('one', 'other') }],
	])('%s', async (_what, hints, parameters, more) => {
		const secrets = secretsOf(service);
		const settings = { onError: 'continueRegularOutput' } as const;
		expect((await talk(parameters, { secrets, settings, ...more })).hints).toEqual(hints);
	});
});

describe('our own nodes as speakers, with only a credential', () => {
	const hold = async (parameters: INodeParameters, more: Options = {}) =>
		await talk(parameters, { speakers: ourNodes, secrets: secretsOf(service), ...more });

	it('talk, each in its own conversation at the service', async () => {
		const items = [{ chatInput: 'Hello', chatId: 'of an earlier node', sessionId: 'thread' }];
		const { json, error } = await hold({ turnLimit: 6 }, { items });
		expect(error).toBeUndefined();
		expect(json).toMatchObject({
			ended: 'turnLimit',
			turns: 6,
			speakersWithoutCost: ['Agent', 'Market'],
		});
		const [agent, market, first, agentAgain, marketAgain, second] = posts(service);
		const [{ sessionId }, { chatId }] = json['speakers'] as [IDataObject, IDataObject];
		expect(agent).toMatchObject({
			path: expect.stringContaining(String(sessionId)),
			body: { content: 'Hello' },
		});
		expect(agentAgain?.path).toBe(agent?.path);
		expect(market?.body).not.toHaveProperty('chat_id');
		expect(marketAgain?.body).toMatchObject({ chat_id: chatId });
		const { messages } = first?.body as { messages: IDataObject[] };
		expect(messages).toHaveLength(1);
		expect((second?.body as IDataObject)['messages']).toMatchObject([
			messages[0]!,
			{ role: 'assistant', content: transcriptOf(json)[2]?.['text'] },
			{ role: 'user', content: expect.stringContaining('Market: ') },
		]);
	});

	it.each(['generate', 'start'])(
		'a picture that could exceed the cap is not paid for: %s',
		async (operation) => {
			const parameters = { resource: 'media', operation, ...PICTURE, allowAgents: true };
			const Painter = ours('Painter', 'modelRouterTool', {
				credential: 'modelRouterApi',
				parameters,
			});
			const speakers = { Bob: counting('b', { costUsd: 0.04 }), Painter };
			const { json } = await hold({ spendingCapPerConversation: 0.05 }, { speakers });
			expect(json).toMatchObject({ ended: 'spendingCap', turns: 2, costUsd: 0.04 });
			expect(posts(service)).toEqual([]);
		},
	);

	const failure = { speaker: 'Market', details: { status: 500, outcome: 'unknown' } };
	it.each([
		['certainly received nothing', 403, 3, { ended: 'turnLimit' }],
		['may have received it', 500, 2, { ended: 'speakerFailed', failure }],
	])('are asked once more only if the service %s', async (_what, status, sent, expected) => {
		const match = { method: 'POST', path: 'invoke_assistant' };
		service.fault({ match, times: 1, do: { type: 'status', status } });
		const { json } = await hold({ turnLimit: 2, options: { onFailure: 'askAgain' } });
		expect(json).toMatchObject(expected);
		// people read it, not the model of an AI agent
		expect(JSON.stringify(json)).not.toContain('Do not call this tool again');
		expect(posts(service)).toHaveLength(sent);
	});
});
