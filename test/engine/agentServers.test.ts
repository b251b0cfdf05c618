import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { searchAgents } from '../../nodes/WorkspaceAgent/agentPicker';
import { SERVERS } from '../../src/agent/servers';
import type { Fault } from '../service/service';
import { AGENT_KEY, type AgentServers, agentServers } from '../service/agentServers';
import { CARRY_ON, model } from './rig/calls';
import { startDataTables } from './rig/dataTables';
import { testCredential } from './rig/credentialTest';
import { ours, startFlow } from './rig/flow';
import { pickerOf } from './rig/picker';
import { run, start } from './rig/run';

// agents of the servers that people have, each asked as its own client asks it

let servers: AgentServers;
beforeEach(async () => void (servers = await agentServers()));
afterEach(async () => await servers.stop());

type Name = Parameters<AgentServers['urlOf']>[0];

const WRONG = ['sk', 'wrong', '0123456789'].join('-');
const PLANNER = '3f0b0000-0000-4000-8000-000000000000';
/** They remember what was said in a session with an ID of ours. */
const REMEMBERING: Name[] = ['a2a', 'a2a0', 'langGraph', 'n8nChat', 'dify'];
/** They know only what they are sent. */
const FORGETFUL: Name[] = ['agUi', 'aiSdk'];
/** Each answer has an ID by which the next message goes on. */
const BY_ANSWER: Name[] = ['responses'];
const NAMES: Name[] = [...REMEMBERING, ...FORGETFUL, ...BY_ANSWER];
const PROVING: Name[] = ['langGraph', 'responses', 'dify'];
const UNTESTED: Name[] = ['n8nChat', ...FORGETFUL];
const credentialOf = (name: Name) => servers.credential(name);

function callOf(
	name: Name,
	message: string,
	more: INodeParameters = {},
	data: Record<string, string | boolean> = {},
) {
	const secrets = { agentServerApi: { ...credentialOf(name), ...data } };
	const parameters = {
		agentOf: 'server',
		messageSource: 'define',
		message,
		...(name === 'langGraph' && { agent: model(PLANNER) }),
		...more,
	};
	return { node: 'workspaceAgent', credential: 'agentServerApi', parameters, secrets };
}

const serverNames: Partial<Record<Name, string>> = Object.fromEntries(
	SERVERS.map(({ value, name }) => [value, name]),
);

const send = async (...call: Parameters<typeof callOf>) => {
	const { items, failed } = await run({ ...callOf(...call), settings: CARRY_ON });
	return { json: items[0]?.json, failed: failed[0]?.json };
};
/** What an agent says to the first message of a session. */
const sayOne = (message: string) => `I heard: ${message} This is message 1.`;
/** Waits for the first message. */
const untilAsked = async () => {
	while (!asked().length) await new Promise(setImmediate);
};
const asked = () =>
	servers.calls.filter(({ path }) => !/well-known|search|models$|info$|conversations/.test(path));

it.each(REMEMBERING)(
	'%s: a session goes on by its key, and another one begins anew',
	async (name) => {
		const inSession = (sessionKey: string) => ({ sessionMode: 'key', sessionKey });
		const first = await send(name, 'one', inSession('a'));
		const second = await send(name, 'two', inSession('a'));
		const other = await send(name, 'three', inSession('b'));
		expect([first, second, other].map(({ json }) => json?.['output'])).toEqual([
			'I heard: one This is message 1.',
			'I heard: two This is message 2.',
			'I heard: three This is message 1.',
		]);
		expect(first.json).toMatchObject({
			complete: true,
			server: { a2a0: 'A2A', ...serverNames }[name],
		});
		// what it gave is what the next item hands over
		const { items } = await run({
			...callOf(name, 'four', { sessionMode: 'fromInput' }),
			items: [{ sessionId: first.json?.['sessionId'] as string }],
		});
		expect(items[0]?.json['output']).toBe('I heard: four This is message 3.');
	},
);

