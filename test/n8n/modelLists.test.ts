import { randomUUID } from 'node:crypto';

import {
	AGENT,
	answerAs,
	calculator,
	callsOf,
	MODEL,
	runAgent,
	textRequests,
	withModel,
} from './agent.ts';
import {
	bridgeOfFile,
	createWithLedger,
	messages,
	nodesFor,
	readWith,
	secretsOf,
} from './bridge.ts';
import type { SavedCredential } from './editor.ts';
import { itemsOf, type Execution } from './execution.ts';
import { workflow } from './workflow.ts';

// where a team decides once which models its workflows use; test/engine/modelLists.test.ts has all that decides
const bridge = bridgeOfFile();

const QUILL = 'northwind/quill-2.5';
const MINI = 'northwind/quill-mini';

const lists = (support: string[]) => ({
	// n8n's form leaves out what nobody has changed
	list: [
		{ name: 'support', models: support.join('\n') },
		{ name: 'Pictures', models: 'canvas/sketch-1', order: 'cheapestFirst' },
	],
});

let account: SavedCredential;
beforeAll(async () => {
	account = await createWithLedger(bridge.editor, secretsOf(bridge.service).router, {
		...{ budgetUsd: '2', recordSpending: true, spendingTable: `Spending ${randomUUID()}` },
		modelLists: lists([MINI, QUILL]),
	});
});
beforeEach(async () => await decide(MINI, QUILL));

const decide = async (...support: string[]) =>
	await bridge.editor.updateCredential({
		...account,
		data: { ...account.data, modelLists: lists(support) },
	});

/** As the editor stores a list that was picked, and one that was named. */
const picked = { __rl: true, mode: 'list', value: 'modelList:support' };
const named = { __rl: true, mode: 'modelList', value: 'Support' };

const router = (...given: Parameters<ReturnType<typeof nodesFor>['router']>) =>
	nodesFor({ ...bridge.accounts, router: account }).router(...given);
const asking = (parameters: Record<string, unknown> = {}) =>
	workflow(
		'ask',
		[{}],
		router('Ask', ['text', 'message'], {
			...{ model: picked, ...messages('Hello'), ...parameters },
		}),
	);
const ask = async (parameters?: Record<string, unknown>) =>
	await bridge.editor.runOnce(asking(parameters));
const output = (execution: Execution) => itemsOf(execution, 'Ask')[0]?.json;
const models = () => textRequests(bridge).map(({ body }) => (body as { model: string }).model);

/** Of the budget and of the record of spending. */
async function spent(): Promise<{ budget: number; record: Record<string, unknown>[] }> {
	const [budget] = await readWith(bridge.editor, account, ['budget', 'getBudget']);
	const groups = { groupBy: ['model'] };
	const record = await readWith(bridge.editor, account, ['spending', 'getSpending'], groups);
	return { budget: Number(budget?.['spentUsd']), record };
}

const SCHEMA = {
	responseFormat: 'json_schema',
	jsonSchema: '{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}',
};
const escalate = { options: { escalate: true } };

it('a list that is changed in the credential changes two workflows at their next run', async () => {
	const { editor } = bridge;
	const first = await editor.importWorkflow(asking());
	const second = await editor.importWorkflow(asking({ model: named }));
	for (const one of [first, second]) await editor.run(one);
	await decide(QUILL);
	for (const one of [first, second]) await editor.run(one);
	expect(models()).toEqual([MINI, MINI, QUILL, QUILL]);
});

it('a schema that the cheap model misses is met by the second, and both are paid once', async () => {
	const before = await spent();
	answerAs(bridge.service, MINI, { content: 'no JSON' });
	answerAs(bridge.service, QUILL, { content: '{"n":7}' });
	const execution = await ask({ ...SCHEMA, ...escalate });
	expect(output(execution)).toMatchObject({
		...{ model: QUILL, output: { n: 7 }, costUsd: 0.000155 },
		attempts: [
			{ model: MINI, reason: expect.stringContaining('format'), costUsd: 0.00003 },
			{ model: QUILL, costUsd: 0.000125 },
		],
	});
	expect(models()).toEqual([MINI, QUILL]);
	expect(execution.customData).toMatchObject({ costUsd: '0.000155' });
	const after = await spent();
	expect(after.budget - before.budget).toBeCloseTo(0.000155, 9);
	const growth = (id: string) => {
		const [from, to] = [before, after].map(({ record }) =>
			Number(record.find(({ model }) => model === id)?.['costUsd'] ?? 0),
		);
		return to! - from!;
	};
	expect(growth(MINI)).toBeCloseTo(0.00003, 9);
	expect(growth(QUILL)).toBeCloseTo(0.000125, 9);
});

it('a chat model over a list below an AI Agent: broken tool arguments are never called, and the next model answers', async () => {
	const broken = { index: 0, id: 'a', function: { name: 'Calculator', arguments: '{"in' } };
	answerAs(bridge.service, MINI, { tool_calls: [broken] });
	answerAs(bridge.service, QUILL, { content: 'It is 42.' });
	const model = withModel(bridge, { model: named, ...escalate }, { account });
	const execution = await runAgent(bridge, {
		text: 'How much is 6*7?',
		attached: [model, calculator()],
	});
	expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'It is 42.' } }]);
	expect(execution.runData['Calculator']).toBeUndefined();
	expect(models()).toEqual([MINI, QUILL]);
	expect(callsOf(execution, MODEL)).toMatchObject([
		{
			json: {
				model: QUILL,
				costUsd: 0.000155,
				attempts: [{ model: MINI, reason: expect.any(String) }, { model: QUILL }],
			},
		},
	]);
});
