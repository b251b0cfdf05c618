import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { agent, assistant, posts, secretsOf } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// a visitor of a public chat writes all that the Chat Trigger hands over: no session of anybody else is reached by it
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const UUID = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
const HEX = UUID.replaceAll('-', '');
const PHONE = '+49 170 1234567';

type Given = Partial<Pick<RunOptions, 'items' | 'chatted' | 'replied'>>;

/** What an item says, and how a visitor says the same: directly, through other nodes, and in a chat that goes on. */
const byItem = (item: IDataObject): Given => ({ items: [item] });
const visits: Array<[string, (said: IDataObject) => Given]> = [
	['directly', (said) => ({ chatted: said, items: [said] })],
	['through other nodes', (said) => ({ chatted: said, items: [{ ...said, more: 1 }] })],
	['in its answer to a Chat node', (said) => ({ chatted: {}, replied: said, items: [said] })],
];

/** Each node that has sessions: which session, chat or conversation it uses. */
const nodes: Record<string, (parameters: INodeParameters, given: Given) => Promise<unknown>> = {
	async 'Workspace Agent'(parameters, given) {
		const options = { ...agent({ message: 'hello', ...parameters }), ...given };
		return (await run({ ...options, secrets: secretsOf(service) })).items[0]?.json['sessionId'];
	},
	async 'Agent Conversation'(parameters, given) {
		const node = { node: 'agentConversation', credential: '', secrets: {} };
		const conversation = {
			openingMessageSource: 'define',
			openingMessage: 'hello',
			turnLimit: 1,
			...parameters,
		};
		const { items } = await run({
			...node,
			parameters: conversation,
			...given,
			withSpeakers: true,
		});
		return items[0]?.json['conversationId'];
	},
};

describe.each(Object.entries(nodes))('%s', (_node, sessionOf) => {
	const byKey = async (sessionKey: string) =>
		await sessionOf({ sessionMode: 'key', sessionKey }, {});

	it.each(visits)('a visitor reaches no session of others: %s', async (_way, visit) => {
		const sessions = [
			await byKey(PHONE),
			await sessionOf({}, byItem({ sessionId: PHONE })),
			await sessionOf({}, visit({ sessionId: PHONE })),
			await byKey(UUID),
			await sessionOf({}, byItem({ sessionId: UUID })),
			await sessionOf({}, visit({ sessionId: UUID })),
		];
		expect(new Set(sessions).size).toBe(sessions.length);
		expect(sessions).toEqual(sessions.map(() => expect.stringMatching(/^[0-9a-f-]{36}$/)));
	});

	it.each(visits)('a visitor continues its own: %s', async (_way, visit) => {
		const own = await sessionOf({}, visit({ sessionId: HEX }));
		expect(await sessionOf({}, visit({ sessionId: HEX }))).toBe(own);
		// behind nodes that leave the session out
		expect(await sessionOf({}, { chatted: { sessionId: HEX }, items: [{}] })).toBe(own);
	});

	it('the session of an earlier answer goes on', async () => {
		const given = { chatted: { sessionId: PHONE }, items: [{ sessionId: HEX }] };
		expect(await sessionOf({}, given)).toBe(UUID);
		const spelled = {
			chatted: { sessionId: ` ${HEX.toUpperCase()} ` },
			items: [{ sessionId: UUID }],
		};
		expect(await sessionOf({}, spelled)).not.toBe(UUID);
	});
});

describe('Market Assistant', () => {
	const ask = async (parameters: INodeParameters, given: Given) =>
		await run({
			...assistant('ask', { question: 'hello', ...parameters }),
			secrets: secretsOf(service),
			...given,
		});
	const chatSent = () => (posts(service).at(-1)?.body as { chat_id?: string }).chat_id;

	it.each(visits)('a visitor continues no chat by its ID: %s', async (_way, visit) => {
		const { items } = await ask({}, {});
		const chatId = items[0]!.json['chatId'] as string;
		await ask({}, visit({ chatId, sessionId: 'own' }));
		expect(chatSent()).toBeUndefined();
		await ask({}, { ...visit({ sessionId: 'own' }), items: [{ chatId }] });
		expect(chatSent()).toBe(chatId);
	});

	it('a visitor and an item of the same name have chats of their own', async () => {
		const items = [{ sessionId: PHONE }, { sessionId: UUID }, {}, { sessionId: PHONE }];
		const { items: given } = await ask({}, { items, chatted: { sessionId: 'own' } });
		const [phone, uuid, own, again] = given.map(({ json }) => json['chatId']);
		expect(new Set([phone, uuid, own]).size).toBe(3);
		expect(again).toBe(phone);
		for (const sessionId of [PHONE, UUID]) {
			const visitors = await ask({}, { items: [{ sessionId }], chatted: { sessionId } });
			expect([phone, uuid]).not.toContain(visitors.items[0]?.json['chatId']);
		}
	});
});
