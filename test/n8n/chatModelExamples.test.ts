import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';

import { openBridge, type Bridge } from './bridge.ts';
import { chatMessage, type SavedWorkflow } from './editor.ts';
import { exampleFor, readExample, withModels } from './example.ts';
import { hasSimpleMemory } from './shared.ts';
import { itemsOf, type Execution } from './execution.ts';

// the service answers as in the demo: its model calls a tool that has to do with the question
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge({ personas: true });
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const load = async (file: string) =>
	await bridge.editor.importWorkflow(withModels(exampleFor(bridge.accounts, file)));

/** Writes into the chat of an example, as the editor does. */
async function chatWith(
	workflow: SavedWorkflow,
	text: string,
	sessionId?: string,
): Promise<Execution> {
	const execution = await bridge.editor.run(workflow, chatMessage(text, sessionId));
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

const resultOf = (execution: Execution, node: string) => itemsOf(execution, node)[0]?.json;

interface Asked {
	model: string;
	messages: Array<{ role: string; content: string }>;
}

const modelCalls = () =>
	bridge.service.requests
		.filter(({ method, path }) => method === 'POST' && /chat\/completions/.test(path))
		.map(({ body }) => body as Asked);

const questions = () =>
	bridge.service.requests.filter(({ method, path }) => method === 'POST' && /ai-assist/.test(path));

const chatModelType = 'n8n-nodes-agent-bridge.lmChatModelRouter';
const examples = readdirSync('gallery').filter((file) =>
	readExample(file).nodes.some(({ type }) => type === chatModelType),
);

it.each(examples)('%s chooses no model, and has a spending cap', (file) => {
	const { nodes, pinData } = readExample(file);
	expect(pinData).toEqual({});
	const notes = nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
	expect(notes.map(({ parameters }) => parameters['color'])).toEqual([undefined, 4, 5]);
	for (const { parameters } of nodes.filter(({ type }) => type === chatModelType)) {
		expect(parameters['model']).toMatchObject({ value: '' });
		expect(parameters['spendingCapPerCall']).toBeGreaterThan(0);
	}
});

it('n8n’s AI Agent asks the market assistant, and remembers the chat', async () => {
	const workflow = await load('chat-with-an-ai-agent-that-remembers.json');
	const chat = randomUUID();
	const first = await chatWith(workflow, 'How is the market for ETH today?', chat);
	expect(resultOf(first, 'AI Agent')?.['output']).toMatch(/^I have looked it up: Figures for ETH/);
	expect(questions()).toHaveLength(1);
	expect(modelCalls()).toHaveLength(2);
	expect(Number(first.customData?.['modelCostUsd'])).toBeGreaterThan(0);

	if (!hasSimpleMemory()) return;
	await chatWith(workflow, 'My coin is called Lighthouse.', chat);
	const last = await chatWith(workflow, 'What is my coin called?', chat);
	expect(resultOf(last, 'AI Agent')?.['output']).toBe('Your coin is called Lighthouse.');
	expect(
		modelCalls()
			.at(-1)
			?.messages.map(({ role }) => role),
	).toEqual([
		...['system', 'user', 'assistant', 'tool', 'assistant'],
		...['user', 'assistant', 'user'],
	]);
	const other = await chatWith(workflow, 'What is my coin called?');
	expect(resultOf(other, 'AI Agent')?.['output']).toMatch(/^I do not know your coin/);
});

describe('a chat under a spending cap', () => {
	const file = 'chat-under-a-spending-cap.json';

	it('says so when the next call could exceed it, and what was spent', async () => {
		const workflow = await load(file);
		const execution = await chatWith(workflow, 'How is the market for ETH today?');
		// the call that asks for the tool is paid, and the one that would read its answer is not sent
		expect(modelCalls()).toHaveLength(1);
		expect(questions()).toHaveLength(1);
		expect(itemsOf(execution, 'Answer with Its Cost')).toEqual([]);
		const shown = execution.runData['Model Router Chat Model'];
		expect(shown?.map(({ error }) => error?.message ?? '')).toEqual([
			'',
			expect.stringMatching(/^The spending cap of \$0\.002 for this execution is reached/),
		]);
		const costUsd = Number(execution.customData?.['modelCostUsd']);
		expect(costUsd).toBeGreaterThan(0);
		expect(resultOf(execution, 'Say Why')).toEqual({
			output: expect.stringMatching(
				new RegExp(
					`^I had to stop\\. The spending cap of \\$0\\.002 for this execution is reached[^]*\\n\\nThis message has cost ${costUsd.toFixed(6)} USD\\.$`,
				),
			),
			costUsd,
		});
	});

	it('answers with the cost of all calls below it', async () => {
		const workflow = await load(file);
		const execution = await chatWith(workflow, 'What is a model router?');
		const costUsd = Number(execution.customData?.['modelCostUsd']);
		expect(itemsOf(execution, 'Say Why')).toEqual([]);
		expect(resultOf(execution, 'Answer with Its Cost')).toEqual({
			output: expect.stringMatching(
				new RegExp(
					`^A model router is[^]*\\n\\nThis answer has cost ${costUsd.toFixed(6)} USD\\.$`,
				),
			),
			costUsd,
		});
	});
});

it('two models answer the same question, each with its own cost', async () => {
	const execution = await chatWith(
		await load('compare-two-models.json'),
		'What is a model router?',
	);
	const calls = modelCalls();
	expect(calls.map(({ model }) => model)).toEqual([
		'northwind/quill-2.5',
		'Aurora-Labs/Prism-4.1-Turbo',
	]);
	const result = resultOf(execution, 'Side by Side') as {
		firstCostUsd: number;
		secondCostUsd: number;
		output: string;
	};
	expect(result).toMatchObject({
		firstModel: 'northwind/quill-2.5',
		firstAnswer: expect.stringMatching(/^A model router is/),
		secondModel: 'Aurora-Labs/Prism-4.1-Turbo',
		secondAnswer: expect.stringMatching(/^A model router is/),
	});
	const { firstCostUsd, secondCostUsd, output } = result;
	expect(firstCostUsd).toBeGreaterThan(0);
	expect(secondCostUsd).toBeGreaterThan(firstCostUsd);
	expect(firstCostUsd + secondCostUsd).toBeCloseTo(
		Number(execution.customData?.['modelCostUsd']),
		9,
	);
	expect(output).toMatch(
		/^\*\*northwind\/quill-2\.5\*\* \(0\.\d{6} USD\)\n\nA model router is[^]*\n\n\*\*Aurora-Labs\/Prism-4\.1-Turbo\*\* \(0\.\d{6} USD\)\n\nA model router is/,
	);
});