it.each(NAMES)('%s: the credential test, with the right key and a wrong one', async (name) => {
	const right = await testCredential('agentServerApi', credentialOf(name));
	const said = UNTESTED.includes(name) ? /cannot be tested for free/ : /server/;
	expect(right).toMatchObject({ status: 'OK', message: expect.stringMatching(said) });
	const wrong = await testCredential('agentServerApi', {
		...credentialOf(name),
		apiKey: WRONG,
	});
	if (PROVING.includes(name))
		expect(wrong).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/again.*in "Key In"/),
		});
	// of a Chat Trigger, any request may start the workflow
	expect(asked()).toEqual([]);
});

it.each<[string, Name, () => void, RegExp]>([
	['no card', 'a2a', () => {}, /no card of an agent at this address.*comes before/],
	[
		'a card that leads elsewhere',
		'a2a0',
		() => void (servers.card['url'] = 'http://0.0.0.0:8000/'),
		/leads to http:\/\/0\.0\.0\.0:8000.*enter that as Base URL/,
	],
	[
		'a card without a way',
		'a2a0',
		() => void (servers.card['preferredTransport'] = 'GRPC'),
		/names no way of A2A/,
	],
	['no list', 'langGraph', () => {}, /not with a list of agents/],
])('the credential test tells %s', async (what, name, prepare, message) => {
	prepare();
	const { baseUrl, ...data } = credentialOf(name);
	const path = what === 'no card' ? '/nowhere' : what === 'no list' ? '/list' : '';
	const result = await testCredential('agentServerApi', { ...data, baseUrl: baseUrl + path });
	expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(message) });
});

it('the address of an older card is told with what to enter', async () => {
	const baseUrl = `${servers.urlOf('a2a')}/.well-known/agent.json`;
	const result = await testCredential('agentServerApi', { ...credentialOf('a2a'), baseUrl });
	expect(result).toMatchObject({
		message: expect.stringMatching(/ends in \/.well-known\/agent.json/),
	});
});

it.each(NAMES.filter((name) => name !== 'n8nChat'))('%s: a wrong key is told', async (name) => {
	const { failed } = await send(name, 'hello', {}, { apiKey: WRONG });
	expect(failed?.['error']).toMatch(/server refused the API key \(401\)/);
	expect(JSON.stringify(failed)).not.toContain('sk-wrong');
});

it.each(NAMES)('%s: an agent that is down was sent nothing', async (name) => {
	const { failed } = await send(name, 'hello', {}, { baseUrl: 'http://127.0.0.1:9' });
	expect(failed?.['error']).toMatch(/server could not be reached/);
	expect(failed?.['details']).toMatchObject({ outcome: 'not_started' });
});

it('A2A: an own context of the agent goes on, and a task that waits gets the next message', async () => {
	const first = await send('a2a', '[own] [ask]');
	expect(first.json).toMatchObject({
		chatId: 'ctx [own] [ask]',
		taskId: expect.any(String),
		waitsFor: { kind: 'input', text: 'The agent waits for an answer.' },
	});
	const { sessionId, chatId, taskId, sessionAt } = first.json as Record<string, string>;
	const next = async (item: IDataObject, name: Name = 'a2a') => {
		await run({ ...callOf(name, 'on Monday', { sessionMode: 'fromInput' }), items: [item] });
		return (asked().at(-1)?.body as { params: { message: object } }).params.message;
	};
	const given = { sessionId, chatId, taskId, waitsFor: { kind: 'input' } };
	expect(await next({ ...given, sessionAt })).toMatchObject({
		contextId: chatId,
		taskId,
	});
	// a stranger has made them: they count nowhere else, and not in items of other nodes
	const ofAnother = await next({ ...given, sessionAt }, 'a2a0');
	expect(ofAnother).toMatchObject({ contextId: expect.stringMatching(/^[\da-f-]{36}$/) });
	expect(ofAnother).not.toMatchObject({ contextId: sessionId });
	const ofNobody = await next(given);
	expect(ofNobody).toMatchObject({ contextId: sessionId });
	for (const message of [ofAnother, ofNobody]) expect(message).not.toHaveProperty('taskId');
});

