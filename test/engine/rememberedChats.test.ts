import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { callTool, type Way } from './rig/agentTool';
import { assistant, posts, secretsOf, secretsWithLedger } from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { run, type RunOptions } from './rig/run';

// the chat of a session, remembered in the job ledger from one execution to the next
const rig = startLedgerRig();

const secrets = (withLedger = true) =>
	withLedger ? secretsWithLedger(rig.service, rig.n8n) : secretsOf(rig.service);
const ask = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
	await run({
		...assistant('askStreaming', { question: '={{ $json.q ?? "x" }}', ...parameters }),
		secrets: secrets(),
		...more,
	});
const inChat = async (sessionId: string, q = 'x', more: Partial<RunOptions> = {}) =>
	await ask({}, { chatted: { sessionId }, items: [{ q }], ...more });

type Outcome = Awaited<ReturnType<typeof ask>>;
const chatOf = ({ items: [first] }: Outcome) => first?.json['chatId'];
const chatIdsSent = () =>
	posts(rig.service).map(({ body }) => (body as { chat_id?: string }).chat_id);
const hintsOf = ({ run: { data } }: Outcome) =>
	(data.resultData.runData['Node'] ?? []).flatMap(({ hints = [] }) =>
		hints.map(({ message }) => message),
	);

describe.each(['ask', 'askStreaming'] as const)('%s', (question) => {
	it('a chat behind a Chat Trigger goes on in the next execution', async () => {
		const say = async (text: string) =>
			await run({
				...assistant(question, { question: text }),
				...{ secrets: secrets(), chatted: { sessionId: 'chat-session-1' } },
			});
		const first = await say('one');
		const second = await say('two');
		expect(second.items[0]?.json).toMatchObject({
			chatId: chatOf(first),
			sessionSource: 'chatTrigger',
			output: expect.stringContaining('message 2 of this chat'),
		});
		expect([...hintsOf(first), ...hintsOf(second)]).toEqual([]);
		expect(rig.n8n.entries()).toMatchObject([
			{ state: 'chat', account: 'marketAssistantApi', startKey: expect.stringMatching(/^chat:/) },
		]);
		expect(JSON.stringify(rig.n8n.rows)).not.toContain('chat-session-1');
	});
});

it('twenty interleaved chats keep their IDs', async () => {
	const sessions = Array.from({ length: 20 }, (_, number) => `session ${number}`);
	const talk = async () => await Promise.all(sessions.map(async (id) => chatOf(await inChat(id))));
	const first = await talk();
	expect(new Set(first).size).toBe(20);
	expect(await talk()).toEqual(first);
	expect((await talk()).reverse()).toEqual(first.toReversed());
	expect(rig.n8n.rows).toHaveLength(20);
});

it('of two first messages at once, both are answered, and one chat is known afterwards', async () => {
	const both = await Promise.all([inChat('s', 'one'), inChat('s', 'two')]);
	const chats = both.map(chatOf);
	expect(chats).toEqual([expect.any(String), expect.any(String)]);
	const next = await Promise.all([inChat('s'), inChat('s')]);
	expect(new Set(next.map(chatOf)).size).toBe(1);
	expect(chats).toContain(chatOf(next[0]!));
});

it('a key lasts beyond the execution; a session of the item is another, in any spelling of a UUID', async () => {
	const byKey = async (sessionKey: string) => chatOf(await ask({ sessionMode: 'key', sessionKey }));
	expect(await byKey('customer 7')).toBe(await byKey(' customer 7 '));
	expect(await byKey('customer 7')).not.toBe(await byKey('Customer 7'));
	const uuid = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
	const ofItem = async (sessionId: string) => await ask({}, { items: [{ sessionId }] });
	const session = await ofItem(uuid);
	const again = await ofItem(uuid.replaceAll('-', '').toUpperCase());
	expect(chatOf(again)).toBe(chatOf(session));
	expect(await byKey(uuid)).not.toBe(chatOf(session));
});

it('nothing is looked up where the chat is known, and nothing remembered without a session', async () => {
	const { items } = await ask({});
	await ask({}, { items: [items[0]!.json] });
	await ask({ sessionMode: 'new' }, { items: [{ sessionId: 'a' }] });
	expect(rig.n8n.service.requests).toEqual([]);
});

it('a chat that the service no longer has is replaced, and the question is answered', async () => {
	const first = await inChat('s');
	rig.service.reset();
	const second = await inChat('s', 'still there?');
	expect(second.error).toBeUndefined();
	expect(second.items).toHaveLength(1);
	expect(hintsOf(second)).toEqual([
		`The service no longer continues the chat ${String(chatOf(first))}, so a new chat was started.`,
	]);
	expect(chatOf(await inChat('s'))).toBe(chatOf(second));
	expect(chatIdsSent()).toEqual([chatOf(first), undefined, chatOf(second)]);
});

