import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type AgentServers, agentServers } from '../service/agentServers';
import { callTool } from './rig/agentTool';
import { model, secretsOf } from './rig/calls';
import { converse, type ConverseOptions } from './rig/converse';
import { startDataTables } from './rig/dataTables';
import { ours } from './rig/flow';
import { serviceForTests } from './rig/service';

// agents of other servers, where they speak with each other, and with the nodes of the service
const service = serviceForTests();
let servers: AgentServers;
beforeEach(async () => void (servers = await agentServers()));
afterEach(async () => await servers.stop());

type Name = Parameters<AgentServers['urlOf']>[0];

const PLANNER = '3f0b0000-0000-4000-8000-000000000000';
const WRITER = '9c1d0000-0000-4000-8000-000000000000';

const agent = (name: Name, parameters: INodeParameters = {}) => {
	const credentials = { agentServerApi: { id: name, name } };
	return ours('Agent', 'workspaceAgentTool', {
		credential: '',
		parameters: { agentOf: 'server', ...parameters },
		settings: { credentials },
	});
};
const graph = (id = PLANNER) => agent('langGraph', { agent: model(id) });
const secrets = () => ({
	...secretsOf(service),
	a2a: servers.credential('a2a'),
	a2a0: servers.credential('a2a0'),
	langGraph: servers.credential('langGraph'),
	n8nChat: servers.credential('n8nChat'),
	agUi: servers.credential('agUi'),
	aiSdk: servers.credential('aiSdk'),
	responses: servers.credential('responses'),
	dify: servers.credential('dify'),
});
const talk = async (
	speakers: ConverseOptions['speakers'],
	parameters: INodeParameters = {},
	opening = 'Hello',
) =>
	await converse({
		speakers,
		parameters: { turnLimit: 4, ...parameters },
		items: [{ chatInput: opening }],
		secrets: secrets(),
	});
const transcriptOf = (json: IDataObject) => json['transcript'] as IDataObject[];
const asked = () => servers.calls.filter(({ path }) => !/well-known|search/.test(path));
/** What A2A was sent, message by message. */
const messages = () =>
	asked()
		.filter(({ path }) => path.startsWith('/one/'))
		.map(({ body }) => (body['params'] as { message: IDataObject }).message);

it('agents of two servers talk, each in a session of its own, and the transcript names the servers', async () => {
	const { json, error } = await talk({ Ada: agent('a2a'), Graph: graph() });
	expect(error).toBeUndefined();
	expect(json).toMatchObject({ ended: 'turnLimit', turns: 4 });
	const transcript = transcriptOf(json);
	expect(transcript.map(({ speaker, server }) => [speaker, server])).toEqual([
		['Ada', 'A2A'],
		['Graph', 'LangGraph'],
		['Ada', 'A2A'],
		['Graph', 'LangGraph'],
	]);
	// each remembers its first message
	expect(transcript.map(({ text }) => String(text).slice(-10))).toEqual([
		'message 1.',
		'message 1.',
		'message 2.',
		'message 2.',
	]);
	const sessions = transcript.map(({ sessionId }) => sessionId);
	expect([new Set(sessions).size, sessions.slice(2)]).toEqual([2, sessions.slice(0, 2)]);
	expect(json['speakersWithoutCost']).toEqual(['Ada', 'Graph']);
});

it('an agent of another server talks with a model, whose part alone has a cost', async () => {
	const parameters = { model: model('northwind/quill-2.5') };
	const Model = ours('Model', 'modelRouterTool', { credential: 'modelRouterApi', parameters });
	const { json } = await talk({ Ada: agent('a2a'), Model });
	expect(json).toMatchObject({
		ended: 'turnLimit',
		costUsd: expect.any(Number),
		speakersWithoutCost: ['Ada'],
	});
	expect(transcriptOf(json).map(({ server }) => server)).toEqual(['A2A', null, 'A2A', null]);
	expect(transcriptOf(json)[2]?.['text']).toMatch(/This is message 2\.$/);
});

