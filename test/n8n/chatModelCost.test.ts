import { openBridge, type Bridge } from './bridge.ts';
import { itemsOf, type Execution } from './execution.ts';
import {
	AGENT,
	calculator,
	callsOf,
	codeTool,
	publishAgent,
	routerChatModel,
	runAgent,
	textRequests,
} from './routerChatModel.ts';
import { node, type WorkflowNode } from './workflow.ts';

// what a turn of an agent costs, where it is shown, and the caps on it
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const as = 'ai_languageModel';
const ours = (parameters: Record<string, unknown> = {}, id?: string) =>
	({
		node: routerChatModel(bridge, { parameters, ...(id && { id }) }),
		as,
	}) as const;

/**
 * A node behind the agent that reads what the execution has cost. Expressions cannot: `$execution.customData` is empty there
 * (n8n 2.41.1, whose expressions run in a sandbox).
 */
const readCost = (): WorkflowNode =>
	node(
		'Cost',
		'n8n-nodes-base.code',
		{ jsCode: "return [{ json: { cost: $execution.customData.get('modelCostUsd') } }];" },
		{ typeVersion: 2 },
	);

const costsOf = (execution: Execution, name?: string) =>
	callsOf(execution, name).map(({ json }) => Number(json?.['costUsd']));
/** In whole micro-dollars. */
const sum = (costs: number[]) => Math.round(costs.reduce((all, cost) => all + cost, 0) * 1e6);

it('shows tokens, cost, request ID and model of each turn, and a later node reads the sum', async () => {
	const execution = await runAgent(bridge, {
		text: 'hello [[tool:Calculator]]',
		attached: [ours(), calculator()],
		after: [readCost()],
	});
	const calls = callsOf(execution);
	expect(calls).toHaveLength(2);
	for (const [index, { json }] of calls.entries()) {
		expect(json).toMatchObject({
			model: 'northwind/quill-2.5',
			costComputed: true,
			finishReason: index === 0 ? 'tool_calls' : 'stop',
			tokenUsage: { promptTokens: expect.any(Number), completionTokens: expect.any(Number) },
		});
		const { promptTokens, completionTokens } = json?.['tokenUsage'] as Record<string, number>;
		// USD for a million tokens: 0.5 for those that go in, 1.5 for those that come out
		expect(sum([Number(json?.['costUsd'])])).toBe(
			Math.round(promptTokens! * 0.5 + completionTokens! * 1.5),
		);
	}
	const ids = calls.map(({ json }) => json?.['requestId']);
	expect(new Set(ids).size).toBe(2);
	expect(ids[0]).toMatch(/^req-/);
	const [item] = itemsOf(execution, 'Cost');
	expect(sum([Number(item?.json['cost'])])).toBe(sum(costsOf(execution)));
	expect(execution.customData?.['modelCostUsd']).toBe(item?.json['cost']);
});

it('counts cached and hidden tokens apart', async () => {
	const execution = await runAgent(bridge, {
		text: 'one two three four [[cached:3]]',
		attached: [ours({}, 'aurora-labs/deep-reason-1')],
	});
	expect(callsOf(execution)).toMatchObject([
		{ json: { tokenUsage: { promptTokens: 5, cachedTokens: 3, reasoningTokens: 256 } } },
	]);
});

it('the sum is that of all chat models of the execution', async () => {
	const second = node(
		'Second',
		'@n8n/n8n-nodes-langchain.chainLlm',
		{ promptType: 'define', text: 'And now something else' },
		{ typeVersion: 1.9 },
	);
	const execution = await runAgent(bridge, {
		text: 'hello',
		attached: [
			ours(),
			{ node: routerChatModel(bridge, { name: 'Second Model' }), as, to: 'Second' },
		],
		after: [second, readCost()],
	});
	const all = [...costsOf(execution), ...costsOf(execution, 'Second Model')];
	expect(all).toHaveLength(2);
	expect(sum([Number(itemsOf(execution, 'Cost')[0]?.json['cost'])])).toBe(sum(all));
});

it('the sum is there in an execution behind a webhook that streams, too', async () => {
	const agent = await publishAgent(bridge, { way: 'a streaming webhook', attached: [ours()] });
	await agent.say('hello');
	const execution = await agent.execution();
	expect(sum([Number(execution.customData?.['modelCostUsd'])])).toBe(sum(costsOf(execution)));
	expect(callsOf(execution)).toMatchObject([
		{ json: { requestId: expect.any(String), tokenUsage: { completionTokens: 3 } } },
	]);
});

// n8n's agent begins with all items anew when one of them has called a tool, whatever model it has (n8n 2.41.1)
it('an item that calls a tool has the items before it asked again, and all of it is in the sum', async () => {
	const execution = await runAgent(bridge, {
		text: '={{ $json.question }}',
		items: ['one', 'two [[tool:Calculator]]'].map((question) => ({ question })),
		attached: [ours(), calculator()],
	});
	expect(itemsOf(execution, AGENT).map(({ json }) => json['output'])).toEqual([
		'You said: "one".',
		expect.stringMatching(/^The tool said: /),
	]);
	expect(textRequests(bridge)).toHaveLength(4);
	expect(sum([Number(execution.customData?.['modelCostUsd'])])).toBe(sum(costsOf(execution)));
});

