import { randomUUID } from 'node:crypto';

import { callWith, chatModel } from './agent.ts';
import { bridgeOfFile } from './bridge.ts';
import {
	agentTool,
	asked,
	CONVERSATION,
	conversationFile,
	httpSpeaker,
	outcomeOf,
	saidIn,
	sessionsAt,
	speakersOf,
	workflowTool,
	type Talk,
} from './conversationWorkflow.ts';
import { chatMessage } from './editor.ts';
import { bubblesOf, gatedAnswer, gatedQuestion, readAlong } from './liveCaller.ts';
import { mcpClientTool, publishMcpTools } from './mcp.ts';
import {
	beginAt,
	chatTrigger,
	codeTool,
	memory,
	node,
	workflow,
	type Attached,
} from './workflow.ts';
import { json } from '../service/answer.ts';

// who can speak in a conversation: every kind of tool that n8n brings, and our own nodes, word by word into a chat
const bridge = bridgeOfFile({
	further: ({ method, path, body }) =>
		method === 'POST' && path === '/echo'
			? json({ answer: `HTTP heard: ${(body as { said: string }).said}` })
			: undefined,
});

const own = () => speakersOf(bridge.accounts);
const posts = (path: RegExp) =>
	bridge.service.requests.filter((request) => request.method === 'POST' && path.test(request.path));

/** Holds one conversation. */
const hold = async (talk: Talk) => {
	const execution = await bridge.editor.runOnce(conversationFile(talk));
	return { execution, outcome: outcomeOf(execution) };
};

const SHOUT = codeTool('Shout', 'return query.toUpperCase();');

/** Publishes a workflow that answers what it is given in this field. @returns its ID */
async function called(trigger: Record<string, unknown>, field: string) {
	const answer = node(
		'Answer',
		'n8n-nodes-base.set',
		{
			mode: 'raw',
			options: {},
			jsonOutput: `={{ JSON.stringify({ output: 'Workflow heard: ' + $json.${field} }) }}`,
		},
		{ typeVersion: 3.4 },
	);
	const type = 'n8n-nodes-base.executeWorkflowTrigger';
	const saved = await bridge.editor.publish(
		beginAt(workflow('called', [], answer), { type, typeVersion: 1.1, parameters: trigger }),
	);
	return saved.id;
}

/** An input of the called workflow that the model of an agent would define. */
const workflowInputs = {
	mappingMode: 'defineBelow',
	matchingColumns: [],
	value: { question: asked('question') },
	schema: [
		{
			id: 'question',
			displayName: 'question',
			type: 'string',
			required: false,
			display: true,
			defaultMatch: false,
			canBeUsedToMatch: true,
		},
	],
};

it("each of n8n's own tools hears what was said before it", async () => {
	const inputs = { values: [{ name: 'question', type: 'string' }] };
	const url = await publishMcpTools(bridge.editor, [SHOUT, own().agent('Ask_Agent')]);
	const selected = (includeTools: string[]) => ({ include: 'selected', includeTools });
	const { outcome } = await hold({
		parameters: { turnLimit: 7, options: { hearing: 'lastMessage' } },
		speakers: [
			own().agent('Ann'),
			codeTool('Code', "return 'Code heard: ' + query;"),
			httpSpeaker('HTTP', `${bridge.service.url}/echo`),
			workflowTool('Workflow', await called({ inputSource: 'passthrough' }, 'query')),
			workflowTool('Input', await called({ workflowInputs: inputs }, 'question'), {
				workflowInputs,
			}),
			mcpClientTool('Client', url, selected(['Shout'])),
			mcpClientTool('Agent Client', url, selected(['Ask_Agent'])),
		],
	});
	const said = saidIn(outcome);
	const heard = (index: number) => `${said[index - 1]?.join(': ')}`;
	expect(said).toEqual([
		['Ann', 'You said: "Hello". This is message 1 of this session.'],
		['Code', `Code heard: ${heard(1)}`],
		['HTTP', `HTTP heard: ${heard(2)}`],
		['Workflow', `Workflow heard: ${heard(3)}`],
		['Input', `Workflow heard: ${heard(4)}`],
		['Client', heard(5).toUpperCase()],
		// what the conversation says of the session does not get through
		['Agent Client', expect.stringContaining('This is message 1 of this session')],
	]);
	const [ann, agent] = sessionsAt(bridge);
	expect([agent === ann, agent === outcome.transcript[6]?.sessionId]).toEqual([false, false]);
});

