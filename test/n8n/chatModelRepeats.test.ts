import type { Fault } from '../service/service.ts';
import { openBridge, type Bridge } from './bridge.ts';
import { callWith, sayOnce } from './chatModel.ts';
import { until } from './editor.ts';
import { itemsOf } from './execution.ts';
import {
	AGENT,
	agentFile,
	calculator,
	callsOf,
	publishAgent,
	routerChatModel,
	runAgent,
	textRequests,
	type AttachedNode,
} from './routerChatModel.ts';

// whatever n8n runs again, no call that the service may have received is sent twice
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const as = 'ai_languageModel';
const ours = (parameters: Record<string, unknown> = {}): AttachedNode => ({
	node: routerChatModel(bridge, { parameters }),
	as,
});
const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
/** What goes wrong, once. */
const once = (fault: Fault, skip = 0) =>
	bridge.service.fault({
		// as the rules of the other answers, so that they are taken in order
		match: { method: 'POST', path: 'chat/completions', bodyIncludes: '"messages"' },
		times: 1,
		skip,
		do: fault,
	});
const posts = () => textRequests(bridge).length;
const NOT_SENT_AGAIN =
	/It was not sent again\. .*"Resend If Outcome Is Unknown" in Request Settings/;

describe('Retry On Fail of the agent', () => {
	it.each<[string, Fault]>([
		['a failure of the service', { type: 'status', status: 500 }],
		['a connection that breaks before an answer', { type: 'reset_peer', effect: true }],
		['an answer that breaks off', { type: 'limit_data', bytes: 1200 }],
		['an answer that is no JSON', { type: 'login_page', effect: true }],
	])('%s: is sent once, and the error says why', async (_what, fault) => {
		once(fault);
		const execution = await runAgent(bridge, {
			text: '[[words:50]]',
			settings: retryOnFail,
			attached: [ours()],
		});
		expect(execution.status).toBe('error');
		expect(posts()).toBe(1);
		expect(execution.error?.message).toMatch(NOT_SENT_AGAIN);
	});

	it('a failure in the second turn: what was asked in it is not asked again', async () => {
		callWith(bridge, 'Calculator', { input: '6*7' });
		once({ type: 'status', status: 500 });
		callWith(bridge, 'Calculator', { input: '6*7' });
		const execution = await runAgent(bridge, {
			text: 'hello',
			settings: retryOnFail,
			attached: [ours(), calculator()],
		});
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(NOT_SENT_AGAIN);
		expect(posts()).toBe(2);
	});

	it('a failure in the second turn that goes away: only this turn is asked again, as it was', async () => {
		callWith(bridge, 'Calculator', { input: '6*7' });
		once({ type: 'status', status: 403 });
		sayOnce(bridge, 'It is 42.');
		const execution = await runAgent(bridge, {
			text: 'hello',
			settings: retryOnFail,
			attached: [ours(), calculator()],
		});
		expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'It is 42.' } }]);
		const [, failed, again, ...more] = textRequests(bridge).map(({ body }) => body);
		expect(again).toEqual(failed);
		expect(more).toEqual([]);
	});

	it.each<[string, Fault]>([
		['a 429', { type: 'too_many_requests', retryAfter: 0 }],
		['a refusal', { type: 'status', status: 403 }],
	])('%s that goes away: is sent again', async (_what, fault) => {
		once(fault);
		const execution = await runAgent(bridge, {
			text: 'hello',
			settings: retryOnFail,
			attached: [ours({ requestSettings: { maxRateLimitWait: 0 } })],
		});
		expect(execution.error?.message).toBeUndefined();
		expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'You said: "hello".' } }]);
		expect(posts()).toBe(2);
	});

	it('with Resend If Outcome Is Unknown: is sent again', async () => {
		once({ type: 'status', status: 500 });
		const execution = await runAgent(bridge, {
			text: 'hello',
			settings: retryOnFail,
			attached: [ours({ requestSettings: { resendIfUnknown: true } })],
		});
		expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'You said: "hello".' } }]);
		expect(posts()).toBe(2);
	});

	it('an answer that the agent cannot use costs each try, and the sum says so', async () => {
		const parser: AttachedNode = {
			node: {
				...routerChatModel(bridge, { name: 'Parser' }),
				type: '@n8n/n8n-nodes-langchain.outputParserStructured',
				typeVersion: 1.3,
				parameters: { jsonSchemaExample: '{"city": "Rome"}' },
				credentials: {},
			},
			as: 'ai_outputParser',
		};
		const execution = await runAgent(bridge, {
			text: 'hello',
			parameters: { hasOutputParser: true },
			settings: { ...retryOnFail, maxTries: 2 },
			attached: [ours(), parser],
		});
		expect(execution.status).toBe('error');
		expect(posts()).toBe(2);
		const sum = callsOf(execution).reduce(
			(all, { json }) => all + Number(json?.['costUsd'] ?? 0),
			0,
		);
		expect(Number(execution.customData?.['modelCostUsd'])).toBeGreaterThanOrEqual(sum);
	});
});

it('a 429 that goes away is waited for, and sent again', async () => {
	once({ type: 'too_many_requests', retryAfter: 1 });
	const execution = await runAgent(bridge, { text: 'hello', attached: [ours()] });
	expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'You said: "hello".' } }]);
	expect(posts()).toBe(2);
});

it.each([false, true])(
	'"Retry" of the execution does not send a call again that may have been received (current workflow: %s)',
	async (current) => {
		once({ type: 'status', status: 500 });
		const failed = await runAgent(bridge, { text: 'hello', attached: [ours()] });
		expect(failed.status).toBe('error');
		const retried = await bridge.editor.retryExecution(failed.id, current);
		expect(retried.status).toBe('error');
		expect(retried.error?.message).toMatch(NOT_SENT_AGAIN);
		expect(posts()).toBe(1);
	},
);

it('"Retry" of the execution sends a call again that was refused', async () => {
	once({ type: 'status', status: 403 });
	const failed = await runAgent(bridge, { text: 'hello', attached: [ours()] });
	const retried = await bridge.editor.retryExecution(failed.id);
	expect(retried.error?.message).toBeUndefined();
	expect(itemsOf(retried, AGENT)).toMatchObject([{ json: { output: 'You said: "hello".' } }]);
	expect(posts()).toBe(2);
});

it('the same question for several items is asked for each', async () => {
	const execution = await runAgent(bridge, {
		text: 'hello',
		items: [{}, {}, {}],
		attached: [ours()],
	});
	expect(itemsOf(execution, AGENT)).toHaveLength(3);
	expect(posts()).toBe(3);
});

describe('Stop', () => {
	it.each(['hello [[gate]] [[words:50]]', 'hello [[tool:Calculator]]'])(
		'closes the call at the service: %s',
		async (text) => {
			if (text.includes('tool'))
				bridge.service.fault({
					match: { method: 'POST', bodyIncludes: '"role":"tool"' },
					do: { type: 'timeout', effect: true },
				});
			const { file } = agentFile({ text, attached: [ours(), calculator()] });
			const id = await bridge.editor.start(await bridge.editor.importWorkflow(file));
			const count = text.includes('tool') ? 2 : 1;
			await until('the last turn is asked', () => posts() === count);
			await bridge.editor.stopExecution(id);
			await until(
				'the connection is closed',
				() => textRequests(bridge).at(-1)?.abandoned === true,
			);
			expect((await bridge.editor.finished(id)).status).toBe('canceled');
			expect(posts()).toBe(count);
		},
	);

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