it('Spending Cap per Call: a call that could cost more is not sent', async () => {
	const execution = await runAgent(bridge, {
		text: 'hello',
		attached: [ours({ spendingCapPerCall: 0.001 })],
	});
	expect(execution.error?.message).toMatch(
		/^This could cost up to \$0\.006\d+, more than the spending cap of \$0\.001\. Nothing was sent\. .*"Maximum Output Tokens".*"Spending Cap per Call"/,
	);
	expect(textRequests(bridge)).toEqual([]);
});

it('Spending Cap per Call: a lower Maximum Output Tokens makes the same call possible', async () => {
	const execution = await runAgent(bridge, {
		text: 'hello',
		attached: [ours({ spendingCapPerCall: 0.001, options: { maxTokens: 100 } })],
	});
	expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'You said: "hello".' } }]);
});

describe('Spending Cap per Execution', () => {
	/** A model that asks for a tool of which it never has enough, with long answers. */
	const endless = () => {
		bridge.service.fault({
			// what it answers depends on the body, which is read only if a rule asks for it
			match: { method: 'POST', path: 'chat/completions', bodyIncludes: '"messages"' },
			do: ({ body }) => {
				const turn = (body as { messages: unknown[] }).messages.length;
				const call = { name: 'Counter', arguments: JSON.stringify({ input: `turn ${turn}` }) };
				const calls = [{ index: 0, id: `call_${turn}`, type: 'function', function: call }];
				const delta = { role: 'assistant', content: null, tool_calls: calls };
				const usage = { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 };
				const chunks = [
					{ choices: [{ index: 0, delta, finish_reason: 'tool_calls' }] },
					{ choices: [], usage },
				];
				const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
				return {
					type: 'body',
					contentType: 'text/event-stream',
					body: `${text}data: [DONE]\n\n`,
				};
			},
		});
	};
	// a turn costs $0.002, and could cost some $0.0035
	const parameters = { spendingCapPerExecution: 0.009, options: { maxTokens: 2000 } };

	it("reached in the middle of an agent's loop: the agent stops, and nothing more is sent", async () => {
		endless();
		const execution = await runAgent(bridge, {
			text: 'hello',
			attached: [ours(parameters), codeTool('Counter')],
		});
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(
			/^The spending cap of \$0\.009 for this execution is reached\. Nothing was sent\. \$0\.006 is spent\. .*"Spending Cap per Execution"/,
		);
		expect(textRequests(bridge)).toHaveLength(3);
		expect(execution.customData?.['modelCostUsd']).toBe('0.006');
		expect(callsOf(execution).map(({ status }) => status)).toEqual([
			...['success', 'success', 'success', 'error'],
		]);
	});

	it('the chat that reaches it says so', async () => {
		endless();
		const agent = await publishAgent(bridge, {
			way: 'a streaming chat',
			attached: [ours(parameters), codeTool('Counter')],
		});
		const { error } = await agent.failure('hello');
		expect(error).toMatch(
			/^The spending cap of \$0\.009 for this execution is reached\.\nNothing was sent\./,
		);
		expect(textRequests(bridge)).toHaveLength(3);
	});

	it('all items and all tries of Retry On Fail count', async () => {
		endless();
		const execution = await runAgent(bridge, {
			text: 'hello',
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
			attached: [ours(parameters), codeTool('Counter')],
		});
		expect(execution.error?.message).toContain('The spending cap of $0.009');
		expect(textRequests(bridge)).toHaveLength(3);
	});

	it('the next execution begins at zero', async () => {
		const agent = await publishAgent(bridge, {
			attached: [ours({ ...parameters, spendingCapPerExecution: 0.0035 })],
		});
		for (const question of ['one', 'two', 'three'])
			expect(await agent.say(question)).toBe(`You said: "${question}".`);
	});
});

describe('a model without a price', () => {
	const id = 'tiny/no-price-1';

	it('is refused', async () => {
		const execution = await runAgent(bridge, { text: 'hello', attached: [ours({}, id)] });
		expect(execution.error?.message).toMatch(
			/^The cost cannot be calculated: the catalog has no price for the input tokens of this model\. Nothing was sent\. .*"Allow Unknown Cost" in Options/,
		);
		expect(textRequests(bridge)).toEqual([]);
	});

	it('with Allow Unknown Cost: is asked, and the execution says how many calls are not in the sum', async () => {
		const execution = await runAgent(bridge, {
			text: 'hello',
			attached: [ours({ options: { allowUnknownCost: true } }, id)],
		});
		expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'You said: "hello".' } }]);
		expect(execution.customData).toMatchObject({ modelCallsOfUnknownCost: '1' });
		expect(callsOf(execution)[0]?.json).not.toHaveProperty('costUsd');
	});
});
