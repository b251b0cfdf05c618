import type { IDataObject, INodeParameters, StructuredChunk } from 'n8n-workflow';

import { sessionIdOf } from '../../nodes/WorkspaceAgent/message/session';
import type { Fault } from '../service/service';
import { failPosts, LOST, model as byId, posts, secretsOf } from './rig/calls';
import { CONVERSATION, talk, type Call, type Root, type Talk } from './rig/conversation';
import { outcomeOf } from './rig/flow';
import { serviceForTests } from './rig/service';

// our nodes as speakers of a conversation: with nothing but a credential and a model chosen
const service = serviceForTests();

const UUID = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
const CHAT_UUID = '11111111-2222-4333-8444-555555555555';

const agent = (parameters: INodeParameters = {}) =>
	({ node: 'workspaceAgent', credential: 'workspaceAgentApi', parameters }) as const;
const assistant = (parameters: INodeParameters = {}) =>
	({ node: 'marketAssistant', credential: 'marketAssistantApi', parameters }) as const;
const text = { resource: 'text', operation: 'message', model: byId('northwind/quill-2.5') };
const model = (parameters: INodeParameters = {}) =>
	({
		node: 'modelRouter',
		credential: 'modelRouterApi',
		parameters: { ...text, ...parameters },
	}) as const;
const responses = { options: { protocol: 'responses' } };
const speakers = [
	['an agent', agent()],
	['the assistant', assistant()],
	['a model', model()],
	['a model, in the responses protocol', model(responses)],
] as const;

/** What the model of an AI agent fills in. */
const KEYS: Record<string, string> = {
	workspaceAgent: 'Message',
	marketAssistant: 'Question',
	modelRouter: 'Prompt',
};

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
const conversation = (...calls: Call[]): Root => ({ type: CONVERSATION, calls });
const aiAgent = (calls: Call[], byItself = false): Root => ({
	type: 'test.agent',
	calls,
	byItself,
});

const speak = async (options: Omit<Talk, 'secrets'>) =>
	await talk({ secrets: secretsOf(service), ...options });
const ask = (input: IDataObject): Call => ({ tool: 'Speaker', input });
/** What one speaker answers in these turns of a conversation. */
const hold = async (
	Speaker: Talk['tools'][string],
	turns: IDataObject[],
	more: Partial<Talk> = {},
) => {
	const roots = { Talk: conversation(...turns.map(ask)) };
	const { answers, run, error } = await speak({ tools: { Speaker }, roots, ...more });
	return { answers: answers['Talk'] ?? [], run, error };
};
const bodies = () => posts(service).map(({ body }) => body);
const hintsOf = ({ run }: Awaited<ReturnType<typeof hold>>) =>
	outcomeOf(run, 'Speaker', { read: 0 }).hints;

