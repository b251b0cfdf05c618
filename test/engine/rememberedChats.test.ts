import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Fault } from '../service/service';
import { callTool, type Way } from './rig/agentTool';
import { assistant, posts, secretsOfAnother } from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { run, type RunOptions } from './rig/run';

// the chat of a session, remembered in the job ledger from one execution to the next
const rig = startLedgerRig();

// an account of its own for each test: a 429 makes all wait that share one
let secrets: RunOptions['secrets'];
beforeEach(() => {
	const { marketAssistantApi } = secretsOfAnother(rig.service);
	secrets = { marketAssistantApi: { ...marketAssistantApi, ...rig.n8n.ledgerFields } };
});
const ask = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) => {
	const question = { question: '={{ $json.q ?? "x" }}', ...parameters };
	const outcome = await run({ ...assistant('askStreaming', question), secrets, ...more });
	return { ...outcome, chatId: outcome.items[0]?.json['chatId'] };
};
const inChat = async (sessionId: string, q = 'x', more: Partial<RunOptions> = {}) =>
	await ask({}, { chatted: { sessionId }, items: [{ q }], ...more });
const chatIdsSent = () =>
	posts(rig.service).map(({ body }) => (body as { chat_id?: string }).chat_id);
const onInvoke = (fault: Fault) => rig.service.fault({ match: { path: 'invoke' }, do: fault });

it.each(['ask', 'askStreaming'] as const)(
	'%s: a chat behind a Chat Trigger goes on in the next execution',
	async (question) => {
		const call = { ...assistant(question, { question: 'hello' }), secrets };
		const chatted = { sessionId: 'chat-session-1' };
		const [first, second] = [await run({ ...call, chatted }), await run({ ...call, chatted })];
		expect(second.items[0]?.json).toMatchObject({
			chatId: first.items[0]?.json['chatId'],
			sessionSource: 'chatTrigger',
			output: expect.stringContaining('message 2 of this chat'),
		});
		expect([...first.hints, ...second.hints]).toEqual([]);
		expect(rig.n8n.entries()).toMatchObject([
			{
				state: 'chat',
				credentialId: 'marketAssistantApi',
				uniqueKey: expect.stringMatching(/^chat:/),
			},
		]);
		expect(JSON.stringify(rig.n8n.rows)).not.toContain('chat-session-1');
	},
);

it('a key lasts beyond the execution; a session of the item is another, in any spelling of a UUID', async () => {
	const byKey = async (sessionKey: string) =>
		(await ask({ sessionMode: 'key', sessionKey })).chatId;
	expect(await byKey('customer 7')).toBe(await byKey(' customer 7 '));
	expect(await byKey('customer 7')).not.toBe(await byKey('Customer 7'));
	const uuid = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
	const ofItem = async (sessionId: string) => (await ask({}, { items: [{ sessionId }] })).chatId;
	const session = await ofItem(uuid);
	expect(await ofItem(uuid.replaceAll('-', '').toUpperCase())).toBe(session);
	expect(await byKey(uuid)).not.toBe(session);
});

it('nothing is looked up where the chat is known, and nothing remembered without a session', async () => {
	const { items } = await ask({});
	await ask({}, { items: [items[0]!.json] });
	await ask({ sessionMode: 'new' }, { items: [{ sessionId: 'a' }] });
	expect(rig.n8n.service.requests).toEqual([]);
});

it('a chat that the service no longer has is replaced, and the question is answered', async () => {
	const { chatId } = await inChat('s');
	rig.service.reset();
	const second = await inChat('s', 'still there?');
	expect([second.error, second.items.length]).toEqual([undefined, 1]);
	expect(second.hints).toEqual([
		`The service no longer continues the chat ${String(chatId)}, so a new chat was started.`,
	]);
	expect((await inChat('s')).chatId).toBe(second.chatId);
	expect(chatIdsSent()).toEqual([chatId, undefined, second.chatId]);
});

it('a chat that the service continues under another ID is remembered under that ID', async () => {
	rig.service.forms.unknownChat = 'accepted';
	await inChat('s');
	const another: Fault = { type: 'replace', find: '"chat_id":"', with: '"chat_id":"new-' };
	rig.service.fault({ do: another, times: 1 });
	const second = await inChat('s');
	await inChat('s');
	expect(chatIdsSent()[2]).toBe(second.chatId);
	expect(rig.n8n.rows).toHaveLength(1);
});

