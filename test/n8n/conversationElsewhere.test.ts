import { randomUUID } from 'node:crypto';

import { A2aServer } from './a2aServer.ts';
import { bridgeOfFile } from './bridge.ts';
import {
	conversationFile,
	messagesTo,
	namesIn,
	outcomeOf,
	saidIn,
	sessionsAt,
	speakersOf,
	type Talk,
} from './conversationWorkflow.ts';
import { readExample } from './example.ts';

// an agent of somebody else, by A2A: the speaker of the gallery's workflow, against a server of the protocol's own SDK
const bridge = bridgeOfFile();
let elsewhere: A2aServer;
beforeAll(async () => {
	elsewhere = await A2aServer.start();
});
beforeEach(() => elsewhere.clear());
afterAll(async () => await elsewhere?.stop());

const agentElsewhere = (name = 'Agent Elsewhere') => {
	const { nodes } = readExample('talk-to-an-agent-elsewhere-by-a2a.json');
	const node = nodes.find((each) => each.name === 'Agent Elsewhere')!;
	return {
		...{ ...node, id: randomUUID(), name },
		parameters: { ...node.parameters, url: elsewhere.url } as Record<string, unknown>,
	};
};
const ann = () => speakersOf(bridge.accounts).agent('Ann');
const run = async (talk: Partial<Talk>) =>
	await bridge.editor.runOnce(
		conversationFile({
			...{ speakers: [agentElsewhere(), ann()], parameters: { turnLimit: 4 } },
			...talk,
		}),
	);
const hold = async (talk: Partial<Talk> = {}) => outcomeOf(await run(talk));

it('two turns are of one context, and the answers reach the others', async () => {
	const outcome = await hold();
	const said = saidIn(outcome);
	expect(outcome).toMatchObject({ ended: 'turnLimit', turns: 4 });
	expect(said).toEqual([
		['Agent Elsewhere', 'I heard "Hello". This is message 1 of this context.'],
		['Ann', expect.stringContaining('You said: "I heard')],
		['Agent Elsewhere', `I heard "${said[1]?.[1]}". This is message 2 of this context.`],
		['Ann', expect.stringContaining('message 2 of this session')],
	]);
	const [first, second] = elsewhere.messages;
	expect(elsewhere.messages).toHaveLength(2);
	expect(first?.contextId).toMatch(/^[\da-f-]{36}$/);
	expect(second?.contextId).toBe(first?.contextId);
	expect(second?.messageId).not.toBe(first?.messageId);
	const ids = outcome.transcript.map(({ sessionId }) => sessionId);
	expect(ids).toEqual([first?.contextId, sessionsAt(bridge)[0], ids[0], ids[1]]);
});

it('it is continued in the same context by the same key, and another conversation is not', async () => {
	const contextOf = async (sessionKey: string) => {
		elsewhere.clear();
		await hold({ parameters: { turnLimit: 1, sessionMode: 'key', sessionKey } });
		messageIds.add(elsewhere.messages[0]?.messageId);
		return elsewhere.messages[0]?.contextId;
	};
	const messageIds = new Set<unknown>();
	const [one, again, other] = [await contextOf('a'), await contextOf('a'), await contextOf('b')];
	expect([again === one, other === one]).toEqual([true, false]);
	// the agent would take a message with the same ID for the same message
	expect(messageIds.size).toBe(3);
});

it('an agent that needs input asks, and the next message goes to its task', async () => {
	const outcome = await hold({ opening: 'Book a room [ask]', parameters: { turnLimit: 5 } });
	const [asks, answer, noted] = outcome.transcript;
	expect(asks).toMatchObject({
		text: 'On which day?',
		note: 'The agent needs an answer to continue.',
	});
	expect(answer?.text).toContain('You said: "On which day?"');
	expect(noted).toMatchObject({ text: `Noted: ${answer?.text}`, note: null });
	const [first, second, third] = elsewhere.messages;
	expect(first).not.toHaveProperty('taskId');
	expect(second).toMatchObject({ taskId: expect.any(String), contextId: first?.contextId });
	// the task is done
	expect(third).not.toHaveProperty('taskId');
	expect(third?.contextId).toBe(first?.contextId);
});

it.each([
	['fails', '[fail]', 'The task of the agent is "failed": I am out of order.'],
	['is not done', '[work]', 'The task of the agent is "working"'],
])(
	'an agent that %s ends the conversation, and is not asked again',
	async (_what, opening, error) => {
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const outcome = await hold({ opening, settings });
		expect(outcome).toMatchObject({
			...{ ended: 'speakerFailed', turns: 1 },
			failure: { speaker: 'Agent Elsewhere', error },
		});
		expect(elsewhere.messages).toHaveLength(1);
		expect(messagesTo(bridge)).toEqual([]);
	},
);

it('an error of the protocol is a failure, and with Skip the others go on', async () => {
	const wrong = agentElsewhere();
	const { parameters } = wrong;
	const jsonBody = String(parameters['jsonBody']).replace("'message/send'", "'message/nothing'");
	const outcome = await hold({
		speakers: [{ ...wrong, parameters: { ...parameters, jsonBody } }, ann()],
		parameters: { turnLimit: 2, options: { onFailure: 'skip' } },
	});
	expect(namesIn(outcome)).toEqual(['(Agent Elsewhere)', 'Ann']);
	expect(outcome.transcript[0]?.note).toMatch(/^Failed: Method not found/);
	expect(elsewhere.messages).toEqual([]);
});

it('two agents elsewhere have a context each', async () => {
	await hold({ speakers: [agentElsewhere('One'), agentElsewhere('Other')] });
	const [one, other, ...again] = elsewhere.messages.map(({ contextId }) => contextId);
	expect(one).not.toBe(other);
	expect(again).toEqual([one, other]);
});
