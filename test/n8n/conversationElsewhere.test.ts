import { A2aServer } from './a2aServer.ts';
import { bridgeOfFile } from './bridge.ts';
import {
	conversationFile,
	outcomeOf,
	saidIn,
	sessionsAt,
	speakersOf,
	type Outcome,
} from './conversationWorkflow.ts';
import { readExample } from './example.ts';

// an agent of somebody else, by A2A: the speaker of the gallery's workflow, against a server of the protocol's own SDK
const bridge = bridgeOfFile();
let elsewhere: A2aServer;
beforeAll(async () => void (elsewhere = await A2aServer.start()));
beforeEach(() => elsewhere.clear());
afterAll(async () => await elsewhere?.stop());

/** Holds a conversation with it. */
async function hold(opening: string, turnLimit: number): Promise<Outcome> {
	const { nodes } = readExample('talk-to-an-agent-elsewhere-by-a2a.json');
	const speaker = nodes.find(({ name }) => name === 'Agent Elsewhere')!;
	Object.assign(speaker.parameters, { url: elsewhere.url });
	const speakers = [speaker, speakersOf(bridge.accounts).agent('Ann')];
	const file = conversationFile({ opening, speakers, parameters: { turnLimit } });
	return outcomeOf(await bridge.editor.runOnce(file));
}

it('two turns are of one context, and the answers reach the others', async () => {
	const outcome = await hold('Hello', 4);
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

it('an agent that needs input asks, and the next message goes to its task', async () => {
	const outcome = await hold('Book a room [ask]', 5);
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
