import { directMessage, findOpen, type KnownWait } from '../../../src/agent/approvals';
import { sendMessage } from '../../../src/agent/client';
import { serverOf } from '../../../src/agent/servers';
import { toWaiting } from '../../../src/agent/waiting';
import { failureOf, inMemory, json } from '../inMemoryHttp';

// what LangGraph says to wait in a thread: nothing is sent into one that may wait

const ID = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
const ASKS = { id: 'f'.repeat(32), value: 'May I?' };

const redact = <Data>(value: Data) => value;

const direct = async (threads: object[], session = ID, decision?: 'decline') =>
	await directMessage(inMemory(json(threads)), serverOf('langGraph')!, {
		content: 'yes',
		decision,
		session,
		known: { taskId: ASKS.id, text: ASKS.value },
		redact,
	});
/** @param known What the execution knows. @param shown What an item says that it is about. */
const decideOn = async (
	threads: object[],
	known: KnownWait,
	shown: KnownWait,
	server = 'langGraph',
) =>
	await directMessage(inMemory(json(threads)), serverOf(server)!, {
		content: 'yes',
		decision: 'approve',
		session: ID,
		known,
		shown,
		redact,
	});
const waitOf = (reason: unknown) => ({
	for: 'approval' as const,
	tool: '',
	input: undefined,
	reason,
	isAsked: true,
});
const sql = (args: string) => ({ actionRequests: [{ name: 'sql', args }] });
const thread = (interrupts: object, thread_id = ID) => ({ thread_id, interrupts });

it.each<[string, object[], string]>([
	['a session without dashes', [thread({ t: [ASKS] })], ID.replaceAll('-', '').toUpperCase()],
	['a question without an ID', [thread({ t: [{ value: 'May I?', ns: ['t'] }] })], ID],
	['one of several without an ID', [thread({ t: [ASKS], u: [{ value: 'And I?' }] })], ID],
])('what waits takes no message: %s', async (_name, threads, session) => {
	expect(await failureOf(direct(threads, session))).toMatchObject({
		message: 'The agent waits for the decision of a person',
		details: { outcome: 'not_started' },
	});
});

it('a question without an ID is decided elsewhere', async () => {
	const threads = [thread({ t: [ASKS], u: [{ value: 'And I?' }] })];
	const { message } = await failureOf(direct(threads, ID, 'decline'));
	expect(message).toBe('LangGraph does not say by which ID this is decided');
});

it('a server that tells of other threads says nothing about this one', async () => {
	const other = thread({}, 'd'.repeat(8) + ID.slice(8));
	expect(await failureOf(direct([other]))).toMatchObject({
		message: expect.stringMatching(/tells what waits in other sessions/),
		details: { outcome: 'not_started' },
	});
});

it('what was shown may have its keys in another order in the list', async () => {
	const shown = { by: 'Ada', args: { to: 'a@b.c', cc: 'd' } };
	// as jsonb of PostgreSQL has it
	const value = { args: { cc: 'd', to: 'a@b.c' }, by: 'Ada' };
	const { text = '' } = toWaiting([{ ...waitOf(shown) }]) ?? {};
	const listed = [thread({ t: [{ id: ASKS.id, value }] })];
	const asked = { taskId: ASKS.id, text };
	expect(await decideOn(listed, asked, asked)).toMatchObject({ resume: { [ASKS.id]: true } });
});

it.each<[string, unknown[]]>([
	['one without a value', ['May I?', undefined]],
	['two without a value', [undefined, null]],
	['objects, texts and others', [{ b: 1, a: { d: 2, c: 3 } }, 'May I?', ['x', 1], 0, false, '']],
	['the same twice', ['May I?', 'May I?']],
])('an answer and the list say the same of what waits: %s', async (_name, values) => {
	const asked = values.map((value, index) => ({ id: `${index}`.repeat(32), value }));
	const event = `event: updates\ndata: ${JSON.stringify({ __interrupt__: asked })}\n\n`;
	const http = inMemory({ headers: { 'content-type': 'text/event-stream' }, chunks: [event] });
	const { waitsFor } = await sendMessage(http, { sessionId: ID, content: 'q' });
	const listed = inMemory(json([thread({ t: asked })]));
	const open = await findOpen(listed, serverOf('langGraph')!, ID, {});
	expect(open?.waitsFor).toEqual(waitsFor);
});

it.each<[string, unknown, unknown]>([
	['its end', `${'x'.repeat(2_500)}pay 5`, `${'x'.repeat(2_500)}delete all`],
	['the end of arguments', sql(`${'x'.repeat(1_100)}SELECT 1`), sql(`${'x'.repeat(1_100)}DROP`)],
	['the order of its lines', 'Transfer:\nfrom A\nto B', 'Transfer:\nto B\nfrom A'],
])(
	'no approval goes to another question with the same ID, also if it differs only in %s',
	async (...row) => {
		const [, before, now] = row;
		const { text = '' } = toWaiting([waitOf(before)]) ?? {};
		const shown = { taskId: ASKS.id, text };
		const listed = [thread({ t: [{ id: ASKS.id, value: now }] })];
		expect(await failureOf(decideOn(listed, shown, shown))).toMatchObject({
			details: { outcome: 'not_started' },
		});
	},
);

it.each(['langGraph', 'a2a'])(
	'%s: a decision about the question before goes to nothing, though the ID is the same',
	async (server) => {
		const now = { taskId: ASKS.id, kind: 'approval', text: 'And now?' } as const;
		const listed = [thread({ t: [{ id: ASKS.id, value: now.text }] })];
		const before = { taskId: ASKS.id, text: ASKS.value };
		expect(await failureOf(decideOn(listed, now, before, server))).toMatchObject({
			message: 'What waits for approval is not what was decided about',
			details: { outcome: 'not_started' },
		});
		expect(await decideOn(listed, now, now, server)).toMatchObject({ content: expect.any(String) });
	},
);

it.each([
	['approve', { reviewConfigs: [{ actionName: 'w', allowedDecisions: ['edit', 'reject'] }] }],
	['decline', { reviewConfigs: [{ actionName: 'w', allowedDecisions: ['approve'] }] }],
	['text', { review_configs: [{ action_name: 'w', allowed_decisions: ['approve', 'edit'] }] }],
] as const)(
	'a decision that what waits does not take is not sent, since LangGraph would keep it: %s',
	async (decision, configs) => {
		const value = { actionRequests: [{ name: 'w', args: {} }], ...configs };
		const known = { taskId: ASKS.id, text: 'w' };
		const decideAs = async (one: 'approve' | 'decline' | 'text') =>
			await directMessage(
				inMemory(json([thread({ t: [{ id: ASKS.id, value }] })])),
				serverOf('langGraph')!,
				{ content: 'no', decision: one, session: ID, known, redact },
			);
		expect(await failureOf(decideAs(decision))).toMatchObject({
			message: `What waits does not take "${decision}"`,
			details: { outcome: 'not_started' },
		});
		const other = decision === 'approve' ? 'decline' : 'approve';
		expect(await decideAs(other)).toMatchObject({ resume: { [ASKS.id]: expect.any(Object) } });
	},
);

it.each<[string, object[]]>([
	['no session', []],
	['an empty one', [thread({})]],
	['one without the field', [{ thread_id: ID }]],
])('nothing waits in %s', async (_name, threads) => {
	expect(await direct(threads)).toEqual({ content: 'yes', task: undefined });
});
