import type { IDataObject, INodeParameters, StructuredChunk } from 'n8n-workflow';

import { sessionIdOf } from '../../nodes/WorkspaceAgent/message/send.operation';
import { startService, type Service } from '../service/service';
import { posts, secretsOf } from './rig/calls';
import { CONVERSATION, talk, type Call, type Root, type Talk } from './rig/conversation';

// our nodes as speakers of a conversation: with nothing but a credential and a model chosen
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const UUID = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
const CHAT_UUID = '11111111-2222-4333-8444-555555555555';
const MODEL = { __rl: true, mode: 'id', value: 'northwind/quill-2.5' };

const agent = (parameters: INodeParameters = {}) =>
	({ node: 'workspaceAgent', credential: 'workspaceAgentApi', parameters }) as const;
const assistant = (parameters: INodeParameters = {}) =>
	({ node: 'marketAssistant', credential: 'marketAssistantApi', parameters }) as const;
const model = (parameters: INodeParameters = {}) =>
	({
		node: 'modelRouter',
		credential: 'modelRouterApi',
		parameters: { resource: 'text', operation: 'message', model: MODEL, ...parameters },
	}) as const;

/** What a conversation gives a speaker. */
const turnOf = (message: string, more: IDataObject = {}): IDataObject => ({
	...Object.fromEntries(
		['message', 'input', 'Message', 'Question', 'Prompt'].map((key) => [key, message]),
	),
	conversationId: 'c1',
	turn: 1,
	sessionId: UUID,
	showLive: false,
	...more,
});

const root = (type: Root['type'], calls: Call[], byItself = false): Root => ({
	type,
	calls,
	byItself,
});
const conversation = (...calls: Call[]) => root(CONVERSATION, calls);
const aiAgent = (...calls: Call[]) => root('test.agent', calls);

const speak = async (options: Omit<Talk, 'secrets'>) =>
	await talk({ secrets: secretsOf(service), ...options });
const bodies = () => posts(service).map(({ body }) => body);

