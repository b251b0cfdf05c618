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
			...{ rateWindow, perMinute, isShared: false },
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
			...{ rateWindow, isShared: false, latency: 5 * SECOND },
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
		...{ clock, maxRateLimitWait: 0, perMinute: 60, ...changes },
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

	it('lets everybody through at once where the service has no limit', async () => {
		const [clock, limiter] = [virtualClock(), new RateLimiter()];
		for (let count = 0; count < 50; count++)
			await limiter.acquire(turn(clock, { perMinute: undefined }));
		expect(clock.slept).toEqual([]);
	});
});

describe('after a 429', () => {
	const defaults = {
		...{ refusals: 1, answerTime: 0, wait: MINUTE },
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

	/** One request is refused, and so many others come while it waits. */
	async function refuseFirst({ clock, execution }: ReturnType<typeof process>, others: number) {
		const first = execution().send(POST);
		await clock.sleep(SECOND);
		expect(await sendAll(others, execution())).toBe(others);
		expect(await first).toMatchObject({ status: 200 });
	}

	describe.each([60, undefined])('of a service with a limit of %p', (perMinute) => {
		it('two seconds cost two seconds, where ten are allowed', async () => {
			const asked = process('2', { perMinute, wait: 10 * SECOND });
			await refuseFirst(asked, 10);
			expect(asked.sent[1]).toBeGreaterThanOrEqual(2 * SECOND);
			expect(asked.sent[1]).toBeLessThanOrEqual(3 * SECOND);
			// then all of them, at the whole rate
			expect(asked.sent).toHaveLength(12);
			const longest = perMinute ? 3 + 10 * 1.12 : 3;
			expect(asked.sent.at(-1)! / SECOND).toBeLessThanOrEqual(longest);
		});

		it('one request tries, and the others follow when it is answered', async () => {
			const asked = process('30', { perMinute, answerTime: 3 * SECOND });
			await refuseFirst(asked, 5);
			const [, trial = 0, second = 0] = asked.sent;
			expect(trial).toBeGreaterThanOrEqual(30 * SECOND);
			expect(second - trial).toBeGreaterThanOrEqual(3 * SECOND);
			expect(second - trial).toBeLessThanOrEqual(4 * SECOND);
			expect(asked.sent).toHaveLength(7);
		});
	});

	it('the one that tries is waited for, but not for a long answer', async () => {
		const asked = process('30', { answerTime: 40 * SECOND });
		await refuseFirst(asked, 5);
		const [, trial = 0, second = 0, third = 0] = asked.sent;
		expect(trial).toBeGreaterThanOrEqual(30 * SECOND);
		expect(second - trial).toBeGreaterThanOrEqual(5 * SECOND);
		expect(second - trial).toBeLessThanOrEqual(6 * SECOND);
		expect(third - second).toBeLessThanOrEqual(1.2 * SECOND);
	});

	it('when the one that tries is refused, the others wait again', async () => {
		const asked = process('10', { refusals: 2, perMinute: undefined });
		await refuseFirst(asked, 5);
		const [, trial = 0, second = 0] = asked.sent;
		expect(trial).toBeGreaterThanOrEqual(10 * SECOND);
		expect(second - trial).toBeGreaterThanOrEqual(10 * SECOND);
		expect(asked.sent).toHaveLength(8);
	});

	it.each([
		// [milliseconds that a request may wait, seconds of the second pause at least, at most]
		[MINUTE, 55, 62],
		[10 * SECOND, 9, 13],
	])(
		'a second one soon after it costs a minute, or what is allowed (%i ms)',
		async (wait, least, most) => {
			const { sent, execution } = process('1', { refusals: 2, wait });
			expect(await sendAll(1, execution())).toBe(1);
			const [, second = 0, third = 0] = sent;
			expect(second).toBeLessThanOrEqual(3 * SECOND);
			expect((third - second) / SECOND).toBeGreaterThanOrEqual(least);
			expect((third - second) / SECOND).toBeLessThanOrEqual(most);
		},
	);

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