it('an MCP Client Tool with several tools: which one speaks has to be chosen, and nothing is sent', async () => {
	const url = await publishMcpTools(bridge.editor, [SHOUT, own().agent('Ask_Agent')]);
	const execution = await bridge.editor.runOnce(
		conversationFile({ speakers: [own().agent('Ann'), mcpClientTool('Client', url)] }),
	);
	expect(execution.error).toMatchObject({
		message: 'Client offers 2 tools, but a speaker must be a single tool',
		description: expect.stringMatching(/choose one of them: (Shout, Ask_Agent|Ask_Agent, Shout)\./),
	});
	expect(posts(/./)).toEqual([]);
});

/** A session, or a chat, of somebody else. */
const STRANGER = '0b8f9e4e-6d0e-4c57-9d0b-6f7f6f1d2a3b';

describe("n8n's AI Agent Tool", () => {
	const talk = async (added: Attached, turnLimit: number) =>
		await hold({
			parameters: { turnLimit },
			speakers: [own().agent('Ann'), agentTool('Agent Tool')],
			attached: [
				{ node: await chatModel(bridge, 'Chat Model'), to: 'Agent Tool', as: 'ai_languageModel' },
				{ ...added, to: 'Agent Tool' },
			],
		});
	const prompts = () => posts(/chat\/completions/).map(({ body }) => JSON.stringify(body));

	it('with a memory remembers its own turns, with nothing set, and not those of another conversation', async () => {
		const { outcome } = await talk({ node: memory(), as: 'ai_memory' }, 4);
		const [[, ann], [, answer]] = saidIn(outcome) as [string[], string[]];
		expect(answer).toBe(`You said: "${ann}".`);
		const [first, second] = prompts();
		expect(first).not.toContain('"role":"assistant"');
		expect(second).toContain(JSON.stringify(answer));
		bridge.service.reset();
		await talk({ node: memory(), as: 'ai_memory' }, 4);
		expect(prompts()[0]).not.toContain('"role":"assistant"');
	});

	it('uses a tool of its own, which is one of our nodes: its caller is the AI agent', async () => {
		callWith(bridge, 'Colleague', { Message: 'What do you think?', sessionId: STRANGER });
		const { outcome } = await talk({ node: own().agent('Colleague'), as: 'ai_tool' }, 2);
		expect(outcome.transcript[1]?.text).toMatch(/^The tool said: .*What do you think\?/);
		expect(outcome.transcript[1]?.text).toContain('"sessionSource":"new"');
		const [ann, colleague] = sessionsAt(bridge);
		expect([colleague === ann, colleague === STRANGER]).toEqual([false, false]);
	});
});

// the service says word n+1 only after the caller has read word n
const code = codeTool('Code', "return 'The code has counted ' + query.length + ' characters.';");

it('a chat shows each turn as it is spoken, one after the other, with the name of the speaker', async () => {
	const { agent, assistant, model, response } = speakersOf(bridge.accounts);
	const talk = {
		// all are told the opening message
		parameters: { options: { hearing: 'all' } },
		speakers: [
			agent('Ann'),
			assistant('Market'),
			model('Model'),
			response('Response'),
			agentTool('Agent Tool'),
			code,
		],
		attached: [
			{ node: await chatModel(bridge, 'Chat Model'), to: 'Agent Tool', as: 'ai_languageModel' },
		],
	} satisfies Talk;
	const path = randomUUID();
	const { id } = await bridge.editor.publish(conversationFile(talk, chatTrigger(path)));
	const url = `${bridge.editor.url}/webhook/${path}/chat`;
	const said = chatMessage(gatedQuestion);
	const chunks = await readAlong(bridge.service, url, said, [0, 3, 1, 4, 1]);
	const { transcript, ended } = outcomeOf(await bridge.editor.finishedOf(id));
	expect(ended).toBe('turnLimit');
	expect(transcript.map(({ text }) => text).slice(0, 5)).toEqual(Array(5).fill(gatedAnswer));
	expect(bubblesOf(chunks).filter(([, text]) => text)).toEqual([
		...['Ann', 'Market', 'Model', 'Response'].map((who) => [who, `**${who}:**\n\n${gatedAnswer}`]),
		// n8n's agent writes its answer itself, without its name
		[CONVERSATION, '**Agent Tool:**\n\n'],
		['Agent Tool', gatedAnswer],
		[CONVERSATION, `**Code:**\n\n${transcript[5]?.text}`],
	]);
	expect(transcript[5]?.text).toMatch(/^The code has counted/);
});