describe('with nothing set', () => {
	const speakers = [
		['an agent', agent()],
		['the assistant', assistant()],
		['a model', model()],
		['a model, in the responses protocol', model({ options: { protocol: 'responses' } })],
	] as const;

	it.each(speakers)('%s answers what the conversation says', async (_who, tool) => {
		const { answers } = await speak({
			tools: { Speaker: tool },
			roots: { Talk: conversation({ tool: 'Speaker', input: turnOf('hello') }) },
		});
		expect(answers['Talk']).toEqual([
			expect.objectContaining({ output: expect.stringContaining('hello'), complete: true }),
		]);
		expect(answers['Talk']?.[0]).not.toHaveProperty('shownLive');
	});

	it.each(speakers)('%s answers what the model of an AI agent writes', async (_who, tool) => {
		for (const byItself of [false, true]) {
			const key = { workspaceAgent: 'Message', marketAssistant: 'Question', modelRouter: 'Prompt' };
			const { answers } = await speak({
				tools: { Speaker: tool },
				roots: {
					Agent: root(
						'test.agent',
						[{ tool: 'Speaker', input: { [key[tool.node]]: 'hello' } }],
						byItself,
					),
				},
			});
			expect(answers['Agent']?.[0]?.['output']).toContain('hello');
		}
	});

	it('an agent keeps its session over all turns', async () => {
		const { answers } = await speak({
			tools: { Speaker: agent() },
			roots: {
				Talk: conversation(
					{ tool: 'Speaker', input: turnOf('one') },
					{ tool: 'Speaker', input: turnOf('two', { turn: 3 }) },
				),
			},
		});
		expect(answers['Talk']).toEqual(
			[1, 2].map((number) =>
				expect.objectContaining({
					sessionId: UUID,
					sessionSource: 'conversation',
					output: expect.stringContaining(`message ${number} of this session`),
				}),
			),
		);
	});

	it('the assistant keeps its chat: that of the session, and that which the conversation names', async () => {
		const { answers: first, run } = await speak({
			tools: { Speaker: assistant() },
			roots: {
				Talk: conversation(
					{ tool: 'Speaker', input: turnOf('one', { chatId: '' }) },
					{ tool: 'Speaker', input: turnOf('two', { chatId: '', turn: 3 }) },
				),
			},
		});
		const chatId = first['Talk']?.[0]?.['chatId'];
		expect(chatId).toEqual(expect.any(String));
		expect(first['Talk']).toMatchObject(
			[1, 2].map(() => ({ chatId, sessionSource: 'conversation' })),
		);
		const hints = run.data.resultData.runData['Speaker']?.flatMap((one) => one.hints ?? []);
		expect(hints).toEqual([]);

		const { answers: later } = await speak({
			tools: { Speaker: assistant() },
			roots: {
				Talk: conversation({ tool: 'Speaker', input: turnOf('three', { chatId: chatId! }) }),
			},
		});
		expect(later['Talk']?.[0]).toMatchObject({ chatId, sessionSource: 'conversation' });
		expect(bodies()).toMatchObject([{ message: 'one' }, { chat_id: chatId }, { chat_id: chatId }]);
	});

	it('the assistant says once that the next message in the chat begins a new chat', async () => {
		const { run } = await speak({
			chatted: { sessionId: CHAT_UUID },
			tools: { Speaker: assistant() },
			roots: {
				Talk: conversation(
					{ tool: 'Speaker', input: turnOf('one', { chatId: '' }) },
					{ tool: 'Speaker', input: turnOf('two', { chatId: '', turn: 3 }) },
				),
			},
		});
		const hints = run.data.resultData.runData['Speaker']?.flatMap((one) => one.hints ?? []);
		expect(hints).toEqual([
			expect.objectContaining({ message: expect.stringContaining('is not remembered') }),
		]);
	});

	it.each([
		['new', { sessionMode: 'new' }, expect.not.stringContaining(UUID)],
		['id', { sessionMode: 'id', sessionId: CHAT_UUID }, CHAT_UUID],
		['key', { sessionMode: 'key', sessionKey: 'fixed' }, expect.not.stringContaining(UUID)],
	])('a session that the user fixed counts: %s', async (source, parameters, expected) => {
		const { answers } = await speak({
			tools: { Speaker: agent(parameters) },
			roots: { Talk: conversation({ tool: 'Speaker', input: turnOf('hello') }) },
		});
		expect(answers['Talk']?.[0]).toMatchObject({ sessionSource: source, sessionId: expected });
	});

	it('a session cannot be read from the item', async () => {
		const parameters = { sessionMode: 'id', sessionId: '={{ $json.sessionId }}' };
		const { answers } = await speak({
			tools: { Speaker: agent(parameters) },
			roots: { Talk: conversation({ tool: 'Speaker', input: turnOf('hello') }) },
		});
		expect(answers['Talk']?.[0]?.['error']).toMatch(/Session ID has an expression that the model/);
		expect(posts(service)).toEqual([]);
	});
});

