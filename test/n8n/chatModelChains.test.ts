import { openBridge, type Bridge } from './bridge.ts';
import { sayOnce } from './chatModel.ts';
import { itemsOf } from './execution.ts';
import { callsOf, routerChatModel, runAgent, textRequests } from './routerChatModel.ts';
import { sharedLog } from './shared.ts';
import { node } from './workflow.ts';

// our chat model below n8n's chains, each of which uses it in a way of its own
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const as = 'ai_languageModel';

it('Basic LLM Chain', async () => {
	const chain = node(
		'Chain',
		'@n8n/n8n-nodes-langchain.chainLlm',
		{ promptType: 'define', text: '={{ $json.question }}' },
		{ typeVersion: 1.9 },
	);
	const execution = await runAgent(bridge, {
		root: chain,
		items: [{ question: 'one' }, { question: 'two' }],
		attached: [{ node: routerChatModel(bridge), as }],
	});
	expect(itemsOf(execution, 'Chain')).toMatchObject([
		{ json: { text: 'You said: "one".' } },
		{ json: { text: 'You said: "two".' } },
	]);
	expect(callsOf(execution).map(({ json }) => json?.['requestId'])).toEqual([
		expect.any(String),
		expect.any(String),
	]);
});

it('Basic LLM Chain that asks for a form: the output fits it', async () => {
	const chain = node(
		'Chain',
		'@n8n/n8n-nodes-langchain.chainLlm',
		{ promptType: 'define', text: 'Name a city', hasOutputParser: true },
		{ typeVersion: 1.9 },
	);
	const parser = node(
		'Parser',
		'@n8n/n8n-nodes-langchain.outputParserStructured',
		{ jsonSchemaExample: '{"city": "Rome"}' },
		{ typeVersion: 1.3 },
	);
	sayOnce(bridge, '```json\n{"output": {"city": "Oslo"}}\n```');
	const execution = await runAgent(bridge, {
		root: chain,
		attached: [
			{ node: routerChatModel(bridge), as },
			{ node: parser, as: 'ai_outputParser' },
		],
	});
	expect(itemsOf(execution, 'Chain')).toMatchObject([{ json: { output: { city: 'Oslo' } } }]);
});

it('Summarization Chain, which counts tokens without asking another host', async () => {
	const before = sharedLog().length;
	const chain = node(
		'Chain',
		'@n8n/n8n-nodes-langchain.chainSummarization',
		{ options: {} },
		{ typeVersion: 2.1 },
	);
	const execution = await runAgent(bridge, {
		root: chain,
		items: [{ text: 'A long story' }],
		attached: [{ node: routerChatModel(bridge), as }],
	});
	expect(JSON.stringify(itemsOf(execution, 'Chain'))).toContain('A long story');
	expect(sharedLog().slice(before)).not.toMatch(/tiktoken|number of tokens/);
});

it.each([
	[
		'informationExtractor',
		1.2,
		{ text: 'Oslo', schemaType: 'fromJson', jsonSchemaExample: '{"city": ""}' },
		{ city: 'Oslo' },
		{ output: { city: 'Oslo' } },
	],
	[
		'sentimentAnalysis',
		1.1,
		{ inputText: 'Good' },
		{ sentiment: 'Positive', strength: 1, confidence: 1 },
		{ sentimentAnalysis: { category: 'Positive' } },
	],
	[
		'textClassifier',
		1.1,
		{ inputText: 'Good', categories: { categories: [{ category: 'A', description: 'a' }] } },
		{ A: true },
		{ text: 'in' },
	],
])('%s', async (type, typeVersion, parameters, said, json) => {
	sayOnce(bridge, `\`\`\`json\n${JSON.stringify(said)}\n\`\`\``);
	const execution = await runAgent(bridge, {
		root: node(
			'Root',
			`@n8n/n8n-nodes-langchain.${type}`,
			{ options: {}, ...parameters },
			{ typeVersion },
		),
		items: [{ text: 'in' }],
		attached: [{ node: routerChatModel(bridge), as }],
	});
	expect(itemsOf(execution, 'Root')).toMatchObject([{ json }]);
	expect(textRequests(bridge)).toHaveLength(1);
});