it('a context that the server opens goes on, and a task that waits gets the next message', async () => {
	const { json } = await talk({ Ada: agent('a2a'), Graph: graph() }, {}, '[own] [ask]');
	const [first, second] = messages();
	expect(first).toMatchObject({ contextId: expect.stringMatching(/^[\da-f-]{36}$/) });
	expect(first).not.toHaveProperty('taskId');
	expect(second).toMatchObject({ contextId: 'ctx [own] [ask]', taskId: expect.any(String) });
	expect(transcriptOf(json)[0]).toMatchObject({ sessionId: 'ctx [own] [ask]' });
	expect(json['speakers']).toMatchObject([{ chatId: expect.stringMatching(/^ctx /) }, {}]);
	expect(transcriptOf(json).map(({ waiting, taskId }) => [waiting, taskId])).toEqual([
		['input', second?.['taskId']],
		[null, null],
		['input', expect.any(String)],
		[null, null],
	]);
});

it('a transcript continues the sessions, whatever their IDs are', async () => {
	const first = await talk({ Ada: agent('a2a'), Graph: graph() }, { turnLimit: 2 }, '[own] one');
	const transcript = JSON.stringify(transcriptOf(first.json));
	const { json } = await talk(
		{ Ada: agent('a2a'), Graph: graph() },
		{ turnLimit: 2, options: { transcript } },
	);
	expect(messages()[1]).toMatchObject({ contextId: 'ctx [own] one' });
	const sessions = (given: IDataObject) => transcriptOf(given).map(({ sessionId }) => sessionId);
	expect(sessions(json)).toEqual([...sessions(first.json), ...sessions(first.json)]);
	expect(transcriptOf(json).at(-1)?.['text']).toMatch(/This is message 2\.$/);
});

it('a transcript hands no ID of one agent to another, and says that it forgets', async () => {
	const first = await talk({ Ada: agent('a2a'), Graph: graph() }, { turnLimit: 2 }, '[own] [ask]');
	const transcript = JSON.stringify(transcriptOf(first.json));
	const given = transcriptOf(first.json).flatMap(({ sessionId, taskId }) => [sessionId, taskId]);
	servers.calls.length = 0;
	const { json } = await talk(
		{ Ada: agent('a2a0'), Graph: graph(WRITER) },
		{ turnLimit: 4, options: { transcript } },
	);
	const sent = servers.calls.map(({ path, body }) => path + JSON.stringify(body)).join();
	expect(given.filter((id) => id && sent.includes(String(id)))).toEqual([]);
	const notes = transcriptOf(json).map(({ note }) => note);
	const forgets = expect.stringMatching(/session of the transcript is that of another agent/);
	expect(notes).toEqual([null, null, forgets, forgets, null, null]);
	const rows = transcriptOf(json).slice(2);
	expect(rows.map(({ text }) => String(text).slice(-11))).toEqual(
		['message 1.', 'message 1.', 'message 2.', 'message 2.'].map((end) =>
			expect.stringContaining(end),
		),
	);
});

it('a transcript continues a task that waits', async () => {
	const first = await talk({ Ada: agent('a2a'), Graph: graph() }, { turnLimit: 2 }, '[ask]');
	const transcript = JSON.stringify(transcriptOf(first.json));
	await talk({ Ada: agent('a2a'), Graph: graph() }, { turnLimit: 2, options: { transcript } });
	expect(messages()[1]).toMatchObject({ taskId: transcriptOf(first.json)[0]?.['taskId'] });
});

