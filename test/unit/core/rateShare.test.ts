import type { Http } from '../../../src/core/http';
import { createRateLimiter, withRateLimit } from '../../../src/core/rateLimit';
import { createShare } from '../../../src/core/rateShare';
import { withRetries, type Clock } from '../../../src/core/retry';
import { overRate } from '../../service/assistant/rate';
import { defaultForms, type Forms } from '../../service/forms';
import type { World } from '../../service/world';
import { response } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';

// several processes that use one key and do not know of one another, in virtual time

const [SECOND, MINUTE] = [1000, 60_000];
const LIMIT = 60;
const POST = { method: 'POST', path: '/v1/invoke_assistant', body: {} } as const;

/** When a process begins and ends to ask, in minutes. */
type Busy = readonly [from: number, to: number];

interface Happened {
	/** When the service let requests in, in minutes. */
	accepted: number[];
	/** When each process was refused. Those of one moment count once: they were sent together. */
	refused: number[][];
	failed: number;
}

/** Several executions of each process ask as much as they may. */
async function ask(rateWindow: Forms['rateWindow'], processes: readonly Busy[], seed: number) {
	const clock = { ...virtualClock(), random: randomOf(seed) };
	await clock.sleep(10 * MINUTE + clock.random() * MINUTE);
	const begun = clock.now();
	const minutes = () => (clock.now() - begun) / MINUTE;
	const forms = { ...defaultForms(), rateWindow, enterpriseLimit: LIMIT };
	const world = { calls: new Map(), forms, now: () => clock.now() } as unknown as World;
	const happened: Happened = { accepted: [], refused: processes.map(() => []), failed: 0 };
	const service = (refused: number[]): Http => ({
		async send() {
			await clock.sleep(5 + 80 * clock.random());
			const wait = overRate(world, 'key', 'enterprise');
			const at = minutes();
			if (wait === undefined) happened.accepted.push(at);
			else if (at - (refused.at(-1) ?? -Infinity) > SECOND / MINUTE) refused.push(at);
			await clock.sleep(5 + 80 * clock.random());
			if (wait === undefined) return response({});
			return response({ status: 429, headers: { 'retry-after': String(Math.ceil(wait / 1000)) } });
		},
	});
	const execution = async ([from, to]: Busy, line: Http) => {
		await clock.sleep(from * MINUTE);
		while (minutes() < to) {
			const { status } = await line.send(POST).catch(() => ({ status: 0 }));
			if (status !== 200) happened.failed++;
			await clock.sleep(2 * SECOND * clock.random());
		}
	};
	const runs = processes.flatMap((busy, index) => {
		const limiter = createRateLimiter();
		const options = { limiter, perMinute: LIMIT, clock, maxRateLimitWait: MINUTE };
		const http = service(happened.refused[index]!);
		const line = () => withRetries(withRateLimit(http, options), clock, MINUTE);
		return Array.from({ length: 5 }, async () => await execution(busy, line()));
	});
	await Promise.all(runs);
	return happened;
}

