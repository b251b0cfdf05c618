import { ServiceError } from '../../../src/core/errors';
import type { Http } from '../../../src/core/http';
import { RateLimiter, type Turn } from '../../../src/core/rateLimit';
import { withRetries } from '../../../src/core/resend';
import type { Clock } from '../../../src/core/retry';
import { failureOf, response } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';
import { MINUTE, POST, randomOf, SECOND, sendAll, simulateWorkers } from './simulatedWorkers';

const windows = ['fixed', 'sliding', 'bucket'] as const;
const limits = [60, 300, 1, 2, 7, 20];

describe.each(windows)('a service that counts by a %s window', (rateWindow) => {
	it.each(limits)('of %i a minute rejects nothing, at 85 %% or more', async (perMinute) => {
		const { clock, seen, startProcess } = simulateWorkers({
			rateWindow,
			perMinute,
			isShared: false,
		});
		// not at the beginning of a minute
		await clock.sleep(47 * SECOND);
		const count = Math.min(perMinute * 10, 900);
		const begun = clock.now();
		expect(await sendAll(count, startProcess()())).toBe(count);
		const minutes = (clock.now() - begun) / MINUTE;
		expect(seen.refusedAt).toEqual([]);
		expect(count / minutes).toBeGreaterThanOrEqual(perMinute * 0.85);
	});

	it('rejects nothing where requests take up to 5 s to arrive, and after pauses', async () => {
		const { clock, seen, startProcess } = simulateWorkers({
			rateWindow,
			isShared: false,
			latency: 5 * SECOND,
		});
		const execution = startProcess();
		for (const pause of [0, 90, 3, 30, 61]) {
			await clock.sleep(pause * SECOND);
			const lines = Array.from({ length: 10 }, () => execution());
			await Promise.all(lines.map((line) => sendAll(7, line)));
		}
		expect(seen.refusedAt).toEqual([]);
		expect(seen.sentAt).toHaveLength(350);
	});
});

it('600 questions under a limit of 60 a minute are spread evenly', async () => {
	const { clock, seen, startProcess } = simulateWorkers({ isShared: false });
	await sendAll(600, startProcess()(undefined, 0));
	const pauses = seen.sentAt.slice(1).map((at, index) => at - (seen.sentAt[index] ?? 0));
	expect(pauses.slice(0, 4)).toEqual([0, 0, 0, 0]);
	expect(pauses.slice(4).every((pause) => pause > 1100 && pause < 1125)).toBe(true);
	expect(clock.now() / SECOND).toBeLessThan(662);
});

describe('a queue', () => {
	const turn = (clock: Clock, changes: Partial<Turn> = {}): Turn => ({
		clock,
		maxRateLimitWait: 0,
		perMinute: 60,
		...changes,
	});

	it('lets through in the order of coming', async () => {
		const [clock, limiter] = [virtualClock(), new RateLimiter()];
		const order: number[] = [];
		const numbers = Array.from({ length: 30 }, (_, number) => number);
		await Promise.all(
			numbers.map(async (number) => {
				await limiter.acquire(turn(clock));
				order.push(number);
			}),
		);
		expect(order).toEqual(numbers);
	});

	const stopped = new ServiceError('cancelled', 'x', { sent: false });
	it.each<[string, (clock: Clock) => Partial<Turn>]>([
		['is stopped', (clock) => ({ clock: { ...clock, sleep: () => Promise.reject(stopped) } })],
		['gives up', () => ({ signal: AbortSignal.abort() })],
	])('gives the place of one who %s to the next', async (_how, change) => {
		const [clock, limiter] = [virtualClock(), new RateLimiter()];
		for (let count = 0; count < 5; count++) await limiter.acquire(turn(clock));
		const gone = Array.from({ length: 20 }, () =>
			failureOf(limiter.acquire(turn(clock, change(clock)))),
		);
		const after = limiter.acquire(turn(clock));
		for (const failure of await Promise.all(gone))
			expect(failure).toMatchObject({ kind: 'cancelled', details: { sent: false } });
		await after;
		expect(clock.now()).toBeLessThan(1200);
	});

	it.each([undefined, 40 * SECOND])(
		'goes on when the clock is set back, after a pause of %s',
		async (pause) => {
			const clock = virtualClock();
			const limiter = new RateLimiter();
			let [setBack, isRefused] = [0, pause !== undefined];
			const now = () => clock.now() - setBack;
			const pass = async () => {
				const end = await limiter.acquire(turn({ ...clock, now }, { maxRateLimitWait: MINUTE }));
				end(isRefused ? pause : undefined);
				isRefused = false;
			};
			for (let request = 0; request < 10; request++) await pass();
			const before = clock.now();
			setBack = 60 * MINUTE;
			await Promise.all([pass(), pass()]);
			expect(clock.now() - before).toBeLessThan(3 * SECOND);
		},
	);

	it('lets everybody through at once where the service has no limit', async () => {
		const [clock, limiter] = [virtualClock(), new RateLimiter()];
		for (let count = 0; count < 50; count++)
			await limiter.acquire(turn(clock, { perMinute: undefined }));
		expect(clock.slept).toEqual([]);
	});
});

