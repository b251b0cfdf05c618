import { randomUUID } from 'node:crypto';

import { nodesFor, type Accounts } from '../n8n/bridge.ts';
import type { Editor } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { bubblesOf } from '../n8n/liveCaller.ts';
import { sharedEditor } from '../n8n/shared.ts';
import { beginAt, webhook, workflow } from '../n8n/workflow.ts';
import { FrameworkAgents } from './frameworkAgents.ts';

// the Remote Agent and the servers of real frameworks, with a model behind them that answers from a script
let editor: Editor;
let agents: FrameworkAgents;
beforeAll(async () => {
	editor = await sharedEditor();
	agents = await FrameworkAgents.start();
});
afterAll(async () => await agents?.stop());

/** Publishes a workflow that tells an agent what its webhook is told. */
async function publish(agent: string) {
	const secret = { baseUrl: agents.baseUrl(agent), apiKey: 'key' };
	const account = await editor.createCredential({
		name: agent,
		type: 'workspaceAgentApi',
		data: secret,
	});
	const path = randomUUID();
	const node = nodesFor({ agent: account } as Accounts).agent(
		'Chat',
		['message', 'send'],
		{
			message: '={{ $json.body.q }}',
			sessionMode: 'id',
			sessionId: path,
			options: { includeRawEvents: true },
		},
		{ onError: 'continueErrorOutput' },
	);
	const saved = await editor.publish(beginAt(workflow(path, [], node), webhook(path)));
	let calls = 0;
	return {
		sessionId: path,
		say: async (q: string) => {
			const { chunks, heard } = await agents.listen(`${editor.url}/webhook/${path}`, { q });
			const execution = await editor.finishedOf(saved.id, ++calls);
			const [[item], [failed]] = [itemsOf(execution, 'Chat'), itemsOf(execution, 'Chat', 1)];
			return { bubbles: bubblesOf(chunks), heard, item: item?.json, failed: failed?.json };
		},
	};
}

const BEFORE = 'One moment, please.';
const FIRST = 'Where is the key?';
const answer = (count: number) =>
	`${BEFORE}\n\nYou first asked: ${FIRST} This is your question ${count}.`;
const wordByWord = (text: string) =>
	[...text.matchAll(/\S+/g)].map(({ 0: word, index }) => text.slice(0, index + word.length));

const served: Array<[string, string, string]> = [
	['AI SDK', 'ai-sdk', 'AI SDK'],
	['A2A 1.0 over JSON-RPC', 'a2a-rpc', 'A2A 1.0'],
	['A2A 1.0 over REST', 'a2a-rest', 'A2A 1.0'],
	['LangGraph', 'langgraph', 'LangGraph'],
	['LangGraph with its state', 'langgraph-values', 'LangGraph'],
];

it.each(served)('%s: word by word, with a tool, and remembers', async (_name, agent, dialect) => {
	const { say, sessionId } = await publish(agent);
	for (const [index, question] of [FIRST, 'And now?'].entries()) {
		const output = answer(index + 1);
		const { bubbles, heard, item, failed } = await say(question);
		expect(failed).toBeUndefined();
		expect(heard).toEqual(wordByWord(output));
		expect(bubbles).toEqual([['Chat', output]]);
		expect(item).toEqual({
			output,
			sessionId,
			sessionSource: 'id',
			complete: true,
			dialect,
			format: 'sse',
			durationMs: expect.any(Number),
			events: expect.any(Array),
		});
		// the tool was there, and is not in the text
		expect(JSON.stringify(item?.['events'])).toContain('the result of the tool');
	}
});

it.each([
	...served.map((row) => [...row, '[fail]', /The model broke in the middle/] as const),
	// its own server ends the body regularly then
	[
		...(['AI SDK without an end', 'ai-sdk', 'AI SDK', '[break]'] as const),
		/AI SDK ends with .* which did not arrive/,
	] as const,
])('%s: broken in the middle is an error with what it said', async (...row) => {
	const [, agent, dialect, question, reason] = row;
	const { say } = await publish(agent);
	const { bubbles, item, failed } = await say(question);
	expect(item).toBeUndefined();
	expect(bubbles).toEqual([['Chat', BEFORE]]);
	expect(failed).toMatchObject({
		error: expect.stringMatching(
			/^The (service reported an error: .*The model broke in the middle|answer stopped before its end)/,
		),
		details: {
			kind: 'truncated',
			outcome: 'started',
			reason: expect.stringMatching(reason),
			partial: { text: BEFORE, dialect },
		},
	});
});