describe('two agents of one server', () => {
	const WRITER = { agent: model('9c1d0000-0000-4000-8000-000000000000') };
	const byKey = { sessionMode: 'key', sessionKey: 'a' };
	const threads = () => asked().map(({ path }) => path.split('/')[3]);

	it('have a session each for a key', async () => {
		await send('langGraph', 'one', byKey);
		await send('langGraph', 'two', { ...byKey, ...WRITER });
		await send('langGraph', 'three', byKey);
		const [planner, writer, again] = threads();
		expect([planner === again, planner === writer]).toEqual([true, false]);
	});

	it('have a session each for what one hands over to the other, which goes on', async () => {
		const { json = {} } = await send('langGraph', 'one', byKey);
		for (const message of ['two', 'three'])
			await run({ ...callOf('langGraph', message, WRITER), items: [json] });
		await run({ ...callOf('langGraph', 'four'), items: [json] });
		const [planner, writer, again, back] = threads();
		expect([writer === again, planner === writer, planner === back]).toEqual([true, false, true]);
	});

	it('have what waits in a session each, where a person has chosen one ID for both', async () => {
		const byId = { sessionMode: 'id', sessionId: 'same' };
		servers.card['name'] = 'One';
		const items = [{ agent: 'x' }, { agent: 'y' }, { agent: 'x' }];
		const asking = callOf('a2a', '[own] [ask]', { ...byId, agent: model('={{ $json.agent }}') });
		await run({ ...asking, items });
		const messages = asked().map(({ body }) => (body as { params: { message: object } }).params);
		expect(messages.map(({ message }) => 'taskId' in message)).toEqual([false, false, true]);
	});
});

it.each<[string, number, string]>([
	['gone', -32001, 'Task not found: t'],
	['over, of 1.3.0', -32004, 'Task t is in a terminal state (3) and cannot be modified.'],
	['over, of 0.3.14', -32600, 'Task t is in a terminal state (completed) and cannot be modified.'],
	['over, of a2a-python', -32602, 'Task t is in terminal state: completed'],
])('A2A: a task that is %s is told and forgotten, and nothing was started', async (...given) => {
	const [, code, words] = given;
	servers.gone.task = [code, words];
	const byKey = { sessionMode: 'key', sessionKey: 'a' };
	const questions = ['[ask]', 'on Monday', 'on Tuesday'];
	const { items, failed } = await run({
		...callOf('a2a', '={{ $json.q }}', byKey),
		items: questions.map((q) => ({ q })),
		settings: CARRY_ON,
	});
	expect(failed[0]?.json).toMatchObject({
		error: expect.stringMatching(/waited for an answer is gone at the A2A server.*begins anew/),
		details: { outcome: 'not_started', reason: words },
	});
	expect(items.at(-1)?.json['output']).toBe('I heard: on Tuesday This is message 2.');
	const tasks = asked().map(({ body }) => JSON.stringify(body).includes('taskId'));
	expect(tasks).toEqual([false, true, false]);
});

it('A2A: what an agent says of another task is no word of its server', async () => {
	servers.gone.task = [-32603, 'Sub-agent: Task 7 is in a terminal state'];
	const { failed } = await run({
		...callOf('a2a', '={{ $json.q }}', { sessionMode: 'key', sessionKey: 'a' }),
		items: [{ q: '[ask]' }, { q: 'on Monday' }],
		settings: CARRY_ON,
	});
	expect(failed[0]?.json['details']).toMatchObject({ outcome: 'started' });
});

it('A2A: a new session has no ID of ours: not each agent takes one', async () => {
	const { json } = await send('a2a', 'hello', { sessionMode: 'new' });
	const { params } = asked()[0]?.body as { params: { message: object } };
	expect(params.message).not.toHaveProperty('contextId');
	expect(json).toMatchObject({ chatId: expect.stringMatching(/^[\da-f-]{36}$/) });
});

it.each(NAMES)('%s: a session that was new goes on by its ID in the execution', async (name) => {
	const { parameters, secrets } = callOf(name, 'hello', { sessionMode: 'new' });
	const byId = { ...parameters, sessionMode: 'id', sessionId: '={{ $json.sessionId }}' };
	const toNode = (label: string, given: INodeParameters) =>
		ours(label, 'workspaceAgent', { credential: 'agentServerApi', parameters: given });
	const { data } = await startFlow({
		secrets,
		nodes: [toNode('One', parameters), toNode('Two', byId)],
		wires: [['One', 'Two']],
		input: [{ json: {} }],
	}).finished;
	const output = data.resultData.runData['Two']?.[0]?.data?.['main']?.[0]?.[0]?.json['output'];
	expect(output).toBe('I heard: hello This is message 2.');
});

