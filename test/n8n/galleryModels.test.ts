import { randomUUID } from 'node:crypto';

import { answerAs, TEXT_MODEL } from './agent.ts';
import { chatMessage } from './editor.ts';
import { itemsOf, type Execution } from './execution.ts';
import { galleryOfFile, given, textsOf } from './gallery.ts';
import { DataTables, type Fields } from './publicApi.ts';
import { hasSimpleMemory } from './shared.ts';

// workflows of the gallery whose models answer in a chat or into Data Tables; what Slack would get is recorded
const { bridge, load, run, runSaved, chat, sentTo, modelCalls } = galleryOfFile();
let tables: DataTables;
beforeAll(async () => (tables = await DataTables.of(bridge.editor)));

interface Asked {
	model: string;
	messages: Array<{ role: string; content: string }>;
}
const asked = () => modelCalls().map(({ body }) => body as Asked);
const ANOTHER_MODEL = 'Aurora-Labs/Prism-4.1-Turbo';
const costOf = ({ customData }: Execution) => Number(customData?.['costUsd']);

it('n8n’s AI Agent asks the market assistant, and remembers the chat', async () => {
	const saved = await bridge.editor.importWorkflow(
		load('chat-with-an-ai-agent-that-remembers.json'),
	);
	const say = async (...said: Parameters<typeof chatMessage>) => {
		const execution = await runSaved(saved, { given: chatMessage(...said) });
		expect(costOf(execution)).toBeGreaterThan(0);
		return given(execution, 'AI Agent')[0]?.['output'];
	};
	const chatId = randomUUID();
	expect(await say('How is the market for ETH today?', chatId)).toMatch(
		/^I have looked it up: Figures for ETH/,
	);
	expect([sentTo(/ai-assist/).length, asked().length]).toEqual([1, 2]);

	if (!hasSimpleMemory()) return;
	await say('My coin is called Lighthouse.', chatId);
	expect(await say('What is my coin called?', chatId)).toBe('Your coin is called Lighthouse.');
	expect(
		asked()
			.at(-1)
			?.messages.map(({ role }) => role),
	).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'user']);
	expect(await say('What is my coin called?')).toMatch(/^I do not know your coin/);
});

describe('a chat under a spending cap', () => {
	const file = 'chat-under-a-spending-cap.json';
	const ending = (said: string, costUsd: number) => ({
		output: expect.stringMatching(
			new RegExp(`^${said}[^]*\\n\\nThis \\w+ cost ${costUsd.toFixed(6)} USD\\.$`),
		),
		costUsd,
	});

	it('says so when the next call could exceed it, and what was spent', async () => {
		const execution = await chat(file, 'How is the market for ETH today?');
		// the call that asks for the tool is paid, and the one that would read its answer is not sent
		expect([modelCalls().length, sentTo(/ai-assist/).length]).toEqual([1, 1]);
		const shown = execution.runData['Model Router Chat Model'];
		expect(shown?.map(({ error }) => error?.message ?? '')).toEqual([
			'',
			expect.stringMatching(/^This does not fit into what is left of the spending cap of \$0\.002/),
		]);
		expect(costOf(execution)).toBeGreaterThan(0);
		expect(given(execution, 'Answer with Its Cost')).toEqual([]);
		const why =
			'I had to stop\\. This does not fit into what is left of the spending cap of \\$0\\.002';
		expect(given(execution, 'Say Why')).toEqual([ending(why, costOf(execution))]);
	});

	it('answers with the cost of all calls below it', async () => {
		const execution = await chat(file, 'What is a model router?');
		expect(given(execution, 'Say Why')).toEqual([]);
		const answer = ending('A model router is', costOf(execution));
		expect(given(execution, 'Answer with Its Cost')).toEqual([answer]);
	});
});

it('two models answer the same question, each with its own cost', async () => {
	const execution = await chat('compare-two-models.json', 'What is a model router?');
	expect(asked().map(({ model }) => model)).toEqual([TEXT_MODEL, ANOTHER_MODEL]);
	const answer = expect.stringMatching(/^A model router is/);
	const [result] = given(execution, 'Side by Side');
	expect(result).toMatchObject({
		firstModel: TEXT_MODEL,
		firstAnswer: answer,
		secondModel: ANOTHER_MODEL,
		secondAnswer: answer,
		output: expect.stringMatching(
			/^\*\*northwind\/quill-2\.5\*\* \(0\.\d{6} USD\)\n\nA model router is[^]*\n\n\*\*Aurora-Labs\/Prism-4\.1-Turbo\*\* \(0\.\d{6} USD\)\n\nA model router is/,
		),
	});
	const { firstCostUsd, secondCostUsd } = result as Record<string, number>;
	expect(firstCostUsd).toBeGreaterThan(0);
	expect(secondCostUsd).toBeGreaterThan(firstCostUsd!);
	expect(firstCostUsd! + secondCostUsd!).toBeCloseTo(costOf(execution), 9);
});

