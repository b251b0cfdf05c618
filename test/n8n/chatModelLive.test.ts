import { AGENT, callsOf, publishAgent, withModel, type Way } from './agent.ts';
import { bridgeOfFile } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { bubblesOf, gatedAnswer, gatedQuestion, readAlong, textOf } from './liveCaller.ts';

// the service says word n+1 only after the caller of the workflow has read word n: no clock is needed to see that it is live
const bridge = bridgeOfFile();

it.each<[Way, string, number]>([
	['a streaming webhook', 'chat', 1],
	['a streaming chat', 'responses', 4],
])('word by word to the caller of %s, with the protocol %s', async (way, protocol, before) => {
	const agent = await publishAgent(bridge, {
		way,
		attached: [withModel(bridge, { options: { protocol } })],
	});
	const chunks = await readAlong(bridge.service, agent.url, agent.body(gatedQuestion), [before]);
	expect(textOf(chunks)).toBe(gatedAnswer);
	expect(bubblesOf(chunks)).toEqual([[AGENT, gatedAnswer]]);
	const execution = await agent.execution();
	expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: gatedAnswer } }]);
	expect(callsOf(execution)).toMatchObject([
		{ json: { tokenUsage: { completionTokens: 5 }, costUsd: expect.any(Number) } },
	]);
	expect(execution.customData).toHaveProperty('costUsd');
});

it('10,000 words, none lost and none twice', async () => {
	const agent = await publishAgent(bridge, {
		attached: [withModel(bridge, { spendingCapPerCall: 5 })],
	});
	const words = (await agent.say('[[words:10000]]')).trim().split(/\s+/);
	expect(words).toEqual(Array.from({ length: 10_000 }, (_, index) => `word${index + 1}`));
});

it('callers at the same time, each with its own answer', async () => {
	const attached = [withModel(bridge)];
	const agent = await publishAgent(bridge, { way: 'a streaming webhook', attached });
	const questions = ['one', 'two', 'three', 'four'];
	const said = await Promise.all(questions.map(async (question) => await agent.say(question)));
	expect(said).toEqual(questions.map((question) => `You said: "${question}".`));
});
