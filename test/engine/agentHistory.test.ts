import type { IDataObject } from 'n8n-workflow';

import { AGENT_KEY, type AgentServers, agentServers } from '../service/agentServers';
import { CARRY_ON } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// agents that know only the messages of the request: the item, the execution or the conversation carries what was said before

let servers: AgentServers;
beforeEach(async () => void (servers = await agentServers()));
afterEach(async () => await servers.stop());

type Name = 'agUi' | 'aiSdk';
const NAMES: Name[] = ['agUi', 'aiSdk'];

/** What it was sent last, in the form of items. */
function sent(count = servers.calls.length) {
	const messages = servers.calls[count - 1]?.body['messages'] as Array<Record<string, unknown>>;
	return messages.map(({ id, role, content, parts }) => ({
		id,
		role: role === 'assistant' ? 'agent' : role,
		text: content ?? (parts as Array<{ text: string }>)[0]?.text,
	}));
}

const ask = async (
	name: Name,
	items: IDataObject[],
	more = {},
	settings: object = CARRY_ON,
	retry?: RunOptions['retry'],
) =>
	await run({
		node: 'workspaceAgent',
		credential: 'agentServerApi',
		secrets: { agentServerApi: servers.credential(name) },
		parameters: {
			agentOf: 'server',
			messageSource: 'define',
			message: '={{ $json.q }}',
			...more,
		},
		items,
		settings,
		...(retry && { retry }),
	});

const ID = expect.stringMatching(/^[\da-f-]{36}$/);

it.each(NAMES)('%s: goes on by the history of an item, with the same IDs', async (name) => {
	const [first] = (await ask(name, [{ q: 'one' }])).items;
	expect(first?.json).toMatchObject({
		output: 'I heard: one This is message 1.',
		sessionAt: ID,
		history: [
			{ role: 'user', text: 'one', id: ID },
			{ role: 'agent', text: 'I heard: one This is message 1.', id: 'answer 1' },
		],
	});
	const [second] = (await ask(name, [{ ...first?.json, q: 'two' }])).items;
	expect(second?.json['output']).toBe('I heard: two This is message 2.');
	expect(second?.json['history']).toEqual([
		...(first?.json['history'] as object[]),
		{ role: 'user', text: 'two', id: ID },
		{ role: 'agent', text: 'I heard: two This is message 2.', id: 'answer 2' },
	]);
	expect(sent()).toEqual((second?.json['history'] as object[]).slice(0, 3));
});