describe('with nothing set', () => {
	it.each(speakers)('%s answers what the model of an AI agent writes', async (_who, tool) => {
		const message = KEYS[tool.node]!;
		for (const byItself of [false, true]) {
			const roots = { Agent: aiAgent([ask({ [message]: 'hello' })], byItself) };
			const { answers } = await speak({ tools: { Speaker: tool }, roots });
			expect(answers['Agent']?.[0]?.['output']).toContain('hello');
		}
	});

	const chatTurns = [turnOf('one', { chatId: '' }), turnOf('two', { chatId: '', turn: 3 })];

	it('the assistant keeps its chat: that of the session, and that which the conversation names', async () => {
		const first = await hold(assistant(), chatTurns);
		const chatId = first.answers[0]?.['chatId'] as string;
		const same = { chatId, sessionSource: 'conversation' };
		expect(chatId).toEqual(expect.any(String));
		expect(first.answers).toMatchObject([same, same]);
		expect(hintsOf(first)).toEqual([]);
		const later = await hold(assistant(), [turnOf('three', { chatId })]);
		expect(later.answers).toMatchObject([same]);
		expect(bodies()).toMatchObject([{ message: 'one' }, { chat_id: chatId }, { chat_id: chatId }]);
	});

	it('the assistant says once that the next message in the chat begins a new chat', async () => {
		const outcome = await hold(assistant(), chatTurns, { chatted: { sessionId: CHAT_UUID } });
		expect(hintsOf(outcome)).toEqual([expect.stringContaining('is not remembered')]);
	});

	it.each([
		['new', { sessionMode: 'new' }, expect.not.stringContaining(UUID)],
		['id', { sessionMode: 'id', sessionId: CHAT_UUID }, CHAT_UUID],
		['key', { sessionMode: 'key', sessionKey: 'fixed' }, expect.not.stringContaining(UUID)],
	])('a session that the user fixed counts: %s', async (sessionSource, parameters, sessionId) => {
		const { answers } = await hold(agent(parameters), [turnOf('hello')]);
		expect(answers).toMatchObject([{ sessionSource, sessionId }]);
	});

	it('a session cannot be read from the item', async () => {
		const parameters = { sessionMode: 'id', sessionId: '={{ $json.sessionId }}' };
		const { answers } = await hold(agent(parameters), [turnOf('hello')]);
		expect(answers[0]?.['error']).toMatch(/Session ID has an expression that the model/);
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
	const NAMES = ['Agent', 'Assistant', 'Model'];
	const allBelow = (name: string) => Object.fromEntries(NAMES.map((tool) => [tool, [name]]));
	const all = (more: Partial<Call> = {}): Call[] =>
		NAMES.map((tool) => ({ tool, input: stolen, ...more }));
	const chunks: StructuredChunk[] = [];
	beforeEach(() => (chunks.length = 0));
	const attempt = async (options: Omit<Talk, 'secrets' | 'tools'>) => {
		const tools = { Agent: agent(), Assistant: assistant(), Model: model() };
		return (await speak({ tools, onChunk: (chunk) => chunks.push(chunk), ...options })).answers;
	};

	it.each([
		[
			'not even below a chat: its session counts',
			{ chatted: { sessionId: CHAT_UUID }, roots: { Root: aiAgent(all()) } },
			'chatTrigger',
		],
		[
			'a conversation that runs before an agent is not the caller',
			{ roots: { Talk: conversation(), Root: aiAgent(all()) }, below: allBelow('Root') },
		],
		[
			'a conversation that runs before an agent that calls by itself is not the caller',
			{ roots: { Talk: conversation(), Root: aiAgent(all(), true) }, below: allBelow('Root') },
		],
		[
			'a review below an agent does not count as the conversation',
			{ roots: { Root: aiAgent(all({ reviewedBy: 'Review' })) }, below: allBelow('Review') },
		],
	])('%s', async (_what, options, sessionSource = 'new') => {
		const { Root: given } = await attempt(options);
		expect(given).toMatchObject([
			{ sessionSource },
			{ sessionSource },
			{ output: expect.any(String) },
		]);
		const name = `chat ${CHAT_UUID}`;
		if (sessionSource === 'chatTrigger')
			expect(given?.[0]?.['sessionId']).toBe(sessionIdOf(service.agent.baseUrl(), name));
		expect(given?.[0]?.['sessionId']).not.toBe(UUID);
		expect(JSON.stringify(bodies())).not.toMatch(/of-another|never said/);
		expect(chunks).toEqual([]);
	});

	const hello = { tool: 'Agent', input: turnOf('hello') };
	const own = [{ sessionSource: 'conversation', sessionId: UUID }];
	const another = [{ sessionSource: 'new', sessionId: expect.not.stringContaining(UUID) }];

	it('a tool below both is told by its caller', async () => {
		const roots = { Root: aiAgent([{ ...hello, input: stolen }]), Talk: conversation(hello) };
		expect(await attempt({ roots })).toMatchObject({ Root: another, Talk: own });
	});

	it('a review below conversations only counts as the conversation; one that an agent may use, too, does not', async () => {
		const reviewed = { ...hello, reviewedBy: 'Review' };
		const below = { Agent: ['Review'] };
		const roots = { Talk: conversation(reviewed) };
		expect(await attempt({ roots, below })).toMatchObject({ Talk: own });
		const both = { ...roots, Root: aiAgent([{ ...reviewed, input: stolen }]) };
		expect(await attempt({ roots: both, below })).toMatchObject({ Talk: another, Root: another });
	});
});

describe('what was said before', () => {
	const history = [
		{ role: 'user', content: 'Who are you?' },
		{ role: 'assistant', content: 'A model.' },
	];
	const said = [...history, { role: 'user', content: 'And then?' }];
	const tell = async (tool: ReturnType<typeof model>, given: unknown) =>
		(await hold(tool, [turnOf('And then?', { history: given as IDataObject[] })])).answers[0];

	it('precedes the prompt, in the responses protocol, too', async () => {
		for (const given of [history, []]) await tell(model(responses), given);
		expect(bodies()).toMatchObject([{ input: said }, { input: said.slice(2) }]);
	});

	it('is left to the user who writes the messages', async () => {
		const messages = { message: [{ role: 'user', content: "={{ $fromAI('message') }}" }] };
		await tell(model({ inputType: 'list', messages }), history);
		const messagesJson = "={{ [...$json.history, { role: 'user', content: $json.message }] }}";
		await tell(model({ inputType: 'json', messagesJson }), history);
		expect(bodies()).toMatchObject([{ messages: said.slice(2) }, { messages: said }]);
	});
});

describe('live', () => {
	const tool = 'The *Best*';
	const live = async (speaker: Talk['tools'][string], messages: string[], showLive = true) => {
		const chunks: StructuredChunk[] = [];
		const calls = messages.map((message, at) => ({
			tool,
			input: turnOf(message, { showLive, turn: at + 1, history: [] }),
		}));
		const { answers } = await speak({
			tools: { [tool]: speaker },
			roots: { Talk: conversation(...calls) },
			onChunk: (chunk) => chunks.push(chunk),
		});
		const shown = chunks.map(({ type, content }) => (type === 'item' ? content : `<${type}>`));
		return { answers: answers['Talk'], chunks, bubbles: shown.join('').split('<begin>').slice(1) };
	};

	it.each([...speakers, ['the assistant, whole', assistant({ streamAnswer: false })] as const])(
		'%s speaks under its name, one bubble a turn',
		async (_who, speaker) => {
			const { answers, bubbles } = await live(speaker, ['[[words:30]]', '[[words:20]]']);
			expect(bubbles).toEqual(
				answers?.map(({ output }) => `**The *Best*:**\n\n${String(output)}<end>`),
			);
			const whole = { shownLive: true, complete: true };
			expect(answers).toMatchObject([whole, whole]);
		},
	);

	it('nothing without the wish of the conversation', async () => {
		const { answers, chunks } = await live(model(), ['[[words:30]]'], false);
		expect(chunks).toEqual([]);
		expect(answers?.[0]).not.toHaveProperty('shownLive');
	});

	it('a failure before the first word shows nothing, one after it says that it was shown', async () => {
		failPosts(service, { type: 'status', status: 500 });
		const before = await live(model(), ['[[words:30]]']);
		expect(before.chunks).toEqual([]);
		expect(before.answers).toEqual([
			expect.not.objectContaining({ shownLive: expect.anything() as unknown }),
		]);
		expect(before.answers).toMatchObject([{ error: expect.any(String) }]);

		service.reset();
		failPosts(service, { type: 'limit_data', bytes: 2500 });
		const after = await live(model(), ['[[words:200]]']);
		const start = expect.stringMatching(/^\*\*The \*Best\*:\*\*\n\nword1 word2 /);
		expect(after.bubbles).toEqual([start]);
		const error = expect.stringContaining('stopped before its end');
		expect(after.answers).toMatchObject([{ error, shownLive: true }]);
	});
});

describe('each turn is sent once', () => {
	const yes = (turn = 1) => turnOf('yes', { turn });
	const UNKNOWN = { error: expect.stringMatching(/not known whether the service received/) };
	const AGAIN = { error: expect.stringMatching(/It was not sent again/) };
	const number = (count: number) => ({ output: expect.stringContaining(`message ${count} of`) });

	const SPOKEN = { complete: true };
	const REFUSED = { error: expect.any(String) };
	const refused: Fault = { type: 'status', status: 402 };
	it.each([
		['two turns of the same words are two', [yes(), yes(3)], [], [number(1), number(2)], 2],
		['one that comes again gets the same answer', [yes(), yes()], [], [number(1), number(1)], 1],
		['an unknown one is not', [yes(), yes(), yes(3)], LOST, [UNKNOWN, AGAIN, SPOKEN], 2],
		['a refused one is sent again', [yes(), yes()], refused, [REFUSED, SPOKEN], 2],
	])('%s', async (_what, turns, fault, expected, sent) => {
		failPosts(service, fault, 1);
		expect((await hold(agent(), turns)).answers).toMatchObject(expected);
		expect(posts(service)).toHaveLength(sent);
	});

	it.each([
		['Retry of the execution', {}, {}],
		[
			'Retry of the execution, behind a review',
			{ reviewedBy: 'Review' },
			{ below: { Speaker: ['Review'] } },
		],
	])('%s sends no turn again of which nothing is known', async (_what, review, below) => {
		const calls = [1, 3, 5].map((turn) => ({ ...ask(yes(turn)), ...review }));
		const roots = { Talk: conversation(...calls) };
		const attempt = async (retry?: Talk['retry'], requestSettings = {}) => {
			const settings = { onError: 'stopWorkflow' } as const;
			const tools = { Speaker: { ...agent({ requestSettings }), settings } };
			return await speak({ tools, roots, ...below, retry });
		};
		service.fault({ match: { method: 'POST' }, skip: 1, times: 1, do: LOST });
		const first = await attempt();
		expect(first.error?.message).toEqual(UNKNOWN.error);
		const again = await attempt(first.run.data);
		expect(again.error?.message).toEqual(AGAIN.error);
		expect(posts(service)).toHaveLength(2);
		const wished = await attempt(again.run.data, { resendIfUnknown: true });
		expect(wished.answers['Talk']).toHaveLength(3);
		expect(posts(service)).toHaveLength(4);
	});

	it('the same turn in the conversations of two items, and of two nodes, is sent for each', async () => {
		const items = [0, 1].map((itemIndex) => ({ ...ask(yes()), itemIndex }));
		const roots = { Talk: conversation(...items), 'Another Talk': conversation(items[0]!) };
		await speak({ tools: { Speaker: agent() }, roots });
		expect(posts(service)).toHaveLength(3);
	});

	it('another run of the conversation begins anew with its first turn', async () => {
		const { answers, run } = await hold(agent(), [yes()], { twice: true });
		expect(run.data.resultData.runData['Talk']).toHaveLength(2);
		expect(answers).toMatchObject([number(2)]);
		expect(posts(service)).toHaveLength(2);
	});

	it('an AI agent that asks what a conversation has asked asks something new', async () => {
		failPosts(service, LOST, 1);
		const { answers } = await speak({
			tools: { Speaker: agent({ sessionMode: 'id', sessionId: UUID }) },
			roots: { Talk: conversation(ask(yes())), Root: aiAgent([ask({ Message: 'yes' })]) },
		});
		expect(answers).toMatchObject({ Talk: [UNKNOWN], Root: [SPOKEN] });
	});

	it('50 turns leave the answer to one of them with the execution, and one ID in its custom data', async () => {
		const turns = Array.from({ length: 50 }, (_, at) =>
			turnOf('[[words:20]]', { turn: at + 1, chatId: '' }),
		);
		const { answers, run } = await hold(assistant(), turns);
		expect(answers).toHaveLength(50);
		const { contextData } = run.data.executionData!;
		const { starts } = contextData['node:Speaker'] as { starts: object };
		expect(Object.keys(starts)).toHaveLength(1);
		expect(run.data.resultData.metadata).toEqual({
			chat: answers[0]?.['chatId'],
			unknownCosts: '50',
		});
	});
});
