import { randomUUID } from 'node:crypto';

import { bridgeOfFile, packageName } from '../n8n/bridge.ts';
import { chatModel, sayOnce } from '../n8n/agent.ts';
import {
	CONVERSATION,
	conversationFile,
	messagesTo,
	namesIn,
	outcomeOf,
	resultsOf,
	sessionsAt,
	speakersOf,
	type Talk,
} from '../n8n/conversationWorkflow.ts';
import { bubblesOf, callLive, type Chunk } from '../n8n/liveCaller.ts';
import { webhook } from '../n8n/workflow.ts';
import { describeRefusing, describeWorking, tested } from './tested.ts';

const bridge = bridgeOfFile();

const run = async (talk: Talk) => await bridge.editor.runOnce(conversationFile(talk));

/** Only credentials are chosen. */
const twoAgents = () => {
	const { agent, secondAgent } = speakersOf(bridge.accounts);
	return [agent('Ann'), secondAgent('Ben')];
};

it('the node is loaded with its inputs', async () => {
	const description = await bridge.editor.nodeType(`${packageName}.agentConversation`);
	expect(JSON.stringify(description?.['inputs'])).toMatch(/"main".*"ai_tool".*"ai_languageModel"/);
});

describeWorking('Conversation', () => {
	it('of two agents with nothing set, each in a session of its own', async () => {
		const execution = await run({ opening: 'a lighthouse', speakers: twoAgents() });
		const { transcript, ended } = outcomeOf(execution);
		expect(ended).toBe('turnLimit');
		expect(transcript.map(({ speaker }) => speaker)).toEqual(Array(3).fill(['Ann', 'Ben']).flat());
		expect(transcript.every(({ text }) => text.trim())).toBe(true);
		expect(bridge.service.received('a lighthouse')).toBeGreaterThan(0);
		const sessions = sessionsAt(bridge);
		expect(sessions).toEqual(transcript.map(({ sessionId }) => sessionId));
		expect(new Set(sessions).size).toBe(2);
	});

	it('of all kinds of speakers, in the order in which they are connected', async () => {
		const { agent, assistant, model, response } = speakersOf(bridge.accounts);
		const execution = await run({
			speakers: [model('Model'), agent('Ann'), assistant('Market'), response('Response')],
		});
		const [result] = resultsOf(execution);
		expect(namesIn(result!)).toEqual(['Model', 'Ann', 'Market', 'Response', 'Model', 'Ann']);
	});

	it('with a moderator', async () => {
		for (const answer of ['Ben', 'Ann', 'DONE']) sayOnce(bridge, answer);
		const execution = await run({
			parameters: { turnOrder: 'moderator' },
			speakers: twoAgents(),
			moderator: await chatModel(bridge, 'Moderator'),
		});
		const [result] = resultsOf(execution);
		expect(result).toMatchObject({ ended: 'moderator' });
		expect(namesIn(result!)).toEqual(['Ben', 'Ann']);
	});

	it('in which all get the same message, and of which a model makes a result', async () => {
		sayOnce(bridge, '{"day":"Friday"}');
		const execution = await run({
			parameters: {
				turnOrder: 'sameMessage',
				turnLimit: 3,
				options: { resultSchema: { type: 'object', required: ['day'] } },
			},
			speakers: twoAgents(),
			moderator: await chatModel(bridge, 'Moderator'),
		});
		const [result] = resultsOf(execution);
		expect(result).toMatchObject({ ended: 'turnLimit', turns: 3, result: { day: 'Friday' } });
		const [, ben] = result!.transcript;
		expect(messagesTo(bridge).slice(0, 3)).toEqual(['Hello', 'Hello', ben?.text]);
	});

	it('in which a speaker fails returns the turns so far', async () => {
		bridge.service.fault({
			match: { method: 'POST', path: 'ws-2' },
			do: { type: 'status', status: 401 },
		});
		const execution = await run({ speakers: twoAgents() });
		const [result] = resultsOf(execution);
		expect(result).toMatchObject({ ended: 'speakerFailed', failure: { speaker: 'Ben', turn: 2 } });
		expect(namesIn(result!)[0]).toBe('Ann');
		expect(sessionsAt(bridge)).toHaveLength(2);
	});

	it('is written to the caller of a streaming webhook, turn by turn, each once', async () => {
		const path = randomUUID();
		const opening = { openingMessageSource: 'define', openingMessage: '={{ $json.body.q }}' };
		const talk = { parameters: { ...opening, turnLimit: 4 }, speakers: twoAgents() };
		const saved = await bridge.editor.publish(conversationFile(talk, webhook(path)));
		const chunks: Chunk[] = [];
		for await (const chunk of callLive(`${bridge.editor.url}/webhook/${path}`, { q: 'Hello' }))
			chunks.push(chunk);
		const { transcript } = outcomeOf(await bridge.editor.finishedOf(saved.id));
		expect(transcript).toHaveLength(4);
		expect(bubblesOf(chunks).map(([, text]) => text)).toEqual(
			transcript.map(({ speaker, text }) => `**${speaker}:**\n\n${text}`),
		);
	});
});

describeRefusing('a conversation', () => {
	it('is refused in one sentence', async () => {
		const execution = await run({ speakers: twoAgents() });
		expect(execution.error?.message).toBe(`This node needs n8n ${tested.refuses} or newer`);
		expect(execution.runData[CONVERSATION]).toHaveLength(1);
		expect(bridge.service.requests).toEqual([]);
	});
});
