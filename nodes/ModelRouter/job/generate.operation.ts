import { operation } from '../../../src/n8n/operation';
import { waitForJob, withJobId, jobFailedError, withJobRecord } from '../../../src/router/jobs';
import { binaryParam, deadlineOption, maximumSizeOption, toDeadline } from './job.params';
import { deliverInNode } from './jobLedger';
import { toJobJson, toLedgerJson, downloadResult } from './jobOutput';
import {
	labelOption,
	startKeyOption,
	executionCapOption,
	itemCapOption,
	startParams,
	toStartRequest,
} from './start.params';
import { checkStart, startPaidJob } from './startPaidJob';

export const generate = operation({
	name: 'Generate',
	value: 'generate',
	action: 'Generate an image, video, music or speech',
	description:
		'Start a job, wait for it and download its file: an image, video, music or speech. It costs money when it completes.',
	params: [
		...startParams,
		binaryParam,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				deadlineOption,
				labelOption,
				maximumSizeOption,
				executionCapOption,
				itemCapOption,
				startKeyOption,
			],
		},
	],

	prepare: ({ binaryProperty, options, ...params }) => ({
		...toStartRequest(params, options, toDeadline(options)),
		binaryProperty,
		deadline: toDeadline(options),
		maximumSize: options.maximumSize ?? maximumSizeOption.default,
	}),

	check: checkStart,

	async run(context) {
		const { http, clock, request } = context;
		const { job: started, ledgered } = await startPaidJob(context);
		const waitAndDownload = async () => {
			const job = await waitForJob(http, started, { deadline: request.deadline, clock });
			if (job.state === 'failed') throw jobFailedError(job);
			const { maximumSize, binaryProperty } = request;
			const fileOptions = { binaryProperty, maximumSize, justCompleted: true };
			const { file, ...binary } = await withJobRecord(
				job,
				async () => await downloadResult(context, job, fileOptions),
			);
			const { estimatedCostMicroUsd } = started;
			const estimate = estimatedCostMicroUsd === undefined ? {} : { estimatedCostMicroUsd };
			return {
				json: { ...toJobJson({ ...estimate, ...job }, file), ...toLedgerJson(ledgered) },
				...binary,
			};
		};
		// from here on every error contains the job's id
		return await withJobId(started.jobId, () =>
			deliverInNode(context, ledgered?.entry, waitAndDownload),
		);
	},
});
