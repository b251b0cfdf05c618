import type { IDataObject } from 'n8n-workflow';

import type { OperationContext } from '../../../src/n8n/operation';
import { type Job, readJobCost } from '../../../src/router/jobRecord';
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

/** Says in the chat how a job goes on, and never what it costs: that is for its owner. What it says is not a part of the output. */
export function createJobProgress(
	{ showProgress, request: { hideProgress } }: WaitContext,
	{ mediaType }: Pick<JobAddress, 'mediaType'>,
) {
	let isFirst = true;
	const say = async (line: string) => {
		isFirst = false;
		if (!hideProgress) await showProgress(`${mediaTypeLabel(mediaType)}: ${line}`);
	};
	return {
		/** @param isNew Whether this run has started it. */
		started: async (isNew: boolean) => await say(isNew ? 'started' : 'was started before'),
		/** @param waited Milliseconds. */
		async changed(job: Job, waited: number) {
			const { state, status: word = state } = job;
			const status = word.length > MAX_STATUS_LENGTH ? state : word;
			const seconds = Math.round(waited / 1000);
			const isWaiting = isFirst && state === 'unfinished';
			await say(seconds && !isWaiting ? `${status} after ${seconds} s` : status);
		},
		async arrived({ fileName }: IDataObject) {
			if (typeof fileName === 'string' && fileName) await say(fileName);
		},
	};
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
