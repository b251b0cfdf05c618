import { joinSentences, mapServiceError, ServiceError, withDetails } from '../core/errors';
import { type Entry, nameExecution, type Owner, STARTED_STATES } from './entry';
import { applyTransition, enterRow, type Ledger } from './ledger';
import { isTransient, retrying, SHORT_RETRY_ATTEMPTS } from '../tables/retries';
import { noneOf, where } from '../tables/table';

/** What a start writes to its row, and its times. */
export type ClaimOptions = Owner &
	Pick<Entry, 'uniqueKey' | 'mediaType' | 'model'> & {
		/** Milliseconds without a renewal after which a sending execution counts as interrupted. */
		lease: number;
		/** Milliseconds after the start from which triggers check the job. */
		firstCheck: number;
		/** Only for a budget, which is not a start: the first content of its row. */
		record?: string;
	};

/** Milliseconds to wait for another start with the same key, and for the ledger to show a written row. */
const MAX_WAIT = 60_000;
/** Milliseconds after which an intent is stale. */
const INTENT_LEASE = 30_000;
/** Longest pause between two reads, in milliseconds. */
const MAX_PAUSE = 2000;
/** How many of its changes a start reads back without a pause: the intent, and its claim. */
const IMMEDIATE_READS = 2;

/**
 * Claims a key, or finds the job that was already started with it.
 *
 * @param claims Receives every claim that is written.
 * @returns the row of the existing job, or the one claim that may send.
 * @throws ServiceError when an earlier start has an unknown outcome, or nothing is decided in time.
 */
export async function claimKey(
	ledger: Ledger,
	claims: string[],
	options: ClaimOptions,
): Promise<Entry | string> {
	const { clock } = ledger;
	const { uniqueKey } = options;
	const end = clock.now() + MAX_WAIT;
	let changes = 0;
	for (let attempt = 0; ; attempt++) {
		let failure: unknown;
		let isChanged = false;
		let isWaitOver = false;
		try {
			const rows = await findActive(ledger, options);
			const found = findDecision(rows, claims);
			if (found) return found;
			const ownRow = rows.find(({ claim }) => claims.includes(claim));
			const others = rows.filter((row) => row !== ownRow);
			if (!others.length) {
				await advanceClaim(ledger, claims, options, ownRow);
				failure = rowNotVisible(uniqueKey);
				isChanged = true;
			} else {
				const sending = others.find(({ state }) => state === 'sending');
				failure = startInProgress(sending ?? others[0]!);
				isWaitOver = sending !== undefined && isOverdue(sending, options, ledger.n8nTime());
				await resolveContention(ledger, claims, rows);
			}
		} catch (cause) {
			if (!isTransient(cause)) throw mapServiceError(cause);
			failure = cause;
		}
		// after a change, too: a process that stood still for so long knows nothing of what was decided meanwhile
		if (isWaitOver || clock.now() >= end) throw mapServiceError(failure);
		if (isChanged && ++changes <= IMMEDIATE_READS) continue;
		await clock.sleep(20 + clock.random() * Math.min(100 * 1.5 ** attempt, MAX_PAUSE));
	}
}

/** The rows of a key that count. It may have many starts that were withdrawn or did not happen. */
async function findActive({ table }: Ledger, options: KeyOfStart): Promise<Entry[]> {
	const { uniqueKey, credentialId } = options;
	const mediaType = isBudget(options) ? 'budget' : noneOf('budget');
	const state = noneOf('withdrawn', 'notStarted');
	// the key of another credential is that of another account
	return await table.find(where({ uniqueKey, credentialId, mediaType, state }));
}

type KeyOfStart = Pick<ClaimOptions, 'uniqueKey' | 'credentialId' | 'record'>;

/** Whether a start with this key has started a job, which `claimStart` then returns. */
export async function hasStarted(ledger: Ledger, key: KeyOfStart): Promise<boolean> {
	const rows = await findActive(ledger, key);
	return rows.some(({ state }) => STARTED_STATES.has(state));
}

