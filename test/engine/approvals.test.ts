import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { AGENT_KEY, type AgentServers, agentServers } from '../service/agentServers';
import { callTool } from './rig/agentTool';
import { CARRY_ON, model, RETRIED } from './rig/calls';
import { made, ours, startFlow, type Wire } from './rig/flow';
import { callInN8nAgent } from './rig/n8nAgent';
import { run } from './rig/run';

// what an agent waits for with a person's decision, and who may decide
let servers: AgentServers;
beforeEach(async () => void (servers = await agentServers()));
afterEach(async () => await servers.stop());

type Name = 'a2a' | 'langGraph' | 'n8nChat' | 'agUi' | 'aiSdk' | 'responses' | 'dify';
const PLANNER = '3f0b0000-0000-4000-8000-000000000000';

const KEYED = { sessionMode: 'key', sessionKey: 'a' };
const FROM_ITEM = { sessionMode: 'fromInput' };

/** A decision is one of the options. */
const withOptions = ({ answerToApproval, ...parameters }: INodeParameters): INodeParameters => ({
	...parameters,
	...(answerToApproval !== undefined && { options: { answerToApproval } }),
});

const callOf = (message: string, more: INodeParameters = {}, name: Name = 'langGraph') => ({
	node: 'workspaceAgent',
	credential: 'agentServerApi',
	secrets: { agentServerApi: servers.credential(name) },
	parameters: {
		agentOf: 'server',
		...(message && { messageSource: 'define', message }),
		...(name === 'langGraph' && { agent: model(PLANNER) }),
		...KEYED,
		...withOptions(more),
	},
});

/** Sends in an execution of its own, as another worker would. @param item What it is handed. */
const send = async (
	message: string,
	more: INodeParameters = {},
	item: IDataObject = {},
	name?: Name,
) => {
	const call = { ...callOf(message, more, name), items: [item], settings: CARRY_ON };
	const { items, failed } = await run(call);
	return { json: items[0]?.json ?? {}, failed: failed[0]?.json };
};
/** The same with what an earlier output says. */
const decide = async (answerToApproval: unknown, asked: IDataObject, message = '') =>
	await send(message, { ...FROM_ITEM, answerToApproval: answerToApproval as string }, asked);

/** What was sent to agents: not what was free. */
const paid = () =>
	servers.calls.filter(({ method, path }) => method === 'POST' && !path.endsWith('/search'));
const resumed = () => {
	const { command } = paid().at(-1)?.body as { command?: { resume: object } };
	return Object.values(command?.resume ?? {}) as unknown[];
};

const REFUSED = {
	error: expect.stringMatching(/waits for the decision of a person/),
	details: { outcome: 'not_started' },
};

it('LangGraph: what waits is told, with all of it and its ID', async () => {
	const { json } = await send('[tools] go on');
	expect(json).toMatchObject({
		complete: true,
		taskId: expect.stringMatching(/^[\da-f]{32}$/),
		sessionAt: expect.any(String),
		waitsFor: {
			kind: 'approval',
			text: 'send_mail with {"to":"a@b.c"}\npay with {"usd":7}',
			calls: [
				{ tool: 'send_mail', arguments: '{"to":"a@b.c"}' },
				{ tool: 'pay', arguments: '{"usd":7}' },
			],
		},
	});
	const both = await send('[both]', { sessionKey: 'b' });
	expect(both.json['taskId']).toMatch(/^[\da-f]{32},[\da-f]{32}$/);
	expect(both.json['output']).toBe('May I?\n\n{"go":true}');
});

it('LangGraph: what an update repeats is told once', async () => {
	expect((await send('hello')).json).toMatchObject({
		output: 'I heard: hello This is message 1.',
	});
});

