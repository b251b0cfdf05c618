import { hash } from 'crypto';

import { emptySpending, keepEstimate, replaceEstimate } from '../../../src/core/caps';
import type { Uses } from '../../../src/n8n/operation';
import type { StartedJob } from '../../../src/paid/payJob';
import { type Job, readEndedCost } from '../../../src/router/jobRecord';
import type { JobAddress } from '../../../src/router/jobs';

type Node = Uses<'getState' | 'origin'>;

/** What counts in Spending Cap per Execution. */
export const spendingOf = ({ getState }: Node) => getState('budget', emptySpending);

/** A job that was just started counts with its estimate. */
export function countStart(node: Node, { job, estimate }: StartedJob): void {
	if (estimate !== undefined) keepEstimate(spendingOf(node), nameOf(node, job), estimate);
}

/** A job that has ended counts with its cost: a failed one with nothing. */
export function countEnd(node: Node, job: Job): void {
	const cost = readEndedCost(job);
	if (cost) replaceEstimate(spendingOf(node), nameOf(node, job), cost);
}

/** A service may repeat a key in the ID of a job, and this is stored. */
const nameOf = ({ origin: { scope } }: Node, { mediaType, jobId }: JobAddress) =>
	hash('sha256', JSON.stringify([scope, mediaType, jobId]), 'base64');
