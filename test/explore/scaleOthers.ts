import { RateLimiter } from '../../src/core/rateLimit';
import { withRetries } from '../../src/core/resend';
import { type Entry, ledgerFormat } from '../../src/ledger/entry';
import { createSlotBook } from '../../src/ledger/slotBook';
import { createMemoryTable } from '../../src/tables/memoryTable';
import { numbersFrom } from '../support/numbersFrom';
import { ledgerOn } from '../unit/ledger/simulatedTable';
import { startThroughLedger } from '../unit/ledger/startThroughLedger';
import { percentiles } from './scale';
import { createMain, type Database } from './simulatedMain';
import { createTimeline } from './timeline';

/** Questions, or paid starts, of many workers at a steady rate. */
export interface SteadyLoad extends Database {
	workers: number;
	/** Of all workers together. */
	perSecond: number;
	/** Milliseconds for which they begin. */
	time: number;
	seed: number;
}

const usual: SteadyLoad = {
	database: 'postgres',
	rows: 10_000,
	workers: 3,
	perSecond: 4,
	time: 60_000,
	seed: 1,
};

const MINUTE = 60_000;

function createWorld(given: Partial<SteadyLoad>) {
	const load = { ...usual, ...given };
	const timeline = createTimeline();
	const main = createMain(timeline, load);
	const rows: Entry[] = [];
	const table = main.connect(createMemoryTable(rows, ledgerFormat));
	const random = numbersFrom(load.seed);
	const clock = { now: timeline.now, sleep: timeline.sleep, random };
	const ledger = ledgerOn(table, clock);
	const waits: number[] = [];
	let failed = 0;
	/** @param once Asks once, from a worker. Returns the milliseconds that the service took. */
	const play = async (once: (worker: number, number: number) => Promise<number>) => {
		const count = Math.round((load.perSecond * load.time) / 1000);
		for (let number = 0; number < count; number++)
			timeline.at(random() * load.time, () => {
				const from = timeline.now();
				void once(number % load.workers, number).then(
					(taken) => waits.push(timeline.now() - from - taken),
					() => failed++,
				);
			});
		let busy = 0;
		timeline.at(load.time, () => void (busy = main.seen.busy));
		await timeline.run();
		const percent = Math.round((busy / load.time) * 100);
		const requests = Number((main.seen.requests / count).toFixed(1));
		return { ...percentiles(waits), 'main busy %': percent, 'to n8n for each': requests, failed };
	};
	return { load, clock, ledger, rows, play };
}

/** Questions that share a limit through the ledger. @param perMinute The limit. */
export async function simulateQuestions(perMinute: number, given: Partial<SteadyLoad>) {
	const { load, clock, ledger, play } = createWorld(given);
	const service = {
		async send() {
			await clock.sleep(1000);
			return { status: 200, headers: {}, body: emptyBody() };
		},
	};
	const workers = Array.from({ length: load.workers }, () => {
		const book = createSlotBook(async () => await Promise.resolve(ledger), {
			account: 'account',
			credentialId: 'credential',
		});
		const more = { clock, maxRateLimitWait: MINUTE, perMinute, onUnavailable: () => undefined };
		return withRetries(service, new RateLimiter(), { ...more, book });
	});
	return await play(async (worker) => {
		await workers[worker]!.send({ method: 'POST', path: '/v1/invoke_assistant', body: {} });
		return 1000;
	});
}

async function* emptyBody() {
	yield await Promise.resolve(new Uint8Array());
}

/** Starts with a Unique Key each. */
export async function simulateStarts(given: Partial<SteadyLoad>) {
	const { clock, ledger, rows, play } = createWorld(given);
	const figures = await play(async (_worker, number) => {
		const wanted = {
			uniqueKey: `k${number}`,
			mediaType: 'images',
			model: 'm',
			credentialId: 'a',
			triggerGroup: '',
			lease: 10 * MINUTE,
			firstCheck: 0,
		};
		const send = async (renew: () => Promise<number>) => {
			await renew();
			await clock.sleep(1000);
			return `job-${number}`;
		};
		const toEntry = (jobId: string) => ({ jobId, requestId: '', record: '' });
		await startThroughLedger(ledger, wanted, { send, toEntry });
		return 1000;
	});
	return { ...figures, jobs: rows.length };
}
