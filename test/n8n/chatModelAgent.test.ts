import {
	AGENT,
	agentFile,
	calculator,
	callsOf,
	callWith,
	counter,
	publishAgent,
	runAgent,
	sayOnce,
	TEXT_MODEL,
	textRequests,
	withModel,
	type Way,
} from './agent.ts';
import { bridgeOfFile } from './bridge.ts';
import { chatMessage } from './editor.ts';
import { itemsOf } from './execution.ts';
import { sharedLog } from './shared.ts';
import { node, parser, type Attached } from './workflow.ts';

// our chat model below n8n's own AI Agent, its chains and whatever else takes one: what each of them does with it
const bridge = bridgeOfFile();

const ours = () => withModel(bridge);

interface Message {
	role: string;
	content: unknown;
}
/** What was sent with each call. */
const asked = () =>
	textRequests(bridge).map(({ body }) => body as { model: string; messages: Message[] });
const models = () => asked().map(({ model }) => model);

it.each<Way>(['in the editor', 'a streaming webhook', 'a streaming chat', 'a chat'])(
	'%s: several turns, with two tools one after the other',
	async (way) => {
		callWith(bridge, 'Calculator', { input: '6*7' });
		callWith(bridge, 'Counter', { input: 'forty-two' });
		sayOnce(bridge, 'It is 42.');
		const attached = [ours(), calculator(), counter('Counter')];
		const ask = async () => {
			if (way === 'in the editor') return await runAgent(bridge, { text: 'How much?', attached });
			const agent = await publishAgent(bridge, { way, attached });
			expect(await agent.say('How much?')).toBe('It is 42.');
			return await agent.execution();
		};
		expect(itemsOf(await ask(), AGENT)).toMatchObject([{ json: { output: 'It is 42.' } }]);
		const turns = asked().map(({ messages }) => messages);
		expect(turns.map((messages) => messages.map(({ role }) => role))).toEqual([
			['user'],
			['user', 'assistant', 'tool'],
			['user', 'assistant', 'tool', 'assistant', 'tool'],
		]);
		expect(turns[2]?.filter(({ role }) => role === 'tool')).toMatchObject([
			{ content: expect.stringContaining('42') },
			{ content: expect.stringContaining('counted 9') },
		]);
	},
);

// with Enable Streaming, n8n's agent takes the structured output for a call of a tool, whatever model it has (n8n 2.41.1)
it('a structured output behind a webhook that streams, from an agent that does not', async () => {
	callWith(bridge, 'format_final_json_response', { output: { city: 'Oslo', population: 7 } });
	const { say, execution } = await publishAgent(bridge, {
		way: 'a streaming webhook',
		parameters: { hasOutputParser: true, options: { enableStreaming: false } },
		attached: [
			ours(),
			calculator(),
			{ node: parser('{"city": "Rome", "population": 5}'), as: 'ai_outputParser' },
		],
	});
	await say('hello');
	expect(itemsOf(await execution(), AGENT)).toMatchObject([
		{ json: { output: { city: 'Oslo', population: 7 } } },
	]);
	expect(asked()).toHaveLength(1);
});

it('an image from the chat reaches a model that sees', async () => {
	const { file, path } = agentFile({
		way: 'a chat',
		parameters: { options: { passthroughBinaryImages: true } },
		attached: [withModel(bridge, {}, { id: 'aurora-labs/omni-2' })],
	});
	Object.assign(file.nodes[0]!.parameters['options'] as object, { allowFileUploads: true });
	await bridge.editor.publish(file);
	const form = new FormData();
	for (const [name, value] of Object.entries(chatMessage('What is this?')))
		form.append(name, value);
	const png = Buffer.from(
		'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
		'base64',
	);
	form.append('files', new Blob([png], { type: 'image/png' }), 'dot.png');
	await bridge.editor.webhook(`${path}/chat`, form);
	expect(JSON.stringify(asked())).toContain(png.toString('base64'));
});

const OTHER = 'northwind/quill-mini';
const as = 'ai_languageModel';

