// The rate limit over three processes that share it, in virtual time, against the ideal: node test/bench/sharedRates.ts after a build.

import { createRequire } from 'node:module';
import { join } from 'node:path';

import type * as Rate from '../../src/core/rateLimit.ts';
import type * as Resend from '../../src/core/resend.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type * as Memory from '../../src/ledger/dataTable';
import type * as Book from '../../src/ledger/slotBook.ts';
import { overRate } from '../service/assistant/rate.ts';
import { defaultForms, type Forms } from '../service/forms.ts';
import type { World } from '../service/world.ts';
import { virtualClock } from '../unit/virtualClock.ts';
import { aligned } from './table.ts';

const MINUTE = 60_000;
const PER_MINUTE = 300;
/** milliseconds of a request to n8n */
const LATENCY = 30;
const question = { method: 'POST', path: '/invoke_assistant', body: {} } as const;

const built = createRequire(join(import.meta.dirname, '../../dist/src/core/rateLimit.js'));
const { RateLimiter } = built('./rateLimit.js') as typeof Rate;
const { withRetries } = built('./resend.js') as typeof Resend;
const { createMemoryTable } = built('../ledger/dataTable.js') as typeof Memory;
const { createSlotBook } = built('../ledger/slotBook.js') as typeof Book;

/** @param counts how many questions each process has */
async function figure(rateWindow: Forms['rateWindow'], counts: number[]): Promise<string[]> {
	const clock = virtualClock();
	const forms = { ...defaultForms(), rateWindow, enterpriseLimit: PER_MINUTE };
	const world = { calls: new Map(), forms, now: () => clock.now() } as unknown as World;
	const memory = createMemoryTable([]);
	let toTable = 0;
	const late = async <Result>(work: () => Promise<Result>) => {
		toTable++;
		await clock.sleep(LATENCY);
		return await work();
	};
	const table: Ledger['table'] = {
		find: async (...given) => await late(() => memory.find(...given)),
		add: async (...given) => await late(() => memory.add(...given)),
		change: async (...given) => await late(() => memory.change(...given)),
		remove: async (...given) => await late(() => memory.remove(...given)),
	};
	const ledger: Ledger = {
		...{ table, clock, uncancellableClock: clock, newClaim: () => '', execution: '' },
	};
	const book = createSlotBook(async () => ledger, 'credential');
	let refused = 0;
	let unavailable: unknown;
	const send = async () => {
		const isRefused = overRate(world, 'key', 'enterprise') !== undefined;
		if (isRefused) refused++;
		const body = (async function* () {})();
		return { status: isRefused ? 429 : 200, headers: {}, body, idleTimeout: MINUTE };
	};
	const ask = async (count: number) => {
		const line = withRetries({ send }, new RateLimiter(), {
			...{ perMinute: PER_MINUTE, clock, maxRateLimitWait: MINUTE, book },
			onUnavailable: (cause) => void (unavailable ??= cause),
		});
		let left = count;
		const worker = async () => {
			while (left-- > 0) await line.send(question);
		};
		await Promise.all(Array.from({ length: 5 }, worker));
	};
	await Promise.all(counts.map(ask));
	if (unavailable) throw unavailable;
	const total = counts.reduce((sum, count) => sum + count);
	const ideal = (total / (0.9 * PER_MINUTE)) * MINUTE;
	return [
		...[rateWindow, counts.join(' + '), (clock.now() / 1000).toFixed(1)],
		...[(clock.now() / ideal).toFixed(2), String(refused), (toTable / total).toFixed(2)],
	];
}

const rows = [];
for (const window of ['fixed', 'sliding', 'bucket'] as const)
	for (const counts of [[120], [40, 40, 40]]) rows.push(await figure(window, counts));
process.stdout.write(
	`${aligned([
		['window', 'questions', 'seconds', 'x ideal', 'refused', 'requests to n8n per question'],
		...rows,
	])}\n`,
);
