import { assistant, posts, secretsOfAnother } from './rig/calls';
import { fakeMinutes, letMinutesPass } from './rig/fakeMinutes';
import { startLedgerRig } from './rig/ledger';
import { run, type RunOptions } from './rig/run';

// the assistant's limit, shared through the job ledger, with minutes that pass in no time
const rig = startLedgerRig({ now: () => Date.now() });
fakeMinutes();

const inNoTime = async <Result>(work: Promise<Result>): Promise<Result> =>
	await letMinutesPass(work, [rig.service, rig.n8n.service], 50);

/** An execution that asks so many questions. */
function asking(count: number, account = secretsOfAnother(rig.service), shareLimit = true) {
	const shared = {
		...account['marketAssistantApi'],
		...rig.n8n.ledgerFields,
		...{ plan: 'custom', requestsPerMinute: 60, shareLimit },
	};
	return {
		...assistant('ask', { question: '={{ $json.q }}' }),
		items: Array.from({ length: count }, (_, index) => ({ q: `question ${index}` })),
		secrets: { ...account, marketAssistantApi: shared },
	} as unknown as RunOptions;
}

const refused = () => posts(rig.service).filter(({ status }) => status === 429).length;

it('the limit is kept through one row, which asks little of n8n', async () => {
	rig.service.forms.enterpriseLimit = 60;
	const account = secretsOfAnother(rig.service);
	const begun = Date.now();
	const outcomes = await inNoTime(
		Promise.all([1, 2, 3].map(async () => await run(asking(30, account)))),
	);
	expect(outcomes.map(({ items, error }) => [items.length, error])).toEqual([
		[30, undefined],
		[30, undefined],
		[30, undefined],
	]);
	expect(refused()).toBe(0);
	expect(90 / ((Date.now() - begun) / 60_000)).toBeGreaterThanOrEqual(0.85 * 60);
	expect(rig.n8n.entries()).toMatchObject([
		{ state: 'limit', account: 'marketAssistantApi', checkAt: expect.any(Number), jobId: '' },
	]);
	expect(rig.n8n.service.requests.length / 90).toBeLessThan(0.7);
});

it('times that another process has reserved are left free', async () => {
	const account = secretsOfAnother(rig.service);
	await inNoTime(run(asking(1, account)));
	const [row] = rig.n8n.rows;
	const taken = Date.now() + 20_000;
	row!['checkAt'] = taken;
	await inNoTime(run(asking(1, account)));
	expect(posts(rig.service)[1]!.at).toBeGreaterThanOrEqual(taken - 1);
});

it('a refusal pauses the processes through the row', async () => {
	rig.service.fault({ times: 1, do: { type: 'too_many_requests', retryAfter: 30 } });
	const begun = Date.now();
	const { items, error } = await inNoTime(run(asking(3)));
	expect([items.length, error, refused()]).toEqual([3, undefined, 1]);
	expect(rig.n8n.entries()[0]!.leaseUntil).toBeGreaterThanOrEqual(begun + 30_000);
});

it.each<[string, () => void]>([
	['whose key is wrong', () => rig.n8n.service.fault({ do: { type: 'status', status: 401 } })],
	['that is away', () => rig.n8n.service.fault({ do: { type: 'reset_peer' } })],
	['that fails', () => rig.n8n.service.fault({ do: { type: 'status', status: 500 } })],
	['that may only be read', () => void rig.n8n.missingScopes.add('dataTableRow:create')],
	['that starts', () => rig.n8n.service.fault({ do: { type: 'status', status: 404 } })],
])('with a ledger %s, every question is asked without delay', async (_which, breakLedger) => {
	breakLedger();
	const begun = Date.now();
	const { items, error } = await inNoTime(run(asking(5)));
	rig.n8n.missingScopes.clear();
	expect([items.length, error, refused()]).toEqual([5, undefined, 0]);
	expect(Date.now() - begun).toBeLessThan(5000);
});

it('a ledger that is slow is waited for, so that no process uses the whole limit beside the others', async () => {
	rig.n8n.service.fault({ times: 1, do: { type: 'latency', ms: 2500 } });
	const { items, error } = await inNoTime(run(asking(5)));
	expect([items.length, error]).toEqual([5, undefined]);
	expect(rig.n8n.entries()).toMatchObject([{ state: 'limit', checkAt: expect.any(Number) }]);
});

it('a credential without the option asks nothing of the ledger', async () => {
	await inNoTime(run(asking(3, secretsOfAnother(rig.service), false)));
	expect(rig.n8n.service.requests).toEqual([]);
});

it('the row is no entry of the ledger', async () => {
	await inNoTime(run(asking(1)));
	expect((await inNoTime(rig.ledger('getMany'))).items).toEqual([]);
	await inNoTime(rig.ledger('deleteMany', { days: 1, withKeys: true }));
	expect(rig.n8n.rows).toHaveLength(1);
});