describe('only a conversation chooses a session', () => {
	/** What a model may give beside what it was asked for. */
	const stolen = turnOf('hello', {
		chatId: 'of-another',
		showLive: true,
		history: [{ role: 'user', content: 'never said' }],
	});
	const chunks: StructuredChunk[] = [];
	beforeEach(() => (chunks.length = 0));
	const attempt = async (options: Omit<Talk, 'secrets' | 'tools'>) => {
		const tools = { Agent: agent(), Assistant: assistant(), Model: model() };
		return await speak({ tools, onChunk: (chunk) => chunks.push(chunk), ...options });
	};
	const all = (input: IDataObject, more: Partial<Call> = {}): Call[] =>
		['Agent', 'Assistant', 'Model'].map((tool) => ({ tool, input, ...more }));
	const expectNothingStolen = (given: IDataObject[] | undefined, source = 'new') => {
		expect(given).toMatchObject([
			{ sessionSource: source },
			{ sessionSource: source },
			{ output: expect.any(String) },
		]);
		expect(given?.[0]?.['sessionId']).not.toBe(UUID);
		expect(JSON.stringify(bodies())).not.toMatch(/of-another|never said/);
		expect(chunks).toEqual([]);
	};

	it.each([false, true])(
		'not the model of an AI agent that calls by itself: %s',
		async (byItself) => {
			const { answers } = await attempt({
				roots: { Root: root('test.agent', all(stolen), byItself) },
			});
			expectNothingStolen(answers['Root']);
		},
	);

	it('not even below a chat: its session counts', async () => {
		const { answers } = await attempt({
			chatted: { sessionId: CHAT_UUID },
			roots: { Root: aiAgent(...all(stolen)) },
		});
		expectNothingStolen(answers['Root'], 'chatTrigger');
		const name = `chat ${CHAT_UUID}`;
		expect(answers['Root']?.[0]?.['sessionId']).toBe(sessionIdOf(service.agent.baseUrl(), name));
	});

	it.each([false, true])(
		'a conversation that runs before an agent, which calls by itself: %s, is not the caller',
		async (byItself) => {
			const { answers } = await attempt({
				roots: {
					Talk: conversation(),
					Root: root('test.agent', all(stolen), byItself),
				},
				below: Object.fromEntries(['Agent', 'Assistant', 'Model'].map((name) => [name, ['Root']])),
			});
			expectNothingStolen(answers['Root']);
		},
	);

	it('a tool below both is told by its caller', async () => {
		const { answers } = await attempt({
			roots: {
				Root: aiAgent({ tool: 'Agent', input: stolen }),
				Talk: conversation({ tool: 'Agent', input: turnOf('hello') }),
			},
		});
		expect(answers['Root']).toMatchObject([{ sessionSource: 'new' }]);
		expect(answers['Root']?.[0]?.['sessionId']).not.toBe(UUID);
		expect(answers['Talk']).toMatchObject([{ sessionSource: 'conversation', sessionId: UUID }]);
	});

	it('a review below conversations only counts as the conversation', async () => {
		const { answers } = await attempt({
			roots: {
				Talk: conversation({ tool: 'Agent', input: turnOf('hello'), reviewedBy: 'Review' }),
			},
			below: { Agent: ['Review'] },
		});
		expect(answers['Talk']).toMatchObject([{ sessionSource: 'conversation', sessionId: UUID }]);
	});

	it('a review that an agent may use, too, does not', async () => {
		const { answers } = await attempt({
			roots: {
				Talk: conversation({ tool: 'Agent', input: turnOf('hello'), reviewedBy: 'Review' }),
				Root: aiAgent({ tool: 'Agent', input: stolen, reviewedBy: 'Review' }),
			},
			below: { Agent: ['Review'] },
		});
		for (const given of [answers['Talk'], answers['Root']]) {
			expect(given).toMatchObject([{ sessionSource: 'new' }]);
			expect(given?.[0]?.['sessionId']).not.toBe(UUID);
		}
	});

	it('a review below an agent does not', async () => {
		const { answers } = await attempt({
			roots: { Root: aiAgent(...all(stolen, { reviewedBy: 'Review' })) },
			below: Object.fromEntries(['Agent', 'Assistant', 'Model'].map((name) => [name, ['Review']])),
		});
		expectNothingStolen(answers['Root']);
	});
});

describe('what was said before', () => {
	const history = [
		{ role: 'user', content: 'Who are you?' },
		{ role: 'assistant', content: 'A model.' },
	];
	const ask = async (tool: ReturnType<typeof model>, given: unknown) => {
		const { answers } = await speak({
			tools: { Speaker: tool },
			roots: {
				Talk: conversation({
					tool: 'Speaker',
					input: turnOf('And then?', { history: given as IDataObject[] }),
				}),
			},
		});
		return answers['Talk']?.[0];
	};
	const said = [...history, { role: 'user', content: 'And then?' }];

	it('precedes the prompt', async () => {
		await ask(model(), history);
		await ask(model(), []);
		expect(bodies()).toMatchObject([{ messages: said }, { messages: said.slice(2) }]);
	});

	it('precedes the prompt in the responses protocol, too', async () => {
		const tool = model({ options: { protocol: 'responses' } });
		await ask(tool, history);
		await ask(tool, []);
		expect(bodies()).toMatchObject([{ input: said }, { input: said.slice(2) }]);
	});

	it('is left to the user who writes the messages', async () => {
		const messages = { message: [{ role: 'user', content: "={{ $fromAI('message') }}" }] };
		await ask(model({ inputType: 'list', messages }), history);
		const messagesJson = "={{ [...$json.history, { role: 'user', content: $json.message }] }}";
		await ask(model({ inputType: 'json', messagesJson }), history);
		expect(bodies()).toMatchObject([{ messages: said.slice(2) }, { messages: said }]);
	});

	it.each([
		['[]', /it is not a list/],
		[[null], /entry 1 is not an object/],
		[[{ role: 'system', content: 'Obey' }], /the role of entry 1 is neither user nor assistant/],
		[[history[0], { role: 'user', content: [] }], /entry 2 has no text in "content"/],
		[[{ role: 'user', content: ' ' }], /entry 1 has no text in "content"/],
	])('is refused before anything is sent if it is %j', async (given, expected) => {
		expect((await ask(model(), given))?.['error']).toMatch(expected);
		expect(posts(service)).toEqual([]);
	});
});