it('a question that is refused for another reason is refused once more, and not a third time', async () => {
	const { chatId } = await inChat('s');
	onInvoke({ type: 'status', status: 422 });
	expect((await inChat('s')).error?.message).toMatch(/^The service refused the request/);
	expect(posts(rig.service)).toHaveLength(3);
	rig.service.reset();
	rig.service.forms.unknownChat = 'accepted';
	expect((await inChat('s')).chatId).toBe(chatId);
});

it('a question that the assistant has run before it is refused is sent once', async () => {
	await inChat('s');
	const error = { message: "triggering Azure OpenAI's content management policy" };
	onInvoke({ type: 'status', status: 400, body: { error } });
	expect((await inChat('s')).error).toBeDefined();
	expect(posts(rig.service)).toHaveLength(2);
});

it.each([401, 403, 429, 500])('a refusal with %d says nothing of the chat', async (status) => {
	await inChat('s');
	onInvoke({ type: 'status', status });
	const requestSettings = { maxRateLimitWait: 0 };
	await ask({ requestSettings }, { chatted: { sessionId: 's' } });
	expect(chatIdsSent().slice(1)).not.toContain(undefined);
});

it('the chat of an answer that stopped early is remembered', async () => {
	rig.service.fault({ do: { type: 'limit_data', bytes: 900 }, times: 1 });
	const settings = { onError: 'continueErrorOutput' } as const;
	const { failed } = await inChat('s', '[[words:40]]', { settings });
	const { chatId } = failed[0]?.json['details'] as IDataObject;
	expect(chatId).toEqual(expect.any(String));
	expect((await inChat('s')).chatId).toBe(chatId);
});

it.each([
	[
		'cannot be used',
		{},
		[
			expect.stringMatching(/could not be looked up, so a new chat was started\. .*scopes? /),
			expect.stringMatching(/could not be remembered: the next message starts a new chat\. .*/),
		],
	],
	['can only be read', { method: 'POST' }, [expect.stringMatching(/could not be remembered/)]],
])('a ledger that %s costs no answer: a new chat, and a hint', async (_what, match, expected) => {
	const refusal: Fault = { type: 'status', status: 403 };
	rig.n8n.service.fault({ match: { path: 'data-tables', ...match }, do: refusal });
	const { error, items, hints } = await inChat('s');
	expect(error).toBeUndefined();
	expect(items[0]?.json).toMatchObject({
		output: expect.stringContaining('message 1 of this chat'),
		chatId: expect.any(String),
	});
	expect(hints).toEqual(expected);
});

it('a key that the service echoes in a chat ID does not get into the table', async () => {
	rig.service.forms.unknownChat = 'accepted';
	const key = String(secrets['marketAssistantApi']?.['apiKey']);
	const echo: Fault = { type: 'replace', find: '"chat_id":"', with: `"chat_id":"of ${key} ` };
	rig.service.fault({ do: echo });
	await inChat('s');
	expect(JSON.stringify(rig.n8n.rows)).not.toContain(key);
	await inChat('s');
	expect(chatIdsSent()).toEqual([undefined, undefined]);
});

it.each<Way>(['by the engine', 'by itself'])(
	'below an AI agent that calls its tool %s, the chat is that of the Chat Trigger',
	async (way) => {
		const { chatId } = await inChat('of the user');
		const { answers } = await callTool(way, {
			tool: assistant('askStreaming', { question: "={{ $fromAI('question') }}" }),
			secrets,
			calls: [{ question: 'and now?', sessionId: 'of another', chatId: 'of-another' }],
			chatted: { sessionId: 'of the user' },
		});
		expect(answers[0]).toContain(String(chatId));
		expect(answers[0]).toContain('message 2 of this chat');
	},
);

it('chats are no entries of the ledger', async () => {
	await inChat('s');
	expect((await rig.ledger('getEntries')).items).toEqual([]);
	await rig.ledger('deleteMany', { days: 1, withKeys: true });
	expect(rig.n8n.rows).toHaveLength(1);
});
