import { randomUUID } from 'node:crypto';

import { nodesFor, openBridge, model, type Bridge } from './bridge.ts';
import { callWith, sayOnce } from './chatModel.ts';
import { chatMessage } from './editor.ts';
import { itemsOf } from './execution.ts';
import {
	AGENT,
	agentFile,
	asTool,
	calculator,
	callsOf,
	codeTool,
	publishAgent,
	routerChatModel,
	runAgent,
	textRequests,
	type AgentTalk,
	type AttachedNode,
	type Way,
} from './routerChatModel.ts';
import { hasSimpleMemory } from './shared.ts';
import { node } from './workflow.ts';

// our chat model below n8n's own AI Agent: what the agent does with it
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const ours = (): AttachedNode => ({ node: routerChatModel(bridge), as: 'ai_languageModel' });
const roles = (body: unknown) =>
	(body as { messages: Array<{ role: string }> }).messages.map(({ role }) => role);

const memory = (): AttachedNode => ({
	node: node('Memory', '@n8n/n8n-nodes-langchain.memoryBufferWindow', {}, { typeVersion: 1.4 }),
	as: 'ai_memory',
});

const parser = (): AttachedNode => ({
	node: node(
		'Parser',
		'@n8n/n8n-nodes-langchain.outputParserStructured',
		{ jsonSchemaExample: '{"city": "Rome", "population": 5}' },
		{ typeVersion: 1.3 },
	),
	as: 'ai_outputParser',
});

