import type { INodeParameters } from 'n8n-workflow';

import { searchModels } from '../../nodes/ModelRouter/modelPicker';
import { assistant, chat, posts, SKETCH } from './rig/calls';
import { testCredential } from './rig/credentialTest';
import { startLedgerRig } from './rig/ledger';
import { pickerOf } from './rig/picker';
import { run, shownText } from './rig/run';

// what belongs to the owner of a credential, and what to an account that comes from an item
const rig = startLedgerRig();

const KEY_OF_ITEM = { apiKey: '={{ $json.key }}' };
const items = () => [{ key: rig.service.router.keys.main }];

describe.each([
	['the start of a job', 'start', { uniqueKey: '' }],
	['the start of a job with a Unique Key', 'start', { uniqueKey: 'order-1' }],
	['a job that is waited for', 'generate', { uniqueKey: 'order-1' }],
	['a job that is there', 'track', { jobId: 'job-1' }],
])('%s', (_name, operation, parameters: INodeParameters) => {
	it('is not tracked where its account comes from an item: nothing is sent, and it says what to do', async () => {
		const media = { mediaType: 'images', model: SKETCH, prompt: 'a cat' };
		const call = rig.ledgered(operation, { ...media, ...parameters }, { items: items() });
		const { error } = await run({ ...call, secrets: rig.account(KEY_OF_ITEM) });
		expect(shownText(error)).toMatch(
			/^A job cannot be tracked in the job ledger while its account comes from an item\. Nothing was sent\. .*Turn off "Track in Job Ledger" and clear Unique Key/,
		);
		expect([posts(rig.service), rig.n8n.entries()]).toEqual([[], []]);
	});
});

it('a job is tracked where the expression needs no item', async () => {
	const key = rig.service.router.keys.main;
	const secrets = rig.account({ apiKey: `={{ ${JSON.stringify(key)} }}` });
	const { error } = await run(rig.starting('a cat', { uniqueKey: 'order-1' }, { secrets }));
	expect(error).toBeUndefined();
	expect(rig.states()).toEqual(['pending']);
});

it('the Unique Key of one credential is not that of another in the same ledger', async () => {
	const other = { id: 'other', name: 'other' };
	const secrets = { ...rig.secrets(), other: rig.account({})['modelRouterApi']! };
	const settings = { credentials: { modelRouterApi: other } };
	const first = await run(rig.starting('a cat', { uniqueKey: 'order-1' }));
	const second = await run(rig.starting('a dog', { uniqueKey: 'order-1' }, { secrets, settings }));
	const again = await run(rig.starting('a dog', { uniqueKey: 'order-1' }, { secrets, settings }));
	const idOf = ({ items: [item] }: typeof first) => item?.json['jobId'];
	expect(idOf(second)).not.toBe(idOf(first));
	expect(idOf(again)).toBe(idOf(second));
	expect([rig.service.starts('a cat'), rig.service.starts('a dog')]).toEqual([1, 1]);
});

describe('an account', () => {
	it('with a new key in its credential has the Unique Keys of before: nothing is paid twice', async () => {
		const first = await run(rig.starting('a cat', { uniqueKey: 'order-1' }));
		rig.service.setBalance(100_000_000, 'router-key-after-rotation');
		const secrets = rig.account({ apiKey: 'router-key-after-rotation' });
		const second = await run(rig.starting('a cat', { uniqueKey: 'order-1' }, { secrets }));
		expect(second.items[0]?.json['jobId']).toBe(first.items[0]?.json['jobId']);
		expect(rig.service.starts('a cat')).toBe(1);
	});

	it('that comes from an item has its own chat for a session, and the ledger has no key', async () => {
		const { enterprise, pro } = rig.service.assistant.keys;
		const question = { question: 'x', sessionMode: 'key', sessionKey: 'the same' };
		const ask = async (apiKey: string, key = '') => {
			const { marketAssistantApi } = rig.secrets();
			const secrets = { marketAssistantApi: { ...marketAssistantApi, apiKey } };
			const outcome = await run({ ...assistant('ask', question), secrets, items: [{ key }] });
			expect(outcome.error).toBeUndefined();
			return outcome.items[0]?.json['chatId'];
		};
		const own = await ask(enterprise);
		const ofA = await ask('={{ $json.key }}', enterprise);
		const ofB = await ask('={{ $json.key }}', pro);
		expect(new Set([own, ofA, ofB]).size).toBe(3);
		expect(await ask('={{ $json.key }}', enterprise)).toBe(ofA);
		expect(await ask('={{ $json.key }}', pro)).toBe(ofB);
		const rows = JSON.stringify(rig.n8n.rows);
		for (const key of [enterprise, pro]) expect(rows).not.toContain(key);
	});
});

it.each([
	['Budget (USD)', { budgetUsd: '={{ $json.budget }}' }],
	['Job Ledger Table', { ledgerTable: '={{ $json.table }}' }],
	['n8n API Key', { n8nApiKey: '={{ $json.n8nKey }}' }],
	['Record Spending', { recordSpending: '={{ $json.budget > 1 }}', budgetUsd: '' }],
])(
	'%s belongs to the owner of the credential, so it must not come from an item',
	async (title, fields) => {
		const rows = [1, 2].map((budget) => ({ budget, table: `t${budget}`, n8nKey: `key-${budget}` }));
		const { error } = await run({ ...chat('x'), items: rows, secrets: rig.account(fields) });
		expect(shownText(error)).toContain(
			`"${title}" of the credential comes from an item. Nothing was sent.`,
		);
		expect(posts(rig.service)).toEqual([]);
	},
);

describe('where there is no item', () => {
	const SENTENCE = /The credential has an expression that needs an item, in (Base URL, )?API Key/;

	it('the model list of the editor says that the credential needs one', async () => {
		const secrets = rig.account({ ...KEY_OF_ITEM, baseUrl: '={{ $json.url }}' });
		const context = pickerOf('modelRouter', 'model', { credential: 'modelRouterApi' }, secrets);
		await expect(searchModels.call(context)).rejects.toThrow(SENTENCE);
	});

	it('the test of the credential does, too', async () => {
		const { modelRouterApi } = rig.account(KEY_OF_ITEM);
		expect(await testCredential('modelRouterApi', modelRouterApi!)).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(SENTENCE),
		});
	});

	it('the trigger does when it is activated, and in its executions', async () => {
		const secrets = rig.account(KEY_OF_ITEM);
		const { poll } = rig.watching({}, { secrets });
		expect((await poll()).error?.message).toMatch(SENTENCE);
	});
});
