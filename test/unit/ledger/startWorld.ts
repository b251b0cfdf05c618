import { ServiceError } from '../../../src/core/errors';
import type { Ledger } from '../../../src/ledger/ledger';
import { virtualClock } from '../virtualClock';
import { ledgerOn, Rows, type Weather } from './simulatedTable';
import { startThroughLedger } from './startThroughLedger';

export const [SECOND, MINUTE] = [1000, 60_000];
export const LEASE = 10 * MINUTE;

export const wanted = (uniqueKey: string) => ({
	uniqueKey,
	mediaType: 'videos',
	model: 'm',
	credentialId: 'a',
	triggerGroup: 'l',
	lease: LEASE,
	firstCheck: 0,
});

export interface Start {
	key?: string;
	/** Milliseconds before its only attempt, as after a 429. */
	waits?: number;
	/** Milliseconds until the budget has room for it. */
	waitsForBudget?: number;
	/** Milliseconds until the service answers. */
	takes?: number;
	/** What the service does, if it does not start a job. */
	fails?: ServiceError;
	/** What happens once the claim is renewed, before anything is sent. */
	before?: () => void;
	ledger?: Partial<Ledger>;
}

/** Everybody who has to do with one ledger, on one clock. */
export function startWorld(weather: Weather = { latency: () => 10 }) {
	const clock = virtualClock();
	const rows = new Rows();
	/** Jobs that the service has really started. */
	const book: string[] = [];
	/** When n8n is away. */
	let away = { from: Infinity, until: Infinity };
	const through =
		<Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
		async (...args: Args) => {
			if (clock.now() >= away.from && clock.now() < away.until)
				throw new ServiceError('malformed', 'n8n is still starting', { transient: true });
			return await work(...args);
		};
	const { find, add, change, remove } = rows.client(clock, weather);
	const table = {
		find: through(find),
		add: through(add),
		change: through(change),
		remove: through(remove),
	};
	const ledgerOf = (changes: Partial<Ledger> = {}): Ledger => ({
		...ledgerOn(table, clock, '1'),
		...changes,
	});

	const start = async ({
		key = 'k',
		waits = 0,
		takes = 50,
		waitsForBudget = 0,
		...more
	}: Start = {}) =>
		await startThroughLedger(ledgerOf(more.ledger), wanted(key), {
			reserve: async () => await clock.sleep(waitsForBudget),
			async send(renew) {
				if (waits) await clock.sleep(waits);
				await renew();
				more.before?.();
				await clock.sleep(takes);
				if (!more.fails || more.fails.details.sent) book.push(`job-${book.length + 1}`);
				if (more.fails) throw more.fails;
				return book.at(-1)!;
			},
			toEntry: (jobId) => ({ jobId, requestId: 'r', record: '{}' }),
		});

	return {
		clock,
		rows: rows.rows,
		book,
		ledgerOf,
		start,
		/** A row with the next id. */
		enter: (entry: Parameters<typeof rows.made>[0]) =>
			void rows.rows.push(rows.made({ credentialId: 'a', ...entry })),
		goAway(milliseconds: number, delay = 0) {
			const from = clock.now() + delay;
			away = { from, until: from + milliseconds };
		},
	};
}

export const refused = new ServiceError('refused', 'no', { outcome: 'not_started' });
export const broken = new ServiceError('unreachable', 'reset', { sent: true, outcome: 'unknown' });
