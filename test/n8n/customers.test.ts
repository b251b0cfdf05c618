import { bridgeOfFile, secretsOf } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { node, using, workflow } from './workflow.ts';

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

it('the test of such a credential says that it needs an item', async () => {
	const credential = await router();
	const { data } = secretsOf(bridge.service).router;
	const fields = { ...data, apiKey: '={{ $json.key }}' };
	expect(await bridge.editor.testCredential({ ...credential, data: fields })).toMatchObject({
		status: 'Error',
		message: expect.stringMatching(/needs an item, in API Key/),
	});
});
