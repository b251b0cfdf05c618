import { rowOf } from '../service/modelServices/rows.ts';
import { KEY, standIn, type Standing } from '../service/modelServices/stand.ts';
import { calculator, callsOf, runAgent, withModel } from './agent.ts';
import {
	type Accounts,
	bridgeOfFile,
	createWithLedger,
	messages,
	model,
	modelsListedBy,
	nodesFor,
	readWith,
	secretsOf,
} from './bridge.ts';
import { itemsOf } from './execution.ts';
import { workflow } from './workflow.ts';

// a service that people have, with its own key; test/engine/modelServices.test.ts has all of them
const bridge = bridgeOfFile();

const MINI = 'openai/gpt-5-mini';

let openRouter: Standing;
beforeAll(async () => (openRouter = await standIn(rowOf('OpenRouter'))));
afterAll(async () => await openRouter.stop());

const asked = () => openRouter.asked.filter(({ method }) => method === 'POST').length;

/** A credential of a person who has an account there, and a budget. */
const accountOf = async (more: Record<string, unknown> = {}) => {
	const { router } = secretsOf(bridge.service);
	const data = { baseUrl: openRouter.baseUrl, apiKey: KEY, keyIn: 'bearer' };
	return await createWithLedger(bridge.editor, { ...router, data }, more);
};

it('an AI Agent asks OpenRouter until the budget is used up, and not beyond', async () => {
	const account = await accountOf({ budgetUsd: '0.002' });
	const accounts: Accounts = { ...bridge.accounts, router: account };
	const talk = {
		text: 'hello',
		attached: [
			withModel({ ...bridge, accounts }, { model: model(MINI), options: { maxTokens: 100 } }),
			calculator(),
		],
	};
	const costs: number[] = [];
	let refusal: string | undefined;
	for (let turn = 0; turn < 8 && !refusal; turn++) {
		const execution = await runAgent(bridge, talk);
		costs.push(...callsOf(execution).map(({ json }) => Number(json?.['costUsd'] ?? 0)));
		refusal = execution.error?.message;
	}
	expect(refusal).toMatch(/budget of \$0\.002/);
	expect(asked()).toBeGreaterThan(1);
	const spent = costs.reduce((sum, cost) => sum + cost, 0);
	expect(spent).toBeGreaterThan(0.0008);
	expect(spent).toBeLessThanOrEqual(0.002);
	const [budget] = await readWith(bridge.editor, account, ['budget', 'getBudget']);
	expect(Number(budget?.['spentUsd'])).toBeCloseTo(spent, 9);
});

it('a model without a price names the line that mends it, and with it the cap counts', async () => {
	const ask = async (ownPrices: string) => {
		const router = await accountOf({ ownPrices });
		const node = nodesFor({ ...bridge.accounts, router }).router('Ask', ['text', 'message'], {
			model: model('openrouter/auto'),
			...messages('Hello'),
		});
		return await bridge.editor.runOnce(workflow('ask', [{}], node));
	};
	const before = asked();
	const { error } = await ask('');
	expect(error?.description).toContain('such as "openrouter/auto 0.25 2"');
	expect(asked()).toBe(before);
	const priced = await ask('openrouter/auto 0.25 2');
	const [json] = itemsOf(priced, 'Ask').map((item) => item.json);
	expect(json ?? priced.error).toMatchObject({ costSource: 'service' });
});

it('the list of the editor has its models, with their prices', async () => {
	const router = await accountOf();
	const listed = await modelsListedBy('modelRouter', {
		...bridge,
		accounts: { ...bridge.accounts, router },
	});
	expect(listed).toContain(MINI);
});
