import { operation } from '../../../src/n8n/operation';
import { waitForJob } from '../../../src/router/jobWait';
import { withJobId } from '../../../src/router/jobs';
import { jobFailure, withRecord } from '../../../src/router/jobRecord';
import { binaryParam, deadlineOption, maximumSizeOption, toDeadline } from './job.params';
import { jobJson, ledgerJson } from './jobOutput';
import { labelOption, startKeyOption } from './ledger.params';
import { fetchResult } from './result';
import { executionCapOption, itemCapOption, startParams, toStart } from './start.params';
import { broughtHere } from './ledgerStart';
import { checkStart, startOnce } from './startRequest';

export const generate = operation({
	name: 'Generate',
	value: 'generate',
	action: 'Generate an image, video, music or speech',
	description:
		'Start a job, wait for it and bring its file: an image, video, music or speech. It costs money when it completes.',
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
		...toStart(params, options, toDeadline(options)),
		binaryProperty,
		deadline: toDeadline(options),
		maximumSize: options.maximumSize ?? maximumSizeOption.default,
	}),

	check: checkStart,

	async run(call) {
		const { http, clock, request } = call;
		const { job: started, ledgered } = await startOnce(call);
		const bring = async () => {
			const job = await waitForJob(http, started, { deadline: request.deadline, clock });
			if (job.state === 'failed') throw jobFailure(job);
			const { maximumSize, binaryProperty } = request;
			const wanted = { binaryProperty, maximumSize, justCompleted: true };
			const { file, ...binary } = await withRecord(
				job,
				async () => await fetchResult(call, job, wanted),
			);
			const { estimatedCostMicroUsd } = started;
			const estimate = estimatedCostMicroUsd === undefined ? {} : { estimatedCostMicroUsd };
			return {
				json: { ...jobJson({ ...estimate, ...job }, file), ...ledgerJson(ledgered) },
				...binary,
			};
		};
		// from here on every failure carries the job's id
		return await withJobId(started.jobId, () => broughtHere(call, ledgered?.entry, bring));
	},
});