it('n8n’s Model Selector: the model that its rule chooses is asked, and no other', async () => {
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
	const rules = { rule: [rule(1, 'short'), rule(2, 'long')] };
	const selector = '@n8n/n8n-nodes-langchain.modelSelector';
	const execution = await runAgent(bridge, {
		text: 'hello',
		items: [{ kind: 'long' }],
		attached: [
			{ node: node('Selector', selector, { numberInputs: 2, rules }), as },
			{ ...withModel(bridge, {}, { name: 'One', id: OTHER }), to: 'Selector' },
			{ ...withModel(bridge, {}, { name: 'Two' }), to: 'Selector', index: 1 },
		],
	});
	expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'You said: "hello".' } }]);
	expect(models()).toEqual([TEXT_MODEL]);
	expect(callsOf(execution, 'Two')).toMatchObject([{ json: { costUsd: expect.any(Number) } }]);
	expect(callsOf(execution, 'One')).toEqual([]);
});

// n8n decides it, and asks after every failure. "Fallback Models" of the node asks only where nothing was started.
it('n8n’s Enable Fallback Model asks the second model even if the first call may be charged, and the sum says that one is not in it', async () => {
	bridge.service.fault({
		match: { method: 'POST', bodyIncludes: 'quill-2.5' },
		do: { type: 'status', status: 500 },
	});
	const execution = await runAgent(bridge, {
		text: 'hello',
		parameters: { needsFallback: true },
		attached: [ours(), { ...withModel(bridge, {}, { name: 'Fallback', id: OTHER }), index: 1 }],
	});
	expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'You said: "hello".' } }]);
	expect(models()).toEqual([TEXT_MODEL, OTHER]);
	expect(callsOf(execution)).toMatchObject([{ status: 'error' }]);
	expect(callsOf(execution, 'Fallback')).toMatchObject([{ json: { model: OTHER } }]);
	expect(execution.customData).toMatchObject({
		unknownCosts: '1',
		costUsd: expect.any(String),
	});
});

describe('below n8n’s chains', () => {
	const use = async (
		type: string,
		typeVersion: number,
		parameters: Record<string, unknown>,
		items: Array<Record<string, unknown>> = [{ text: 'in' }],
		more: Attached[] = [],
	) => {
		const full = `@n8n/n8n-nodes-langchain.${type}`;
		const root = node('Root', full, { options: {}, ...parameters }, { typeVersion });
		const execution = await runAgent(bridge, { root, items, attached: [ours(), ...more] });
		return { execution, items: itemsOf(execution, 'Root') };
	};
	const prompt = { promptType: 'define', text: '={{ $json.question }}' };

	it('Basic LLM Chain that asks for a form: the output fits it', async () => {
		sayOnce(bridge, '```json\n{"output": {"city": "Oslo"}}\n```');
		const fitting: Attached = { node: parser('{"city": "Rome"}'), as: 'ai_outputParser' };
		const asking = { ...prompt, hasOutputParser: true };
		const { items } = await use('chainLlm', 1.9, asking, [{ question: 'x' }], [fitting]);
		expect(items).toMatchObject([{ json: { output: { city: 'Oslo' } } }]);
	});

	it('Summarization Chain, which counts tokens without asking another host', async () => {
		const before = sharedLog().length;
		const { items } = await use('chainSummarization', 2.1, {}, [{ text: 'A long story' }]);
		expect(JSON.stringify(items)).toContain('A long story');
		expect(sharedLog().slice(before)).not.toMatch(/tiktoken|number of tokens/);
	});

	it('Information Extractor', async () => {
		sayOnce(bridge, '```json\n{"city": "Oslo"}\n```');
		const asking = { text: 'Oslo', schemaType: 'fromJson', jsonSchemaExample: '{"city": ""}' };
		const { items } = await use('informationExtractor', 1.2, asking);
		expect(items).toMatchObject([{ json: { output: { city: 'Oslo' } } }]);
		expect(asked()).toHaveLength(1);
	});
});
