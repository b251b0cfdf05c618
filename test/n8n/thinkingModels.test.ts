import { randomUUID } from 'node:crypto';

import { AGENT, counter, publishAgent, runAgent, textRequests, withModel } from './agent.ts';
import { bridgeOfFile } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { hasSimpleMemory } from './shared.ts';
import { memory, type Attached } from './workflow.ts';

// models that think, below n8n's own AI Agent: the service refuses a call without what they gave beside their tool calls
const bridge = bridgeOfFile();

const KINDS = ['content', 'details', 'signature', 'parts', 'items'];
const thinker = (kind: string, id = `thinker/${kind}-1`): Attached =>
	withModel(bridge, kind === 'items' ? { options: { protocol: 'responses' } } : {}, { id });
const tools = () => [counter('One'), counter('Two')];
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
			text: QUESTION,
			settings: { typeVersion },
			attached: [thinker(kind), ...tools()],
		});
		const [item] = itemsOf(execution, AGENT);
		expect(item?.json['output']).toContain('counted');
		expect(asked()).toHaveLength(2);
		expect(JSON.stringify(asked()[1])).toMatch(/call_1.*call_2/);
	});
});

it('Retry On Fail: the agent goes on with what the model gave before the failure', async () => {
	bridge.service.fault({
		match: { method: 'POST', bodyIncludes: '"role":"tool"' },
		times: 1,
		do: { type: 'status', status: 403 },
	});
	const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const execution = await runAgent(bridge, {
		text: QUESTION,
		settings,
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
