import type { INodeParameters } from 'n8n-workflow';

import { NAMESPACE_URL, uuidV5 } from '../../src/n8n/uuid';
import { data } from '../service/answer';
import { agent, failPosts, posts, RETRIED, streamed } from './rig/calls';
import { shownText, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// which conversation a message to an agent belongs to, and what is kept of an answer that stops
const service = serviceForTests();

const send = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) => {
	const call = agent({ message: 'hello', ...parameters });
	const outcome = await service.run(call, more);
	return { ...outcome, given: outcome.items.map(({ json }) => json) };
};
const idOf = (name: string, workspace = 'ws-1') =>
	uuidV5(uuidV5(NAMESPACE_URL, service.agent.baseUrl(workspace)), name);

const UUID = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
const HEX = UUID.replaceAll('-', '');

describe('from a key', () => {
	it.each(['1731924000.000100', '+49 170 1234567', 'Order #17 / Köln 👋', '7'])(
		'"%s" continues one conversation, in one run and the next',
		async (key) => {
			const parameters = { sessionMode: 'key', sessionKey: '={{ $json.key }}' };
			const first = await send(parameters, { items: [{ key }, { key: ` ${key}\n` }] });
			const second = await send(parameters, { items: [{ key }] });
			expect([...first.given, ...second.given]).toMatchObject(
				[1, 2, 3].map((number) => ({
					sessionId: idOf(`key ${key}`),
					sessionSource: 'key',
					sessionKey: key,
					output: expect.stringContaining(`message ${number} of this session`),
				})),
			);
		},
	);

	it('is another conversation for another key, and in another workspace; a UUID is a text like any other', async () => {
		const baseUrl = `${service.agent.baseUrl('ws-2')}/`;
		const secrets = { workspaceAgentApi: { baseUrl, apiKey: service.agent.key('ws-2') } };
		const byKey = async (sessionKey: string, more = {}) =>
			(await send({ sessionMode: 'key', sessionKey }, more)).given[0]?.['sessionId'];
		const ids = [
			await byKey('a'),
			await byKey('A'),
			await byKey(UUID),
			await byKey('a', { secrets }),
		];
		expect(ids).toEqual([idOf('key a'), idOf('key A'), idOf(`key ${UUID}`), idOf('key a', 'ws-2')]);
		expect(new Set(ids).size).toBe(4);
	});

	it.each([' \n', '={{ $json.missing }}'])('refuses "%s" before any request', async (key) => {
		const { error } = await send({ sessionMode: 'key', sessionKey: key });
		expect(error?.message).toMatch(/^Session Key is empty/);
		expect(service.requests).toEqual([]);
	});
});

describe('from the input', () => {
	const NEW = expect.stringMatching(/^[0-9a-f-]{36}$/);
	it.each<[string, Partial<RunOptions>, () => unknown, string, string?]>([
		['a UUID', { items: [{ sessionId: UUID }] }, () => UUID, 'item'],
		['a UUID without dashes', { items: [{ sessionId: HEX }] }, () => UUID, 'item'],
		[
			'a text',
			{ items: [{ sessionId: 'telegram' }] },
			() => idOf('input telegram'),
			'item',
			'telegram',
		],
		['a number', { items: [{ sessionId: 4711 }] }, () => idOf('input 4711'), 'item', '4711'],
		[
			'that of the Chat Trigger where the items come from another node',
			{ chatted: { sessionId: HEX }, items: [{}, { sessionId: '' }] },
			() => idOf(`chat ${HEX}`),
			'chatTrigger',
		],
		['nothing', {}, () => NEW, 'new'],
		['a chat without an ID', { chatted: { chatInput: 'hello' } }, () => NEW, 'new'],
		['no IDs', { items: [{ sessionId: { a: 1 } }, { sessionId: ' ' }] }, () => NEW, 'new'],
		['a number that is none', { items: [{ sessionId: NaN }] }, () => NEW, 'new'],
	])('takes %s', async (_what, options, sessionId, sessionSource, sessionKey = '') => {
		const { given } = await send({}, options);
		expect(given).toMatchObject(
			(options.items ?? [{}]).map(() => ({
				sessionId: sessionId(),
				sessionSource,
				...(sessionKey && { sessionKey }),
			})),
		);
		if (sessionId() === UUID) expect(given[0]).not.toHaveProperty('sessionKey');
		const ids = given.map((json) => json['sessionId']);
		expect(new Set(ids).size).toBe(sessionSource === 'new' ? ids.length : 1);
	});

	it('continues the session of an earlier answer, and is not asked for a new one', async () => {
		const { given } = await send({});
		const [earlier] = given;
		const later = await send({}, { items: [earlier!] });
		expect(later.given[0]).toMatchObject({
			sessionId: earlier?.['sessionId'],
			output: expect.stringContaining('message 2 of this session'),
		});
		const fresh = await send({ sessionMode: 'new' }, { items: [{ sessionId: UUID }] });
		expect(fresh.given[0]?.['sessionId']).not.toBe(UUID);
	});
});