const isBudget = ({ record }: KeyOfStart) => record !== undefined;

/**
 * Whether another start sent its request so long ago that a wait for its answer is over: each attempt renews the claim first. A
 * start whose lease has expired does not count: the next read shows that its outcome is unknown.
 */
function isOverdue(
	{ startedAt, leaseUntil }: Entry,
	{ lease }: ClaimOptions,
	now: number,
): boolean {
	// with other timeouts, the lease of the other start may be shorter than this one's
	const renewedAt = Math.max(startedAt, leaseUntil - lease);
	return leaseUntil > now && now - renewedAt >= MAX_WAIT;
}

/**
 * @returns the row of an existing job, or the claim of this start, which may send; undefined while nothing is decided.
 * @throws ServiceError when an earlier start has an unknown outcome.
 */
function findDecision(
	rows: readonly Entry[],
	claims: readonly string[],
): Entry | string | undefined {
	const started = rows.find(({ state }) => STARTED_STATES.has(state) || state === 'budget');
	if (started) return started;
	const isOwn = ({ claim }: Entry) => claims.includes(claim);
	const unknown = rows.find((row) => row.state === 'unknown' && !isOwn(row));
	if (unknown) throw startOutcomeUnknown(unknown);
	// A claim of this start in state `unknown` counts, too: an execution whose clock runs ahead has expired it. Nothing was sent with
	// it yet, and the renewal before the request returns it to `sending`.
	const ownRow = rows.find(
		(row) => isOwn(row) && (row.state === 'sending' || row.state === 'unknown'),
	);
	return ownRow?.claim;
}

/** The next step when no other start is visible: the intent, then the claim. The next read shows whether it worked. */
async function advanceClaim(
	ledger: Ledger,
	claims: string[],
	options: ClaimOptions,
	ownRow: Entry | undefined,
): Promise<void> {
	const { table } = ledger;
	const now = ledger.n8nTime();
	if (!ownRow) {
		const claim = ledger.newClaim();
		claims.push(claim);
		const leaseUntil = now + INTENT_LEASE;
		const { record = '' } = options;
		const row = { ...toStartRow(ledger, options), claim, leaseUntil, record };
		await enterRow(table, 'enterIntent', row);
		return;
	}
	if (isBudget(options)) {
		await applyTransition(table, 'openBudget', { claim: ownRow.claim });
		return;
	}
	const leaseUntil = now + options.lease;
	await applyTransition(
		table,
		'claimIntent',
		{ claim: ownRow.claim },
		{ startedAt: now, leaseUntil },
	);
}

/** Withdraws the intents of this start, unless one is the row with the lowest ID, and expires stale rows of other executions. */
async function resolveContention(
	ledger: Ledger,
	claims: readonly string[],
	rows: readonly Entry[],
): Promise<void> {
	const isOwn = ({ claim }: Entry) => claims.includes(claim);
	// there are several if a response of n8n was lost although the row was added
	// only while they are intents: a late request cannot end an intent that has become a claim
	for (const { claim } of rows.slice(1).filter(isOwn))
		await applyTransition(ledger.table, 'withdrawIntent', { claim });
	await expireStaleRows(
		ledger,
		rows.filter((row) => !isOwn(row)),
	);
}

/**
 * Withdraws rows with which nothing was or will be sent. If one cannot be changed, its lease expires.
 *
 * @param transition `withdrawClaim`, even if another execution has changed the state of the row; `withdrawIntent` only as long as it
 *   is an intent.
 */
export async function withdraw(
	{ table, uncancellableClock }: Ledger,
	transition: 'withdrawIntent' | 'withdrawClaim',
	claims: readonly string[],
): Promise<void> {
	const repeatable = retrying(table, uncancellableClock, SHORT_RETRY_ATTEMPTS);
	// the error that led here is more useful than one of this
	for (const claim of claims)
		await applyTransition(repeatable, transition, { claim }).catch(() => undefined);
}