describe.each<Way>(['in the editor', 'a streaming webhook', 'a streaming chat', 'a chat'])(
	'%s',
	(way) => {
		/** Asks an agent that has our model. @returns its answer and its execution */
		const ask = async (question: string, ...attached: AttachedNode[]) => {
			const talk: AgentTalk = { way, attached: [ours(), ...attached] };
			if (way === 'in the editor') {
				const execution = await runAgent(bridge, { ...talk, text: question });
				return { execution, output: itemsOf(execution, AGENT)[0]?.json['output'] };
			}
			const agent = await publishAgent(bridge, talk);
			const said = await agent.say(question);
			const execution = await agent.execution();
			const output = itemsOf(execution, AGENT)[0]?.json['output'];
			expect(said).toBe(output);
			return { execution, output };
		};

		it('an answer without tools', async () => {
			const { execution, output } = await ask('hello');
			expect(output).toBe('You said: "hello".');
			expect(execution.status).toBe('success');
			expect(textRequests(bridge)).toHaveLength(1);
		});

		it('several turns, with two tools one after the other', async () => {
			callWith(bridge, 'Calculator', { input: '6*7' });
			callWith(bridge, 'Counter', { input: 'forty-two' });
			sayOnce(bridge, 'It is 42.');
			const { execution, output } = await ask('How much?', calculator(), codeTool('Counter'));
			expect(output).toBe('It is 42.');
			const bodies = textRequests(bridge).map(({ body }) => body);
			expect(bodies.map(roles)).toEqual([
				['user'],
				['user', 'assistant', 'tool'],
				['user', 'assistant', 'tool', 'assistant', 'tool'],
			]);
			const { messages } = bodies[2] as { messages: Array<{ role: string; content: unknown }> };
			expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([
				{ content: expect.stringContaining('42') },
				{ content: expect.stringContaining('counted 9') },
			]);
			expect(callsOf(execution)).toHaveLength(3);
		});

		it('tools called at the same time, each with its own arguments', async () => {
			const { execution, output } = await ask(
				'hello [[tool:One]] [[tools:2]]',
				codeTool('One'),
				codeTool('Two'),
			);
			expect(output).toContain('The tool said: ');
			const { messages } = textRequests(bridge)[1]!.body as {
				messages: Array<{ tool_calls?: unknown[]; tool_call_id?: string }>;
			};
			const names = messages.flatMap(({ tool_calls: calls = [] }) =>
				calls.map((call) => (call as { function: { name: string } }).function.name),
			);
			expect(names).toEqual(['One', 'Two']);
			expect(messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(['call_1', 'call_2']);
			expect(execution.status).toBe('success');
		});
	},
);

it('a node of this package is its tool', async () => {
	const asked = "={{ $fromAI('question', 'What to ask', 'string') }}";
	const tool = nodesFor(bridge.accounts).router('Colleague', ['text', 'message'], {
		model: model('northwind/quill-mini'),
		prompt: asked,
		options: { protocol: 'responses' },
	});
	const execution = await runAgent(bridge, {
		text: 'hello [[tool:Colleague]]',
		attached: [ours(), { node: asTool(tool), as: 'ai_tool' }],
	});
	expect(itemsOf(execution, AGENT)[0]?.json['output']).toMatch(/^The tool said: .*hello/);
	expect(textRequests(bridge).map(({ path }) => path)).toEqual([
		'/v1/chat/completions',
		'/v1/responses',
		'/v1/chat/completions',
	]);
});

it('a memory: the second question of a chat brings the first one along, with its tools', async () => {
	const agent = await publishAgent(bridge, {
		way: 'a streaming chat',
		attached: [ours(), memory(), calculator()],
	});
	const sessionId = randomUUID();
	callWith(bridge, 'Calculator', { input: '6*7' });
	sayOnce(bridge, 'Hello Ada, it is 42.');
	await agent.say('My name is Ada. How much is 6*7?', sessionId);
	await agent.say('Who am I?', sessionId);
	await agent.say('Who am I?', randomUUID());
	const [, , second, other] = textRequests(bridge).map(
		({ body }) => (body as { messages: Array<{ role: string; content: unknown }> }).messages,
	);
	expect(second?.at(-1)).toEqual({ role: 'user', content: 'Who am I?' });
	expect(JSON.stringify(other)).not.toContain('Ada');
	if (!hasSimpleMemory()) return;
	expect(JSON.stringify(second)).toContain('My name is Ada');
	expect(JSON.stringify(second)).toContain('Hello Ada, it is 42.');
});

it('a structured output', async () => {
	callWith(bridge, 'format_final_json_response', { output: { city: 'Oslo', population: 7 } });
	const execution = await runAgent(bridge, {
		text: 'hello',
		parameters: { hasOutputParser: true },
		attached: [ours(), parser(), calculator()],
	});
	expect(itemsOf(execution, AGENT)).toMatchObject([
		{ json: { output: { city: 'Oslo', population: 7 } } },
	]);
	expect(textRequests(bridge)).toHaveLength(1);
});

// with Enable Streaming, n8n's agent takes the structured output for a call of a tool, whatever model it has (n8n 2.41.1)
it('a structured output behind a webhook that streams, from an agent that does not', async () => {
	callWith(bridge, 'format_final_json_response', { output: { city: 'Oslo', population: 7 } });
	const { say, execution } = await publishAgent(bridge, {
		way: 'a streaming webhook',
		parameters: { hasOutputParser: true, options: { enableStreaming: false } },
		attached: [ours(), parser()],
	});
	await say('hello');
	expect(itemsOf(await execution(), AGENT)).toMatchObject([
		{ json: { output: { city: 'Oslo', population: 7 } } },
	]);
	expect(textRequests(bridge)).toHaveLength(1);
});

it('a structured output that does not fit: the agent says so, and asks no further', async () => {
	callWith(bridge, 'format_final_json_response', { output: { city: 'Oslo' } });
	const execution = await runAgent(bridge, {
		text: 'hello',
		parameters: { hasOutputParser: true },
		attached: [ours(), parser()],
	});
	expect(execution.error?.message).toBe("Model output doesn't fit required format");
	expect(textRequests(bridge)).toHaveLength(1);
});

it('an image from the chat reaches a model that sees', async () => {
	const { file, path } = agentFile({
		way: 'a chat',
		parameters: { options: { passthroughBinaryImages: true } },
		attached: [
			{ node: routerChatModel(bridge, { id: 'aurora-labs/omni-2' }), as: 'ai_languageModel' },
		],
	});
	const { parameters } = file.nodes[0]!;
	Object.assign(parameters['options'] as object, { allowFileUploads: true });
	await bridge.editor.activate(await bridge.editor.importWorkflow(file));
	const form = new FormData();
	for (const [name, value] of Object.entries(chatMessage('What is this?')))
		form.append(name, value);
	const png = Buffer.from(
		'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
		'base64',
	);
	form.append('files', new Blob([png], { type: 'image/png' }), 'dot.png');
	await bridge.editor.webhook(`${path}/chat`, form);
	const [request] = textRequests(bridge);
	expect(JSON.stringify(request?.body)).toContain(png.toString('base64'));
});
