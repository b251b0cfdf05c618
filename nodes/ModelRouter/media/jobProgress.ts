import type { IDataObject } from 'n8n-workflow';

import { formatUsd } from '../../../src/core/money';
import type { OperationContext } from '../../../src/n8n/operation';
import { type Job, readEstimate, readJobCost } from '../../../src/router/jobRecord';
import { type JobAddress, waitForJob } from '../../../src/router/jobs';
import { countEndedJob } from './jobOutput';
import { mediaTypeLabel } from './media.params';

/** Of an operation that waits for a job. */
type WaitContext = OperationContext<{
	/** Milliseconds. */
	maxWait: number;
	hideProgress: boolean;
}>;

/** Characters of a status that is shown. It is not cut: a part of a key that it repeats would not be recognized. */
const MAX_STATUS_LENGTH = 100;

/** Says in the chat how a job goes on. What it says is not a part of the output. */
export function createJobProgress(
	{ showProgress, request: { hideProgress } }: WaitContext,
	{ mediaType }: Pick<JobAddress, 'mediaType'>,
) {
	let isFirst = true;
	const say = async (...parts: Array<string | false | undefined>) => {
		isFirst = false;
		const line = parts.filter(Boolean).join(', ');
		if (line && !hideProgress) await showProgress(`${mediaTypeLabel(mediaType)}: ${line}`);
	};
	return {
		/** @param isNew Whether this run has started it. */
		started: async (job: Job, isNew: boolean) =>
			await say(isNew ? 'started' : 'was started before', estimateOf(job)),
		/** @param waited Milliseconds. */
		async changed(job: Job, waited: number) {
			const { state, status: word = state } = job;
			const status = word.length > MAX_STATUS_LENGTH ? state : word;
			const seconds = Math.round(waited / 1000);
			if (isFirst && state === 'unfinished') await say(status, estimateOf(job));
			else await say(seconds ? `${status} after ${seconds} s` : status);
		},
		async ended(job: Job, { fileName }: IDataObject = {}) {
			const cost = formatUsd(readJobCost(job));
			await say(typeof fileName === 'string' && fileName, cost && `cost ${cost}`);
		},
	};
}

function estimateOf(job: Job): string | undefined {
	const estimate = formatUsd(readEstimate(job));
	return estimate && `${estimate} estimated`;
}

/** Waits for a job, and counts what it has cost. @throws ServiceError as `waitForJob`. */
export async function waitAndCount(
	context: WaitContext,
	address: JobAddress,
	{ progress, startedJob, isPaidHere = true }: JobOfRun,
): Promise<Job> {
	const { http, clock, request, asTool, addJobCost } = context;
	const { maxWait } = request;
	const wait = { maxWait, clock, startedJob, onStatus: progress.changed };
	const job = countEndedJob(context, await waitForJob(http, address, wait));
	// a failed job costs nothing, unless the service reports a cost
	const hasCost = job.state === 'completed' || job.costMicroUsd !== undefined;
	// nobody sees the hints of a tool
	if (hasCost && isPaidHere && !asTool) addJobCost(readJobCost(job));
	return job;
}

interface JobOfRun {
	progress: ReturnType<typeof createJobProgress>;
	startedJob?: Job;
	/** Whether its cost belongs to this run. */
	isPaidHere?: boolean;
}
