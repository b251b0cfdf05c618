import { randomUUID } from 'node:crypto';

import {
	AGENT,
	agentFile,
	answerOnce,
	publishAgent,
	runAgent,
	sayOnce,
	TEXT_MODEL,
	textRequests,
	withModel,
} from './agent.ts';
import { bridgeOfFile, model, nodesFor } from './bridge.ts';
import { mailNode } from './conversationWorkflow.ts';
import { itemsOf } from './execution.ts';
import { linkOf, MailServer, openLink } from './mailServer.ts';
import { hasSimpleMemory } from './shared.ts';
import { codeTool, memory, node, start, workflow, type Attached } from './workflow.ts';

// models that think, below n8n's own AI Agent: the service refuses a call without what they gave beside their tool calls
const bridge = bridgeOfFile();

const KINDS = ['content', 'details', 'signature', 'parts', 'items'];
const thinker = (kind: string, id = `thinker/${kind}-1`): Attached =>
	withModel(bridge, kind === 'items' ? { options: { protocol: 'responses' } } : {}, { id });
const tools = (): Attached[] =>
	['One', 'Two'].map((name) => ({
		node: codeTool(name, "return 'counted ' + query.length;"),
		as: 'ai_tool' as const,
	}));
const QUESTION = 'hello [[tool:One]] [[tools:2]]';

type Message = Record<string, unknown>;
/** What was sent with each call, as a text. */
const asked = () =>
	textRequests(bridge).map(({ body }) => {
		const { messages, input } = body as { messages?: Message[]; input?: Message[] };
		return messages ?? input ?? [];
	});

describe.each([3.1, 2.2, 1.7])('AI Agent %d', (typeVersion) => {
	it.each(KINDS)('in the editor, with thinker/%s-1', async (kind) => {
		const execution = await runAgent(bridge, {
			...{ text: QUESTION, settings: { typeVersion } },
			attached: [thinker(kind), ...tools()],
		});
		const [item] = itemsOf(execution, AGENT);
		expect(item?.json['output']).toContain('counted');
		expect(asked()).toHaveLength(2);
		expect(JSON.stringify(asked()[1])).toMatch(/call_1.*call_2/);
	});
});

// n8n#29119, n8n#29661
it.each([3.1, 2.2, 1.7])(
	'AI Agent %d: the message of DeepSeek comes back as it came',
	async (typeVersion) => {
		const call = { name: 'One', arguments: '{"query": "now"}' };
		const said = {
			...{ content: null, reasoning_content: 'I look at the clock.' },
			tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }],
		};
		answerOnce(bridge.service, said);
		sayOnce(bridge, 'It is noon.');
		const execution = await runAgent(bridge, {
			...{ text: 'hello', settings: { typeVersion } },
			attached: [thinker('content', TEXT_MODEL), ...tools()],
		});
		expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'It is noon.' } }]);
		expect(asked()[1]?.at(-2)).toEqual({
			...{ role: 'assistant', ...said },
			tool_calls: [{ id: 'call_1', type: 'function', function: call }],
		});
		expect(asked()[1]?.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1' });
	},
);

it('Retry On Fail: the agent goes on with what the model gave before the failure', async () => {
	bridge.service.fault({
		match: { method: 'POST', bodyIncludes: '"role":"tool"' },
		times: 1,
		do: { type: 'status', status: 403 },
	});
	const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const execution = await runAgent(bridge, {
		...{ text: QUESTION, settings },
		attached: [thinker('details'), ...tools()],
	});
	expect(itemsOf(execution, AGENT)[0]?.json['output']).toContain('counted');
	const thoughts = asked().map((messages) => messages.flatMap(({ reasoning }) => reasoning ?? []));
	expect(thoughts).toEqual([[], [expect.any(String)], thoughts[1]]);
	expect(asked()[2]).toEqual(asked()[1]);
});

it.each(KINDS)('a chat that streams, with thinker/%s-1', async (kind) => {
	const agent = await publishAgent(bridge, { attached: [thinker(kind), ...tools()] });
	expect(await agent.say(QUESTION)).toContain('counted');
	expect(asked()).toHaveLength(2);
});

