import { explained, ServiceError } from '../service/errors';
import type { Entry } from './entry';
import type { Ledger } from './ledger';
import { underWayElsewhere, unknownSince } from './startTrouble';
import { isPassing } from './trouble';

/** A start as it is entered. */
export type StartWanted = Pick<Entry, 'startKey' | 'segment' | 'model' | 'account' | 'label'> & {
	/** Milliseconds after which one who has begun to send and says nothing more counts as gone. */
	lease: number;
	/** Milliseconds after the start from which triggers ask for the job. */
	firstCheck: number;
};

/** Milliseconds: how long one waits for another with the same key, and after how long an intent is nobody's any more. */
const [PATIENCE, INTENT_LEASE] = [60_000, 30_000];
/** Milliseconds between two looks, at most. */
const LONGEST_PAUSE = 2000;

const STARTED = new Set<Entry['state']>(['pending', 'emitting', 'delivering', 'delivered']);

/**
 * @param claims Filled with every claim that is made.
 * @returns the row of the job that is there already, or the claim that alone may send.
 */
export async function claimKey(
	ledger: Ledger,
	claims: string[],
	wanted: StartWanted,
): Promise<Entry | string> {
	const { table, clock } = ledger;
	const end = clock.now() + PATIENCE;
	for (let turn = 0; ; turn++) {
		let trouble: unknown;
		try {
			const rows = await liveRows(ledger, wanted.startKey);
			const settled = rows.find(({ state }) => STARTED.has(state));
			if (settled) return settled;
			const open = rows.find(({ state }) => state === 'unknown');
			if (open) throw unknownSince(open);
			const own = rows.find(({ claim }) => claims.includes(claim));
			if (own?.state === 'sending') return own.claim;
			if (!rows.length) {
				const claim = ledger.newClaim();
				claims.push(claim);
				const leaseUntil = clock.now() + INTENT_LEASE;
				await table.add({ ...rowOf(ledger, wanted), claim, state: 'intent', leaseUntil });
				continue;
			}
			if (own && rows.length === 1) {
				const [now, { claim }] = [clock.now(), own];
				// whether it worked is read in the next turn, since the answer may be lost
				await table.change(
					{ all: [...held(claim), ['state', 'eq', 'intent']] },
					{ state: 'sending', startedAt: now, leaseUntil: now + wanted.lease },
				);
				continue;
			}
			if (own && own !== rows[0]) await giveWay(ledger, claims);
			const others = rows.filter((row) => row !== own);
			// an answer of n8n was lost, and the row is there all the same
			await giveWay(
				ledger,
				claims.filter((claim) => others.some((row) => row.claim === claim)),
			);
			await endOverdue(ledger, others);
			trouble = underWayElsewhere(others[0] ?? rows[0]!);
		} catch (cause) {
			if (!(cause instanceof ServiceError) || !isPassing(cause)) throw explained(cause);
			trouble = cause;
		}
		if (clock.now() >= end) throw explained(trouble);
		await clock.sleep(20 + clock.random() * Math.min(100 * 1.5 ** turn, LONGEST_PAUSE));
	}
}

/** Rows that mean nothing any more are left out by n8n: a key may have many. */
async function liveRows({ table }: Ledger, startKey: string): Promise<Entry[]> {
	return await table.find({
		all: [
			['startKey', 'eq', startKey],
			['state', 'neq', 'withdrawn'],
			['state', 'neq', 'notStarted'],
		],
	});
}

/** Takes back what was claimed; a row that cannot be reached ends by its lease. */
export async function withdraw(
	{ table }: Ledger,
	claim: string,
	state: 'intent' | 'sending',
): Promise<void> {
	try {
		await table.change({ all: [...held(claim), ['state', 'eq', state]] }, { state: 'withdrawn' });
	} catch {
		// what has gone wrong before tells more
	}
}

export async function giveWay(ledger: Ledger, claims: readonly string[]): Promise<void> {
	for (const claim of claims) await withdraw(ledger, claim, 'intent');
}

/** Ends what others have left: an intent is nobody's any more, and of a start nobody knows what became of it. */
async function endOverdue({ table, clock }: Ledger, rows: readonly Entry[]): Promise<void> {
	for (const { id, state, leaseUntil } of rows) {
		if (leaseUntil > clock.now()) continue;
		await table.change(
			{
				all: [
					['id', 'eq', id],
					['state', 'eq', state],
					['leaseUntil', 'eq', leaseUntil],
				],
			},
			state === 'intent' ? { state: 'withdrawn' } : { state: 'unknown', note: GONE },
		);
	}
}

/** The row of a start, but for its state. */
export function rowOf({ clock, execution }: Ledger, wanted: StartWanted) {
	const { startKey, segment, model, account, label, lease } = wanted;
	const [startedAt, leaseUntil] = [clock.now(), clock.now() + lease];
	return { startKey, segment, model, account, label, execution, startedAt, leaseUntil };
}

const held = (claim: string) => [['claim', 'eq', claim]] as const;

const GONE = 'The execution that started it did not come back with an answer.';