describe('a better model', () => {
	const question = 'What is a model router?';
	const unsure = JSON.stringify({ answer: 'A plug?', sure: false });
	const sure = JSON.stringify({ answer: 'It chooses a model.', sure: true });
	it.each([
		['is not asked where the first is sure', sure, [TEXT_MODEL], /^It chooses a model\./],
		['answers where it is not', unsure, [TEXT_MODEL, ANOTHER_MODEL], /^A model router is/],
		['answers where the first gave no JSON', 'A plug', [TEXT_MODEL, ANOTHER_MODEL], /^A model/],
	])('%s', async (_what, content, models, output) => {
		answerAs(bridge.service, TEXT_MODEL, { content });
		const execution = await chat('ask-a-better-model-where-the-first-is-not-sure.json', question);
		expect(asked().map(({ model }) => model)).toEqual(models);
		const costUsd = costOf(execution);
		expect(given(execution, 'Answer')).toEqual([
			{ output: expect.stringMatching(output), model: models.at(-1), costUsd },
		]);
		expect(costUsd).toBeGreaterThan(0);
	});
});

describe('orders from Gmail', () => {
	const mail = (id: string, text: string) => ({
		id,
		subject: `Order ${id}`,
		text,
		from: { text: 'Ada <ada@example.com>' },
	});
	const read = async (...mails: Fields[]) =>
		await run(load('read-orders-from-gmail-into-a-data-table.json', mails));

	it('are rows when complete; the others are checked by somebody', async () => {
		const complete = mail(
			'm1',
			'Hello, this is Ada. Please send me two lamps and one rug, quickly!',
		);
		const execution = await read(
			complete,
			mail('m2', 'Hello, this is Cy. Please send me some lamps; the number is unclear.'),
			mail('m3', 'Hello, this is Bob. Please send me three chairs.'),
		);
		const expected = [
			{ mailId: 'm1', customer: 'Ada', items: '2 x lamp, 1 x rug', urgent: true },
			{ mailId: 'm3', customer: 'Bob', items: '3 x chair', urgent: false },
		].map((row) => expect.objectContaining({ ...row, subject: `Order ${row.mailId}` }));
		expect(await tables.rows('Orders')).toEqual(expected);
		expect(textsOf(execution, 'Ask to Check')).toEqual([
			'Please check this order: Order m2, from Ada <ada@example.com>\nIt does not say who ordered, what, or how many.\nhttps://mail.google.com/mail/#all/m2',
		]);
		expect(modelCalls()).toHaveLength(3);
		// a mail that is read once more changes its row
		await read(complete);
		expect(await tables.rows('Orders')).toEqual(expected);
	});

	it('are checked by somebody when the answer breaks the schema', async () => {
		const execution = await read(mail('m4', '[[break_schema]]'));
		expect(textsOf(execution, 'Ask to Check')).toEqual([
			expect.stringMatching(/^Please check this order: Order m4[^]*not in the requested format/),
		]);
		expect(given(execution, 'Save the Order')).toEqual([]);
	});
});

it('two models answer all rows of a table in a run of n8n’s Evaluation, which has the figures of both', async () => {
	const { editor } = bridge;
	const file = load('compare-two-models-with-n8n-evaluation.json');
	// the first execution makes the table, which a user then chooses
	for (const execution of [await run(file), await run(file)])
		expect(given(execution, 'Save the Questions')).toHaveLength(3);
	const table = 'Evaluation Questions';
	expect(await tables.rows(table)).toHaveLength(3);
	expect(modelCalls()).toEqual([]);
	const dataTableId = { __rl: true, mode: 'id', value: await tables.idOf(table) };
	const nodes = file.nodes.map((node) =>
		/\.evaluation/.test(node.type) && 'dataTableId' in node.parameters
			? { ...node, parameters: { ...node.parameters, dataTableId } }
			: node,
	);
	const { id } = await editor.importWorkflow({ ...file, nodes });
	const metrics = await editor.evaluate(id);
	expect(asked().map(({ model }) => model)).toEqual(
		[1, 2, 3].flatMap(() => [TEXT_MODEL, ANOTHER_MODEL]),
	);
	const rows = await tables.rows(table);
	const answer = '17 * 23 is 391.';
	expect(rows[0]).toMatchObject({ firstAnswer: answer, secondAnswer: answer });
	for (const { firstCostUsd, secondCostUsd } of rows)
		expect(Number(secondCostUsd)).toBeGreaterThan(Number(firstCostUsd));
	const mean = (field: string) => rows.reduce((sum, row) => sum + Number(row[field]), 0) / 3;
	expect(mean('firstCostUsd')).toBeGreaterThan(0);
	expect(metrics).toMatchObject({
		'First model correct': expect.any(Number),
		'First model cost (USD)': expect.closeTo(mean('firstCostUsd'), 9),
		'Second model correct': expect.any(Number),
		'Second model cost (USD)': expect.closeTo(mean('secondCostUsd'), 9),
	});
});