it.each([
	['details', 'reasoning', [0, 1, 1, 2, 2]],
	// DeepSeek wants those of its texts as well
	['content', 'reasoning_content', [0, 1, 2, 3, 4]],
])(
	'a chat with a memory: each message brings those before along (thinker/%s-1)',
	async (kind, field, counts) => {
		if (!hasSimpleMemory()) return;
		const agent = await publishAgent(bridge, {
			attached: [thinker(kind), { node: memory(), as: 'ai_memory' }, ...tools()],
		});
		const sessionId = randomUUID();
		await agent.say(QUESTION, sessionId);
		await agent.say('and now? [[tool:Two]]', sessionId);
		expect(await agent.say('thank you', sessionId)).toContain('thank you');
		expect(asked().map((messages) => messages.filter((one) => one[field]).length)).toEqual(counts);
	},
);

it('two items, whose calls have the same ID', async () => {
	const execution = await runAgent(bridge, {
		...{ text: '={{ $json.q }} [[tool:One]]', items: [{ q: 'first' }, { q: 'second' }] },
		attached: [thinker('content'), ...tools()],
	});
	expect(itemsOf(execution, AGENT)).toHaveLength(2);
	const thoughts = asked().flatMap((messages) =>
		messages.flatMap(({ reasoning_content: thought }) => thought ?? []),
	);
	expect(new Set(thoughts).size).toBe(2);
});

it('two calls at once, of which one needs an approval', async () => {
	const post = await MailServer.start();
	try {
		const account = await bridge.editor.createCredential(post.secret);
		const gate = mailNode(account, 'emailSendHitlTool', 'Gate', {
			responseType: 'approval',
			approvalOptions: { values: { approvalType: 'double' } },
		});
		const [one, two] = tools();
		const { file } = agentFile({
			text: QUESTION,
			attached: [thinker('details'), { node: gate, as: 'ai_tool' }, { ...one!, to: 'Gate' }, two!],
		});
		const id = await bridge.editor.start(await bridge.editor.importWorkflow(file));
		await openLink(linkOf(await post.next(bridge.editor, id)));
		const execution = await bridge.editor.finished(id);
		expect(itemsOf(execution, AGENT)).toMatchObject([
			{ json: { output: expect.stringContaining('counted') } },
		]);
		expect(
			asked()
				.at(-1)
				?.filter(({ reasoning }) => reasoning),
		).toHaveLength(1);
	} finally {
		await post.stop();
	}
});

/** A loop of tools as a person draws it: Question, Model, Called?, Tools, and back to Model. */
function loopOf(kind: string) {
	const count = {
		...{ leftValue: '={{ $json.toolCalls?.length ?? 0 }}', rightValue: 0 },
		operator: { type: 'number', operation: 'gt' },
	};
	const condition = { id: 'c', ...count };
	const options = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 };
	const tools = { tool: ['One', 'Two'].map((name) => ({ name })) };
	const file = workflow(
		'Tools by hand',
		[{ messages: [{ role: 'user', content: QUESTION }] }],
		nodesFor(bridge.accounts).router('Model', ['text', 'message'], {
			...{ model: model(`thinker/${kind}-1`), inputType: 'json' },
			messagesJson: '={{ $json.messages }}',
			options: { tools, protocol: kind === 'items' ? 'responses' : 'chat' },
		}),
		node(
			'Called?',
			'n8n-nodes-base.if',
			{ conditions: { options, combinator: 'and', conditions: [condition] }, options: {} },
			{ typeVersion: 2.2 },
		),
		node(
			'Tools',
			'n8n-nodes-base.code',
			{
				jsCode: `const { message, toolCalls } = $input.first().json;
const results = toolCalls.map(({ id, name }) => ({ role: 'tool', tool_call_id: id, content: 'counted by ' + name }));
return [{ json: { messages: [...$('${start}').first().json.messages, message, ...results] } }];`,
			},
			{ typeVersion: 2 },
		),
	);
	file.connections['Tools'] = { main: [[{ node: 'Model', type: 'main', index: 0 }]] };
	return file;
}

it.each(KINDS)('a loop of tools that is drawn by hand, with thinker/%s-1', async (kind) => {
	const execution = await bridge.editor.runOnce(loopOf(kind));
	expect(execution.error?.message).toBeUndefined();
	expect(JSON.stringify(asked().at(-1))).toMatch(/call_1.*call_2.*counted by One.*counted by Two/);
	const outputs = itemsOf(execution, 'Model').map(({ json }) => json['output']);
	expect(outputs.at(-1)).toContain('counted by Two');
});
