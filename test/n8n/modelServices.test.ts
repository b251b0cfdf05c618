import { rowOf } from '../service/modelServices/rows.ts';
import { KEY, standIn, type Standing } from '../service/modelServices/stand.ts';
import { calculator, callsOf, runAgent, withModel } from './agent.ts';
import {
	type Accounts,
	bridgeOfFile,
	createWithLedger,
	messages,
	model,
	nodesFor,
	readWith,
	secretsOf,
} from './bridge.ts';
import type { SavedCredential } from './editor.ts';
import { itemsOf } from './execution.ts';
import { trustedService } from './shared.ts';
import { workflow } from './workflow.ts';

// a service that people have, with its own key; test/engine/modelServices.test.ts has all of them
const bridge = bridgeOfFile();

const MINI = 'openai/gpt-5-mini';

let openRouter: Standing;
let ollama: Standing;
beforeAll(async () => {
	openRouter = await standIn(rowOf('OpenRouter'));
	ollama = await standIn(rowOf('Ollama'));
});
afterAll(async () => {
	await openRouter.stop();
	await ollama.stop();
});

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

/** What Message a Model returns by a credential. */
const ask = async (router: SavedCredential, id: string) => {
	const node = nodesFor({ ...bridge.accounts, router }).router('Ask', ['text', 'message'], {
		model: model(id),
		...messages('Hello'),
	});
	const execution = await bridge.editor.runOnce(workflow('ask', [{}], node));
	return { ...execution, json: itemsOf(execution, 'Ask')[0]?.json };
};

describe('a model server in the own network', () => {
	const [asked] = rowOf('Ollama').answering;
	const addressOf = (name: string) => ollama.baseUrl.replace('127.0.0.1', name);
	const accountAt = async (baseUrl: string) => {
		const data = { baseUrl, keyIn: 'none', apiKey: '', ownPrices: `${asked} 0 0` };
		return await bridge.editor.createCredential({ ...bridge.accounts.router, data });
	};

	it('is asked over http:// by the name of its container, and costs nothing', async () => {
		const account = await accountAt(addressOf('model-server'));
		expect(await bridge.editor.testCredential(account)).toMatchObject({
			status: 'OK',
			message: expect.stringMatching(/It gets no key/),
		});
		const { json, error } = await ask(account, asked);
		expect(json ?? error).toMatchObject({ output: 'Hello from Ollama', costUsd: 0 });
	});

	it('an expression is no address of the own network', async () => {
		const account = await accountAt(`={{ '${addressOf('model-server')}' }}`);
		const before = ollama.asked.length;
		const { error } = await ask(account, asked);
		expect(error?.message).toMatch(/The base URL must begin with https:\/\//);
		expect(error?.description).toMatch(/typed in and not an expression/);
		expect(ollama.asked).toHaveLength(before);
	});
});

it('an expression may be the base URL of a service over https://', async () => {
	const { router } = secretsOf(bridge.service);
	const baseUrl = String(router.data['baseUrl']).replace(bridge.service.url, trustedService());
	const data = { ...router.data, baseUrl: `={{ '${baseUrl}' }}` };
	const { json, error } = await ask(
		await bridge.editor.createCredential({ ...router, data }),
		'northwind/quill-2.5',
	);
	expect(json ?? error).toMatchObject({ output: expect.stringContaining('Hello') });
});