it('A2A: what had arrived of an answer that breaks off is kept, with the IDs of its work', async () => {
	const { failed } = await send('a2a', '[own] [cut]');
	expect(failed?.['details']).toMatchObject({
		chatId: 'ctx [own] [cut]',
		runningTaskId: expect.stringMatching(/^[\da-f-]{36}$/),
		partial: { text: 'I ' },
	});
});

it.each([
	[-32601, '', 'not_started'],
	[-32602, '', 'not_started'],
	[-32001, '', 'not_started'],
	[-32009, '', 'not_started'],
	// it may have run: what it says of its first event has this code, too
	[-32004, '', 'started'],
	[-32603, '', 'started'],
	[-32602, ' late', 'started'],
])('A2A: the error %i%s says that the message was %s', async (code, late, outcome) => {
	const { failed } = await send('a2a', `[code ${code}${late}]`, {}, {});
	expect(failed?.['error']).toMatch(/^The (A2A server|agent) .*error: The words of the agent/);
	expect(failed?.['details']).toMatchObject({ outcome });
	// nothing of such an answer is one
	const partly = await send('a2a', `[code ${code}${late}]`, {
		options: { onIncomplete: 'partial' },
	});
	expect(partly.json === undefined).toBe(outcome === 'not_started');
});

const FREE_TO_ANSWER: Name[] = ['n8nChat', 'agUi', 'aiSdk', 'dify'];
it.each(
	FREE_TO_ANSWER.flatMap((name) =>
		[400, 401, 402, 403, 404, 413, 422, 429].map((status) => [name, status] as const),
	),
)('%s: it may answer %i after it has run, so nothing is sent again', async (name, status) => {
	const { failed } = await send(name, `[${status}]`);
	expect(asked()).toHaveLength(1);
	expect(failed?.['details']).toMatchObject({ status, outcome: 'unknown' });
	expect(failed?.['error']).toMatch(/not sent again.*not known whether/);
});

it.each<[Name, string, string]>([
	['n8nChat', '403 Authorization data is wrong!', 'not_started'],
	['n8nChat', '401 Authorization is required!', 'not_started'],
	['n8nChat', '404 The requested webhook "POST 1/chat" is not registered.', 'not_started'],
	[
		'n8nChat',
		'404 This webhook is not registered for POST requests. Did you mean to make a GET or PUT request?',
		'not_started',
	],
	['n8nChat', '403 Authorization data is wrong! Your card was charged', 'unknown'],
	['n8nChat', '402 Authorization data is wrong!', 'unknown'],
	['n8nChat', '404 The requested webhook "POST 1/chat" is not registered. It ran.', 'unknown'],
	['dify', '400 unauthorized: the model says so', 'unknown'],
	['dify', '400 invalid_param', 'not_started'],
	['dify', '400 app_unavailable', 'not_started'],
	['dify', '404 not_found', 'not_started'],
	['dify', '400 completion_request_error', 'unknown'],
	['dify', '400 provider_quota_exceeded', 'unknown'],
	['dify', '429 rate_limit_error', 'unknown'],
])('%s: of [%s], the outcome is known by what the server itself says: %s', async (...given) => {
	const [name, refusal, outcome] = given;
	const { failed } = await send(name, `[${refusal}]`);
	expect(failed?.['details']).toMatchObject({ outcome });
	expect(asked()).toHaveLength(1);
});

it('A2A: an agent that answers before its work is done is told as that, with its task', async () => {
	const { failed } = await send('a2a0', '[working]');
	expect(failed?.['error']).toMatch(/goes on with its task/);
	expect(failed?.['details']).toMatchObject({ outcome: 'started', runningTaskId: 't' });
});

