import { A2aServer } from './a2aServer.ts';
import { bridgeOfFile } from './bridge.ts';
import { conversationFile, outcomeOf, sessionsAt, speakersOf } from './conversationWorkflow.ts';
import { readExample } from './example.ts';

// an agent of somebody else, by A2A: the speaker of the gallery's workflow, against a server of the protocol's own SDK
const bridge = bridgeOfFile();
let elsewhere: A2aServer;
beforeAll(async () => void (elsewhere = await A2aServer.start()));
beforeEach(() => elsewhere.clear());
afterAll(async () => await elsewhere?.stop());

it('all turns are of one context, and what an agent asks is answered in its task', async () => {
	const { nodes } = readExample('talk-to-an-agent-elsewhere-by-a2a.json');
	const speaker = nodes.find(({ name }) => name === 'Agent Elsewhere')!;
	Object.assign(speaker.parameters, { url: elsewhere.url });
	const speakers = [speaker, speakersOf(bridge.accounts).agent('Ann')];
	const opening = 'Book a room [ask]';
	const file = conversationFile({ opening, speakers, parameters: { turnLimit: 5 } });
	const outcome = outcomeOf(await bridge.editor.runOnce(file));
	expect(outcome).toMatchObject({ ended: 'turnLimit', turns: 5 });
	const [asks, answer, noted, reply, heard] = outcome.transcript;
	expect(asks).toMatchObject({
		text: 'On which day?',
		note: 'The agent needs an answer to continue.',
	});
	expect(answer?.text).toContain('You said: "On which day?"');
	expect(noted).toMatchObject({ text: `Noted: ${answer?.text}`, note: null });
	expect(reply?.text).toContain(`You said: "${noted?.text}"`);
	expect(heard?.text).toBe(`I heard "${reply?.text}". This is message 3 of this context.`);
	const { messages } = elsewhere;
	const { contextId } = messages[0]!;
	expect(contextId).toMatch(/^[\da-f-]{36}$/);
	expect(messages).toMatchObject([{ contextId }, { contextId }, { contextId }]);
	// only between the question and its answer is there a task
	expect(messages.map(({ taskId }) => typeof taskId)).toEqual(['undefined', 'string', 'undefined']);
	expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(3);
	const [session] = sessionsAt(bridge);
	expect(outcome.transcript.map(({ sessionId }) => sessionId)).toEqual([
		contextId,
		session,
		contextId,
		session,
		contextId,
	]);
});
