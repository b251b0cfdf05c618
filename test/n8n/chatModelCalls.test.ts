import {
	AGENT,
	agentFile,
	calculator,
	callsOf,
	publishAgent,
	runAgent,
	textRequests,
	withModel,
} from './agent.ts';
import { bridgeOfFile } from './bridge.ts';
import { until } from './editor.ts';
import { itemsOf, type Execution } from './execution.ts';
import { node, type Attached } from './workflow.ts';
import type { Fault } from '../service/service.ts';

// the calls of our chat model: what n8n shows, stores and sends again of them
const bridge = bridgeOfFile();

const ours = (): Attached => withModel(bridge);
const posts = () => textRequests(bridge).length;
/** What goes wrong, once. */
const once = (fault: Fault) =>
	bridge.service.fault({
		// as the rules of the other answers, so that they are taken in order
		match: { method: 'POST', path: 'chat/completions', bodyIncludes: '"messages"' },
		times: 1,
		do: fault,
	});

const costsOf = (execution: Execution, name?: string) =>
	callsOf(execution, name).map(({ json }) => Number(json?.['costUsd']));
/** In whole micro-dollars. */
const sum = (costs: number[]) => Math.round(costs.reduce((all, cost) => all + cost, 0) * 1e6);

it('n8n shows tokens, cost, request ID and model of each turn, and a later node reads the sum of all chat models', async () => {
	const second = node(
		'Second',
		'@n8n/n8n-nodes-langchain.chainLlm',
		{ promptType: 'define', text: 'And now something else' },
		{ typeVersion: 1.9 },
	);
	// expressions cannot: `$execution.customData` is empty there (n8n 2.41.1, whose expressions run in a sandbox)
	const readCost = node(
		'Cost',
		'n8n-nodes-base.code',
		{ jsCode: "return [{ json: { cost: $execution.customData.get('costUsd') } }];" },
		{ typeVersion: 2 },
	);
	const execution = await runAgent(bridge, {
		text: 'hello [[tool:Calculator]]',
		attached: [
			ours(),
			calculator(),
			{ ...withModel(bridge, {}, { name: 'Second Model' }), to: 'Second' },
		],
		after: [second, readCost],
	});
	const calls = callsOf(execution);
	expect(calls.map(({ json }) => json?.['finishReason'])).toEqual(['tool_calls', 'stop']);
	for (const { json } of calls) {
		expect(json).toMatchObject({ model: 'northwind/quill-2.5', costComputed: true });
		const { promptTokens, completionTokens } = json?.['tokenUsage'] as Record<string, number>;
		// USD for a million tokens: 0.5 for those that go in, 1.5 for those that come out
		expect(sum([Number(json?.['costUsd'])])).toBe(
			Math.round(promptTokens! * 0.5 + completionTokens! * 1.5),
		);
	}
	const ids = calls.map(({ json }) => json?.['requestId']);
	expect(new Set(ids).size).toBe(2);
	expect(ids[0]).toMatch(/^req-/);
	const all = [...costsOf(execution), ...costsOf(execution, 'Second Model')];
	expect(all).toHaveLength(3);
	const [item] = itemsOf(execution, 'Cost');
	expect(sum([Number(item?.json['cost'])])).toBe(sum(all));
	expect(execution.customData?.['costUsd']).toBe(item?.json['cost']);
});

it('an answer that breaks off is a sentence in the editor, at the agent and at the model', async () => {
	const message =
		/^The answer stopped before its end\. What arrived .*charged again\. Outcome: the service received it.*Request ID: req-/;
	/** The same, and all further details. */
	const details =
		/^The answer stopped before its end\.\n[^]*may be charged\.\nWhat arrived before \(30 characters\): word1/;
	bridge.service.fault({ match: { method: 'POST' }, do: { type: 'limit_data', bytes: 1500 } });
	const execution = await runAgent(bridge, { text: '[[words:50]]', attached: [ours()] });
	expect(execution).toMatchObject({
		status: 'error',
		error: {
			message: expect.stringMatching(message),
			description: expect.stringMatching(details),
		},
	});
	expect(callsOf(execution)).toMatchObject([
		{ status: 'error', error: { message: expect.stringMatching(message) } },
	]);
	expect(posts()).toBe(1);
});

const NOT_SENT_AGAIN =
	/It was not sent again\. .*"Resend If Outcome Is Unknown" in Request Settings/;

it.each([
	[500, false],
	[500, true],
	[403, false],
])(
	'"Retry" of the execution after %d sends again only what was refused (current workflow: %s)',
	async (status, current) => {
		once({ type: 'status', status });
		const failed = await runAgent(bridge, { text: 'hello', attached: [ours()] });
		expect(failed.status).toBe('error');
		const retried = await bridge.editor.retryExecution(failed.id, current);
		if (status === 500) expect(retried.error?.message).toMatch(NOT_SENT_AGAIN);
		else expect(itemsOf(retried, AGENT)).toMatchObject([{ json: { output: expect.any(String) } }]);
		expect(posts()).toBe(status === 500 ? 1 : 2);
	},
);

describe('Stop', () => {
	it('closes the call of a later turn at the service', async () => {
		bridge.service.fault({
			match: { method: 'POST', bodyIncludes: '"role":"tool"' },
			do: { type: 'timeout', effect: true },
		});
		const { file } = agentFile({
			text: 'hello [[tool:Calculator]]',
			attached: [ours(), calculator()],
		});
		const id = await bridge.editor.start(await bridge.editor.importWorkflow(file));
		await until('the second turn is asked', () => posts() === 2);
		await bridge.editor.stopExecution(id);
		await until('the connection is closed', () => textRequests(bridge)[1]?.abandoned === true);
		expect((await bridge.editor.finished(id)).status).toBe('canceled');
		expect(posts()).toBe(2);
	});

	it('closes the call of an agent that streams', async () => {
		const agent = await publishAgent(bridge, { way: 'a streaming webhook', attached: [ours()] });
		// from now on the address is known
		await agent.say('hello');
		const caller = new AbortController();
		const reading = fetch(agent.url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(agent.body('hello [[gate]] [[words:50]]')),
			signal: caller.signal,
		}).catch(() => undefined);
		await until('the call is there', () => posts() === 2);
		const [running] = await bridge.editor.executions(agent.id);
		await bridge.editor.stopExecution(running!.id);
		await until('the connection is closed', () => textRequests(bridge)[1]?.abandoned === true);
		// n8n leaves the caller of an execution that was stopped waiting (2.41.1)
		caller.abort();
		await reading;
		expect(posts()).toBe(2);
	});
});