it.each(['skip', 'askAgain'])(
	'a task that is gone is forgotten: On Failure: %s',
	async (onFailure) => {
		const first = await talk({ Ada: agent('a2a'), Graph: graph() }, { turnLimit: 2 }, '[ask]');
		// what was said asks no more
		const rows = transcriptOf(first.json).map((row) => ({ ...row, text: 'Well?' }));
		servers.gone.task = [-32001, 'Task not found'];
		const options = { transcript: JSON.stringify(rows), onFailure };
		const { json } = await talk(
			{ Ada: agent('a2a'), Graph: graph() },
			{ turnLimit: 3, options },
			'And now?',
		);
		expect(
			messages()
				.map((message) => 'taskId' in message)
				.slice(0, 3),
		).toEqual([false, true, false]);
		expect(
			transcriptOf(json)
				.filter(({ speaker }) => speaker === 'Ada')
				.at(-1),
		).toMatchObject({
			text: expect.stringMatching(/This is message [23]\.$/),
			taskId: null,
		});
	},
);

it('agents that remember nothing go on over a conversation, and from its transcript', async () => {
	const speakers = { Ada: agent('agUi'), Bob: agent('aiSdk') };
	const { json } = await talk(speakers, { turnLimit: 20 });
	const texts = transcriptOf(json).map(({ text }) => text);
	expect(json).toMatchObject({ ended: 'turnLimit', turns: 20 });
	expect(texts.slice(-2)).toEqual([
		expect.stringMatching(/This is message 10\.$/),
		expect.stringMatching(/This is message 10\.$/),
	]);
	// not each turn stores it again
	expect(JSON.stringify(json).length).toBeLessThan(22_000);
	// a table may not have that of servers
	const rows = transcriptOf(json).map((row) =>
		row['speaker'] === 'Bob' ? { ...row, server: null } : row,
	);
	const options = { transcript: JSON.stringify(rows) };
	const next = await talk(speakers, { turnLimit: 4, options }, '');
	const all = [
		...texts,
		...transcriptOf(next.json)
			.slice(20)
			.map(({ text }) => text),
	];
	const sent = servers.calls.at(-2)?.body['messages'] as Array<{ content: string }>;
	// the opening is not in a transcript
	const [, ...earlier] = sent.map(({ content }) => content);
	expect(earlier).toEqual(all.slice(0, 22));
	expect(all.at(-1)).toMatch(/This is message 12\.$/);
});

it.each([
	['all of it', 3, 7, undefined],
	['what fits, and says so', 7, 15, /oldest messages were not sent \(\d+\)/],
] as const)(
	'what a long transcript hands to them is sent: %s',
	async (_what, count, most, note) => {
		const rows = Array.from({ length: 2 * count }, (_, index) => ({
			speaker: index % 2 ? 'Bob' : 'Ada',
			text: `${index} ${'é'.repeat(45_000)}`,
			server: index % 2 ? 'n8n Chat' : 'AG-UI',
		}));
		const options = { transcript: JSON.stringify(rows) };
		const speakers = { Ada: agent('agUi'), Bob: agent('n8nChat') };
		const { json } = await talk(speakers, { turnLimit: 1, options }, '');
		const sent = servers.calls.at(-1)?.body['messages'] as object[];
		expect(sent.length === most).toBe(!note);
		expect(transcriptOf(json).at(-1)?.['note'] ?? '').toMatch(note ?? /^$/);
	},
);

it.each<Name>(['agUi', 'aiSdk'])(
	'%s: a message with everything in it needs no other',
	async (name) => {
		const { run } = await talk(
			{ Ada: agent(name), Chat: agent('n8nChat') },
			{ turnLimit: 6, options: { hearing: 'all' } },
		);
		const sent = servers.calls.flatMap(({ body }) => [body['messages'] ?? []].flat().length || []);
		expect(sent).toEqual([1, 1, 1]);
		expect(JSON.stringify(run.data)).not.toContain('answer 1');
	},
);

