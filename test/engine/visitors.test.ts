import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { agent, assistant, posts } from './rig/calls';
import { type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// a visitor of a public chat writes all that the Chat Trigger hands over: no session of anybody else is reached by it
const service = serviceForTests();

const UUID = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
const HEX = UUID.replaceAll('-', '');
const PHONE = '+49 170 1234567';

type Given = Partial<Pick<RunOptions, 'items' | 'chatted' | 'replied'>>;

/** How a visitor says what an item could say: directly, through other nodes, and in a chat that goes on. */
const visits: Array<[string, (said: IDataObject) => Given]> = [
	['directly', (said) => ({ chatted: said, items: [said] })],
	['through other nodes', (said) => ({ chatted: said, items: [{ ...said, more: 1 }] })],
	['in its answer to a Chat node', (said) => ({ chatted: {}, replied: said, items: [said] })],
];

const opening = { openingMessageSource: 'define', openingMessage: 'hello', turnLimit: 1 };
/** Each node that has sessions, and where its output has the session. */
const nodes: Array<[string, string, (parameters: INodeParameters) => Omit<RunOptions, 'secrets'>]> =
	[
		['Remote Agent', 'sessionId', (given) => agent({ message: 'hello', ...given })],
		[
			'Agent Conversation',
			'conversationId',
			(given) => ({
				node: 'agentConversation',
				credential: '',
				withSpeakers: true,
				parameters: { ...opening, ...given },
			}),
		],
	];

describe.each(nodes)('%s', (_node, field, call) => {
	const sessionOf = async (parameters: INodeParameters, given: Given = {}) =>
		(await service.run(call(parameters), given)).items[0]?.json[field];
	const byKey = async (sessionKey: string) => await sessionOf({ sessionMode: 'key', sessionKey });

	it.each(visits)(
		'a visitor reaches no session of others, and continues its own: %s',
		async (_way, visit) => {
			const sessions = [];
			for (const sessionId of [PHONE, UUID])
				sessions.push(
					await byKey(sessionId),
					await sessionOf({}, { items: [{ sessionId }] }),
					await sessionOf({}, visit({ sessionId })),
				);
			expect(new Set(sessions).size).toBe(sessions.length);
			expect(sessions).toEqual(sessions.map(() => expect.stringMatching(/^[0-9a-f-]{36}$/)));
			const own = await sessionOf({}, visit({ sessionId: HEX }));
			expect(await sessionOf({}, visit({ sessionId: HEX }))).toBe(own);
			// behind nodes that leave the session out
			expect(await sessionOf({}, { chatted: { sessionId: HEX }, items: [{}] })).toBe(own);
		},
	);

	it('the session of an earlier answer goes on', async () => {
		const given = { chatted: { sessionId: PHONE }, items: [{ sessionId: HEX }] };
		expect(await sessionOf({}, given)).toBe(UUID);
		const chatted = { sessionId: ` ${HEX.toUpperCase()} ` };
		expect(await sessionOf({}, { chatted, items: [{ sessionId: UUID }] })).not.toBe(UUID);
	});
});

describe('Crypto Q&A', () => {
	const ask = async (given: Given = {}) => {
		const call = assistant('ask', { question: 'hello' });
		const { items } = await service.run(call, given);
		return items.map(({ json }) => json['chatId'] as string);
	};

	it.each(visits)('a visitor continues no chat by its ID: %s', async (_way, visit) => {
		const [chatId] = await ask();
		await ask(visit({ chatId: chatId!, sessionId: 'own' }));
		await ask({ ...visit({ sessionId: 'own' }), items: [{ chatId: chatId! }] });
		const sent = posts(service).map(({ body }) => (body as { chat_id?: string }).chat_id);
		expect(sent).toEqual([undefined, undefined, chatId]);
	});

	it('a visitor and an item of the same name have chats of their own', async () => {
		const items = [{ sessionId: PHONE }, { sessionId: UUID }, {}, { sessionId: PHONE }];
		const [phone, uuid, own, again] = await ask({ items, chatted: { sessionId: 'own' } });
		expect(new Set([phone, uuid, own]).size).toBe(3);
		expect(again).toBe(phone);
		for (const sessionId of [PHONE, UUID]) {
			const [visitor] = await ask({ items: [{ sessionId }], chatted: { sessionId } });
			expect([phone, uuid]).not.toContain(visitor);
		}
	});
});