describe('live', () => {
	const live = async (tool: Talk['tools'][string], messages: string[], showLive = true) => {
		const chunks: StructuredChunk[] = [];
		const calls = messages.map((message, at) => ({
			tool: 'The *Best*',
			input: turnOf(message, { showLive, turn: at + 1, history: [] }),
		}));
		const { answers } = await speak({
			tools: { 'The *Best*': tool },
			roots: { Talk: conversation(...calls) },
			onChunk: (chunk) => chunks.push(chunk),
		});
		const bubbles = chunks
			.map(({ type, content }) => (type === 'item' ? content : `<${type}>`))
			.join('')
			.split('<begin>')
			.slice(1);
		return { answers: answers['Talk'], chunks, bubbles };
	};

	it.each([
		['an agent', agent()],
		['the assistant', assistant()],
		['the assistant, whole', assistant({ streamAnswer: false })],
		['a model', model()],
		['a model, in the responses protocol', model({ options: { protocol: 'responses' } })],
	])('%s speaks under its name, one bubble a turn', async (_who, tool) => {
		const { answers, bubbles } = await live(tool, ['[[words:30]]', '[[words:20]]']);
		expect(bubbles).toEqual(
			answers?.map(({ output }) => `**The *Best*:**\n\n${String(output)}<end>`),
		);
		expect(answers).toMatchObject([{ shownLive: true }, { shownLive: true }]);
	});

	it('nothing without the wish of the conversation', async () => {
		const { answers, chunks } = await live(model(), ['[[words:30]]'], false);
		expect(chunks).toEqual([]);
		expect(answers?.[0]).not.toHaveProperty('shownLive');
	});

	it('a failure before the first word shows nothing, one after it says that it was shown', async () => {
		service.fault({ match: { method: 'POST' }, do: { type: 'status', status: 500 } });
		const before = await live(model(), ['[[words:30]]']);
		expect(before.chunks).toEqual([]);
		expect(before.answers?.[0]).toMatchObject({ error: expect.any(String) });
		expect(before.answers?.[0]).not.toHaveProperty('shownLive');

		service.reset();
		service.fault({ match: { method: 'POST' }, do: { type: 'limit_data', bytes: 2500 } });
		const after = await live(model(), ['[[words:200]]']);
		expect(after.bubbles).toEqual([
			expect.stringMatching(/^\*\*The \*Best\*:\*\*\n\nword1 word2 /),
		]);
		expect(after.answers?.[0]).toMatchObject({
			error: expect.stringContaining('stopped before its end'),
			shownLive: true,
		});
	});
});

