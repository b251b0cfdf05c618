import { randomUUID } from 'node:crypto';

import { textRequests } from './agent.ts';
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
		budgetUsd: '2',
		recordSpending: true,
		spendingTable: `Spending ${randomUUID()}`,
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
			model: picked,
			...messages('Hello'),
			...parameters,
		}),
	);
const ask = async (parameters?: Record<string, unknown>) =>
	await bridge.editor.runOnce(asking(parameters));
const output = (execution: Execution) => itemsOf(execution, 'Ask')[0]?.json;
const models = () => textRequests(bridge).map(({ body }) => (body as { model: string }).model);

/** Of the budget and of the record of spending. */
async function spent() {
	const [budget] = await readWith(bridge.editor, account, ['budget', 'getBudget']);
	const groups = { groupBy: ['model'] };
	const record = await readWith(bridge.editor, account, ['spending', 'getSpending'], groups);
	return { budget: Number(budget?.['spentUsd']), record };
}

it('a list that is changed in the credential changes two workflows at their next run', async () => {
	const { editor } = bridge;
	const first = await editor.importWorkflow(asking());
	const second = await editor.importWorkflow(asking({ model: named }));
	for (const one of [first, second]) await editor.run(one);
	await decide(QUILL);
	for (const one of [first, second]) await editor.run(one);
	expect(models()).toEqual([MINI, MINI, QUILL, QUILL]);
});

it('a model that refuses is passed over for free, and the one that answers is paid once', async () => {
	const before = await spent();
	bridge.service.fault({
		match: { method: 'POST', bodyIncludes: `"${MINI}"` },
		do: { type: 'status', status: 404 },
	});
	const execution = await ask();
	const { costUsd } = output(execution) ?? {};
	expect(output(execution)).toMatchObject({ model: QUILL, costUsd: expect.any(Number) });
	expect(models()).toEqual([MINI, QUILL]);
	expect(execution.customData).toMatchObject({ costUsd: String(costUsd) });
	const after = await spent();
	expect(after.budget - before.budget).toBeCloseTo(Number(costUsd), 9);
	const costOf = (id: string, { record }: typeof before) =>
		Number(record.find(({ model }) => model === id)?.['costUsd'] ?? 0);
	expect(costOf(QUILL, after) - costOf(QUILL, before)).toBeCloseTo(Number(costUsd), 9);
	expect(costOf(MINI, after)).toBe(costOf(MINI, before));
});
