import { RateLimiter, type SlotBook } from '../../../src/core/rateLimit';
import { withRetries } from '../../../src/core/resend';
import type { Clock } from '../../../src/core/retry';
import type { Entry } from '../../../src/ledger/entry';
import type { LedgerTable } from '../../../src/ledger/ledger';
import { createSlotBook } from '../../../src/ledger/slotBook';
import { overRate } from '../../service/assistant/rate';
import { defaultForms, type Forms } from '../../service/forms';
import type { World } from '../../service/world';
import { response } from '../inMemoryHttp';
import { ledgerOn, Rows } from '../ledger/simulatedTable';
import { virtualClock } from '../virtualClock';

export const [SECOND, MINUTE] = [1000, 60_000];
export const POST = { method: 'POST', path: '/v1/invoke_assistant', body: {} } as const;

export function randomOf(seed: number): Clock['random'] {
	let state = seed;
	return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

export interface Options {
	rateWindow?: Forms['rateWindow'];
	perMinute?: number;
	/** The limit of the service, if it is another one. */
	counted?: number;
	/** Whether the processes have a table in common. */
	isShared?: boolean;
	/** What is different about a process's table. */
	change?: (table: LedgerTable, clock: Clock) => Partial<LedgerTable>;
	/** Milliseconds by which the clock of each process is ahead. */
	ahead?: number[];
	/** Milliseconds that a request to the table takes at most, each way. */
	slowest?: number;
	/** Milliseconds after which a request arrives at the service, at most. */
	latency?: number;
	seed?: number;
}

/** Processes with one limit, in virtual time, and the reference service's own count. */
export function simulateWorkers({
	rateWindow = 'fixed',
	perMinute = 60,
	counted: enterpriseLimit = perMinute,
	isShared = true,
	change = () => ({}),
	ahead = [],
	slowest = 30,
	latency = 0,
	seed = 7919,
}: Options = {}) {
	const clock = { ...virtualClock(), random: randomOf(seed) };
	const rows = new Rows();
	const forms = { ...defaultForms(), rateWindow, enterpriseLimit };
	const counted = { calls: new Map(), forms, now: () => clock.now() } as unknown as World;
	const seen = {
		sentAt: [] as number[],
		refusedAt: [] as Array<{ process: number; at: number }>,
		toTable: 0,
		warnings: 0,
	};
	const serviceFor = (process: number) => ({
		async send() {
			if (latency) await clock.sleep(latency * clock.random());
			const wait = overRate(counted, 'key', 'enterprise');
			if (wait === undefined) seen.sentAt.push(clock.now());
			else seen.refusedAt.push({ process, at: clock.now() });
			if (wait === undefined) return response({});
			return response({ status: 429, headers: { 'retry-after': String(Math.ceil(wait / 1000)) } });
		},
	});
	/** @returns a new execution of a process that begins with this. */
	const startProcess = (process = 0) => {
		const own = { ...clock, now: () => clock.now() + (ahead[process] ?? 0) };
		const limiter = new RateLimiter();
		const toTable = () => {
			seen.toTable++;
			return 10 + (slowest - 10) * clock.random();
		};
		return (executionClock: Clock = own, maxRateLimitWait = MINUTE) => {
			// one of two ways
			const table = rows.client(own, { latency: toTable });
			const ledger = ledgerOn({ ...table, ...change(table, own) }, own);
			const shared: SlotBook = createSlotBook(async () => ledger, {
				account: 'account',
				credentialId: 'credential',
			});
			return withRetries(serviceFor(process), limiter, {
				clock: executionClock,
				maxRateLimitWait,
				perMinute,
				book: isShared ? shared : undefined,
				onUnavailable: () => void seen.warnings++,
			});
		};
	};
	/** One execution in each of so many processes. */
	const lines = (count: number) => Array.from({ length: count }, (_, at) => startProcess(at)());
	return {
		clock,
		seen,
		startProcess,
		lines,
		rows: rows.rows as Array<{ -readonly [Column in keyof Entry]: Entry[Column] }>,
	};
}

type Line = { send(request: typeof POST): Promise<{ status: number }> };

/** Sends so many requests, five at once. @returns how many were answered */
export async function sendAll(count: number, line: Line) {
	let left = count;
	const statuses: number[] = [];
	const one = async () => {
		while (left-- > 0) statuses.push((await line.send(POST).catch(() => ({ status: 0 }))).status);
	};
	await Promise.all(Array.from({ length: 5 }, one));
	return statuses.filter((status) => status === 200).length;
}

/** Each sends so many requests. @returns how many of them were answered */
export const sendEach = async (count: number, lines: Line[]) =>
	await Promise.all(lines.map(async (line) => await sendAll(count, line)));