it('new models and price changes are posted once, and the first run only fills the table', async () => {
	// also models without a price, which the demo does not list
	bridge.service.world.personas = false;
	const file = () => load('post-new-models-and-price-changes-to-slack.json');
	const post = async () => {
		const execution = await run(file());
		return ['Post Changed Prices', 'Post New Models'].flatMap((node) => textsOf(execution, node));
	};
	const table = 'Model Prices';
	expect(await post()).toEqual([]);
	const rows = await tables.rows(table);
	expect(rows).toHaveLength(22);
	for (const row of [
		{ model: 'northwind/quill-mini', price: 'in 0.1, out 0.4' },
		{ model: 'canvas/sketch-1', price: 'per image 0.04' },
		{ model: 'tiny/no-price-1', price: 'no price' },
	])
		expect(rows).toContainEqual(expect.objectContaining(row));

	// as if the catalog had changed since
	await tables.update(table, 'model', 'canvas/sketch-1', { price: 'per image 0.05' });
	await tables.update(table, 'model', 'tiny/no-price-1', { price: 'in 1, out 2' });
	await tables.remove(table, 'model', 'northwind/quill-mini');
	await tables.remove(table, 'model', 'reel/clip-3');
	// nothing is saved if Slack fails
	const failing = file();
	Object.assign(failing.nodes.find(({ name }) => name === 'Post New Models')!, {
		type: 'n8n-nodes-base.stopAndError',
		typeVersion: 1,
		parameters: { errorMessage: 'Slack is down' },
	});
	const { status } = await bridge.editor.runOnce(failing);
	expect([status, (await tables.rows(table)).length]).toEqual(['error', 20]);
	expect(await post()).toEqual([
		[
			'Changed prices of the Model Router, in USD (texts: per million tokens):',
			'• *tiny/no-price-1*: no price (before: in 1, out 2)',
			'• *canvas/sketch-1*: per image 0.04 (before: per image 0.05)',
		].join('\n'),
		[
			'New models of the Model Router, in USD (texts: per million tokens):',
			'• *northwind/quill-mini*: in 0.1, out 0.4',
			'• *reel/clip-3*: per second 0.1',
		].join('\n'),
	]);
	expect(await tables.rows(table)).toHaveLength(22);
	expect(await post()).toEqual([]);
	expect(sentTo(/./)).toEqual([]);
	bridge.service.world.personas = true;
});

it('what answers cost is a row each, and the sum of yesterday is in Slack', async () => {
	const file = 'log-what-answers-cost-with-a-daily-total-in-slack.json';
	const execution = await chat(file, 'What is a model router?');
	expect(given(execution, 'Answer')).toEqual([
		{ output: expect.stringMatching(/^A model router is/) },
	]);
	const answer = itemsOf(execution, 'Ask the Model')[0]?.json as {
		costUsd: number;
		requestId: string;
		usage: { prompt_tokens: number; completion_tokens: number };
	};
	const table = 'Model Costs';
	const row = {
		model: TEXT_MODEL,
		costUsd: answer.costUsd,
		requestId: answer.requestId,
		inputTokens: answer.usage.prompt_tokens,
		outputTokens: answer.usage.completion_tokens,
	};
	expect(answer.costUsd).toBeGreaterThan(0);
	expect(await tables.rows(table)).toEqual([expect.objectContaining(row)]);

	const total = async () =>
		textsOf(await run(load(file), { trigger: 'Every Morning' }), 'Post the Total');
	// the answer of today is not part of it
	expect(await total()).toEqual(['Yesterday, 0 answers from models cost 0 USD.']);
	const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
	await tables.insert(table, [
		{ ...row, costUsd: 0.1, at: daysAgo(1) },
		{ ...row, costUsd: 0.2, at: daysAgo(1) },
		{ ...row, costUsd: null, at: daysAgo(1) },
		{ ...row, costUsd: 5, at: daysAgo(2) },
	]);
	expect(await total()).toEqual([
		'Yesterday, 3 answers from models cost 0.3 USD. The cost of 1 of them is not known.',
	]);
	expect(modelCalls()).toHaveLength(1);
});
