import { bridgeOfFile, nodesFor } from '../n8n/bridge.ts';
import { itemsOf } from '../n8n/execution.ts';
import { readAlong, gatedAnswer, gatedQuestion, textOf } from '../n8n/liveCaller.ts';
import {
	AGENT,
	callsOf,
	publishAgent,
	routerChatModel,
	runAgent,
	textRequests,
	TEXT_MODEL,
} from '../n8n/agent.ts';
import { asTool, node } from '../n8n/workflow.ts';
import { describeRefusing, describeWorking, tested } from './tested.ts';

const bridge = bridgeOfFile();

const attached = () => [{ node: routerChatModel(bridge), as: 'ai_languageModel' as const }];

/** Asks n8n's simplest node that uses a model, as the oldest version has it. */
const askChain = async () => {
	const parameters = { promptType: 'define', text: 'a lighthouse' };
	const root = node(AGENT, '@n8n/n8n-nodes-langchain.chainLlm', parameters, { typeVersion: 1.4 });
	return await runAgent(bridge, { root, attached: attached() });
};
/** As the oldest version has it. */
const older = { typeVersion: 3 };

const ofOneCall = {
	status: 'success',
	json: expect.objectContaining({
		model: TEXT_MODEL,
		tokenUsage: expect.objectContaining({
			promptTokens: expect.any(Number),
			completionTokens: expect.any(Number),
		}),
		costUsd: expect.any(Number),
		requestId: expect.any(String),
	}),
};

describeWorking('Chat model', () => {
	it('answers a chain, in one call', async () => {
		const execution = await askChain();
		expect(execution.error?.message).toBeUndefined();
		expect(itemsOf(execution, AGENT)[0]?.json['text']).toContain('a lighthouse');
		expect(textRequests(bridge)).toHaveLength(1);
		expect(callsOf(execution)).toMatchObject([ofOneCall]);
		expect(Number(execution.customData?.['costUsd'])).toBeGreaterThan(0);
	});

	it('answers an AI agent word by word, in one call', async () => {
		const way = 'a streaming webhook';
		const agent = await publishAgent(bridge, { way, settings: older, attached: attached() });
		// the service's first piece is the role
		const chunks = await readAlong(bridge.service, agent.url, agent.body(gatedQuestion), [1]);
		expect(textOf(chunks)).toBe(gatedAnswer);
		expect(textRequests(bridge)).toHaveLength(1);
		expect(callsOf(await agent.execution())).toMatchObject([ofOneCall]);
	});

	it('lets an AI agent call a tool, in two calls', async () => {
		const tool = nodesFor(bridge.accounts).agent('Tool', ['message', 'send'], {
			message: "={{ $fromAI('question', 'What to ask', 'string') }}",
		});
		const execution = await runAgent(bridge, {
			text: 'hello [[tool:Tool]]',
			settings: older,
			attached: [...attached(), { node: asTool(tool), as: 'ai_tool' }],
		});
		expect(execution.error?.message).toBeUndefined();
		expect(itemsOf(execution, AGENT)[0]?.json['output']).toMatch(/^The tool said: .*hello/);
		expect(textRequests(bridge)).toHaveLength(2);
		expect(callsOf(execution)).toMatchObject([ofOneCall, ofOneCall]);
	});

	it('says why a call failed, which is not repeated', async () => {
		bridge.service.fault({ match: { method: 'POST' }, do: { type: 'status', status: 401 } });
		const { error } = await askChain();
		expect(error?.message).toMatch(/key/i);
		expect(textRequests(bridge)).toHaveLength(1);
	});
});

describeRefusing('the chat model', () => {
	it('says at once which version it needs', async () => {
		const { error } = await askChain();
		expect(error?.message).toBe(`This node needs n8n ${tested.refuses} or newer`);
		expect(bridge.service.requests).toEqual([]);
	});
});
