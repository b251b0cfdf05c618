import { hash } from 'crypto';

import { isUnstarted, mapServiceError, toMinutes } from '../../../src/core/errors';
import type { Entry } from '../../../src/ledger/entry';
import type { OperationContext, Uses } from '../../../src/n8n/operation';
import { keepPerKey } from '../../../src/n8n/memory/sharedCache';
import { asNotStarted } from '../../../src/ledger/keyClaim';
import { registerJob } from '../../../src/ledger/manualChanges';
import { reuseOrPay } from '../../../src/paid/reuseJob';
import type { ReusedFrom, StartedJob } from '../../../src/paid/payJob';
import type { JobInput } from '../../../src/router/jobStart';
import type { Job } from '../../../src/router/jobRecord';
import type { JobAddress } from '../../../src/router/jobs';
import { LONG_RETRY_ATTEMPTS } from '../../../src/tables/retries';
import { where } from '../../../src/tables/table';
import { openJobLedger } from '../ledger/jobEntry';
import { openInMemory } from '../trigger/jobList';
import { countEndedJob } from './jobOutput';
import type { StartRequest } from './start.params';

/** The rows of credentials without a job ledger. */
const rowsOf = keepPerKey((): Entry[] => []);

/** Milliseconds for which these count. */
const DAY = 24 * 3_600_000;

/**
 * Pays for a job, unless an earlier execution that builds this workflow has paid for the same one. Of equal requests in an execution, each
 * gets another job. With a Unique Key, the key decides.
 */
export async function payUnlessPaid(
	context: OperationContext<StartRequest>,
	files: readonly JobInput[],
	pay: () => Promise<StartedJob>,
): Promise<StartedJob> {
	const { building, request, usesLedger, origin, clock, getState } = context;
	const { body, mediaType, whileBuilding, ledger, findChoice } = request;
	const { mode, place } = building;
	const isBuilding = mode === 'manual' || (mode === 'evaluation' && whileBuilding);
	if (!isBuilding || !place[0] || ledger?.uniqueKey) return await pay();

	// as text of JSON, large files would take seconds
	const prints = files.map(({ name, value }) => [name, hash('sha256', value)]);
	const asked = JSON.stringify([place, mediaType, findChoice().models, body, prints]);
	const print = hash('sha256', asked, 'base64url');
	// the equal requests of an execution are numbered
	const taken = (getState('reuse', (): Record<string, number[]> => ({}))[print] ??= []);
	let number = 0;
	while (taken.includes(number)) number++;
	taken.push(number);
	const { credentialId, scope, executionId } = origin;
	const account = hash('sha256', scope, 'base64url');
	const own = {
		...context,
		...building,
		mediaType,
		open: async () =>
			usesLedger
				? await openJobLedger(context, LONG_RETRY_ATTEMPTS)
				: { ...openInMemory(rowsOf(credentialId), clock, () => ''), executionId },
		row: { credentialId: account, uniqueKey: `reuse:${print} ${number}` },
		since: usesLedger ? 0 : clock.now() - DAY,
		reuses: whileBuilding !== 'anew',
		countEnded: (job: Job) => void countEndedJob(context, job),
	};
	try {
		const started = await reuseOrPay(own, pay);
		return started.reusedFrom && ledger ? await track(context, started) : started;
	} catch (cause) {
		// for when n8n runs the node again
		if (isUnstarted(cause) || building.resendIfUnknown) taken.splice(taken.indexOf(number), 1);
		throw mapServiceError(cause);
	}
}

/** Adds the row of a job that is given again. Where the node itself waits, none is entered: a trigger would deliver the file, too. */
async function track(
	context: OperationContext<StartRequest>,
	started: StartedJob,
): Promise<StartedJob> {
	const { ledger: { triggerGroup = '', waits = 0 } = {}, mediaType } = context.request;
	const { jobId } = started.job;
	const job = { credentialId: context.origin.credentialId, mediaType, jobId };
	try {
		const ledger = await openJobLedger(context, LONG_RETRY_ATTEMPTS);
		const entry = waits
			? (await ledger.table.find(where(job)))[0]
			: (await registerJob(ledger, { ...job, triggerGroup })).entry;
		return entry ? { ...started, ledgered: { entry } } : started;
	} catch (cause) {
		throw asNotStarted(cause);
	}
}

type Flow = Uses<'flowState'>;

const nameOf = ({ mediaType, jobId }: JobAddress) => `reused ${mediaType} ${jobId}`;

/** Says that nothing was paid for a job, also to the nodes after this one. */
export function noteReused(
	{ flowState, addHint }: Flow & Uses<'addHint'>,
	{ job, reusedFrom }: StartedJob,
): void {
	if (!reusedFrom) return;
	const { time, executionId } = reusedFrom;
	flowState.set(nameOf(job), JSON.stringify(reusedFrom));
	addHint(
		`From ${toMinutes(time)}, nothing was paid: execution ${executionId} has paid for the same request. For a new one, choose "While Building: Always Start Anew" in Options.`,
	);
}

/** The execution that has paid for a job that this one has been given. */
export function findReused({ flowState }: Flow, job: JobAddress): ReusedFrom | undefined {
	const stored = flowState.get(nameOf(job));
	return stored === undefined ? undefined : (JSON.parse(stored) as ReusedFrom);
}
