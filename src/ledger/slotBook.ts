import { ServiceError } from '../core/errors';
import { MAX_PAUSE, type ReservedSlots, type SlotBook, type WantedSlots } from '../core/rateLimit';
import type { Entry } from './entry';
import { applyUpdate, enterRow, type Ledger } from './ledger';
import { below, where } from '../tables/table';

/** Milliseconds for which processes compete for one reservation. */
const MAX_COMPETITION = 30_000;

/**
 * Milliseconds by which a request may be later than the time that was reserved for it, because n8n took long. Requests that are
 * later would come closer together than was reserved.
 */
const MAX_LATENESS = 500;

/** How much longer than the last time n8n may take the next time. */
const SAFETY_FACTOR = 1.5;

/** Milliseconds of a pause between two attempts, at most. */
const MAX_BACK_OFF = 100;

/**
 * Milliseconds, and requests, that processes may have reserved in advance. A next free time further in the future was written by a
 * clock that runs ahead, or by a person.
 */
const MAX_ADVANCE = 30_000;
const MAX_REQUESTS_IN_ADVANCE = 10;

/** Whose rate limit it is: an account of the service may be in several credentials, and a credential may have several accounts. */
interface SharedLimit {
	/** A hash. */
	account: string;
	/** The credential that has added the row. */
	credentialId: string;
}

/**
 * A rate limit that several processes share: a row with the next free time in `checkAt`, and the end of a pause in `leaseUntil`.
 *
 * The times are those of the processes' clocks. A process whose clock is behind by a second sends its requests a second later than
 * they were reserved, which the unused tenth of the limit allows for. One whose clock is ahead makes the others wait for as long,
 * at most about half a minute: then they treat the time as wrong, and both may be refused. Clocks have to be right, as with any
 * n8n that has workers.
 *
 * @param openLedger Opens the job ledger.
 * @param limit Identifies the limit.
 */
export function createSlotBook(openLedger: () => Promise<Ledger>, limit: SharedLimit): SlotBook {
	return {
		reserve: async (wanted) => await reserveSlots(await openLedger(), limit, wanted),
		async pause(until) {
			const ledger = await openLedger();
			const { id } = await findOrAddRow(ledger, limit);
			// a pause that is shorter than one that is known changes nothing
			const shorter = { id, leaseUntil: below(until) };
			await applyUpdate(ledger.table, 'pauseLimit', shorter, { leaseUntil: until });
		},
	};
}

/** @throws ServiceError when the ledger cannot be used, or too many processes compete. */
async function reserveSlots(
	ledger: Ledger,
	limit: SharedLimit,
	{ count, interval, burst }: WantedSlots,
): Promise<ReservedSlots> {
	const { table, uncancellableClock: clock } = ledger;
	const competesUntil = clock.now() + MAX_COMPETITION;
	/** Milliseconds that n8n is expected to take, if that is too long for times of now. */
	let expected = 0;
	for (;;) {
		const { id, checkAt, leaseUntil } = await findOrAddRow(ledger, limit);
		const now = clock.now();
		const isPauseWrong = leaseUntil > now + MAX_PAUSE;
		if (leaseUntil > now && !isPauseWrong) return { pausedUntil: leaseUntil };
		const isWrong = checkAt > now + MAX_ADVANCE + MAX_REQUESTS_IN_ADVANCE * interval;
		// no burst follows a pause
		const unused = Math.max(now - (burst - 1) * interval, isPauseWrong ? 0 : leaseUntil);
		const first = Math.max(expected ? now + expected : unused, isWrong ? now : checkAt);
		const unchanged = { id, checkAt, leaseUntil };
		const changes = { checkAt: Math.ceil(first + count * interval) };
		const [row] = await applyUpdate(table, 'reserveSlots', unchanged, changes);
		const reservedAt = clock.now();
		const duration = reservedAt - now;
		if (row) {
			const slots = Array.from({ length: count }, (_, index) => first + index * interval)
				// unused times in the past count as now
				.filter((slot) => Math.max(slot, now) >= reservedAt - MAX_LATENESS)
				.map((slot) => Math.max(slot, reservedAt));
			if (slots.length) return { slots };
		}
		expected = duration > MAX_LATENESS ? SAFETY_FACTOR * duration : 0;
		if (now > competesUntil)
			throw new ServiceError('failed', 'Too many processes reserve requests at once');
		await clock.sleep(clock.random() * MAX_BACK_OFF);
	}
}

/** Of several rows the first counts: they were added by processes at the same time. */
async function findOrAddRow(
	{ table, clock }: Ledger,
	{ account, credentialId }: SharedLimit,
): Promise<Entry> {
	const uniqueKey = `limit:${account}`;
	const find = async () => await table.find(where({ uniqueKey, state: 'limit' }), { limit: 1 });
	const [known] = await find();
	if (known) return known;
	await enterRow(table, 'enterLimit', { uniqueKey, credentialId, startedAt: clock.now() });
	const [added] = await find();
	if (!added) throw new ServiceError('failed', 'The new row is not visible yet');
	return added;
}
