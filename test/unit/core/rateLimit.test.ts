import { ServiceError } from '../../../src/core/errors';
import type { Http } from '../../../src/core/http';
import { createRateLimiter, withRateLimit } from '../../../src/core/rateLimit';
import { withRetries, type Clock } from '../../../src/core/retry';
import { overRate } from '../../service/assistant/rate';
import { defaultForms, type Forms } from '../../service/forms';
import type { World } from '../../service/world';
import { failureOf, response } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';

const [SECOND, MINUTE] = [1000, 60_000];
const POST = { method: 'POST', path: '/v1/invoke_assistant', body: {} } as const;

/** The reference service's own count, on the clock of the test. */
function service(clock: Clock, forms: Partial<Forms>, latency: () => number = () => 0) {
	const now = () => clock.now();
	const world = { calls: new Map(), forms: { ...defaultForms(), ...forms }, now } as World;
	const heard = { at: [] as number[], rejected: 0 };
	const http: Http = {
		async send() {
			const delay = latency();
			if (delay) await clock.sleep(delay);
			const wait = overRate(world, 'key', 'enterprise');
			if (wait === undefined) heard.at.push(clock.now());
			else heard.rejected++;
			if (wait === undefined) return response({});
			return response({ status: 429, headers: { 'retry-after': String(Math.ceil(wait / 1000)) } });
		},
	};
	return { http, heard };
}

/** Sends so many requests through several executions that know nothing of one another but the gate. */
async function sendAll(count: number, workers: number, send: () => Promise<unknown>) {
	let left = count;
	const worker = async () => {
		while (left-- > 0) await send();
	};
	await Promise.all(Array.from({ length: workers }, worker));
}

const windows = ['fixed', 'sliding', 'bucket'] as const;
const limits = [60, 300, 1, 2, 7, 20];

describe.each(windows)('a service that counts by a %s window', (rateWindow) => {
	it.each(limits)('of %i a minute rejects nothing, at 85 %% or more', async (perMinute) => {
		const clock = virtualClock();
		// not at the beginning of a minute
		await clock.sleep(47 * SECOND);
		const { http, heard } = service(clock, { rateWindow, enterpriseLimit: perMinute });
		const gate = createRateLimiter();
		const count = Math.min(perMinute * 10, 900);
		const line = () =>
			withRateLimit(http, { limiter: gate, perMinute, clock, maxRateLimitWait: MINUTE });
		const begun = clock.now();
		await sendAll(count, 5, async () => await line().send(POST));
		const minutes = (clock.now() - begun) / MINUTE;
		expect(heard.rejected).toBe(0);
		expect(count / minutes).toBeGreaterThanOrEqual(perMinute * 0.85);
	});

	it('rejects nothing where requests take up to 5 s to arrive, and after pauses', async () => {
		const clock = virtualClock();
		let seed = 7;
		const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
		const late = () => random() * 5 * SECOND;
		const { http, heard } = service(clock, { rateWindow, enterpriseLimit: 60 }, late);
		const line = withRateLimit(http, {
			limiter: createRateLimiter(),
			perMinute: 60,
			clock,
			maxRateLimitWait: MINUTE,
		});
		for (const pause of [0, 90, 3, 30, 61]) {
			await clock.sleep(pause * SECOND);
			await sendAll(70, 50, async () => await line.send(POST));
		}
		expect(heard.rejected).toBe(0);
	});
});

it('600 questions under a limit of 60 a minute are spread evenly', async () => {
	const clock = virtualClock();
	const { http, heard } = service(clock, { enterpriseLimit: 60 });
	const line = withRateLimit(http, {
		limiter: createRateLimiter(),
		perMinute: 60,
		clock,
		maxRateLimitWait: 0,
	});
	await sendAll(600, 5, async () => await line.send(POST));
	const pauses = heard.at.slice(1).map((at, index) => at - (heard.at[index] ?? 0));
	expect(pauses.slice(0, 4)).toEqual([0, 0, 0, 0]);
	expect(pauses.slice(4).every((pause) => pause > 1100 && pause < 1125)).toBe(true);
	expect(clock.now() / SECOND).toBeLessThan(662);
});