it('n8n Chat: a workflow that ends without an answer has given none', async () => {
	const { failed } = await send('n8nChat', '[nothing]');
	expect(failed?.['error']).toMatch(/ended without an answer.*"output"/);
	expect(failed?.['details']).toMatchObject({ outcome: 'started' });
});

it('n8n Chat: a trigger that answers by Response Nodes is told as that', async () => {
	const { failed } = await send('n8nChat', '[nodes]');
	expect(failed?.['error']).toMatch(/answers by Response Nodes.*set Response Mode/);
	expect(failed?.['details']).toMatchObject({ outcome: 'started' });
});

it.each([
	['another host', { url: 'https://elsewhere.example.com/rpc' }, /leads to https:\/\/elsewhere/],
	[
		'any address of a container',
		{ url: 'http://0.0.0.0:8000/' },
		/leads to http:\/\/0\.0\.0\.0:8000/,
	],
	['no address', { url: 'agent' }, /leads to "agent"/],
	['nothing', { url: null }, /names no way of A2A/],
	['another protocol', { preferredTransport: 'GRPC' }, /names no way of A2A/],
])('A2A: a card that leads to %s is refused, and nothing is sent', async (_, card, message) => {
	Object.assign(servers.card, card);
	const { failed } = await send('a2a0', 'hello');
	expect(failed?.['error']).toMatch(message);
	expect(failed?.['details']).toMatchObject({ outcome: 'not_started' });
	expect(asked()).toEqual([]);
});

it('A2A: no card at the address is told with what to enter', async () => {
	const { failed } = await send('a2a', 'hello', {}, { baseUrl: `${servers.urlOf('a2a')}/nowhere` });
	expect(failed?.['error']).toMatch(/no card of an agent/);
	expect(JSON.stringify(failed)).toMatch(/what comes before \/\.well-known/);
});

it('LangGraph: an agent that is gone is an error, and one has to be chosen of several', async () => {
	const gone = await send('langGraph', 'hello', { agent: model('gone') });
	expect(gone.failed).toMatchObject({ details: { status: 404, outcome: 'not_started' } });
	const none = await send('langGraph', 'hello', { agent: model('') });
	expect(none.failed?.['error']).toMatch(/Agent is empty/);
	expect(JSON.stringify(none.failed)).toContain('Planner, Writer');
});