describe('after a 429', () => {
	const defaults = {
		refusals: 1,
		answerTime: 0,
		wait: MINUTE,
		perMinute: 60 as number | undefined,
	};

	/** Executions of one process, at a service that refuses so many requests and takes as long for each answer. */
	function process(retryAfter: string | undefined, given: Partial<typeof defaults> = {}) {
		const { refusals, answerTime, perMinute, wait } = { ...defaults, ...given };
		let left = refusals;
		const clock = { ...virtualClock(), random: randomOf(7919) };
		const sent: number[] = [];
		const http: Http = {
			async send() {
				sent.push(clock.now());
				const isRefused = left-- > 0;
				if (!isRefused && answerTime) await clock.sleep(answerTime);
				const headers: Record<string, string> = retryAfter ? { 'retry-after': retryAfter } : {};
				return response(isRefused ? { status: 429, headers } : {});
			},
		};
		const limiter = new RateLimiter();
		const execution = (maxRateLimitWait = wait) =>
			withRetries(http, limiter, { clock, maxRateLimitWait, perMinute });
		return { clock, sent, execution };
	}

	const NO_LIMIT = { perMinute: undefined };
	type Range = [from: number, to: number];

	// after so many other requests; seconds until the one that tries, from there to the next one, and to the last one at most
	it.each<[string, string, Partial<typeof defaults>, number, Range, Range, number]>([
		['two seconds cost two', '2', { wait: 10 * SECOND }, 10, [2, 3], [0, 1.2], 11.2],
		['without a limit, too', '2', { wait: 10 * SECOND, ...NO_LIMIT }, 10, [2, 3], [0, 1], 1],
		['the others follow its answer', '30', { answerTime: 3000 }, 5, [30, 31], [3, 4], 9.6],
		['without a limit, too', '30', { answerTime: 3000, ...NO_LIMIT }, 5, [30, 31], [3, 4], 4],
		['they do not wait for a long answer', '30', { answerTime: 40_000 }, 5, [30, 31], [5, 6], 12],
		[
			'they wait again if it is refused',
			'10',
			{ refusals: 2, ...NO_LIMIT },
			5,
			[10, 11],
			[10, 62],
			62,
		],
		['a second refusal costs a minute', '1', { refusals: 2 }, 0, [1, 3], [55, 62], 62],
		['or what is allowed', '1', { refusals: 2, wait: 10 * SECOND }, 0, [1, 3], [9, 13], 13],
	])('%s: Retry-After %s, %j', async (_what, retryAfter, given, others, trial, next, last) => {
		const { clock, sent, execution } = process(retryAfter, given);
		const first = execution().send(POST);
		await clock.sleep(SECOND);
		expect(await sendAll(others, execution())).toBe(others);
		expect(await first).toMatchObject({ status: 200 });
		expect(sent).toHaveLength(1 + (given.refusals ?? 1) + others);
		const [, tried = 0, second = 0] = sent.map((at) => at / SECOND);
		for (const [value, [from, to]] of [[tried, trial] as const, [second - tried, next] as const]) {
			expect(value).toBeGreaterThanOrEqual(from);
			expect(value).toBeLessThanOrEqual(to);
		}
		expect(sent.at(-1)! / SECOND - tried).toBeLessThanOrEqual(last);
	});

	it('that asks for years, nothing is sent for an hour', async () => {
		const { clock, sent, execution } = process('978307200');
		expect(await execution().send(POST)).toMatchObject({ status: 429 });
		expect(await failureOf(execution(59 * MINUTE).send(POST))).toMatchObject({
			details: { retryAfter: 60 * MINUTE },
		});
		expect(await execution(60 * MINUTE).send(POST)).toMatchObject({ status: 200 });
		expect(clock.now() - 60 * MINUTE).toBeLessThan(10 * SECOND);
		expect(sent).toHaveLength(2);
	});

	it.each([
		['31', 31_000],
		['soon', 60_000],
		[undefined, 60_000],
	])('whoever may not wait as long as Retry-After %s fails, unsent', async (header, left) => {
		const { clock, execution } = process(header, { wait: 30 * SECOND });
		expect(await execution().send(POST)).toMatchObject({ status: 429 });
		expect(await failureOf(execution().send(POST))).toMatchObject({
			kind: 'refused',
			message: 'The service is receiving too many requests (429)',
			details: { status: 429, sent: false, retryAfter: left },
		});
		expect(clock.now()).toBe(0);
	});

	it('a caller that gives up is not waited for', async () => {
		const { clock, execution } = process('30');
		const caller = new AbortController();
		const gone = failureOf(execution().send({ ...POST, signal: caller.signal }));
		await clock.sleep(5 * SECOND);
		caller.abort();
		expect(await gone).toMatchObject({ kind: 'cancelled', details: { sent: false } });
		expect(clock.now()).toBeLessThanOrEqual(6 * SECOND);
	});
});