describe('a gate', () => {
	it('lets through in the order of coming', async () => {
		const [clock, gate] = [virtualClock(), createRateLimiter()];
		const order: number[] = [];
		const numbers = Array.from({ length: 30 }, (_, number) => number);
		await Promise.all(
			numbers.map(async (number) => {
				await gate.acquire(60, clock, 0);
				order.push(number);
			}),
		);
		expect(order).toEqual(numbers);
	});

	it('gives the place of one who is stopped to the next', async () => {
		const [clock, gate] = [virtualClock(), createRateLimiter()];
		const stopped = new ServiceError('cancelled', 'x', { sent: false });
		const stopping: Clock = { ...clock, sleep: () => Promise.reject(stopped) };
		for (let count = 0; count < 5; count++) await gate.acquire(60, clock, 0);
		const gone = Array.from({ length: 20 }, () => failureOf(gate.acquire(60, stopping, 0)));
		const after = gate.acquire(60, clock, 0);
		expect(new Set(await Promise.all(gone))).toEqual(new Set([stopped]));
		await after;
		expect(clock.now()).toBeLessThan(1200);
	});

	it('closed by a 429, it is closed for all until Retry-After; then they go one by one, at a lower rate', async () => {
		const clock = virtualClock();
		const gate = createRateLimiter();
		const sent: number[] = [];
		let refusals = 1;
		const http: Http = {
			async send() {
				sent.push(clock.now());
				if (refusals-- > 0) return response({ status: 429, headers: { 'retry-after': '30' } });
				return response({});
			},
		};
		const execution = () => {
			const line = withRateLimit(http, {
				limiter: gate,
				perMinute: 60,
				clock,
				maxRateLimitWait: MINUTE,
			});
			return withRetries(line, clock, MINUTE);
		};
		await execution().send(POST);
		await sendAll(6, 3, async () => await execution().send(POST));
		const [first = 0, ...others] = sent;
		expect(first).toBe(0);
		expect(others[0]).toBeGreaterThanOrEqual(30 * SECOND);
		const pauses = others.slice(1).map((at, index) => at - (others[index] ?? 0));
		// it had sent too little to know more
		expect(pauses.every((pause) => pause > 8500 && pause < 9000)).toBe(true);
	});

	it('an answer that asks for years closes it for an hour', async () => {
		const [clock, gate] = [virtualClock(), createRateLimiter()];
		gate.pause({ wait: 31 * 365 * 24 * 60 * MINUTE, sentAt: 0, perMinute: 60 }, clock);
		expect(await failureOf(gate.acquire(60, clock, 59 * MINUTE))).toMatchObject({
			details: { retryAfter: 60 * MINUTE },
		});
		await gate.acquire(60, clock, 60 * MINUTE);
		expect(clock.now() - 60 * MINUTE).toBeLessThan(10 * SECOND);
	});

	it('is open at full rate a quarter of an hour later', async () => {
		const [clock, gate] = [virtualClock(), createRateLimiter()];
		await gate.acquire(60, clock, 0);
		gate.pause({ wait: 10 * SECOND, sentAt: 0, perMinute: 60 }, clock);
		await clock.sleep(15 * MINUTE);
		const begun = clock.now();
		for (let count = 0; count < 5; count++) await gate.acquire(60, clock, 0);
		expect(clock.now() - begun).toBeLessThan(1);
	});

	it.each([
		['31', 31_000],
		['soon', 60_000],
		[undefined, 60_000],
	])('whoever may not wait as long as Retry-After %s fails, unsent', async (header, left) => {
		const [clock, gate] = [virtualClock(), createRateLimiter()];
		const headers = header === undefined ? {} : { 'retry-after': header };
		const http: Http = { send: async () => response({ status: 429, headers }) };
		const line = withRateLimit(http, {
			limiter: gate,
			perMinute: 60,
			clock,
			maxRateLimitWait: 30 * SECOND,
		});
		await line.send(POST);
		expect(await failureOf(line.send(POST))).toMatchObject({
			kind: 'refused',
			details: { status: 429, sent: false, retryAfter: left },
		});
		expect(clock.now()).toBe(0);
	});
});
