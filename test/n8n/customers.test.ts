import { bridgeOfFile, createWithLedger, nodesFor, secretsOf } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { attach, node, using, workflow } from './workflow.ts';

// one workflow for two customers, as n8n itself reads their credential
const bridge = bridgeOfFile();

const KEYS = { A: 'key-of-customer-A-1f6c', B: 'key-of-customer-B-9e2d' };
const customers = Array.from({ length: 20 }, (_, n) => (n % 3 ? 'B' : 'A'));
const items = customers.map((customer) => ({ customer, key: KEYS[customer as keyof typeof KEYS] }));
const model = { __rl: true, mode: 'id', value: 'northwind/quill-2.5' };

beforeEach(() => {
	for (const key of Object.values(KEYS)) bridge.service.setBalance(100_000_000, key);
});

async function router() {
	const { data, ...secret } = secretsOf(bridge.service).router;
	const fields = { ...data, apiKey: '={{ $json.key }}' };
	return await bridge.editor.createCredential({ ...secret, data: fields });
}

/** Whose key each request that may cost has carried. */
const paid = () =>
	bridge.service.requests
		.filter(({ method }) => method === 'POST')
		.map(({ headers }) => String(headers['x-api-key']));

it.each([
	['texts', { resource: 'text', operation: 'message', prompt: 'the same', model }],
	[
		'jobs',
		{
			resource: 'media',
			operation: 'start',
			mediaType: 'images',
			model: { ...model, value: 'canvas/sketch-1' },
			prompt: 'the same',
		},
	],
])('%s of twenty items go out with their own keys', async (_what, parameters) => {
	const type = 'n8n-nodes-agent-bridge.modelRouter';
	const asked = node('Ask', type, parameters, using(await router()));
	const execution = await bridge.editor.runOnce(workflow('Customers', items, asked));
	expect(execution.error?.message).toBeUndefined();
	expect(itemsOf(execution, 'Ask')).toHaveLength(20);
	expect(paid().toSorted()).toEqual(items.map(({ key }) => key).toSorted());
});

/** A customer's own account: another workspace, or another key. */
const own = {
	agent(customer: string) {
		const workspace = customer === 'A' ? 'ws-1' : 'ws-2';
		const { agent } = bridge.service;
		return { url: agent.baseUrl(workspace), key: agent.key(workspace) };
	},
	assistant(customer: string) {
		const { baseUrl, keys } = bridge.service.assistant;
		return { url: baseUrl, key: `${keys.pro}-${customer}` };
	},
};

it.each([
	['agent', 'message'],
	['assistant', 'question'],
] as const)(
	'the %s goes on with the session of each customer, although one item fails, and when the workflow runs again',
	async (account, text) => {
		const { accounts, editor, service } = bridge;
		const secret = secretsOf(service)[account];
		Object.assign(secret.data, { baseUrl: '={{ $json.url }}', apiKey: '={{ $json.key }}' });
		const saved = await (account === 'agent'
			? editor.createCredential(secret)
			: createWithLedger(editor, secret));
		const parameters = { [text]: '=of {{ $json.customer }}', sessionMode: 'key', sessionKey: 'x' };
		const asked = nodesFor({ ...accounts, [account]: saved })[account](
			'Ask',
			['question', 'ask'],
			parameters,
			{ onError: 'continueErrorOutput' },
		);
		const rows = customers.map((customer) => ({ customer, ...own[account](customer) }));
		const file = await editor.importWorkflow(workflow('Sessions', rows, asked));
		service.fault({
			match: { bodyIncludes: 'of B' },
			skip: 4,
			times: 1,
			do: { type: 'status', status: 422 },
		});
		for (const failed of [1, 0]) {
			const execution = await editor.run(file);
			const answered = itemsOf(execution, 'Ask');
			expect([answered.length, itemsOf(execution, 'Ask', 1).length]).toEqual([20 - failed, failed]);
			for (const { json, pairedItem } of answered) {
				const { customer } = rows[(pairedItem as { item: number }).item]!;
				const heard = new Set(String(json['output']).match(/of [AB]/g));
				expect([...heard]).toEqual([`of ${customer}`]);
			}
		}
		const { sessions, chats } = service.world;
		const said = [...sessions.values(), ...chats.values()].map((all) => all.join());
		// seven of A and thirteen of B in each run, of which one has failed
		expect(said.toSorted()).toEqual([Array(14).fill('of A').join(), Array(25).fill('of B').join()]);
		const sent = service.requests.map(
			({ headers, bodyText }) =>
				`${headers['x-api-key'] ?? headers.authorization?.slice(7)} ${/of [AB]/.exec(bodyText)}`,
		);
		const wanted = [...rows, ...rows].map(({ key, customer }) => `${key} of ${customer}`);
		expect(sent.toSorted()).toEqual(wanted.toSorted());
	},
);

it('the test of such a credential says that it needs an item', async () => {
	const credential = await router();
	const { data } = secretsOf(bridge.service).router;
	const fields = { ...data, apiKey: '={{ $json.key }}' };
	expect(await bridge.editor.testCredential({ ...credential, data: fields })).toMatchObject({
		status: 'Error',
		message: expect.stringMatching(/needs an item, in API Key/),
	});
});

describe('an AI Agent with the chat model', () => {
	const ask = async (asked: typeof items) => {
		const parameters = { promptType: 'define', text: 'the same', options: {} };
		const agent = node('Agent', '@n8n/n8n-nodes-langchain.agent', parameters, { typeVersion: 3 });
		const type = 'n8n-nodes-agent-bridge.lmChatModelRouter';
		const chatModel = node('Model', type, { model, options: {} }, using(await router()));
		const file = workflow('Agent', asked, agent);
		attach(file, 'Agent', [{ node: chatModel, as: 'ai_languageModel' }]);
		return await bridge.editor.runOnce(file);
	};

	it('sends nothing for two customers at once, and says what to put before it', async () => {
		const { error } = await ask(items.slice(0, 3));
		expect(JSON.stringify(error)).toMatch(/reads differently for another item/);
		expect(paid()).toEqual([]);
	});

	it('answers one customer with the own key', async () => {
		const { error } = await ask(items.filter(({ customer }) => customer === 'B').slice(0, 3));
		expect(error?.message).toBeUndefined();
		expect(new Set(paid())).toEqual(new Set([KEYS.B]));
	});
});