it('LangGraph: a busy thread is told, and nothing was started', async () => {
	const release = servers.hold();
	const session = { sessionMode: 'id', sessionId: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90' };
	const first = start(callOf('langGraph', 'one', session));
	await untilAsked();
	// of another process: another key is another account
	const data = { apiKey: `other-${AGENT_KEY}` };
	const { failed } = await send('langGraph', 'two', session, data);
	expect(failed?.['error']).toMatch(
		/LangGraph still answers another message of this session \(422\)/,
	);
	expect(failed?.['details']).toMatchObject({ outcome: 'not_started' });
	release();
	expect((await first.finished).items).toHaveLength(1);
});

it.each(REMEMBERING)('%s: two executions in one session come one after the other', async (name) => {
	const release = servers.hold();
	const session = { sessionMode: 'key', sessionKey: 'same' };
	const both = ['one', 'two'].map((message) => start(callOf(name, message, session)));
	await untilAsked();
	for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
	expect(asked()).toHaveLength(1);
	release();
	const outputs = await Promise.all(
		both.map(async ({ finished }) => String((await finished).items[0]?.json['output'])),
	);
	// whichever asks first
	expect(outputs.map((text) => /This is message (\d)/.exec(text)?.[1]).sort()).toEqual(['1', '2']);
});

it.each(NAMES)('%s: a Session ID without an end is refused, and not repeated', async (name) => {
	const sessionId = 'x'.repeat(100_000);
	const { failed } = await send(name, 'hello', { sessionMode: 'id', sessionId });
	expect(failed?.['error']).toBe(
		'Session ID is longer than 2000 characters. Enter the "sessionId" of an earlier answer, or choose Session: New.',
	);
	expect(asked()).toEqual([]);
});

it('the turn after one that has failed goes on', async () => {
	const release = servers.hold();
	const session = { sessionMode: 'key', sessionKey: 'same' };
	const first = start(callOf('a2a', '[code -32603]', session));
	await untilAsked();
	const second = start(callOf('a2a', 'two', session));
	release();
	expect((await first.finished).error?.message).toMatch(/The words of the agent/);
	expect((await second.finished).items[0]?.json['output']).toBe(sayOne('two'));
});

it.each(NAMES)('%s: a turn that is stopped while it waits sends nothing', async (name) => {
	const release = servers.hold();
	const session = { sessionMode: 'key', sessionKey: 'same' };
	const first = start(callOf(name, 'one', session));
	await untilAsked();
	const second = start(callOf(name, 'two', session));
	for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
	const third = start(callOf(name, 'three', session));
	second.stop();
	const stopped = await second.finished;
	expect(stopped.error).toMatchObject({
		message: 'The execution was stopped',
		context: { metadata: { outcome: 'not_started' } },
	});
	// the third one waits for the first one, still
	for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
	expect(asked()).toHaveLength(1);
	release();
	const said = await Promise.all([first, third].map(async ({ finished }) => await finished));
	expect(said.map(({ items }) => items[0]?.json['output'])).toEqual([
		'I heard: one This is message 1.',
		`I heard: three This is message ${REMEMBERING.includes(name) ? 2 : 1}.`,
	]);
});

it.each(NAMES)('%s: who reads along reads the first word before the rest comes', async (name) => {
	if (name === 'a2a0') servers.card['capabilities'] = { streaming: true };
	const release = servers.holdRest();
	let text = '';
	const { finished } = start({
		...callOf(name, '[stream]'),
		mode: 'webhook',
		onChunk({ type, content = '' }) {
			if (type === 'item') text += content;
			if (text === 'I ') release();
		},
	});
	const { items } = await finished;
	expect([text, items[0]?.json['output']]).toEqual(Array(2).fill(sayOne('[stream]')));
});

it('the list of agents has names and IDs', async () => {
	const secrets = { agentServerApi: credentialOf('langGraph') };
	const chosen = { credential: 'agentServerApi', parameters: { agentOf: 'server' } };
	const context = pickerOf('workspaceAgent', 'agent', chosen, secrets);
	expect(await searchAgents.call(context)).toEqual({
		results: [
			{ name: 'Planner', value: PLANNER },
			{ name: 'Writer', value: '9c1d0000-0000-4000-8000-000000000000' },
		],
	});
	expect(await searchAgents.call(context, 'plan')).toMatchObject({
		results: [{ name: 'Planner' }],
	});
});

it('Dify: our session is its user, whose conversation is found again without a memory', async () => {
	const byKey = { sessionMode: 'key', sessionKey: 'a' };
	const { json } = await send('dify', 'one', byKey);
	expect(json).not.toHaveProperty('chatId');
	await send('dify', 'two', byKey);
	await send('dify', 'three', { sessionMode: 'new' });
	const user = json?.['sessionId'];
	expect(servers.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
		`GET /dify/v1/conversations?user=${user}&limit=1`,
		'POST /dify/v1/chat-messages',
		`GET /dify/v1/conversations?user=${user}&limit=1`,
		'POST /dify/v1/chat-messages',
		// a new session has none
		'POST /dify/v1/chat-messages',
	]);
	expect(
		asked().map(({ body }) => [body['user'] === user, typeof body['conversation_id']]),
	).toEqual([
		[true, 'undefined'],
		[true, 'string'],
		[false, 'undefined'],
	]);
});

it('Dify: a session ID that is no part of an address is encoded', async () => {
	await send('dify', 'one', { sessionMode: 'id', sessionId: 'a&user=b c?d#e' });
	expect(servers.calls[0]?.path).toBe(
		'/dify/v1/conversations?user=a%26user%3Db%20c%3Fd%23e&limit=1',
	);
	expect(asked()[0]?.body['user']).toBe('a&user=b c?d#e');
});

it('Dify: where its conversations cannot be listed, nothing is sent', async () => {
	servers.breakConversations();
	const { failed } = await send('dify', 'one', { sessionMode: 'key', sessionKey: 'a' });
	expect(failed?.['error']).toMatch(/Dify/);
	expect(failed?.['details']).toMatchObject({ outcome: 'not_started' });
	expect(asked()).toEqual([]);
});