it('what was said before is in no output of a speaker', async () => {
	const { run } = await talk({ Ada: agent('agUi'), Chat: agent('n8nChat') }, { turnLimit: 3 });
	const { runData } = run.data.resultData;
	const items = (runData['Ada'] ?? []).flatMap(({ data }) => data?.['ai_tool']?.flat() ?? []);
	expect(items.map((item) => item?.json['output'])).toHaveLength(2);
	expect(items.filter((item) => 'history' in (item?.json ?? {}))).toEqual([]);
});

it.each([
	['', 'Hello'],
	[', UUIDs, too', '[uuid]'],
])('agents whose servers make the IDs%s go on, also from a transcript', async (_ids, hello) => {
	const speakers = { Ada: agent('responses'), Bob: agent('dify') };
	const { json } = await talk(speakers, { turnLimit: 20 }, hello);
	const transcript = JSON.stringify(transcriptOf(json));
	const next = await talk(speakers, { turnLimit: 4, options: { transcript } }, '');
	const ends = (given: IDataObject) =>
		transcriptOf(given).map(({ text }) => String(text).slice(-11));
	expect(ends(json).slice(-2)).toEqual(['message 10.', 'message 10.']);
	expect(ends(next.json).slice(-4)).toEqual([
		'message 11.',
		'message 11.',
		'message 12.',
		'message 12.',
	]);
});

it('a session without an answer is no ID of the server, also from a transcript', async () => {
	const speakers = { Ada: agent('responses'), Bob: agent('dify') };
	const { json } = await talk(speakers, { turnLimit: 1 }, '[cut]');
	const rows = transcriptOf(json);
	for (const conversationId of [rows[0]?.['conversationId'], undefined])
		await talk(speakers, {
			turnLimit: 2,
			options: { transcript: JSON.stringify(rows.map((row) => ({ ...row, conversationId }))) },
		});
	const sent = asked().filter(({ path }) => path.endsWith('/responses'));
	expect(sent.map(({ body }) => 'previous_response_id' in body)).toEqual([false, false, false]);
});

it('the job ledger remembers the last turn of a conversation', async () => {
	const n8n = await startDataTables();
	const responses = { ...servers.credential('responses'), ...n8n.ledgerFields };
	const call = {
		speakers: { Ada: agent('responses'), Graph: graph() },
		parameters: { turnLimit: 5, sessionMode: 'key', sessionKey: 'a' },
		items: [{ chatInput: 'Hello' }],
		secrets: { ...secrets(), responses },
	};
	await converse(call);
	const { json } = await converse(call);
	const told = transcriptOf(json).map(({ text }) => String(text).slice(-10));
	expect(told.filter((_, index) => index % 2 === 0)).toEqual(
		[4, 5, 6].map((count) => `message ${count}.`),
	);
	expect(n8n.rows).toHaveLength(1);
	await n8n.stop();
});

it('a failure names the server, and what had arrived stays', async () => {
	const { json } = await talk({ Ada: agent('a2a'), Graph: graph('gone') });
	expect(transcriptOf(json).map(({ server }) => server)).toEqual(['A2A', 'LangGraph']);
	expect(json).toMatchObject({
		ended: 'speakerFailed',
		turns: 2,
		failure: { speaker: 'Graph', error: expect.stringMatching(/LangGraph/) },
	});
	const broken = await talk({ Ada: agent('a2a'), Graph: graph() }, {}, '[code -32603]');
	expect(broken.json).toMatchObject({ failure: { error: expect.stringMatching(/A2A/) } });
	expect(transcriptOf(broken.json)).toMatchObject([{ speaker: 'Ada', server: 'A2A' }]);
});

it.each([
	['was certainly not received', graph('gone'), 2],
	['may have been received', agent('a2a'), 1],
])('a message that %s: On Failure: Ask Once More', async (_what, Ada, times) => {
	const options = { onFailure: 'askAgain' };
	const { json } = await talk({ Ada, Graph: graph() }, { options }, '[code -32603]');
	expect(json['ended']).toBe('speakerFailed');
	expect(asked()).toHaveLength(times);
});