it('the id of a session may come without dashes', async () => {
	const { given } = await send({ sessionMode: 'id', sessionId: ` ${HEX} ` });
	expect(given[0]).toMatchObject({ sessionId: UUID, sessionSource: 'id' });
});

describe('the message', () => {
	const fromInput = { messageSource: 'fromInput', message: 'not sent' };

	it.each([
		[fromInput, { chatInput: ' from a chat\n', message: 'other' }, ' from a chat\n'],
		[fromInput, { message: 'from a conversation' }, 'from a conversation'],
		[fromInput, { chatInput: ' ', message: 'hello' }, 'hello'],
		[{ message: 'defined' }, { chatInput: 'of a chat' }, 'defined'],
	])('of %j and the item %j is %j', async (parameters, item, content) => {
		await send(parameters, { items: [item] });
		expect(posts(service)).toMatchObject([{ body: { content } }]);
	});

	const missing = "Message: the item has no text in 'chatInput'";
	it.each([
		[{}, fromInput, missing],
		[{ chatInput: '' }, fromInput, missing],
		[{ message: { text: 'hello' } }, fromInput, missing],
		[{ chatInput: 'a\ud83d' }, fromInput, 'Message contains an incomplete character'],
		[{ chatInput: 'x' }, { message: '={{ $itemIndex ? " " : "x" }}' }, 'Message is empty'],
	])('is refused in %j before any request', async (item, parameters, message) => {
		const { error } = await send(parameters, { items: [{ chatInput: 'first' }, { ...item }] });
		expect(error?.message.startsWith(message)).toBe(true);
		if (message === missing)
			expect(shownText(error)).toMatch(
				/Connect a Chat Trigger \("On chat message"\), or choose Define Below in Source for Message\./,
			);
		expect(error?.context?.['itemIndex']).toBe(1);
		expect(service.requests).toEqual([]);
	});
});

it.each([
	['new', { sessionMode: 'new' }],
	['key', { sessionMode: 'key', sessionKey: 'a' }],
])(
	'what came of an answer is an item, with its session (%s), and is not asked again',
	async (...row) => {
		const [source, session] = row;
		failPosts(service, { type: 'limit_data', bytes: 400 });
		const partial = { message: '[[words:40]]', options: { onIncomplete: 'partial' } };
		const { given, error } = await send({ ...session, ...partial }, { settings: RETRIED });
		expect(error).toBeUndefined();
		expect(given).toMatchObject([
			{
				output: expect.stringMatching(/^word1 /),
				sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
				sessionSource: source,
				complete: false,
				format: 'sse',
				notice: expect.stringMatching(/^The answer stopped before its end\. .*connection broke/),
			},
		]);
		const sent = posts(service).map(({ path }) => path);
		expect(sent).toEqual([expect.stringContaining(String(given[0]?.['sessionId']))]);
	},
);

it.each([
	['content', /^You said: "hello"/, {}],
	['type', /^delta(delta)+end$/, {}],
	[
		'data.reply',
		/^$/,
		{ notice: expect.stringContaining('"data.reply". In an event with a name') },
	],
])('Answer Field Path takes the text from "%s" alone', async (answerPath, output, more) => {
	const { given } = await send({ options: { answerPath } });
	const answer = { output: expect.stringMatching(output), complete: true, ...more };
	expect(given).toMatchObject([answer]);
	if ('notice' in more)
		expect(given[0]?.['events']).toContainEqual(expect.objectContaining({ event: 'message' }));
});

it('an agent that has only run tools says where to look for a text', async () => {
	const event = { type: 'response.completed', response: { output: [{ type: 'shell_call' }] } };
	failPosts(service, streamed(data(event)));
	const notice = expect.stringMatching(/^No text was found in the answer; "events" contains/);
	expect((await send({})).given).toMatchObject([{ output: '', notice }]);
});

it('Answer Field Path wins over fields that name an error elsewhere', async () => {
	const body = '{"detail":"brief","exception":"none was made","say":{"words":"Hello"}}';
	failPosts(service, { type: 'body', body, contentType: 'application/json' });
	const { given } = await send({ options: { answerPath: 'say.words', includeRawEvents: true } });
	const events = [JSON.parse(body) as unknown];
	expect(given).toMatchObject([{ output: 'Hello', complete: true, events }]);
});