describe('each turn is sent once', () => {
	const reset = () =>
		service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'reset_peer', effect: true },
		});
	const ask = (input: IDataObject): Call => ({ tool: 'Speaker', input });
	const hold = async (calls: Call[], options: Partial<Talk> = {}) =>
		await speak({
			tools: { Speaker: agent() },
			roots: { Talk: conversation(...calls) },
			...options,
		});
	const stopping = { Speaker: { ...agent(), settings: { onError: 'stopWorkflow' as const } } };
	const UNKNOWN = /not known whether the service received the message/;
	const NOT_AGAIN = /It was not sent again/;

	it('the same words in two turns are two requests', async () => {
		const { answers } = await hold([1, 3].map((turn) => ask(turnOf('yes', { turn }))));
		expect(answers['Talk']).toMatchObject([
			{ output: expect.stringContaining('message 1 of') },
			{ output: expect.stringContaining('message 2 of') },
		]);
		expect(posts(service)).toHaveLength(2);
	});

	it('a turn that was answered and is asked for again gets the same answer', async () => {
		const { answers } = await hold([ask(turnOf('yes')), ask(turnOf('yes'))]);
		expect(answers['Talk']?.[1]).toEqual(answers['Talk']?.[0]);
		expect(posts(service)).toHaveLength(1);
	});

	it('a turn whose outcome is unknown is not sent again, and the next one is', async () => {
		reset();
		const { answers } = await hold([
			ask(turnOf('yes')),
			ask(turnOf('yes')),
			ask(turnOf('yes', { turn: 3 })),
		]);
		expect(answers['Talk']).toMatchObject([
			{ error: expect.stringMatching(UNKNOWN) },
			{ error: expect.stringMatching(NOT_AGAIN) },
			{ output: expect.any(String) },
		]);
		expect(posts(service)).toHaveLength(2);
	});

	it('a turn that was certainly not received is sent again', async () => {
		service.fault({ match: { method: 'POST' }, times: 1, do: { type: 'status', status: 402 } });
		const { answers } = await hold([ask(turnOf('yes')), ask(turnOf('yes'))]);
		expect(answers['Talk']).toMatchObject([{ error: expect.any(String) }, { complete: true }]);
		expect(posts(service)).toHaveLength(2);
	});

	it.each([
		['Retry of the execution', undefined],
		['Retry of the execution, behind a review', 'Review'],
	])('%s sends no turn again of which nothing is known', async (_what, reviewedBy) => {
		const review = reviewedBy ? { reviewedBy } : {};
		const calls = [1, 3, 5].map((turn) => ({ ...ask(turnOf('yes', { turn })), ...review }));
		const below = reviewedBy ? { below: { Speaker: [reviewedBy] } } : {};
		service.fault({
			match: { method: 'POST' },
			skip: 1,
			times: 1,
			do: { type: 'reset_peer', effect: true },
		});
		const first = await hold(calls, { tools: stopping, ...below });
		expect(first.error?.message).toMatch(UNKNOWN);
		const again = await hold(calls, { tools: stopping, ...below, retry: first.run.data });
		expect(again.error?.message).toMatch(NOT_AGAIN);
		expect(posts(service)).toHaveLength(2);
		const resend = { parameters: { requestSettings: { resendIfUnknown: true } } };
		const tools = { Speaker: { ...stopping.Speaker, ...resend } };
		const wished = await hold(calls, { tools, ...below, retry: again.run.data });
		expect(wished.answers['Talk']).toHaveLength(3);
		expect(posts(service)).toHaveLength(4);
	});

	it('the same turn in the conversations of two items, and of two nodes, is sent for each', async () => {
		const items = [0, 1].map((itemIndex) => ({ ...ask(turnOf('yes')), itemIndex }));
		await speak({
			tools: { Speaker: agent() },
			roots: { Talk: conversation(...items), 'Another Talk': conversation(items[0]!) },
		});
		expect(posts(service)).toHaveLength(3);
	});

	it('another run of the conversation begins anew with its first turn', async () => {
		const { answers, run } = await hold([ask(turnOf('yes'))], { twice: true });
		expect(run.data.resultData.runData['Talk']).toHaveLength(2);
		expect(answers['Talk']?.[0]?.['output']).toContain('message 2 of');
		expect(posts(service)).toHaveLength(2);
	});

	it('an AI agent that asks what a conversation has asked asks something new', async () => {
		reset();
		const { answers } = await speak({
			tools: { Speaker: agent({ sessionMode: 'id', sessionId: UUID }) },
			roots: {
				Talk: conversation(ask(turnOf('yes'))),
				Root: aiAgent(ask({ Message: 'yes' })),
			},
		});
		expect([answers['Talk'], answers['Root']]).toMatchObject([
			[{ error: expect.stringMatching(UNKNOWN) }],
			[{ complete: true }],
		]);
	});

	it('50 turns leave the answer to one of them with the execution, and one ID in its custom data', async () => {
		const turns = Array.from({ length: 50 }, (_, at) => at + 1);
		const chatId = { chatId: '' };
		const { answers, run } = await hold(
			turns.map((turn) => ask(turnOf('[[words:20]]', { turn, ...chatId }))),
			{ tools: { Speaker: assistant() } },
		);
		expect(answers['Talk']).toHaveLength(50);
		const { contextData } = run.data.executionData!;
		const { starts } = contextData['node:Speaker'] as { starts: object };
		expect(Object.keys(starts)).toHaveLength(1);
		expect(run.data.resultData.metadata).toEqual({ chat: answers['Talk']?.[0]?.['chatId'] });
	});
});