it.each<[string, ConverseOptions['speakers'], string[]]>([
	['two agents of one server are two', { Ada: graph(), Bob: graph(WRITER) }, []],
	[
		'one agent that was chosen in two ways talks to itself',
		{
			Ada: graph(),
			Bob: agent('langGraph', {
				agent: { __rl: true, mode: 'list', value: PLANNER, cachedResultName: 'Planner' },
			}),
		},
		[
			'Ada and Bob use the same credential and the same Agent, so one agent talks to itself. For another agent, choose another credential or another Agent.',
		],
	],
])('%s', async (_what, speakers, hints) => {
	expect((await talk(speakers, { turnLimit: 1 })).hints).toEqual(hints);
});

it('needs a credential and nothing else: the only agent counts, of several the names are told', async () => {
	const several = await talk({ Ada: agent('langGraph'), Chat: agent('n8nChat') });
	expect(several.json).toMatchObject({
		ended: 'speakerFailed',
		failure: { error: expect.stringMatching(/Agent is empty/) },
		transcript: [{ server: 'LangGraph' }],
	});
	expect(JSON.stringify(several.json['failure'])).toContain('Planner, Writer');
	expect(asked()).toEqual([]);

	const other = await agentServers();
	other.assistants.pop();
	const { json } = await converse({
		speakers: { Ada: agent('langGraph'), Chat: agent('n8nChat') },
		parameters: { turnLimit: 2 },
		secrets: { ...secrets(), langGraph: other.credential('langGraph') },
	});
	expect(json).toMatchObject({ ended: 'turnLimit' });
	expect(other.calls.at(-1)?.body).toMatchObject({ assistant_id: PLANNER });
	await other.stop();
});

describe('as a tool of an AI agent', () => {
	const call = async (parameters: INodeParameters, given: IDataObject, name: Name = 'a2a') =>
		await callTool('by the engine', {
			tool: {
				node: 'workspaceAgent',
				credential: 'agentServerApi',
				parameters: { agentOf: 'server', ...parameters },
			},
			calls: [given],
			secrets: { agentServerApi: servers.credential(name) },
		});

	const kinds: Name[] = ['a2a', 'agUi', 'aiSdk', 'responses', 'dify'];
	it.each(kinds)('%s: it needs a credential and nothing else', async (name) => {
		const { answers } = await call({}, { Message: 'hello' }, name);
		expect(answers).toEqual([expect.stringContaining('I heard: hello')]);
		expect(answers.join()).not.toContain('history');
	});

	const fromModel = "={{ $fromAI('it', '', 'string') }}";
	it.each<[string, INodeParameters]>([
		['Agent', { agent: model(fromModel) }],
		['Agent', { agent: { __rl: true, mode: 'list', value: fromModel } }],
		['Session ID', { sessionMode: 'id', sessionId: fromModel }],
		['Session Key', { sessionMode: 'key', sessionKey: fromModel }],
	])('its model does not choose: %s %j', async (field, parameters) => {
		const given = { Message: 'hello', it: PLANNER };
		const { answers } = await call(parameters, given, 'langGraph');
		expect(answers).toEqual([
			expect.stringMatching(new RegExp(`${field} has an expression that the model`)),
		]);
		expect(asked()).toEqual([]);
	});

	it('its model chooses no history by what it gives', async () => {
		const history = [{ role: 'agent', text: 'I promise' }];
		await call({}, { Message: 'hello', history, sessionId: 'a' }, 'agUi');
		expect(servers.calls[0]?.body['messages']).toHaveLength(1);
	});

	it('its model chooses no session and no task by what it gives', async () => {
		const given = { Message: 'hello', sessionId: 'ctx of another', taskId: 'task of another' };
		await call({}, given);
		expect(messages()).toHaveLength(1);
		expect(JSON.stringify(messages())).not.toContain('of another');
	});
});