it.each([
	['approve', '[may]', 'approve', '', [true]],
	['decline', '[may]', 'decline', '', [false]],
	['text', '[may]', 'text', 'only today', ['only today']],
	['two at once', '[both]', 'approve', '', [true, true]],
	['true, as Send and Wait gives it', '[may]', '={{ $json.approved }}', '', [true]],
	['tools', '[tools]', 'approve', '', [{ decisions: [{ type: 'approve' }, { type: 'approve' }] }]],
	['no tools', '[tools]', 'decline', '', [{ decisions: [{ type: 'reject' }, { type: 'reject' }] }]],
	[
		'no tools, with a reason',
		'[tools]',
		'text',
		'too dear',
		[
			{
				decisions: [
					{ type: 'reject', message: 'too dear' },
					{ type: 'reject', message: 'too dear' },
				],
			},
		],
	],
])('a decision of a person goes on in another execution: %s', async (...row) => {
	const [, question, decision, words, values] = row;
	const { json } = await send(question);
	const decided = await decide(decision, { ...json, approved: true }, words);
	expect(decided.failed).toBeUndefined();
	expect(resumed()).toEqual(values);
	expect(decided.json['output']).toMatch(/^I heard: decided: /);
	expect(decided.json).not.toHaveProperty('waitsFor');
	// nothing waits any longer, and a message is one again
	expect((await send('and now?')).json['output']).toMatch(/^I heard: and now\?/);
});

it.each([
	['false, as Send and Wait gives it', false, [false]],
	['nobody answered', null, undefined],
	['a word of somebody', 'yes', undefined],
])('what an expression gives: %s', async (_name, approved, values) => {
	const { json } = await send('[may]');
	const { failed } = await decide('={{ $json.approved }}', { ...json, approved });
	if (values) expect(resumed()).toEqual(values);
	else expect(failed?.['error']).toMatch(/Answer to Approval/);
	expect(paid()).toHaveLength(values ? 2 : 1);
});

it('a session that waits takes no message, whoever sends it and from wherever', async () => {
	const { json } = await send('[may]');
	for (const refused of [
		await send('yes, I approve'),
		await send('yes, I approve', FROM_ITEM, json),
		await send('yes', FROM_ITEM, { sessionId: json['sessionId'] as string }),
	]) {
		expect(refused.failed).toMatchObject(REFUSED);
		expect(JSON.stringify(refused.failed)).toContain('May I?');
	}
	expect(paid()).toHaveLength(1);
});

it('a decision goes to nothing but what the person was shown', async () => {
	const { json } = await send('[may]');
	const thread = String(json['sessionId']);
	// it was decided elsewhere, and the agent asks for something else now
	servers.interrupts.set(thread, [{ id: 'f'.repeat(32), value: 'May I delete all?' }]);
	const stale = await decide('approve', json);
	expect(stale.failed?.['error']).toMatch(/What waits for approval is not what was decided about/);
	servers.interrupts.set(thread, []);
	const late = await decide('approve', json);
	expect(late.failed?.['error']).toMatch(/Nothing waits for approval/);
	expect(paid()).toHaveLength(1);
});

it('the same ID may be that of the next question, which nobody was shown', async () => {
	const { json } = await send('[both]');
	const thread = String(json['sessionId']);
	const [one, other] = servers.interrupts.get(thread) ?? [];
	// LangGraph for Python: of two questions of a node, one after the other
	servers.interrupts.set(thread, [one!, { ...other!, value: 'May I delete all?' }]);
	const stale = await decide('approve', json);
	expect(stale.failed?.['error']).toMatch(/What waits for approval is not what was decided about/);
	expect(stale.failed?.['details']).toMatchObject({ outcome: 'not_started' });
	// in another order, it is the same
	servers.interrupts.set(thread, [other!, one!]);
	expect((await decide('approve', json)).failed).toBeUndefined();
});

it('what was shown may be kept as text, as in a table', async () => {
	const { json } = await send('[may]');
	const kept = { ...json, waitsFor: JSON.stringify(json['waitsFor']) };
	expect((await decide('approve', kept)).failed).toBeUndefined();
	expect(resumed()).toEqual([true]);
});

it('what nobody was shown is declined by its ID, and not approved', async () => {
	const { json } = await send('[may]');
	const { waitsFor, ...ids } = json;
	expect(waitsFor).toBeDefined();
	expect((await decide('approve', ids)).failed?.['error']).toMatch(/not known which approval/);
	expect((await decide('decline', ids)).failed).toBeUndefined();
	expect(resumed()).toEqual([false]);
});

