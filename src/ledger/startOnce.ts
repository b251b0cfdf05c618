import { explained, ServiceError } from '../service/errors';
import { outcomeOf } from '../service/outcome';
import type { Entry, NewEntry } from './entry';
import { settle, type Ledger } from './ledger';
import { isPassing } from './trouble';
import { nothingSent, undecided, underWayElsewhere, unknownSince } from './startTrouble';

/** A start as it is entered. */
export type StartWanted = Pick<Entry, 'startKey' | 'segment' | 'model' | 'account' | 'label'> & {
	/** Milliseconds after which one who has begun to send and says nothing more counts as gone. */
	lease: number;
	/** Milliseconds after the start from which triggers ask for the job. */
	firstCheck: number;
};

/** Sends a start. */
export interface Sending<Result> {
	/** @throws ServiceError with an outcome. */
	send(): Promise<Result>;
	/** What the ledger keeps of the answer. */
	toEntry(result: Result): Pick<Entry, 'jobId' | 'requestId' | 'record'>;
}

export type Started<Result> =
	/** The job that an earlier start with the same key has started. */
	| { earlier: Entry }
	/** `entry` is undefined when the ledger could not be reached any more. */
	| { result: Result; entry: Entry | undefined };

/** Milliseconds: how long one waits for another with the same key, and after how long an intent is nobody's any more. */
const [PATIENCE, INTENT_LEASE] = [60_000, 30_000];
/** Milliseconds between two looks, at most. */
const LONGEST_PAUSE = 2000;

const STARTED = new Set<Entry['state']>(['pending', 'emitting', 'delivering', 'delivered']);

/** Starts a job and enters it, so that triggers find it. The row is there before the request is sent: a crash leaves a trace. */
export async function startEntered<Result>(
	ledger: Ledger,
	wanted: StartWanted,
	sending: Sending<Result>,
): Promise<Started<Result>> {
	const claim = ledger.newClaim();
	try {
		await ledger.table.add({ ...rowOf(ledger, wanted), claim, state: 'sending' });
	} catch (cause) {
		await withdraw(ledger, claim, 'sending');
		throw nothingSent(cause);
	}
	return await sendAndSettle(ledger, claim, wanted, sending);
}

/**
 * Starts one job per key, whatever happens: over executions, processes, workers and crashes.
 *
 * The ledger has no unique keys, and rows may be seen later than their ids were given. So everybody writes an intent before
 * reading, and sends only after a reading that shows no other live row of the key: of two, at least the one who reads last sees
 * the other. Who is not alone gives way, except for the lowest id, which waits until the others have; the order is for speed
 * only, and nobody sends because of it.
 *
 * @throws ServiceError with outcome `unknown` when it is not known whether the key's job was started.
 */
export async function startOncePerKey<Result>(
	ledger: Ledger,
	wanted: StartWanted,
	sending: Sending<Result>,
): Promise<Started<Result>> {
	const claims: string[] = [];
	let claimed: Entry | string;
	try {
		claimed = await claimKey(ledger, claims, wanted);
	} catch (cause) {
		await giveWay(ledger, claims);
		throw nothingSent(cause);
	}
	return typeof claimed === 'string'
		? await sendAndSettle(ledger, claimed, wanted, sending)
		: { earlier: claimed };
}

/**
 * @param claims Filled with every claim that is made.
 * @returns the row of the job that is there already, or the claim that alone may send.
 */
async function claimKey(
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
async function withdraw(
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

async function giveWay(ledger: Ledger, claims: readonly string[]): Promise<void> {
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

async function sendAndSettle<Result>(
	ledger: Ledger,
	claim: string,
	wanted: StartWanted,
	{ send, toEntry }: Sending<Result>,
): Promise<Started<Result>> {
	const row = rowOf(ledger, wanted);
	try {
		const result = await send();
		const checkAt = ledger.clock.now() + wanted.firstCheck;
		const entry: NewEntry = { ...row, ...toEntry(result), state: 'pending', checkAt, note: '' };
		return { result, entry: await settle(ledger, claim, entry) };
	} catch (cause) {
		const error = cause instanceof ServiceError ? cause : undefined;
		const outcome = error ? (error.details.outcome ?? outcomeOf(error)) : 'unknown';
		const state = outcome === 'not_started' ? 'notStarted' : 'unknown';
		const note = [error?.message ?? String(cause), error?.details.reason]
			.filter(Boolean)
			.join('. ');
		const requestId = error?.details.requestId ?? '';
		const entry = await settle(ledger, claim, {
			...row,
			state,
			requestId,
			note: note.slice(0, 500),
		});
		throw explained(cause, (error) =>
			state === 'unknown' ? undecided(error, wanted, entry) : error,
		);
	}
}

function rowOf({ clock, execution }: Ledger, wanted: StartWanted) {
	const { startKey, segment, model, account, label, lease } = wanted;
	const [startedAt, leaseUntil] = [clock.now(), clock.now() + lease];
	return { startKey, segment, model, account, label, execution, startedAt, leaseUntil };
}

const held = (claim: string) => [['claim', 'eq', claim]] as const;

const GONE = 'The execution that started it did not come back with an answer.';
