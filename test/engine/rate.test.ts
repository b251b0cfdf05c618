import { setImmediate as turn } from 'node:timers/promises';

import { startService, type Service } from '../service/service';
import { assistant, posts, secretsOfAnother } from './rig/calls';
import { fakeMinutes, letMinutesPass } from './rig/fakeMinutes';
import { run, start, type RunOptions } from './rig/run';

// the assistant's limit per minute, with minutes that pass in no time, for both sides
let service: Service;
beforeAll(async () => (service = await startService({ now: () => Date.now() })));
beforeEach(() => {
	service.reset();
});
fakeMinutes();
afterAll(() => service.stop());

const inNoTime = async <Result>(work: Promise<Result>): Promise<Result> =>
	await letMinutesPass(work, [service], 100);

/** An execution that asks so many questions with an account that has a limit. */
function asking(
	count: number,
	perMinute: number,
	account: ReturnType<typeof secretsOfAnother>,
	requestSettings = {},
) {
	const limited = {
		...account['marketAssistantApi'],
		plan: 'custom',
		requestsPerMinute: perMinute,
	};
	return {
		...assistant('ask', { question: '={{ $json.q }}', requestSettings }),
		items: Array.from({ length: count }, (_, index) => ({ q: `question ${index}` })),
		secrets: { ...account, marketAssistantApi: limited },
	} satisfies RunOptions;
}

const refused = () => posts(service).filter(({ status }) => status === 429).length;

it.each(['fixed', 'sliding', 'bucket'] as const)(
	'executions beside one another stay below the limit of a %s window, and use most of it',
	async (rateWindow) => {
		Object.assign(service.forms, { rateWindow, enterpriseLimit: 60 });
		const account = secretsOfAnother(service);
		const begun = Date.now();
		const outcomes = await inNoTime(
			Promise.all([1, 2, 3].map(async () => await run(asking(50, 60, account)))),
		);
		expect(outcomes.map(({ items, error }) => [items.length, error])).toEqual([
			[50, undefined],
			[50, undefined],
			[50, undefined],
		]);
		expect(refused()).toBe(0);
		expect(posts(service)).toHaveLength(150);
		const perMinute = 150 / ((Date.now() - begun) / 60_000);
		expect(perMinute).toBeGreaterThanOrEqual(0.85 * 60);
	},
);

it.each([
	[30, {}],
	[2, { maxRateLimitWait: 10 }],
])(
	'a 429 makes all executions wait for %i s, no longer, and nothing is lost',
	async (seconds, settings) => {
		service.fault({ times: 1, do: { type: 'too_many_requests', retryAfter: seconds } });
		const account = secretsOfAnother(service);
		const begun = Date.now();
		const first = run(asking(2, 600, account, settings));
		const outcomes = await inNoTime(
			(async () => {
				while (!refused()) await turn();
				return await Promise.all([first, run(asking(3, 600, account, settings))]);
			})(),
		);
		expect(outcomes.map(({ items, error }) => [items.length, error])).toEqual([
			[2, undefined],
			[3, undefined],
		]);
		expect(posts(service)).toHaveLength(6);
		const later = posts(service).filter(({ at }) => at - begun > 1000);
		expect(later.every(({ at }) => at - begun >= seconds * 1000)).toBe(true);
		expect(later.every(({ at }) => at - begun <= seconds * 1000 + 5000)).toBe(true);
		expect(later.length).toBeGreaterThanOrEqual(4);
	},
);

it('Stop ends the wait at once, and what was not sent is not paid for', async () => {
	const account = secretsOfAnother(service);
	const { finished, stop } = start(asking(20, 1, account));
	await inNoTime(
		(async () => {
			while (!posts(service).length) await turn();
		})(),
	);
	const stoppedAt = Date.now();
	stop();
	const { run: stopped } = await inNoTime(finished);
	expect(stopped.status).not.toBe('success');
	expect(posts(service)).toHaveLength(1);
	expect(Date.now() - stoppedAt).toBeLessThan(1000);
});

it.each<[string, object, number]>([
	['a credential without a plan', { plan: undefined }, 60],
	['Free', { plan: 'free', requestsPerMinute: 999 }, 60],
	['Pro', { plan: 'pro' }, 300],
	['Custom', { plan: 'custom', requestsPerMinute: '120' }, 120],
])('%s', async (_what, plan, perMinute) => {
	const options = asking(20, 1, secretsOfAnother(service));
	const secrets = { marketAssistantApi: { ...options.secrets.marketAssistantApi, ...plan } };
	const { error } = await inNoTime(run({ ...options, secrets }));
	expect(error).toBeUndefined();
	const at = posts(service).map((request) => request.at);
	const each = ((at.at(-1) ?? 0) - (at.at(-11) ?? 0)) / 10;
	const expected = 60_000 / (0.9 * perMinute);
	// time passes by a tenth of a second here
	expect(Math.abs(each - expected)).toBeLessThan(30);
});

it.each([0, 'many', null, Infinity, '1e999'])(
	'a limit of %p is refused before any request',
	async (perMinute) => {
		const options = asking(1, 1, secretsOfAnother(service));
		const limited = { ...options.secrets.marketAssistantApi, requestsPerMinute: perMinute };
		const secrets = { marketAssistantApi: limited as typeof options.secrets.marketAssistantApi };
		const { error } = await inNoTime(run({ ...options, secrets }));
		expect(error?.message).toMatch(/^Requests per Minute must be a number of 1 or more/);
		expect(service.requests).toEqual([]);
	},
);
