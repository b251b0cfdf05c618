import type { Call } from '../../../src/n8n/operation';
import type { Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import { leaveToTriggers, markDelivered } from '../../../src/ledger/broughtHere';
import { nothingSent } from '../../../src/ledger/startTrouble';
import { startEntered, startOncePerKey } from '../../../src/ledger/startOnce';
import { readJobRecord, type Job } from '../../../src/router/jobRecord';
import type { Segment } from '../../../src/router/segments';
import { explained } from '../../../src/service/errors';
import { tryParseJson } from '../../../src/service/json';
import { ledgerAccess } from '../../MediaJobLedger/access';
import { openLedger } from '../../MediaJobLedger/openLedger';
import type { LedgerWanted } from './ledger.params';
import type { StartRequest } from './startRequest';

/** What became of a start, as far as the ledger goes. Plain data: it is kept with the execution. */
export interface Ledgered {
	/** Undefined when the ledger could not be reached any more. */
	entry: Entry | undefined;
	/** Whether an earlier start with the same key has started the job; undefined without a key. */
	startedBefore?: boolean;
}

/** Milliseconds after which a start that says nothing more counts as interrupted: more than a request may take by default. */
const LEASE = 10 * 60_000;
/** Milliseconds beyond its own waiting after which Generate leaves the job to the triggers. */
const GRACE = 5 * 60_000;
/** Characters of the service's record that the ledger keeps; a longer one is read again when it is needed. */
const LONGEST_RECORD = 4000;

/**
 * Starts a job that the ledger knows of before the service does.
 *
 * @param send Sends the start.
 */
export async function startLedgered(
	call: Call<StartRequest>,
	{ startKey, label, waits }: LedgerWanted,
	send: () => Promise<Job>,
): Promise<{ job: Job; ledgered: Ledgered }> {
	const { request, origin, hint } = call;
	const { segment, model } = request;
	const ledger = await ledgerOf(call).catch((cause: unknown) => {
		throw nothingSent(cause);
	});
	const wanted = {
		...{ startKey, label, segment, model, account: origin.credential },
		lease: LEASE,
		firstCheck: waits && waits + GRACE,
	};
	const sending = { send, toEntry };
	const started = startKey
		? await startOncePerKey(ledger, wanted, sending)
		: await startEntered(ledger, wanted, sending);
	if ('earlier' in started) {
		const { earlier: entry } = started;
		const other = otherThan(entry, { segment, model, account: origin.credential });
		if (other)
			hint(
				`The key "${startKey}" was used before for ${other}: its job ${entry.jobId} is given back, and nothing was started. Use keys that are different for every job that you want.`,
			);
		return { job: jobOf(entry), ledgered: { entry, startedBefore: true } };
	}
	const { result: job, entry } = started;
	if (!entry)
		hint(
			`The job ${job.jobId} was started, but the job ledger could not be reached to write that down. Its outcome there will be "unknown": use Resolve as Started with this job ID.`,
		);
	return { job, ledgered: { entry, ...(startKey && { startedBefore: false }) } };
}

/** How the job of a key differs from the one that was asked for now. */
function otherThan(
	entry: Entry,
	{ segment, model, account }: Pick<Entry, 'segment' | 'model' | 'account'>,
): string | undefined {
	if (entry.account && entry.account !== account) return 'another credential';
	if (entry.segment !== segment) return `the segment "${entry.segment}"`;
	return entry.model && entry.model !== model ? `the model ${entry.model}` : undefined;
}

/** The node brings the file itself. Where it cannot, the triggers do, at once. */
export async function broughtHere<Result>(
	call: Opening & Pick<Call<unknown>, 'asTool'>,
	entry: Entry | undefined,
	bring: () => Promise<Result>,
): Promise<Result> {
	if (!entry) return await bring();
	const ledger = await ledgerOf(call);
	try {
		const result = await bring();
		// for an AI agent the file stays at the service
		if (call.asTool) await leaveToTriggers(ledger, entry);
		else await markDelivered(ledger, entry);
		return result;
	} catch (cause) {
		await leaveToTriggers(ledger, entry);
		throw explained(cause);
	}
}

type Opening = Pick<Call<unknown>, 'open' | 'clock' | 'origin'>;

export async function ledgerOf({ open, clock, origin }: Opening): Promise<Ledger> {
	return await openLedger(await open(ledgerAccess), clock, origin.execution);
}

function toEntry({ jobId, requestId = '', record }: Job) {
	const text = JSON.stringify(record);
	return { jobId, requestId, record: text.length > LONGEST_RECORD ? '' : text };
}

function jobOf({ jobId, segment, requestId, record }: Entry): Job {
	const kept = readJobRecord(tryParseJson(record), segment as Segment, {}, jobId);
	return {
		...(kept ?? { state: 'unfinished', record: {} }),
		...{ jobId, segment: segment as Segment },
		...(requestId && { requestId }),
	};
}