/** Ends rows with an expired lease: an intent is withdrawn, the outcome of a start becomes unknown. */
export async function expireStaleRows(
	{ table, n8nTime }: Ledger,
	rows: readonly Entry[],
): Promise<void> {
	for (const { id, state, leaseUntil } of rows) {
		if (leaseUntil > n8nTime()) continue;
		if (state === 'intent') await applyTransition(table, 'expireIntent', { id, leaseUntil });
		else
			await applyTransition(table, 'expireStart', { id, leaseUntil }, { note: INTERRUPTED_NOTE });
	}
}

/** The row of a start, without its state. */
export function toStartRow({ n8nTime, executionId }: Ledger, options: ClaimOptions) {
	const { uniqueKey, mediaType, model, credentialId, triggerGroup, lease } = options;
	const startedAt = n8nTime();
	const leaseUntil = startedAt + lease;
	const job = { uniqueKey, mediaType, model, credentialId, triggerGroup };
	return { ...job, executionId, startedAt, leaseUntil };
}

const rowNotVisible = (uniqueKey: string) =>
	new ServiceError('failed', 'The job ledger does not show the row that was added', {
		ids: { uniqueKey },
		advice: 'Nothing was sent for this item. Check the table in n8n, then run the item again.',
	});

const INTERRUPTED_NOTE = 'The execution that started it did not record an outcome in time.';

const RESOLVE_ADVICE =
	'Check at the service whether the job is there. Then use the resource Job Ledger: "Mark as Started" with its job ID, or "Mark as Not Started", which allows another start.';

/** For `throw`: marks an error as `not_started`, unless it already has an outcome, such as `unknown` of an earlier start. */
export const asNotStarted = (cause: unknown) =>
	mapServiceError(cause, (error) =>
		withDetails(error, { outcome: error.details.outcome ?? 'not_started' }),
	);

/** An earlier start with the same key has an unknown outcome. */
function startOutcomeUnknown(entry: Entry): ServiceError {
	return new ServiceError(
		'timeout',
		`It is not known whether the job of the key "${entry.uniqueKey}" was started`,
		{
			outcome: 'unknown',
			...(entry.requestId && { requestId: entry.requestId }),
			ids: startIds(entry),
			reason: `${describeStart(entry)} ${entry.note}`.trim(),
			advice: `Nothing was sent for this item. ${RESOLVE_ADVICE}`,
		},
	);
}

/** Another execution is starting this job, or was interrupted while starting it. */
function startInProgress(entry: Entry): ServiceError {
	return new ServiceError(
		'timeout',
		`Another execution is starting the job of the key "${entry.uniqueKey}", or was interrupted while starting it`,
		{
			outcome: 'unknown',
			ids: startIds(entry),
			reason: describeStart(entry),
			advice: `Nothing was sent for this item. Run it again later: it returns the job once that execution has its ID. If there is no result by ${isoTime(entry.leaseUntil)}, the outcome is unknown and you have to resolve it.`,
		},
	);
}

/** Adds the ledger entry, and how to resolve its outcome, to an error. */
export function needsResolution(
	error: ServiceError,
	{ uniqueKey }: { uniqueKey: string },
	entry?: Entry,
) {
	const place = entry
		? `It is entry ${entry.id} of the job ledger, and is not started again before you resolve it.`
		: 'The job ledger could not be reached to record this.';
	return withDetails(error, {
		ids: { ...(uniqueKey && { uniqueKey }), ...(entry && { entryId: String(entry.id) }) },
		advice: joinSentences(error.details.advice, place, RESOLVE_ADVICE),
	});
}

const startIds = ({ id, uniqueKey }: Entry) => ({ uniqueKey, entryId: String(id) });

const describeStart = (entry: Entry) =>
	`${nameExecution(entry)} sent it on ${isoTime(entry.startedAt)} (${entry.mediaType}, ${entry.model}).`;

export const isoTime = (milliseconds: number) => new Date(milliseconds).toISOString();
