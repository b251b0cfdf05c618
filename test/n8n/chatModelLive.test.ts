import { openBridge, type Bridge } from './bridge.ts';
import { sayOnce } from './chatModel.ts';
import { itemsOf } from './execution.ts';
import { callLive } from './liveCaller.ts';
import { bubblesOf, gatedAnswer, gatedQuestion, readAlong, textOf } from './liveTurns.ts';
import {
	AGENT,
	calculator,
	callsOf,
	publishAgent,
	routerChatModel,
	textRequests,
	type AttachedNode,
	type Way,
} from './routerChatModel.ts';

// the service says word n+1 only after the caller of the workflow has read word n: no clock is needed to see that it is live
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const ours = (parameters: Record<string, unknown> = {}): AttachedNode => ({
	node: routerChatModel(bridge, { parameters }),
	as: 'ai_languageModel',
});

const ways: Way[] = ['a streaming webhook', 'a streaming chat'];

describe.each(ways)('word by word to the caller of %s', (way) => {
	it.each([
		['chat', 1],
		['responses', 4],
	])('with the protocol %s', async (protocol, piecesBefore) => {
		const agent = await publishAgent(bridge, { way, attached: [ours({ options: { protocol } })] });
		const chunks = await readAlong(bridge.service, agent.url, agent.body(gatedQuestion), [
			piecesBefore,
		]);
		expect(textOf(chunks)).toBe(gatedAnswer);
		expect(bubblesOf(chunks)).toEqual([[AGENT, gatedAnswer]]);
		const execution = await agent.execution();
		expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: gatedAnswer } }]);
		expect(callsOf(execution)).toMatchObject([
			{ json: { tokenUsage: { completionTokens: 5 }, costUsd: expect.any(Number) } },
		]);
	});

	it('an answer that is one piece, and one that is empty', async () => {
		const agent = await publishAgent(bridge, { way, attached: [ours()] });
		sayOnce(bridge, 'All at once.');
		expect(await agent.say('hello')).toBe('All at once.');
		sayOnce(bridge, '');
		expect(await agent.say('hello')).toBe('');
	});

	it('the answer after a tool streams, and the turn before it writes nothing', async () => {
		const agent = await publishAgent(bridge, { way, attached: [ours(), calculator()] });
		const chunks = [];
		for await (const chunk of callLive(agent.url, agent.body('hello [[tool:Calculator]]')))
			chunks.push(chunk);
		const bubbles = bubblesOf(chunks).filter(([, text]) => text);
		expect(bubbles).toEqual([[AGENT, expect.stringMatching(/^The tool said: /)]]);
		expect(textRequests(bridge)).toHaveLength(2);
	});

	it('10,000 words, none lost and none twice', async () => {
		const agent = await publishAgent(bridge, { way, attached: [ours({ spendingCapPerCall: 5 })] });
		const said = await agent.say('[[words:10000]]');
		const words = said.trim().split(/\s+/);
		expect(words).toHaveLength(10_000);
		expect(words[0]).toBe('word1');
		expect(words.at(-1)).toBe('word10000');
		expect(new Set(words).size).toBe(10_000);
	});
});

it('two callers at the same time, each with its own answer', async () => {
	const agent = await publishAgent(bridge, { way: 'a streaming webhook', attached: [ours()] });
	const questions = ['one', 'two', 'three', 'four'];
	const said = await Promise.all(questions.map(async (question) => await agent.say(question)));
	expect(said).toEqual(questions.map((question) => `You said: "${question}".`));
});
