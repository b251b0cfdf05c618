import { randomUUID } from 'node:crypto';

import { openBridge, type Bridge } from './bridge.ts';
import { chatModel } from './chatModel.ts';
import {
	agentTool,
	chatTrigger,
	codeTool,
	CONVERSATION,
	conversationFile,
	outcomeOf,
	speakersOf,
	streamingWebhook,
	type Talk,
} from './conversationWorkflow.ts';
import { callLive, type Chunk } from './liveCaller.ts';
import { bubblesOf, gatedAnswer, gatedQuestion, readAlong, textOf } from './liveTurns.ts';

// as in live.test.ts, the service says word n+1 only after the caller has read word n
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const code = "return 'The code has counted ' + query.length + ' characters.';";

/** How a streamed conversation is called. */
type Way = 'a streaming webhook' | 'a chat';

/** Publishes a conversation whose speakers are all told the opening message. @returns its address, its body and its executions */
async function published(way: Way, talk: Talk) {
	const path = randomUUID();
	const file = conversationFile(
		{ ...talk, parameters: { options: { hearing: 'all' }, ...talk.parameters } },
		way === 'a chat' ? chatTrigger(path, 'streaming') : streamingWebhook(path),
	);
	if (way !== 'a chat') {
		const { parameters } = file.nodes.find(({ name }) => name === CONVERSATION)!;
		const openingMessage = '={{ $json.body.chatInput }}';
		Object.assign(parameters, { openingMessageSource: 'define', openingMessage });
	}
	const saved = await bridge.editor.importWorkflow(file);
	await bridge.editor.activate(saved);
	const say = { action: 'sendMessage', sessionId: randomUUID() };
	return {
		url: `${bridge.editor.url}/webhook/${path}${way === 'a chat' ? '/chat' : ''}`,
		body: (chatInput: string) => ({ ...say, chatInput }),
		outcome: async () => outcomeOf(await bridge.editor.finishedOf(saved.id)),
	};
}

describe.each<Way>(['a streaming webhook', 'a chat'])('to the caller of %s', (way) => {
	it('each turn as it is spoken, one after the other, with the name of the speaker', async () => {
		const { agent, assistant, model, response } = speakersOf(bridge.accounts);
		const { url, body, outcome } = await published(way, {
			speakers: [
				agent('Ann'),
				assistant('Market'),
				model('Model'),
				response('Response'),
				agentTool('Agent Tool'),
				codeTool('Code', code),
			],
			attached: [
				{ node: await chatModel(bridge, 'Chat Model'), to: 'Agent Tool', as: 'ai_languageModel' },
			],
		});
		const chunks = await readAlong(bridge.service, url, body(gatedQuestion), [0, 3, 1, 4, 1]);
		const { transcript, ended } = await outcome();
		expect(ended).toBe('turnLimit');
		expect(transcript.map(({ text }) => text).slice(0, 5)).toEqual(Array(5).fill(gatedAnswer));
		expect(bubblesOf(chunks).filter(([, text]) => text)).toEqual([
			['Ann', `**Ann:**\n\n${gatedAnswer}`],
			['Market', `**Market:**\n\n${gatedAnswer}`],
			['Model', `**Model:**\n\n${gatedAnswer}`],
			['Response', `**Response:**\n\n${gatedAnswer}`],
			// n8n's agent writes its answer itself, without its name
			[CONVERSATION, '**Agent Tool:**\n\n'],
			['Agent Tool', gatedAnswer],
			[CONVERSATION, `**Code:**\n\n${transcript[5]?.text}`],
		]);
		expect(transcript[5]?.text).toMatch(/^The code has counted/);
	});
});

it('the text of a tool that does not stream comes right after its turn, before the next one is over', async () => {
	const { url, body } = await published('a chat', {
		parameters: { turnLimit: 2 },
		speakers: [codeTool('Code', code), speakersOf(bridge.accounts).agent('Ann')],
	});
	const names: string[] = [];
	for await (const chunk of callLive(url, body(gatedQuestion))) {
		const named = /\*\*(\w+):/.exec(chunk.content ?? '')?.[1];
		if (named) names.push(named);
		// Ann is still speaking
		if (named === 'Ann') bridge.service.step(100);
	}
	expect(names).toEqual(['Code', 'Ann']);
});

it('with Hide Turns, nothing is written live, not even by our own speakers', async () => {
	const { agent, assistant, model } = speakersOf(bridge.accounts);
	const { url, body, outcome } = await published('a streaming webhook', {
		parameters: { turnLimit: 4, options: { hideTurns: true } },
		speakers: [agent('Ann'), assistant('Market'), model('Model'), codeTool('Code', code)],
	});
	const chunks: Chunk[] = [];
	for await (const chunk of callLive(url, body(gatedQuestion.replace('[[gate]]', ''))))
		chunks.push(chunk);
	expect(textOf(chunks)).toBe('');
	expect((await outcome()).transcript.map(({ text }) => text).slice(0, 3)).toEqual(
		Array(3).fill(gatedAnswer),
	);
});
