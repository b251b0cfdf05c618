import { setImmediate as turn } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';

import { assistant, posts, secretsOfAnother } from './rig/calls';
import { fakeMinutes, letMinutesPass } from './rig/fakeMinutes';
import { run, start, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// the assistant's limit per minute, with minutes that pass in no time, for both sides
const service = serviceForTests({}, { now: () => Date.now() });
fakeMinutes();

const inNoTime = async <Result>(work: Promise<Result>): Promise<Result> =>
	await letMinutesPass(work, [service], 100);
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

// other windows are in unit/core/rateLimit.workers
it('executions beside one another stay below the limit of a window, and use most of it', async () => {
	Object.assign(service.forms, { rateWindow: 'fixed', enterpriseLimit: 60 });
	const begun = Date.now();
	const options = asking(50, { requestsPerMinute: 60 });
	const outcomes = await inNoTime(Promise.all([1, 2, 3].map(async () => await run(options))));
	expect(outcomes.map(({ items, error }) => [items.length, error])).toEqual(
		Array(3).fill([50, undefined]),
	);
	expect([refused(), posts(service).length]).toEqual([0, 150]);
	const perMinute = 150 / ((Date.now() - begun) / 60_000);
	expect(perMinute).toBeGreaterThanOrEqual(0.85 * 60);
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

it.each<[object, number]>([
	[{ plan: undefined, requestsPerMinute: 1 }, 60],
	[{ plan: 'free', requestsPerMinute: 999 }, 60],
	[{ plan: 'pro' }, 300],
	[{ plan: 'custom', requestsPerMinute: '120' }, 120],
])('a credential with %j asks at most %d times a minute', async (plan, perMinute) => {
	const { error } = await inNoTime(run(asking(20, plan)));
	expect(error).toBeUndefined();
	const at = posts(service).map((request) => request.at);
	const each = ((at.at(-1) ?? 0) - (at.at(-11) ?? 0)) / 10;
	// time passes by a tenth of a second here
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
