import { setImmediate as turn } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';

import { assistant, posts, secretsOfAnother } from './rig/calls';
import { fakeMinutes, letMinutesPass } from './rig/fakeMinutes';
import { startLedgerRig } from './rig/ledger';
import { run, start, type RunOptions } from './rig/run';

// the assistant's limit per minute, with minutes that pass in no time, for both sides
const rig = startLedgerRig({ now: () => Date.now() });
const { service } = rig;
fakeMinutes();

const inNoTime = async <Result>(work: Promise<Result>) =>
	await letMinutesPass(work, [service, rig.n8n.service], 50);
const until = async (condition: () => boolean) => {
	while (!condition()) await turn();
};

/** An execution that asks so many questions with an account that has a limit. */
const asking = (
	count: number,
	plan: object,
	requestSettings: INodeParameters = {},
	account = secretsOfAnother(service),
): RunOptions => ({
	...assistant('ask', { question: '={{ $json.q }}', requestSettings }),
	items: Array.from({ length: count }, (_, index) => ({ q: `question ${index}` })),
	secrets: { marketAssistantApi: { ...account['marketAssistantApi'], plan: 'custom', ...plan } },
});
const refused = () => posts(service).filter(({ status }) => status === 429).length;

/** Executions beside one another that each ask so many questions of a minute's 60. @returns the time that it takes */
async function askAll(counts: number[], more: object = {}) {
	const account = secretsOfAnother(service);
	const begun = Date.now();
	const options = counts.map((count) =>
		asking(count, { requestsPerMinute: 60, ...more }, {}, account),
	);
	const outcomes = await inNoTime(Promise.all(options.map(run)));
	expect(outcomes.map(({ items, error }) => [items.length, error])).toEqual(
		counts.map((count) => [count, undefined]),
	);
	return Date.now() - begun;
}
/** The limit is shared through the job ledger. */
const shared = (shareLimit = true) => ({ ...rig.n8n.ledgerFields, shareLimit });

// other windows are in unit/core/rateLimit.workers
it('executions beside one another stay below the limit of a window, and use most of it', async () => {
	Object.assign(service.forms, { rateWindow: 'fixed', enterpriseLimit: 60 });
	const milliseconds = await askAll([50, 50, 50]);
	expect([refused(), posts(service).length]).toEqual([0, 150]);
	expect(150 / (milliseconds / 60_000)).toBeGreaterThanOrEqual(0.85 * 60);
});

it.each([
	[30, {}],
	[2, { maxRateLimitWait: 10 }],
])(
	'a 429 makes all executions wait for %i s, no longer, and nothing is lost',
	async (seconds, settings) => {
		service.fault({ times: 1, do: { type: 'too_many_requests', retryAfter: seconds } });
		const account = secretsOfAnother(service);
		const ask = async (count: number) =>
			await run(asking(count, { requestsPerMinute: 600 }, settings, account));
		const begun = Date.now();
		const first = ask(2);
		const second = until(() => refused() > 0).then(async () => await ask(3));
		const outcomes = await inNoTime(Promise.all([first, second]));
		expect(outcomes).toMatchObject([{ error: undefined }, { error: undefined }]);
		expect(outcomes.map(({ items }) => items.length)).toEqual([2, 3]);
		expect(posts(service)).toHaveLength(6);
		const later = posts(service).flatMap(({ at }) => (at - begun > 1000 ? [at - begun] : []));
		expect(Math.min(...later)).toBeGreaterThanOrEqual(seconds * 1000);
		expect(Math.max(...later)).toBeLessThanOrEqual(seconds * 1000 + 5000);
		expect(later.length).toBeGreaterThanOrEqual(4);
	},
);

it('Stop ends the wait at once, and what was not sent is not paid for', async () => {
	const { finished, stop } = start(asking(20, { requestsPerMinute: 1 }));
	await inNoTime(until(() => posts(service).length > 0));
	const stoppedAt = Date.now();
	stop();
	const { run: stopped } = await inNoTime(finished);
	expect(stopped.status).not.toBe('success');
	expect(posts(service)).toHaveLength(1);
	expect(Date.now() - stoppedAt).toBeLessThan(1000);
});

it.each([
	[{ plan: undefined, requestsPerMinute: 1 }, 60],
	[{ plan: 'free', requestsPerMinute: 999 }, 60],
	[{ plan: 'pro' }, 300],
	[{ plan: 'custom', requestsPerMinute: '120' }, 120],
])('a credential with %j asks at most %d times a minute', async (plan, perMinute) => {
	const { error } = await inNoTime(run(asking(20, plan)));
	expect(error).toBeUndefined();
	const at = posts(service).map((request) => request.at);
	const each = ((at.at(-1) ?? 0) - (at.at(-11) ?? 0)) / 10;
	// time passes in steps here
	expect(Math.abs(each - 60_000 / (0.9 * perMinute))).toBeLessThan(30);
});

it.each([0, 'many', Infinity])(
	'a limit of %p is refused before any request',
	async (requestsPerMinute) => {
		const { error } = await inNoTime(run(asking(1, { requestsPerMinute })));
		expect(error?.message).toMatch(/^Requests per Minute must be a number of 1 or more/);
		expect(service.requests).toEqual([]);
	},
);

it('the limit is kept through one row, which asks little of n8n', async () => {
	service.forms.enterpriseLimit = 60;
	const milliseconds = await askAll([30, 30, 30], shared());
	expect(refused()).toBe(0);
	expect(90 / (milliseconds / 60_000)).toBeGreaterThanOrEqual(0.85 * 60);
	expect(rig.n8n.entries()).toMatchObject([
		{ state: 'limit', credentialId: 'marketAssistantApi', checkAt: expect.any(Number), jobId: '' },
	]);
	expect(rig.n8n.service.requests.length / 90).toBeLessThan(0.7);
});

it.each([
	['whose key is wrong', () => rig.n8n.service.fault({ do: { type: 'status', status: 401 } })],
	['that may only be read', () => void rig.n8n.missingScopes.add('dataTableRow:create')],
	['that starts', () => rig.n8n.service.fault({ do: { type: 'status', status: 404 } })],
])('with a ledger %s, every question is asked without delay', async (_which, breakLedger) => {
	breakLedger();
	expect(await askAll([5], shared())).toBeLessThan(5000);
	expect(refused()).toBe(0);
});

it('a ledger that is slow is waited for, so that no process uses the whole limit beside the others', async () => {
	rig.n8n.service.fault({ times: 1, do: { type: 'latency', ms: 2500 } });
	await askAll([5], shared());
	expect(rig.n8n.entries()).toMatchObject([{ state: 'limit', checkAt: expect.any(Number) }]);
});

it('a credential without the option asks nothing of the ledger', async () => {
	await askAll([3], shared(false));
	expect(rig.n8n.service.requests).toEqual([]);
});

it('the row is no entry of the ledger', async () => {
	await askAll([1], shared());
	expect((await inNoTime(rig.ledger('getEntries'))).items).toEqual([]);
	await inNoTime(rig.ledger('deleteMany', { days: 1, withKeys: true }));
	expect(rig.n8n.rows).toHaveLength(1);
});
