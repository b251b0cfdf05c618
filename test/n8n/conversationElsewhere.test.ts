import { createServer } from 'node:http';

import { listen } from '../service/listen.ts';
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

/** The gallery's speaker. @param version What its user enters in the header */
function speakerAt(url: string, version: string) {
	const { nodes } = readExample('talk-to-an-agent-elsewhere-by-a2a.json');
	const speaker = nodes.find(({ name }) => name === 'Agent Elsewhere')!;
	const headerParameters = { parameters: [{ name: 'A2A-Version', value: version }] };
	Object.assign(speaker.parameters, { url, headerParameters });
	return speaker;
}

it('an agent that speaks A2A 1.0 is asked in its version, which the header says, too', async () => {
	const asked: unknown[] = [];
	// refuses and answers as the SDK does (@a2a-js/sdk 1.3.0)
	const server = createServer((request, response) => {
		void request.toArray().then((chunks) => {
			const { method, params, id } = JSON.parse(Buffer.concat(chunks).toString()) as {
				method: string;
				params: { message: { contextId: string } };
				id: number;
			};
			const { contextId } = params.message;
			const says = { messageId: 'm-1', role: 'ROLE_AGENT', parts: [{ text: 'On Tuesday.' }] };
			const isKnown = request.headers['a2a-version'] === '1.0';
			const answer = isKnown
				? { result: { message: { ...says, contextId } } }
				: { error: { code: -32009, message: 'The version is not supported' } };
			asked.push({ method, params });
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
		});
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	const speakers = [speakerAt(url, '1.0'), speakersOf(bridge.accounts).agent('Ann')];
	const file = conversationFile({ opening: 'When?', speakers, parameters: { turnLimit: 2 } });
	const outcome = outcomeOf(await bridge.editor.runOnce(file));
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
	expect(outcome.transcript[0]).toMatchObject({ text: 'On Tuesday.', note: null });
	const message = { role: 'ROLE_USER', parts: [{ text: 'When?' }] };
	expect(asked).toMatchObject([{ method: 'SendMessage', params: { message } }]);
});

it('all turns are of one context, and what an agent asks is answered in its task', async () => {
	const speakers = [speakerAt(elsewhere.url, '0.3'), speakersOf(bridge.accounts).agent('Ann')];
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