it.each(['dify', 'responses'] as const)(
	'%s: the handle of work that broke off is told',
	async (name) => {
		const { failed } = await send(name, '[cut]');
		const runningTaskId = expect.stringMatching(/^(task-1|resp_)/);
		expect(failed?.['details']).toMatchObject({ partial: { text: 'I ' }, runningTaskId });
		expect(failed?.['details']).not.toHaveProperty('chatId');
		const kept = await send(name, '[cut]', { options: { onIncomplete: 'partial' } });
		expect(kept.json).toMatchObject({ output: 'I ', complete: false, runningTaskId });
	},
);

describe('OpenAI Responses', () => {
	const follow = async (items: IDataObject[], more: INodeParameters = {}) =>
		await run({
			...callOf('responses', '={{ $json.q }}', more),
			items,
			settings: CARRY_ON,
		});
	const byKey = { sessionMode: 'key', sessionKey: 'a' };
	const said = ({ items }: Awaited<ReturnType<typeof follow>>) =>
		items.map(({ json }) => json['output']);

	it('goes on by what an item hands over, and within an execution', async () => {
		const first = await follow([{ q: 'one' }]);
		expect(first.items[0]?.json['chatId']).toMatch(/^resp_/);
		const second = await follow([{ ...first.items[0]?.json, q: 'two' }]);
		expect(said(second)).toEqual(['I heard: two This is message 2.']);
		const three = await follow([{ q: 'a' }, { q: 'b' }, { q: 'c' }], byKey);
		expect(said(three).map((text) => String(text).slice(-10))).toEqual([
			'message 1.',
			'message 2.',
			'message 3.',
		]);
		expect(said(await follow([{ q: 'd' }], byKey))).toEqual(['I heard: d This is message 1.']);
	});

	it('a session of a key goes on by what an item hands over', async () => {
		const first = await follow([{ q: 'one' }], byKey);
		const second = await follow([{ ...first.items[0]?.json, q: 'two' }], byKey);
		expect(said(second)).toEqual(['I heard: two This is message 2.']);
		expect(second.hints).toEqual([]);
	});

	it('of two items with the same earlier answer, the second goes on from the first', async () => {
		const [first] = (await follow([{ q: 'one' }])).items;
		const both = await follow(['two', 'three'].map((q) => ({ ...first?.json, q })));
		expect(said(both)).toEqual([
			'I heard: two This is message 2.',
			'I heard: three This is message 3.',
		]);
	});

	it('a hint tells of a new chat where one was started, and not where it goes on', async () => {
		const { parameters, secrets } = callOf('responses', 'hello', byKey);
		const names = ['One', 'Two'];
		const { data } = await startFlow({
			secrets,
			nodes: names.map((name) =>
				ours(name, 'workspaceAgent', { credential: 'agentServerApi', parameters }),
			),
			wires: [['One', 'Two']],
			input: [{ json: {} }],
		}).finished;
		const { runData } = data.resultData;
		const hints = names.map((name) => JSON.stringify(runData[name]?.[0]?.hints ?? []));
		expect(hints.map((each) => each.includes('new chat was started'))).toEqual([true, false]);
	});

	it('goes on from an answer that a limit has cut, and not from one that failed or broke off', async () => {
		const told = await follow(
			['one', '[failed]', '[cut]', '[incomplete]', 'five'].map((q) => ({ q })),
			byKey,
		);
		expect(said(told).map((text) => String(text).slice(-10))).toEqual([
			'message 1.',
			'message 2.',
			'message 3.',
		]);
		expect(asked().map(({ body }) => body['previous_response_id'])).toEqual([
			undefined,
			told.items[0]?.json['chatId'],
			told.items[0]?.json['chatId'],
			told.items[0]?.json['chatId'],
			told.items[1]?.json['chatId'],
		]);
	});

	it('an answer that breaks off hands over the one before it', async () => {
		const { chatId, ...first } = (await follow([{ q: 'one' }])).items[0]?.json ?? {};
		const partial = { options: { onIncomplete: 'partial' } };
		const { items } = await follow([{ ...first, chatId, q: '[cut]' }], partial);
		expect(items[0]?.json).toMatchObject({ complete: false, chatId });
		const { failed } = await follow([{ ...first, chatId, q: '[cut]' }]);
		expect(failed[0]?.json['details']).toMatchObject({ chatId });
	});

	it('the job ledger remembers the last answer of each execution, and no text', async () => {
		const n8n = await startDataTables();
		const remembering = async (...questions: string[]) => {
			const call = callOf('responses', '={{ $json.q }}', byKey, n8n.ledgerFields);
			return await run({ ...call, items: questions.map((q) => ({ q })) });
		};
		expect(said(await remembering('one', 'two')).at(-1)).toMatch(/message 2\.$/);
		expect(said(await remembering('three', 'four', 'five')).at(-1)).toMatch(/message 5\.$/);
		expect(said(await remembering('six'))).toEqual([expect.stringMatching(/message 6\.$/)]);
		expect(n8n.rows.map(({ record }) => JSON.parse(String(record)))).toEqual([
			{ chatId: expect.stringMatching(/^resp_/) },
		]);
		await n8n.stop();
	});

	it('the job ledger remembers a chat that an item hands over, but no older answer', async () => {
		const n8n = await startDataTables();
		const send = async (name: Name, q: string, more: INodeParameters, item: IDataObject = {}) =>
			(await run({ ...callOf(name, q, more, n8n.ledgerFields), items: [item] })).items[0]?.json;
		const begun = await send('a2a', 'one', { sessionMode: 'new' });
		const byId = { sessionMode: 'id', sessionId: String(begun?.['sessionId']) };
		await send('a2a', 'two', byId, begun);
		expect((await send('a2a', 'three', byId))?.['output']).toMatch(/message 3\.$/);
		const older = await send('responses', 'one', byKey);
		const newer = await send('responses', 'two', byKey);
		const status: Fault = { type: 'status', status: 403 };
		n8n.service.fault({ match: { path: 'data-tables' }, do: status, times: 1 });
		await send('responses', 'aside', byKey, older);
		await send('responses', 'three', byKey);
		const [aside, last] = asked().slice(-2);
		expect(aside?.body['previous_response_id']).toBe(older?.['chatId']);
		expect(last?.body['previous_response_id']).toBe(newer?.['chatId']);
		await n8n.stop();
	});

	it('the job ledger remembers the answer to a decision that an item handed over', async () => {
		const n8n = await startDataTables();
		const remembering = async (q: string, item: IDataObject = {}, more: INodeParameters = {}) => {
			const call = callOf('responses', q, { ...byKey, ...more }, n8n.ledgerFields);
			return await run({ ...call, items: [item] });
		};
		const [question] = (await remembering('[may] go on')).items;
		const approve = { messageSource: 'fromInput', options: { answerToApproval: 'approve' } };
		const { items, hints } = await remembering('', question?.json, approve);
		await remembering('and now?');
		expect(asked().at(-1)?.body['previous_response_id']).toBe(items[0]?.json['chatId']);
		expect([n8n.rows.length, hints]).toEqual([1, []]);
		await n8n.stop();
	});

	it('an agent that is gone is told', async () => {
		const gone = await send('responses', 'one', { agent: model('gone') });
		expect(gone.failed).toMatchObject({
			error: expect.stringMatching(/model_not_found/),
			details: { outcome: 'not_started' },
		});
	});

	it('what the server no longer has begins anew, is told, and is forgotten', async () => {
		const n8n = await startDataTables();
		const remembering = async (q: string) =>
			await run({ ...callOf('responses', q, byKey, n8n.ledgerFields) });
		await remembering('one');
		servers.forgetResponses();
		const { items, hints } = await remembering('two');
		expect(items[0]?.json).toMatchObject({
			output: 'I heard: two This is message 1.',
			notice: expect.stringMatching(/no longer has this conversation.*knows nothing/),
		});
		expect(JSON.stringify(hints)).toMatch(/no longer has this conversation/);
		expect(said(await remembering('three'))).toEqual(['I heard: three This is message 2.']);
		expect(asked()).toHaveLength(4);
		await n8n.stop();
	});
});
