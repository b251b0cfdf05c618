import { randomUUID } from 'node:crypto';
import { nodesFor, openBridge, type Bridge } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { workflow } from './workflow.ts';

let bridge: Bridge;
let agent: ReturnType<typeof nodesFor>['agent'];
beforeAll(async () => {
	bridge = await openBridge();
	({ agent } = nodesFor(bridge.accounts));
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const send = ['message', 'send'] as const;

it('starts a session of its own for each item', async () => {
	const execution = await bridge.editor.runOnce(
		workflow(
			'new sessions',
			[{ q: 'one' }, { q: 'two' }, { q: 'three' }],
			agent('Agent', send, { message: '={{ $json.q }}' }),
		),
	);
	const items = itemsOf(execution, 'Agent');
	expect(items.map(({ json }) => json['output'])).toEqual(
		['one', 'two', 'three'].map(
			(word) => `You said: "${word}". This is message 1 of this session.`,
		),
	);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
	expect(new Set(items.map(({ json }) => json['sessionId'])).size).toBe(3);
});

it('continues a given session, its items one after another in item order', async () => {
	const sessionId = randomUUID();
	const execution = await bridge.editor.runOnce(
		workflow(
			'given session',
			[{ q: 'one' }, { q: 'two' }, { q: 'three' }],
			agent('Agent', send, {
				sessionMode: 'id',
				sessionId,
				message: '={{ $json.q }}',
				options: { includeRawEvents: true },
			}),
		),
	);
	const items = itemsOf(execution, 'Agent');
	expect(items.map(({ json }) => json['output'])).toEqual([
		'You said: "one". This is message 1 of this session.',
		'You said: "two". This is message 2 of this session; before it you said: "one".',
		'You said: "three". This is message 3 of this session; before it you said: "two".',
	]);
	expect(items[0]?.json).toMatchObject({ sessionId, complete: true, events: expect.any(Array) });
	expect(bridge.service.mostInFlight).toBe(1);
});

it('refuses an invalid session id before any request, for all items', async () => {
	const execution = await bridge.editor.runOnce(
		workflow(
			'invalid session',
			[{ id: randomUUID() }, { id: 'yesterday' }],
			agent('Agent', send, { sessionMode: 'id', sessionId: '={{ $json.id }}', message: 'hello' }),
		),
	);
	expect(execution.status).toBe('error');
	expect(execution.error?.message).toMatch(/session/i);
	expect(execution.error?.message).toMatch(/UUID/i);
	expect(bridge.service.requests).toEqual([]);
});

it.each(['sse-json', 'sse-text', 'ndjson', 'text', 'json'] as const)(
	'reads an answer in the form %s',
	async (form) => {
		bridge.service.forms.agent = form;
		const execution = await bridge.editor.runOnce(
			workflow(form, [{}], agent('Agent', send, { message: 'hello' })),
		);
		expect(itemsOf(execution, 'Agent')[0]?.json).toMatchObject({
			output: 'You said: "hello". This is message 1 of this session.',
			complete: true,
			format: form.split('-')[0],
		});
	},
);
