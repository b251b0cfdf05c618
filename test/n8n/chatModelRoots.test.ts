import { model, openBridge, type Bridge } from './bridge.ts';
import { sayOnce } from './chatModel.ts';
import { conversationFile, outcomeOf, speakersOf } from './conversationWorkflow.ts';
import { itemsOf } from './execution.ts';
import {
	AGENT,
	callsOf,
	MODEL,
	publishAgent,
	routerChatModel,
	runAgent,
	textRequests,
	type AttachedNode,
} from './routerChatModel.ts';
import { node } from './workflow.ts';

// what else takes a chat model: the Model Selector, a fallback model, the moderator of a conversation
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const as = 'ai_languageModel';
const OTHER = 'northwind/quill-mini';
const asked = () => textRequests(bridge).map(({ body }) => (body as { model: string }).model);

describe('Model Selector', () => {
	const rule = (modelIndex: number, kind: string) => ({
		modelIndex,
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
			combinator: 'and',
			conditions: [
				{
					id: kind,
					leftValue: '={{ $json.kind }}',
					rightValue: kind,
					operator: { type: 'string', operation: 'equals' },
				},
			],
		},
	});
	const selected = (): AttachedNode[] => [
		{
			node: node('Selector', '@n8n/n8n-nodes-langchain.modelSelector', {
				numberInputs: 2,
				rules: { rule: [rule(1, 'short'), rule(2, 'long')] },
			}),
			as,
		},
		{ node: routerChatModel(bridge, { name: 'One', id: OTHER }), as, to: 'Selector' },
		{ node: routerChatModel(bridge, { name: 'Two' }), as, to: 'Selector', index: 1 },
	];

	it.each([
		['short', OTHER, 'One', 'Two'],
		['long', 'northwind/quill-2.5', 'Two', 'One'],
	])('%s: asks %s', async (kind, id, chosen, other) => {
		const execution = await runAgent(bridge, {
			text: 'hello',
			items: [{ kind }],
			attached: selected(),
		});
		expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'You said: "hello".' } }]);
		expect(asked()).toEqual([id]);
		expect(callsOf(execution, chosen)).toMatchObject([
			{ json: { model: id, costUsd: expect.any(Number) } },
		]);
		expect(callsOf(execution, other)).toEqual([]);
	});
});

describe('Enable Fallback Model', () => {
	const two = (): AttachedNode[] => [
		{ node: routerChatModel(bridge), as },
		{ node: routerChatModel(bridge, { name: 'Fallback', id: OTHER }), as, index: 1 },
	];
	const parameters = { needsFallback: true };
	const refuse = () =>
		bridge.service.fault({
			match: { method: 'POST', bodyIncludes: 'quill-2.5' },
			do: { type: 'status', status: 403, body: { error: { code: 'no', message: 'no' } } },
		});

	it('the second model answers what the first one refuses', async () => {
		refuse();
		const execution = await runAgent(bridge, { text: 'hello', parameters, attached: two() });
		expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'You said: "hello".' } }]);
		expect(asked()).toEqual(['northwind/quill-2.5', OTHER]);
		expect(callsOf(execution)).toMatchObject([{ status: 'error' }]);
		expect(callsOf(execution, 'Fallback')).toMatchObject([{ json: { model: OTHER } }]);
	});

	it('the same behind a webhook that streams', async () => {
		refuse();
		const agent = await publishAgent(bridge, {
			way: 'a streaming webhook',
			parameters,
			attached: two(),
		});
		expect(await agent.say('hello')).toBe('You said: "hello".');
		expect(asked()).toEqual(['northwind/quill-2.5', OTHER]);
	});

	// n8n decides it, and asks after every failure. "Fallback Models" of the node asks only where nothing was started.
	it('the second model is asked even if the first call may be charged, and the sum says that one is not in it', async () => {
		bridge.service.fault({
			match: { method: 'POST', bodyIncludes: 'quill-2.5' },
			do: { type: 'status', status: 500 },
		});
		const execution = await runAgent(bridge, { text: 'hello', parameters, attached: two() });
		expect(asked()).toEqual(['northwind/quill-2.5', OTHER]);
		expect(execution.customData).toMatchObject({
			modelCallsOfUnknownCost: '1',
			modelCostUsd: expect.any(String),
		});
	});

	it('a model that answers leaves the second one alone', async () => {
		await runAgent(bridge, { text: 'hello', parameters, attached: two() });
		expect(asked()).toEqual(['northwind/quill-2.5']);
	});
});

const withOwnFallback = (): AttachedNode => {
	const fallbackModels = { fallback: [{ model: model(OTHER) }] };
	return { node: routerChatModel(bridge, { parameters: { options: { fallbackModels } } }), as };
};

it('Fallback Models of the node itself: the next one after a refusal, and the output names both', async () => {
	bridge.service.fault({
		match: { method: 'POST', bodyIncludes: 'quill-2.5' },
		do: {
			type: 'status',
			status: 404,
			body: { error: { code: 'model_not_found', message: 'no' } },
		},
	});
	const execution = await runAgent(bridge, { text: 'hello', attached: [withOwnFallback()] });
	expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'You said: "hello".' } }]);
	expect(asked()).toEqual(['northwind/quill-2.5', OTHER]);
	expect(callsOf(execution)).toMatchObject([
		{
			json: {
				model: OTHER,
				refusedBy: [{ model: 'northwind/quill-2.5', reason: expect.stringContaining('404') }],
			},
		},
	]);
});

it('Fallback Models of the node itself: none is asked after a failure that may be charged', async () => {
	bridge.service.fault({ match: { method: 'POST' }, do: { type: 'status', status: 500 } });
	const execution = await runAgent(bridge, { text: 'hello', attached: [withOwnFallback()] });
	expect(execution.status).toBe('error');
	expect(asked()).toEqual(['northwind/quill-2.5']);
});

it('the moderator of an Agent Conversation', async () => {
	for (const answer of ['Bob', 'Ann', 'DONE']) sayOnce(bridge, answer);
	const { agent, secondAgent } = speakersOf(bridge.accounts);
	const execution = await bridge.editor.runOnce(
		conversationFile({
			parameters: { turnOrder: 'moderator', turnLimit: 9 },
			speakers: [agent('Ann'), secondAgent('Bob')],
			moderator: routerChatModel(bridge),
		}),
	);
	const { ended, transcript } = outcomeOf(execution);
	expect(ended).toBe('moderator');
	expect(transcript.map(({ speaker }) => speaker)).toEqual(['Bob', 'Ann']);
	expect(callsOf(execution, MODEL).map(({ json }) => json?.['requestId'])).toEqual(
		Array(3).fill(expect.any(String)),
	);
});
