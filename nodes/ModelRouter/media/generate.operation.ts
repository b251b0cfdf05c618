import { operation } from '../../../src/n8n/operation';
import { jobFailedError } from '../../../src/router/jobRecord';
import { waitForJob, withJobId, withJobRecord } from '../../../src/router/jobs';
import { optionsParam } from '../../fieldKinds.params';
import { simplifyParam } from '../acrossResources.params';
import { binaryParam, maxSizeOption, maxWaitOption, toMaxWait } from './media.params';
import { checkStart, deliverInNode, startPaidJob } from './startPaidJob';
import { countEndedJob, downloadResult, toJobJson } from './jobOutput';
import { startOptions, startParams, toStartRequest } from './start.params';

export const generate = operation({
	name: 'Generate',
	value: 'generate',
	action: 'Generate image, video, music or speech',
	description: 'Start a paid job, wait for it and download its file',
	params: [
		...startParams,
		binaryParam,
		simplifyParam,
		optionsParam([
			startOptions.allowUnknownCost,
			startOptions.ledgerLabel,
			maxSizeOption,
			startOptions.spendingCapPerExecution,
			startOptions.spendingLabel,
			maxWaitOption,
		]),
	],

	prepare: ({ binaryProperty, options, simplify, ...params }, surroundings) => ({
		...toStartRequest(params, options, surroundings, toMaxWait(options)),
		simplify,
		binaryProperty,
		maxWait: toMaxWait(options),
		maxSizeMib: options.maxSizeMib ?? maxSizeOption.default,
	}),

	check: checkStart,

	async run(context) {
		const { http, clock, request } = context;
		const { job: started, ledgered, startedAt, model } = await startPaidJob(context);
		const waitAndDownload = async () => {
			const { maxWait } = request;
			const waited = await waitForJob(http, started, { maxWait, clock, startedJob: started });
			const job = countEndedJob(context, waited);
			if (job.state === 'failed') throw jobFailedError(job);
			const { simplify, maxSizeMib, binaryProperty } = request;
			const fileOptions = { binaryProperty, maxSizeMib, justCompleted: true };
			const { file, ...binary } = await withJobRecord(
				job,
				async () => await downloadResult(context, job, fileOptions),
			);
			// the estimate may only be in the response to the start
			const { estimatedCostMicroUsd } = started;
			const estimate = estimatedCostMicroUsd === undefined ? {} : { estimatedCostMicroUsd };
			const details = { simplify, model, file, ledgered };
			const json = toJobJson({ ...estimate, ...job }, details);
			if (startedAt !== undefined) json['durationMs'] = clock.now() - startedAt;
			return { json, ...binary };
		};
		// from here on, every error contains the job's ID
		return await withJobId(started.jobId, () =>
			deliverInNode(context, ledgered?.entry, waitAndDownload),
		);
	},
});