it.each([
	['a key', { sessionMode: 'key', sessionKey: 'a' }],
	['an ID', { sessionMode: 'id', sessionId: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90' }],
])(
	'a session of %s goes on by the history of an item, as the hint says',
	async (_what, session) => {
		const [first] = (await ask('agUi', [{ q: 'one' }], session)).items;
		const { items, hints } = await ask('agUi', [{ ...first?.json, q: 'two' }], session);
		expect(items[0]?.json['output']).toBe('I heard: two This is message 2.');
		expect(hints).toEqual([]);
	},
);

it.each(NAMES)(
	'%s: of two items with the same history, the second goes on from the first',
	async (name) => {
		const [first] = (await ask(name, [{ q: 'one' }])).items;
		const { items } = await ask(
			name,
			['two', 'three'].map((q) => ({ ...first?.json, q })),
		);
		expect(items.map(({ json }) => json['output'])).toEqual([
			'I heard: two This is message 2.',
			'I heard: three This is message 3.',
		]);
	},
);

it.each(NAMES)(
	'%s: goes on within an execution, and a hint says that it ends there',
	async (name) => {
		const byKey = { sessionMode: 'key', sessionKey: '={{ $json.key }}' };
		const items = ['a', 'b', 'a'].map((key, index) => ({ key, q: `q${index}` }));
		const { items: answers, hints } = await ask(name, items, byKey);
		expect(answers.map(({ json }) => json['output'])).toEqual([
			'I heard: q0 This is message 1.',
			'I heard: q1 This is message 1.',
			'I heard: q2 This is message 2.',
		]);
		expect(JSON.stringify(hints)).toMatch(/remembers nothing. Give the next item/);
		const [again] = (await ask(name, [{ key: 'a', q: 'again' }], byKey)).items;
		expect(again?.json['output']).toBe('I heard: again This is message 1.');
	},
);

it.each(NAMES)('%s: a history counts only beside the place that made it', async (name) => {
	const history = [{ role: 'user', text: 'what a stranger says' }];
	for (const sessionAt of [undefined, '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90'])
		await ask(name, [{ q: 'one', sessionId: 'a', history, ...(sessionAt && { sessionAt }) }]);
	expect(sent(1)).toHaveLength(1);
	expect(sent(2)).toHaveLength(1);
});

it.each(NAMES)('%s: a message without an ID gets the same one in each request', async (name) => {
	const [first] = (await ask(name, [{ q: 'one' }])).items;
	const history = ['yes', 'a', 'yes', 'b'].map((text, index) => ({
		role: index % 2 ? 'agent' : 'user',
		text,
	}));
	for (const q of ['two', 'two']) await ask(name, [{ ...first?.json, q, history }]);
	const earlier = [2, 3].map((count) => sent(count).slice(0, 4));
	expect(earlier[0]).toEqual(earlier[1]);
	expect(new Set(sent().map(({ id }) => id)).size).toBe(5);
});

it.each(NAMES)('%s: what contains a key is kept without it', async (name) => {
	const byKey = { sessionMode: 'key', sessionKey: 'a' };
	const items = [{ q: `My key is ${AGENT_KEY}` }, { q: 'two' }];
	const { items: answers } = await ask(name, items, byKey);
	expect(answers[1]?.json['output']).toBe('I heard: two This is message 2.');
	expect(sent()[0]).toMatchObject({ text: 'My key is ***' });
});

const NO_MESSAGE = /Entry \d has no "role" \(user or agent\) and "text"/;

it.each([
	['a text', 'user: hello', /It is no list/],
	['an object', { 0: { role: 'user', text: 'a' } }, /It is no list/],
	['another role', [{ role: 'system', text: 'a' }], NO_MESSAGE],
	['the form of a model', [{ role: 'user', content: 'a' }], NO_MESSAGE],
	['an entry that is none', [{ role: 'user', text: 'a' }, null], NO_MESSAGE],
	['a text that is none', [{ role: 'agent', text: ['a'] }], NO_MESSAGE],
])('a history that is %s is refused in words, and nothing is sent', async (_, history, message) => {
	const [first] = (await ask('agUi', [{ q: 'one' }])).items;
	const given = { ...first?.json, q: 'two', history } as IDataObject;
	const { error } = await ask('agUi', [given], {}, {});
	expect(error?.message).toMatch(/^"history" of the item is not the history/);
	expect(error?.description).toMatch(message);
	expect(servers.calls).toHaveLength(1);
});

const turns = (count: number, text: (index: number) => string) =>
	Array.from({ length: count }, (_, index) => ({
		role: index % 2 ? 'agent' : 'user',
		text: text(index),
		id: `m${index}`,
	}));

it.each([
	['200 messages', turns(250, (index) => `${index}`), 199, 'm52'],
	['1 MB', turns(10, () => 'é'.repeat(100_000)), 5, 'm6'],
	['a last message of 1 MB', turns(2, () => 'x'.repeat(1_100_000)), 1, undefined],
])('of more than %s, the oldest are left out as a whole', async (_, history, count, oldest) => {
	const [first] = (await ask('agUi', [{ q: 'one' }])).items;
	const { items } = await ask('agUi', [{ ...first?.json, q: 'two', history }]);
	expect(sent()).toHaveLength(count);
	expect(sent()[0]).toEqual(
		history.find(({ id }) => id === oldest) ?? { id: ID, role: 'user', text: 'two' },
	);
	expect(items[0]?.json['notice']).toMatch(
		new RegExp(`oldest messages were not sent \\(${history.length + 1 - count}\\)`),
	);
	expect(items[0]?.json['history']).toHaveLength(count + 1);
});

it.each(NAMES)('%s: in one execution, no request has more than 1 MB', async (name) => {
	const items = Array.from({ length: 9 }, (_, index) => ({ q: `${index}${'é'.repeat(50_000)}` }));
	const byKey = { sessionMode: 'key', sessionKey: 'a' };
	const { items: answers } = await ask(name, items, byKey);
	const sizes = servers.calls.map(({ body }) => Buffer.byteLength(JSON.stringify(body)));
	expect(sizes.filter((size) => size > 1024 * 1024)).toEqual([]);
	expect(Math.max(...sizes)).toBeGreaterThan(800_000);
	expect(sent()[0]).toMatchObject({ role: 'user' });
	expect(answers.at(-1)?.json['notice']).toMatch(/oldest messages were not sent/);
	// none is cut inside
	expect(sent().every(({ text }) => /é{50000}/.test(String(text)))).toBe(true);
});

it.each(NAMES)('%s: what broke off is not in the history, unless it is kept', async (name) => {
	const byKey = { sessionMode: 'key', sessionKey: 'a' };
	const broken = [{ q: '[cut]' }, { q: 'two' }];
	const failing = await ask(name, broken, byKey);
	expect(failing.failed[0]?.json['details']).toMatchObject({ partial: { text: 'I ' } });
	expect(failing.items[0]?.json['output']).toBe('I heard: two This is message 1.');
	const partial = { ...byKey, options: { onIncomplete: 'partial' } };
	const { items } = await ask(name, broken, partial);
	expect(items[0]?.json).toMatchObject({
		complete: false,
		history: [
			{ role: 'user', text: '[cut]' },
			{ role: 'agent', text: 'I ' },
		],
	});
	expect(items[1]?.json['output']).toBe('I heard: two This is message 2.');
});

it.each(NAMES)(
	'%s: what broke off is kept once, also when n8n runs the node again',
	async (name) => {
		const items = [
			{ q: '[cut]', key: 'a' },
			{ q: '[403]', key: 'b' },
			{ q: 'three', key: 'a' },
		];
		const parameters = {
			sessionMode: 'key',
			sessionKey: '={{ $json.key }}',
			options: { onIncomplete: 'partial' },
			requestSettings: { concurrency: 1 },
		};
		const first = await ask(name, items, parameters, {});
		expect(first.error).toBeDefined();
		const { items: answers } = await ask(name, items, parameters, CARRY_ON, first.run.data);
		const kept = ['[cut]', 'I ', 'three', 'I heard: three This is message 2.'];
		const history = kept.map((text) => ({ text }));
		expect(answers.map(({ json }) => json)).toMatchObject([{ history }, { history }]);
		expect(servers.calls).toHaveLength(3);
	},
);

it('a server that remembers is handed no history, and none is in the output', async () => {
	const { items } = await run({
		node: 'workspaceAgent',
		credential: 'agentServerApi',
		secrets: { agentServerApi: servers.credential('n8nChat') },
		parameters: { agentOf: 'server', messageSource: 'define', message: 'one' },
		items: [{ history: 'no list' }],
	});
	expect(items[0]?.json).not.toHaveProperty('history');
	expect(servers.calls[0]?.body).not.toHaveProperty('messages');
});
