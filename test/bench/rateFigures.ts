// Questions to the market assistant under its limit, in virtual time: what takes eleven minutes takes a moment, and what the
// machine does makes no difference.

import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { Http } from '../../src/core/http.ts';
import type * as Rate from '../../src/core/rateLimit.ts';
import type * as Resend from '../../src/core/resend.ts';
import { overRate } from '../service/assistant/rate.ts';
import { defaultForms, type Forms } from '../service/forms.ts';
import type { World } from '../service/world.ts';
import { virtualClock } from '../unit/virtualClock.ts';
import { aligned } from './table.ts';

/** What came of all questions at a service that counts in one of the ways that its specification leaves open. */
export interface RateFigure {
	window: Forms['rateWindow'];
	questions: number;
	perMinute: number;
	/** Questions that the service answered 429. */
	refused: number;
	/** Virtual minutes for all of them. */
	minutes: number;
	/** The share of the limit that was used. */
	share: number;
	/** Questions that the service heard within 60 seconds, at most. */
	mostInAMinute: number;
}

const [MINUTE, EXECUTIONS] = [60_000, 5];
const question = { method: 'POST', path: '/invoke_assistant', body: {} } as const;

/** Several executions of one n8n share the limit; they begin in the middle of a minute of the clock. */
export async function rateFigures(questions = 600, perMinute = 60): Promise<RateFigure[]> {
	const built = join(import.meta.dirname, '../../dist/src/core/rateLimit.js');
	const load = createRequire(built);
	const { RateLimiter } = load(built) as typeof Rate;
	const { withRetries } = load('./resend.js') as typeof Resend;
	const figures: RateFigure[] = [];
	for (const window of ['fixed', 'sliding', 'bucket'] as const) {
		const clock = virtualClock();
		await clock.sleep(47_000);
		const { http, heard } = service(window, perMinute, () => clock.now());
		const limiter = new RateLimiter();
		const begun = clock.now();
		let left = questions;
		const execution = async () => {
			const line = withRetries(http, limiter, { perMinute, clock, maxRateLimitWait: MINUTE });
			while (left-- > 0) await line.send(question);
		};
		await Promise.all(Array.from({ length: EXECUTIONS }, execution));
		const minutes = (clock.now() - begun) / MINUTE;
		const refused = questions - heard.length;
		const share = questions / minutes / perMinute;
		const mostInAMinute = most(heard);
		figures.push({ window, questions, perMinute, refused, minutes, share, mostInAMinute });
	}
	return figures;
}

/** The reference service's own count. */
function service(rateWindow: Forms['rateWindow'], enterpriseLimit: number, now: () => number) {
	const forms = { ...defaultForms(), rateWindow, enterpriseLimit };
	const world = { calls: new Map(), forms, now } as unknown as World;
	const heard: number[] = [];
	const http: Http = {
		async send() {
			const wait = overRate(world, 'key', 'enterprise');
			if (wait === undefined) heard.push(now());
			const body = (async function* () {})();
			return { status: wait === undefined ? 200 : 429, headers: {}, body, idleTimeout: MINUTE };
		},
	};
	return { http, heard };
}

const most = (times: number[]) =>
	Math.max(...times.map((from, at) => times.slice(at).filter((to) => to < from + MINUTE).length));

export const rateTable = (figures: RateFigure[]): string =>
	aligned([
		[
			'window of the service',
			'questions',
			'limit',
			'refused',
			'minutes',
			'of the limit',
			'most in 60 s',
		],
		...figures.map(({ window, questions, perMinute, refused, minutes, share, mostInAMinute }) => [
			window,
			String(questions),
			`${perMinute}/min`,
			String(refused),
			minutes.toFixed(2),
			`${(share * 100).toFixed(1)} %`,
			String(mostInAMinute),
		]),
	]);