function randomOf(seed: number): Clock['random'] {
	let state = seed;
	return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

/** The share of the limit that all used together. */
const usedBetween = ({ accepted }: Happened, from: number, to: number) =>
	accepted.filter((at) => at >= from && at < to).length / (to - from) / LIMIT;

const windows = ['fixed', 'sliding', 'bucket'] as const;
const seeds = [7919, 15_838, 23_757];
const CHANGE = 3.3;

describe.each(windows)('a service that counts by a %s window', (window) => {
	it.each<[string, Busy[]]>([
		['one process', [[0, 9]]],
		['two at once', Array.from({ length: 2 }, () => [CHANGE, 9] as const)],
		['three at once', Array.from({ length: 3 }, () => [CHANGE, 9] as const)],
		['four at once', Array.from({ length: 4 }, () => [CHANGE, 9] as const)],
		[
			'a second beside one',
			[
				[0, 9],
				[CHANGE, 9],
			],
		],
		[
			'three more beside one',
			[
				[0, 9],
				[CHANGE, 9],
				[CHANGE, 9],
				[CHANGE, 9],
			],
		],
	])(
		'%s: each is refused about once, nothing fails, and the limit is used',
		async (_name, processes) => {
			const outcomes = await Promise.all(seeds.map((seed) => ask(window, processes, seed)));
			expect(outcomes.map(({ failed }) => failed)).toEqual(seeds.map(() => 0));
			const soon = outcomes.flatMap(({ refused }) =>
				refused.map((at) => at.filter((minute) => minute < CHANGE + 5).length),
			);
			const mean = soon.reduce((sum, count) => sum + count, 0) / soon.length;
			if (processes.length === 1) expect(mean).toBe(0);
			// a bucket refuses some processes only: the others use up the limit while these rest
			expect(mean).toBeLessThanOrEqual(window === 'bucket' ? 1.5 : 1.1);
			for (const outcome of outcomes)
				expect(usedBetween(outcome, CHANGE + 2, 9)).toBeGreaterThan(0.4);
		},
	);

	it('the one that is left alone has the whole limit again', async () => {
		const outcome = await ask(
			window,
			[
				[0, 26],
				[CHANGE, 8],
				[CHANGE, 8],
			],
			7919,
		);
		expect(outcome.failed).toBe(0);
		expect(usedBetween(outcome, 23, 26)).toBeGreaterThanOrEqual(0.88);
	});
});

describe('a share', () => {
	const refusal = (sentAt: number) => ({ wait: SECOND, sentAt, perMinute: LIMIT });

	it('keeps what was used of the limit, but at most half of it', () => {
		const share = createShare();
		for (let sent = 0; sent < 25; sent++) share.addSent(MINUTE + sent * SECOND);
		const now = MINUTE + 24 * SECOND;
		expect(share.reduce(refusal(now), now, now)).toBe(1);
		// it begins with an eighth, and has grown a little by the time that it has returned
		expect([0, 1, 4].map((minutes) => share.at(now + minutes * MINUTE))).toEqual([
			...[1 / 8, expect.closeTo((1 / 8) * 2 ** (1 / 64))],
			expect.closeTo((24 / (LIMIT * 1.4)) * 2 ** (1 / 4)),
		]);

		const busy = createShare();
		for (let sent = 0; sent < 120; sent++) busy.addSent(sent * 500);
		busy.reduce(refusal(MINUTE), MINUTE, MINUTE);
		expect(busy.at(5 * MINUTE)).toBeCloseTo(0.5 * 2 ** (1 / 4));
	});

	it('begins with what was kept where the others are told', () => {
		const share = createShare();
		for (let sent = 0; sent < 120; sent++) share.addSent(sent * 500);
		share.reduce({ ...refusal(MINUTE), isShared: true }, MINUTE, MINUTE);
		expect(share.at(MINUTE)).toBe(0.5);
	});

	it('is reduced once by requests that were sent before the refusal was known', () => {
		const share = createShare();
		expect(share.reduce(refusal(0), 100, 1100)).toBe(1);
		expect(share.reduce(refusal(50), 150, 1150)).toBe(0);
		expect(share.at(150)).toBe(1 / 8);
		expect(share.reduce(refusal(1200), 1300, 2300)).toBe(2);
		expect(share.at(1300)).toBeCloseTo(0.7 / 8);
	});

	it('grows slowly at first, and to the whole in a quarter of an hour', () => {
		const share = createShare();
		share.reduce(refusal(0), 0, 0);
		const minutes = [0, 2, 4, 8, 14];
		expect(minutes.map((minute) => Math.round(share.at(minute * MINUTE) * 1000))).toEqual([
			125, 131, 149, 250, 1000,
		]);
	});

	it('of a low limit is halved, and never becomes so small that nothing is sent', () => {
		const share = createShare();
		const shares = Array.from({ length: 9 }, (_, minute) => {
			const now = 2 * minute * MINUTE;
			share.reduce({ wait: SECOND, sentAt: now, perMinute: 10 }, now, now);
			return share.at(now);
		});
		expect(shares[0]).toBe(0.5);
		expect(shares.at(-1)).toBe(0.05);
	});
});