it('a chat that the service continues under another ID is remembered under that ID', async () => {
	rig.service.forms.unknownChat = 'accepted';
	await inChat('s');
	rig.service.fault({
		do: { type: 'replace', find: '"chat_id":"', with: '"chat_id":"new-' },
		times: 1,
	});
	const second = await inChat('s');
	await inChat('s');
	expect(chatIdsSent()[2]).toBe(chatOf(second));
	expect(rig.n8n.rows).toHaveLength(1);
});

it('a question that is refused for another reason is refused once more, and not a third time', async () => {
	const first = await inChat('s');
	rig.service.fault({ match: { path: 'invoke' }, do: { type: 'status', status: 422 } });
	const { error } = await inChat('s');
	expect(error?.message).toMatch(/^The service refused the request/);
	expect(posts(rig.service)).toHaveLength(3);
	rig.service.reset();
	rig.service.forms.unknownChat = 'accepted';
	expect(chatOf(await inChat('s'))).toBe(chatOf(first));
});

it.each([401, 403, 429, 500])('a refusal with %d says nothing of the chat', async (status) => {
	await inChat('s');
	rig.service.fault({ match: { path: 'invoke' }, do: { type: 'status', status } });
	await inChat('s', 'x', {
		...assistant('askStreaming', { question: 'x', requestSettings: { maxRateLimitWait: 0 } }),
	});
	expect(chatIdsSent().slice(1)).not.toContain(undefined);
});

it('the chat of an answer that stopped early is remembered', async () => {
	rig.service.fault({ do: { type: 'limit_data', bytes: 900 }, times: 1 });
	const { failed } = await inChat('s', '[[words:40]]', {
		settings: { onError: 'continueErrorOutput' },
	});
	const { chatId } = failed[0]?.json['details'] as IDataObject;
	expect(chatId).toEqual(expect.any(String));
	expect(chatOf(await inChat('s'))).toBe(chatId);
});

describe('a ledger that cannot be used', () => {
	const down = (method?: string) =>
		rig.n8n.service.fault({
			match: { path: 'data-tables', ...(method && { method }) },
			do: { type: 'status', status: 403 },
		});

	it('costs no answer: a new chat, and a hint for what could not be done', async () => {
		down();
		const outcome = await inChat('s');
		expect(outcome.error).toBeUndefined();
		expect(outcome.items[0]?.json).toMatchObject({
			output: expect.stringContaining('message 1 of this chat'),
			chatId: expect.any(String),
		});
		expect(hintsOf(outcome)).toEqual([
			expect.stringMatching(/could not be looked up, so a new chat was started\. .*scopes? /),
			expect.stringMatching(/could not be remembered: the next message starts a new chat\. .*/),
		]);
	});

	it('where it can only be read', async () => {
		down('POST');
		const outcome = await inChat('s');
		expect(outcome.items).toHaveLength(1);
		expect(hintsOf(outcome)).toEqual([expect.stringMatching(/could not be remembered/)]);
	});

	it('Retry On Fail asks nothing twice', async () => {
		rig.service.fault({
			match: { bodyIncludes: 'second' },
			do: { type: 'status', status: 401 },
			times: 1,
		});
		const items = [
			{ sessionId: 'a', q: 'first' },
			{ sessionId: 'b', q: 'second' },
		];
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { error } = await ask({}, { items, settings });
		expect(error).toBeUndefined();
		expect([rig.service.received('first'), rig.service.received('second')]).toEqual([1, 2]);
	});
});

it('a key that the service echoes in a chat ID does not get into the table', async () => {
	rig.service.forms.unknownChat = 'accepted';
	const secret = rig.service.assistant.keys.enterprise;
	rig.service.fault({
		do: { type: 'replace', find: '"chat_id":"', with: `"chat_id":"of ${secret} ` },
	});
	await inChat('s');
	expect(JSON.stringify(rig.n8n.rows)).not.toContain(secret);
	await inChat('s');
	expect(chatIdsSent()).toEqual([undefined, undefined]);
});

it.each<Way>(['by the engine', 'by itself'])(
	'below an AI agent that calls its tool %s, the chat is that of the Chat Trigger',
	async (way) => {
		const first = await inChat('of the user');
		const { answers } = await callTool(way, {
			tool: assistant('askStreaming', { question: "={{ $fromAI('question') }}" }),
			secrets: secrets(),
			calls: [{ question: 'and now?', sessionId: 'of another', chatId: 'of-another' }],
			chatted: { sessionId: 'of the user' },
		});
		expect(answers[0]).toContain(String(chatOf(first)));
		expect(answers[0]).toContain('message 2 of this chat');
	},
);

it('chats are no entries of the ledger', async () => {
	await inChat('s');
	expect((await rig.ledger('getMany')).items).toEqual([]);
	await rig.ledger('deleteMany', { days: 1, withKeys: true });
	expect(rig.n8n.rows).toHaveLength(1);
});
