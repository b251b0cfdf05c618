import { randomUUID } from 'node:crypto';

import { openBridge, secretsOf, type Bridge } from './bridge.ts';
import {
	chatTrigger,
	conversationFile,
	outcomeOf,
	saidIn,
	speakersOf,
	type Outcome,
} from './conversationWorkflow.ts';
import { dataTableScopes } from './instanceOn.ts';

// speakers continue their own conversations from one execution to the next
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const textsOf = (outcome: Outcome) => saidIn(outcome).map(([, text]) => text);
const sessionsOf = ({ transcript }: Outcome) => transcript.map(({ sessionId }) => sessionId);

/** Two agents talk in a chat. @returns what a further message in a chat comes to */
async function openChat(accounts = bridge.accounts, withAssistant = false) {
	const { agent, secondAgent, assistant } = speakersOf(accounts);
	const path = randomUUID();
	const file = conversationFile(
		{
			parameters: { turnLimit: 2 },
			speakers: [agent('Ann'), withAssistant ? assistant('Market') : secondAgent('Bob')],
		},
		chatTrigger(path, 'lastNode'),
	);
	const saved = await bridge.editor.importWorkflow(file);
	await bridge.editor.activate(saved);
	let calls = 0;
	return async (sessionId: string, chatInput: string) => {
		const said = { action: 'sendMessage', sessionId, chatInput };
		const { body } = await bridge.editor.webhook(`${path}/chat`, said);
		const execution = await bridge.editor.finishedOf(saved.id, ++calls);
		return { outcome: outcomeOf(execution), execution, body };
	};
}

it('in the same chat, agents continue their sessions; another chat has its own', async () => {
	const say = await openChat();
	const [chat, other] = [randomUUID().replaceAll('-', ''), 'another chat'];
	const first = await say(chat, 'One');
	const second = await say(chat, 'Two');
	const third = await say(other, 'Three');
	// what the chat shows
	expect(first.body).toMatchObject({ output: first.outcome.output });
	expect(textsOf(first.outcome)[0]).toBe('You said: "One". This is message 1 of this session.');
	expect(textsOf(second.outcome)).toEqual([
		expect.stringContaining('You said: "Two". This is message 2 of this session'),
		expect.stringContaining('This is message 2 of this session'),
	]);
	expect(textsOf(third.outcome)[0]).toContain('This is message 1 of this session');
	expect(sessionsOf(second.outcome)).toEqual(sessionsOf(first.outcome));
	expect(new Set([...sessionsOf(first.outcome), ...sessionsOf(third.outcome)]).size).toBe(4);
	expect(second.outcome['conversationId']).toBe(first.outcome['conversationId']);
});

it('with the same key, agents continue their sessions', async () => {
	const { agent, secondAgent } = speakersOf(bridge.accounts);
	const thread = `thread ${randomUUID()}`;
	const hold = async (sessionKey: string) =>
		outcomeOf(
			await bridge.editor.runOnce(
				conversationFile({
					parameters: { turnLimit: 2, sessionMode: 'key', sessionKey },
					speakers: [agent('Ann'), secondAgent('Bob')],
				}),
			),
		);
	const [first, second, other] = [await hold(thread), await hold(thread), await hold('another')];
	expect(sessionsOf(second)).toEqual(sessionsOf(first));
	expect(textsOf(second)[1]).toContain('This is message 2 of this session');
	expect(textsOf(other)[1]).toContain('This is message 1 of this session');
});

describe('the market assistant, whose chats only its service can name', () => {
	it('continues its chat in the next execution, with a job ledger', async () => {
		const { editor, service } = bridge;
		const { assistant } = secretsOf(service);
		const account = await editor.createCredential({
			...assistant,
			data: {
				...assistant.data,
				// the table is created at its first use
				...{ useJobLedger: true, n8nUrl: editor.url, ledgerTable: `Chats ${randomUUID()}` },
				n8nApiKey: await editor.createApiKey(dataTableScopes),
			},
		});
		const say = await openChat({ ...bridge.accounts, assistant: account }, true);
		const first = await say('the chat', 'One');
		const second = await say('the chat', 'Two');
		const other = await say('another', 'Three');
		expect(textsOf(first.outcome)[1]).toContain('This is message 1 of this chat');
		expect(textsOf(second.outcome)[1]).toContain('This is message 2 of this chat');
		expect(textsOf(other.outcome)[1]).toContain('This is message 1 of this chat');
		expect(sessionsOf(second.outcome)).toEqual(sessionsOf(first.outcome));
	});

	it('begins a new one without a ledger, and says once what is missing', async () => {
		const say = await openChat(bridge.accounts, true);
		await say('the chat', 'One');
		const { outcome, execution } = await say('the chat', 'Two');
		expect(textsOf(outcome)[0]).toContain('This is message 2 of this session');
		expect(textsOf(outcome)[1]).toContain('This is message 1 of this chat');
		const hints = (execution.runData['Market'] ?? []).flatMap((run) => run.hints ?? []);
		expect(hints).toMatchObject([{ message: expect.stringContaining('Use a Job Ledger') }]);
	});
});
