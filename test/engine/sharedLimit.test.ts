import { assistant, posts, secretsOfAnother } from './rig/calls';
import { fakeMinutes, letMinutesPass } from './rig/fakeMinutes';
import { startLedgerRig } from './rig/ledger';
import { run, type RunOptions } from './rig/run';

// the assistant's limit, shared through the job ledger, with minutes that pass in no time
const rig = startLedgerRig({ now: () => Date.now() });
fakeMinutes();

const inNoTime = async <Result>(work: Promise<Result>): Promise<Result> =>
	await letMinutesPass(work, [rig.service, rig.n8n.service], 50);

/** Executions beside one another that each ask so many questions. @returns the time that it takes */
async function asking(
	counts: number[],
	account = secretsOfAnother(rig.service),
	shareLimit = true,
) {
	const shared = {
		...{ ...account['marketAssistantApi'], ...rig.n8n.ledgerFields },
		...{ plan: 'custom', requestsPerMinute: 60, shareLimit },
	};
	const asked = async (count: number) =>
		await run({
			...assistant('ask', { question: '={{ $json.q }}' }),
			items: Array.from({ length: count }, (_, index) => ({ q: `question ${index}` })),
			secrets: { ...account, marketAssistantApi: shared } as RunOptions['secrets'],
		});
	const begun = Date.now();
	const outcomes = await inNoTime(Promise.all(counts.map(asked)));
	expect(outcomes.map(({ items, error }) => [items.length, error])).toEqual(
		counts.map((count) => [count, undefined]),
	);
	return Date.now() - begun;
}

const refused = () => posts(rig.service).filter(({ status }) => status === 429).length;

it('the limit is kept through one row, which asks little of n8n', async () => {
	rig.service.forms.enterpriseLimit = 60;
	const milliseconds = await asking([30, 30, 30]);
	expect(refused()).toBe(0);
	expect(90 / (milliseconds / 60_000)).toBeGreaterThanOrEqual(0.85 * 60);
	expect(rig.n8n.entries()).toMatchObject([
		{ state: 'limit', credentialId: 'marketAssistantApi', checkAt: expect.any(Number), jobId: '' },
	]);
	expect(rig.n8n.service.requests.length / 90).toBeLessThan(0.7);
});

it.each<[string, () => void]>([
	['whose key is wrong', () => rig.n8n.service.fault({ do: { type: 'status', status: 401 } })],
	['that may only be read', () => void rig.n8n.missingScopes.add('dataTableRow:create')],
	['that starts', () => rig.n8n.service.fault({ do: { type: 'status', status: 404 } })],
])('with a ledger %s, every question is asked without delay', async (_which, breakLedger) => {
	breakLedger();
	expect(await asking([5])).toBeLessThan(5000);
	expect(refused()).toBe(0);
});

it('a ledger that is slow is waited for, so that no process uses the whole limit beside the others', async () => {
	rig.n8n.service.fault({ times: 1, do: { type: 'latency', ms: 2500 } });
	await asking([5]);
	expect(rig.n8n.entries()).toMatchObject([{ state: 'limit', checkAt: expect.any(Number) }]);
});

it('a credential without the option asks nothing of the ledger', async () => {
	await asking([3], secretsOfAnother(rig.service), false);
	expect(rig.n8n.service.requests).toEqual([]);
});

it('the row is no entry of the ledger', async () => {
	await asking([1]);
	expect((await inNoTime(rig.ledger('getEntries'))).items).toEqual([]);
	await inNoTime(rig.ledger('deleteMany', { days: 1, withKeys: true }));
	expect(rig.n8n.rows).toHaveLength(1);
});