it.each<[string, (json: IDataObject) => IDataObject]>([
	['no task', (json) => ({ ...json, taskId: '' })],
	['the task of a stranger', (json) => ({ ...json, taskId: '0'.repeat(32) })],
	['another place', (json) => ({ ...json, sessionAt: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90' })],
	['no place', (json) => ({ ...json, sessionAt: '' })],
])('an item with %s decides about nothing', async (_name, change) => {
	const { json } = await send('[may]');
	const { failed } = await decide('approve', change(json));
	expect(failed?.['details']).toMatchObject({ outcome: 'not_started' });
	expect(paid()).toHaveLength(1);
});

it('where nothing waits, a decision is refused', async () => {
	await send('hello');
	for (const { failed } of [
		await send('', { answerToApproval: 'approve' }),
		await send('', { answerToApproval: 'approve', sessionMode: 'new' }),
		await send('', { answerToApproval: 'decline' }, {}, 'a2a'),
		await send('', { answerToApproval: 'decline' }, {}, 'n8nChat'),
	])
		expect(failed).toMatchObject({
			error: expect.stringMatching(/(Nothing|anything) waits for approval/),
			details: { outcome: 'not_started' },
		});
	expect(paid()).toHaveLength(1);
});

it('a server that cannot say what waits gets no message', async () => {
	const { json } = await send('[may]');
	servers.calls.length = 0;
	await servers.stop();
	const { failed } = await decide('approve', json);
	expect(failed?.['details']).toMatchObject({ outcome: 'not_started' });
	expect(paid()).toEqual([]);
});

it('A2A: a login is no question, and takes no message of anybody', async () => {
	const asked = await send('[auth]', {}, {}, 'a2a');
	expect(asked.json['waitsFor']).toMatchObject({ kind: 'approval' });
	const more = { ...FROM_ITEM };
	const refused = await send('my password', more, asked.json, 'a2a');
	expect(refused.failed).toMatchObject(REFUSED);
	const approved = await send('', { ...more, answerToApproval: 'approve' }, asked.json, 'a2a');
	expect(approved.failed).toBeUndefined();
	const { params } = paid().at(-1)?.body as { params: { message: IDataObject } };
	expect(params.message).toMatchObject({
		taskId: asked.json['taskId'],
		parts: [{ text: 'Approved' }],
	});
	expect(paid()).toHaveLength(2);
});

it('what waits is told where the text has a path of its own, and a question takes a message', async () => {
	const options = { answerPath: 'result.artifactUpdate.artifact.parts.text' };
	const asked = await send('[ask]', { options }, {}, 'a2a');
	expect(asked.json).toMatchObject({ taskId: expect.any(String), waitsFor: { kind: 'input' } });
	const more = { ...FROM_ITEM, options };
	const next = await send('on Monday', more, asked.json, 'a2a');
	expect(next.failed).toBeUndefined();
	expect(paid().at(-1)?.body).toMatchObject({
		params: { message: { taskId: asked.json['taskId'] } },
	});
	const login = await send('[auth]', { options, sessionKey: 'b' }, {}, 'a2a');
	expect(login.json['waitsFor']).toMatchObject({ kind: 'approval' });
});

it.each(['failed', 'cut'])(
	'OpenAI Responses: nothing waits in an answer that asks, and then is %s',
	async (end) => {
		const only = { agent: model('planner-1') };
		const { failed } = await send(`[may] [${end}]`, only, {}, 'responses');
		expect(failed?.['details']).toMatchObject({ outcome: 'started' });
		expect(failed?.['details']).not.toHaveProperty('taskId');
		const shown = { output: 'x', ...(failed?.['details'] as IDataObject) };
		const next = await send('and now?', { ...only, ...FROM_ITEM }, shown, 'responses');
		expect(next.json['output']).toMatch(/^I heard: and now\?/);
	},
);

it('A2A: a task without what it waits for takes no message, since it may be a login', async () => {
	const { json: asked } = await send('[auth]', {}, {}, 'a2a');
	const { sessionId, taskId, sessionAt } = asked;
	const ids = { sessionId, taskId, sessionAt };
	for (const item of [ids, { ...ids, waitsFor: {} }, { ...ids, waitsFor: { kind: 'inputs' } }]) {
		const { failed } = await send('my password', FROM_ITEM, item as IDataObject, 'a2a');
		expect(failed).toMatchObject(REFUSED);
		expect(JSON.stringify(failed)).toContain('hand over \\"waitsFor\\" of the same output');
	}
	const more = { ...FROM_ITEM, answerToApproval: 'decline' };
	const declined = await send('', more, ids as IDataObject, 'a2a');
	expect(declined.failed).toBeUndefined();
	expect(paid().at(-1)?.body).toMatchObject({
		params: { message: { taskId, parts: [{ text: 'Not approved' }] } },
	});
	expect(paid()).toHaveLength(2);
});

it('A2A: a visitor makes no question of a login', async () => {
	const { json: asked } = await send('[auth]', {}, {}, 'a2a');
	const { sessionId, taskId, sessionAt } = asked;
	const said = { waitsFor: { kind: 'input' } };
	const { failed } = await run({
		...callOf('my password', FROM_ITEM, 'a2a'),
		chatted: said,
		items: [{ sessionId, taskId, sessionAt, ...said }],
		settings: CARRY_ON,
	});
	expect(failed[0]?.json).toMatchObject(REFUSED);
	expect(paid()).toHaveLength(1);
});

it.each<[number, string, string]>([
	[16, 'May I?', 'approve'],
	[99, 'May I?', 'approve'],
	[101, 'May I?', 'none'],
	[16, 'May I? '.repeat(30), 'none'],
])('LangGraph: %i interrupts at once are decided', async (count, value, approves) => {
	const { json } = await send(`[may ${count}] ${value}`);
	expect(json['waitsFor']).toMatchObject(approves === 'none' ? { onlyDecline: true } : {});
	if (approves === 'none') {
		const refused = await decide('approve', json);
		expect(refused.failed).toMatchObject({
			error: expect.stringMatching(/More waits than a person can have been shown/),
			details: { outcome: 'not_started' },
		});
	}
	const { failed } = await decide(approves === 'none' ? 'decline' : 'approve', json);
	expect(failed).toBeUndefined();
	expect(resumed()).toEqual(Array<boolean>(count).fill(approves === 'approve'));
});

it('AG-UI: what is too much to be shown is declined, and takes nothing else', async () => {
	const { json } = await send('[may 13] go on', {}, {}, 'agUi');
	expect(json).toMatchObject({ waitsFor: { onlyDecline: true } });
	for (const answerToApproval of ['approve', 'text']) {
		const { failed } = await send('no', { ...FROM_ITEM, answerToApproval }, json, 'agUi');
		expect(failed?.['error']).toMatch(/More waits than a person can have been shown/);
	}
	const more = { ...FROM_ITEM, answerToApproval: 'decline' };
	const { failed } = await send('', more, json, 'agUi');
	expect(failed).toBeUndefined();
	expect(paid()).toHaveLength(2);
	const { resume } = paid().at(-1)?.body as { resume: object[] };
	expect(resume).toHaveLength(13);
	expect(resume[0]).toEqual({ interruptId: 'i1', status: 'cancelled' });
});

it('AG-UI: what has more than can be named takes no decision, and nothing is sent', async () => {
	const { json } = await send('[may 101] go on', {}, {}, 'agUi');
	expect(json['waitsFor']).toMatchObject({
		text: expect.stringMatching(/^It can be decided only in an app of/),
	});
	const more = { ...FROM_ITEM, answerToApproval: 'decline' };
	expect((await send('', more, json, 'agUi')).failed?.['error']).toMatch(/not known which/);
	expect(paid()).toHaveLength(1);
});

describe.each<[Name, string]>([
	['aiSdk', 'AI SDK'],
	['dify', 'Dify'],
])('%s, to which no approval can be sent', (name, title) => {
	/** An execution of two messages. */
	const talk = async (answerToApproval: string, ...words: string[]) => {
		const nodes = ['[may] go on', ...words].map((message, index) =>
			ours(index ? `Next ${index}` : 'Ask', 'workspaceAgent', {
				credential: 'agentServerApi',
				parameters: {
					...callOf(message, index === 1 ? { answerToApproval } : {}, name).parameters,
				},
				settings: CARRY_ON,
			}),
		);
		const { data } = await startFlow({
			secrets: { agentServerApi: servers.credential(name) },
			nodes,
			wires: nodes.slice(1).map((node, index): Wire => [nodes[index]!.name, node.name]),
			input: [{ json: {} }],
		}).finished;
		const [last] = data.resultData.runData[nodes.at(-1)!.name] ?? [];
		const [found = [], error = []] = last?.data?.['main'] ?? [];
		return { json: found?.[0]?.json, failed: error?.[0]?.json };
	};

	it('the output says that it can only be declined here', async () => {
		const { json, failed } = await send('[may] go on', {}, {}, name);
		expect(failed).toBeUndefined();
		expect(json['waitsFor']).toMatchObject({
			kind: 'approval',
			text: expect.stringMatching(/^It can be declined here, but approved only in the app of/),
		});
	});

	it('takes no message, and no approval, with what a person can do', async () => {
		expect((await talk('none', 'yes')).failed).toMatchObject(REFUSED);
		expect((await talk('approve', '')).failed).toMatchObject({
			error: expect.stringMatching(`^${title} takes no approval from this node.*or decline here`),
			details: { outcome: 'not_started' },
		});
		// the question of each execution
		expect(paid()).toHaveLength(2);
	});

	it.each([
		['decline', '', 'Not approved'],
		['text', 'only today', 'only today'],
	])('goes on in words after: %s', async (decision, words, sent) => {
		const { json, failed } = await talk(decision, words, 'and now?');
		expect(failed).toBeUndefined();
		expect(json).toMatchObject({ output: expect.stringContaining('and now?') });
		expect(JSON.stringify(paid().at(-2)?.body)).toContain(sent);
	});
});

describe.each<[Name, string, Record<string, unknown>]>([
	[
		'agUi',
		'May I i1?\nMay I i2?',
		{
			approve: ['i1', 'i2'].map((interruptId) => ({
				interruptId,
				status: 'resolved',
				payload: { approved: true },
			})),
			decline: ['i1', 'i2'].map((interruptId) => ({ interruptId, status: 'cancelled' })),
			text: ['i1', 'i2'].map((interruptId) => ({ interruptId, status: 'cancelled' })),
		},
	],
	[
		'responses',
		'pay with {"usd":7}',
		{
			approve: [{ type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }],
			decline: [{ type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false }],
			text: [
				{
					type: 'mcp_approval_response',
					approval_request_id: 'mcpr_1',
					approve: false,
					reason: 'too dear',
				},
			],
		},
	],
])('%s: what the answer told to wait is decided', (name, text, sent) => {
	const only = name === 'responses' ? { agent: model('planner-1') } : {};

	it.each(['approve', 'decline', 'text'])('in another execution: %s', async (decision) => {
		const { json } = await send('[may] go on', only, {}, name);
		expect(json).toMatchObject({
			waitsFor: { kind: 'approval', text },
			sessionAt: expect.any(String),
		});
		const more = { ...only, ...FROM_ITEM };
		const refused = await send('yes', more, json, name);
		expect(refused.failed).toMatchObject(REFUSED);
		const words = decision === 'text' ? 'too dear' : '';
		const decided = await send(words, { ...more, answerToApproval: decision }, json, name);
		expect(decided.failed).toBeUndefined();
		expect(decided.json).not.toHaveProperty('waitsFor');
		const body = paid().at(-1)?.body ?? {};
		expect(body[name === 'agUi' ? 'resume' : 'input']).toEqual(sent[decision]);
		if (name === 'agUi')
			expect((body['messages'] as IDataObject[]).map(({ content }) => content)).toEqual(
				['[may] go on', expect.any(String), words].filter(Boolean),
			);
		const next = await send('and now?', more, decided.json, name);
		expect(next.json['output']).toMatch(/^I heard: and now\?/);
		expect(paid()).toHaveLength(3);
	});
});

it.each<Name>(['langGraph', 'a2a', 'agUi', 'responses'])(
	'%s: a session From Key is decided about in another execution, by the output that asked',
	async (name) => {
		const only = name === 'responses' ? { agent: model('planner-1') } : {};
		const question = name === 'a2a' ? '[auth]' : '[may] go on';
		const { json } = await send(question, only, {}, name);
		const decision = { ...only, answerToApproval: 'approve' };
		const withoutSession = { ...json, sessionId: '' };
		for (const item of [{}, withoutSession, { ...json, sessionId: 'another' }]) {
			const { failed } = await send('', decision, item, name);
			expect(failed?.['error']).toMatch(/not known (which|that anything waits)/);
			expect(failed?.['error']).toMatch(/hand over the output/);
		}
		const { failed } = await send('', decision, json, name);
		expect(failed).toBeUndefined();
		expect(paid()).toHaveLength(2);
	},
);

it('OpenAI Responses: of two decisions about the same, the second is refused', async () => {
	const only = { agent: model('planner-1') };
	const { json } = await send('[may] go on', only, {}, 'responses');
	const decision = { ...only, ...FROM_ITEM, answerToApproval: 'approve' };
	const { items, failed } = await run({
		...callOf('', decision, 'responses'),
		items: [json, json],
		settings: CARRY_ON,
	});
	expect(items).toHaveLength(1);
	expect(failed[0]?.json['details']).toMatchObject({ outcome: 'not_started' });
	expect(paid()).toHaveLength(2);
});

it('A2A: what a decision has caused, in the same words of the same task, is decided in another run', async () => {
	const { json } = await send('[auth] May I?', {}, {}, 'a2a');
	const decide = (name: string) =>
		ours(name, 'workspaceAgent', {
			credential: 'agentServerApi',
			parameters: callOf('[auth] May I?', { answerToApproval: 'text' }, 'a2a').parameters,
			settings: CARRY_ON,
		});
	const { data } = await startFlow({
		secrets: { agentServerApi: servers.credential('a2a') },
		nodes: [decide('Decide'), decide('Again')],
		wires: [['Decide', 'Again']],
		input: [{ json }, { json }],
	}).finished;
	const outcomes = ['Decide', 'Again'].map((name) =>
		data.resultData.runData[name]?.[0]?.data?.['main']?.map((items) => items?.length),
	);
	expect(outcomes).toEqual([
		[1, 1],
		[1, 0],
	]);
	expect(paid()).toHaveLength(1 + 2);
});

it('what waits with a key in it is approved as it was shown', async () => {
	const { json } = await send(`[may 1] May I use ${AGENT_KEY}?`);
	expect(json['waitsFor']).toMatchObject({ text: 'May I use ***?' });
	expect((await decide('approve', json)).failed).toBeUndefined();
	expect(resumed()).toEqual([true]);
});

it('From Key, after an unknown outcome: a decision is for what its item says', async () => {
	const only = { agent: model('planner-1') };
	const { json } = await send('[may] go on', { ...only, sessionKey: 'a' }, {}, 'responses');
	const { parameters, ...call } = callOf('', only, 'responses');
	const { items, failed } = await run({
		...call,
		parameters: { ...parameters, options: { answerToApproval: '={{ $json.decision }}' } },
		items: [
			{ chatInput: '[cut]', decision: 'none' },
			{ ...json, decision: 'approve' },
			{ ...json, decision: 'approve' },
		],
		settings: CARRY_ON,
	});
	expect(failed).toHaveLength(2);
	expect(items).toHaveLength(1);
	expect(paid().at(-1)?.body['input']).toMatchObject([{ approval_request_id: 'mcpr_1' }]);
	// each once
	expect(paid()).toHaveLength(3);
});

it.each<[Name, string]>([
	['a2a', '[auth] May I pay 5?'],
	['langGraph', '[may 1] May I pay 5?'],
])('%s: a decision goes to nothing that was asked in the same run', async (name, chatInput) => {
	const { parameters, ...call } = callOf('', {}, name);
	const decide = async (decisions: string[], settings: object) =>
		await run({
			...call,
			parameters: {
				...parameters,
				sessionKey: decisions.join(),
				options: { answerToApproval: '={{ $json.decision }}' },
			},
			items: ['none', ...decisions].map((decision) => ({ chatInput, decision })),
			settings,
		});
	const { items, failed } = await decide(['approve', 'text', 'decline'], CARRY_ON);
	expect(items).toHaveLength(1);
	const unknown = expect.stringMatching(/^It is not known which approval/) as unknown;
	expect(failed.map(({ json }) => json['error'])).toEqual([unknown, unknown, unknown]);
	expect(paid()).toHaveLength(1);
	// n8n runs the node again
	const { error } = await decide(['approve'], RETRIED);
	expect(error?.message).toEqual(unknown);
	expect(paid()).toHaveLength(1 + 1);
});

it.each([
	['', '[may]'],
	['and with a key in it', `[may 1] May I use ${AGENT_KEY}?`],
])(
	'the execution that was asked knows what it decides about, without its item %s',
	async (...row) => {
		const [, question] = row;
		const agent = (name: string, message: string, answerToApproval: string) =>
			ours(name, 'workspaceAgent', {
				credential: 'agentServerApi',
				parameters: callOf(message, { answerToApproval }).parameters,
			});
		const wait = made('Wait', 'test.sink');
		const { data } = await startFlow({
			secrets: { agentServerApi: servers.credential('langGraph') },
			nodes: [agent('Ask', question, 'none'), wait, agent('Decide', '', 'approve')],
			wires: [
				['Ask', 'Wait'],
				['Wait', 'Decide'],
			],
			input: [{ json: {} }],
		}).finished;
		expect(data.resultData.error).toBeUndefined();
		expect(resumed()).toEqual([true]);
	},
);

it.each([
	['failed after it was received', '[code -32603]', false],
	['was certainly not received', '', true],
])('A2A: a task that waits, whose message %s: does the next one go to it', async (...row) => {
	const [, message, goesOn] = row;
	const agent = (name: string, words: string) => {
		const { parameters } = callOf(words, {}, 'a2a');
		const call = { credential: 'agentServerApi', parameters, settings: CARRY_ON };
		return ours(name, 'workspaceAgent', call);
	};
	const names = ['Ask', 'Fail', 'Again'];
	const wires = [
		['Ask', 'Fail'],
		['Fail', 'Again', 'main', goesOn ? 0 : 1],
	] as Wire[];
	const { data } = await startFlow({
		secrets: { agentServerApi: servers.credential('a2a') },
		nodes: [agent('Ask', '[ask]'), agent('Fail', message || ' '), agent('Again', 'on Monday')],
		wires: goesOn ? [...wires, ['Fail', 'Again', 'main', 1]] : wires,
		input: [{ json: {} }],
	}).finished;
	expect(Object.keys(data.resultData.runData)).toEqual(names);
	const [first] = data.resultData.runData['Ask']?.[0]?.data?.['main']?.[0] ?? [];
	const { params } = paid().at(-1)?.body as { params: { message: IDataObject } };
	expect(params.message['parts']).toEqual([{ text: 'on Monday' }]);
	expect(params.message['taskId']).toBe(goesOn ? first?.json['taskId'] : undefined);
});

describe('a model decides about nothing', () => {
	const tool = (parameters: INodeParameters) => ({
		node: 'workspaceAgent',
		credential: 'agentServerApi',
		parameters: { agentOf: 'server', agent: model(PLANNER), ...KEYED, ...withOptions(parameters) },
	});
	const secrets = () => ({ agentServerApi: servers.credential('langGraph') });
	const given = (taskId: unknown) => ({
		Message: 'approve',
		answerToApproval: 'approve',
		decision: 'approve',
		taskId: taskId as string,
		waitsFor: { kind: 'input' },
	});
	const fromModel = "={{ $fromAI('answerToApproval', '', 'string') }}";

	it.each(['approve', fromModel, '={{ $json.decision }}', 'text'])(
		'as a tool of an AI agent or an MCP client: %s',
		async (answerToApproval) => {
			const { json } = await send('[may]');
			for (const way of ['by the engine', 'by itself'] as const) {
				const { answers } = await callTool(way, {
					tool: tool({ answerToApproval }),
					calls: [given(json['taskId'])],
					secrets: secrets(),
				});
				expect(answers).toEqual([expect.stringMatching(/waits for the decision of a person/)]);
			}
			expect(paid()).toHaveLength(1);
		},
	);

	it.each<Name>(['a2a', 'agUi', 'aiSdk', 'dify', 'responses'])(
		'as a tool in the execution in which it asks, where the server is not asked what waits: %s',
		async (name) => {
			const question = name === 'a2a' ? '[auth]' : '[may] go on';
			const parameters = { sessionMode: 'key', sessionKey: name, options: {} };
			// one after the other: the order of calls at once is nobody's
			const { answers } = await callTool('by the engine', {
				tool: { ...tool({}), parameters: { agentOf: 'server', ...parameters } },
				calls: [{ Message: question }, given('mcpr_1')],
				secrets: { agentServerApi: servers.credential(name) },
			});
			expect(answers).toEqual([
				expect.stringContaining('"kind":"approval"'),
				expect.stringMatching(/waits for the decision of a person/),
			]);
			expect(paid()).toHaveLength(1);
		},
	);

	it('as a tool of an n8n Agent', async () => {
		const { json } = await send('[may]');
		const message = { message: 'approve' };
		const call = { ...tool({ ...message, answerToApproval: 'approve' }), secrets: secrets() };
		const { items, error } = await callInN8nAgent({ ...call, given: given(json['taskId']) });
		expect(JSON.stringify([items, error?.message])).toMatch(/waits for the decision of a person/);
		expect(paid()).toHaveLength(1);
	});
});
