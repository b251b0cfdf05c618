import { mapServiceError, withDetails } from '../../../src/core/errors';
import { operation } from '../../../src/n8n/operation';
import { describeOtherFormat } from '../../../src/router/askedFormat';
import { jobFailedError } from '../../../src/router/jobRecord';
import { withJobId } from '../../../src/router/jobs';
import { optionsParam } from '../../fieldKinds.params';
import { simplifyParam } from '../acrossResources.params';
import {
	binaryParam,
	hideProgressOption,
	maxSizeOption,
	maxWaitOption,
	toMaxWait,
} from './media.params';
import { deliverInNode } from './deliverInNode';
import { countEnd } from './executionSpending';
import { chooseStart, startPaidJob } from './startPaidJob';
import { downloadResult, toJobJson } from './jobOutput';
import { createJobProgress, waitAndCount } from './jobProgress';
import { identifyStart, startOptions, startParams, toStartRequest } from './start.params';

export const generate = operation({
	name: 'Generate',
	value: 'generate',
	action: 'Generate image, video, music or speech',
	description: 'Start a paid job, wait for it and download its file',
	mayTakeLong: true,
	params: [
		...startParams,
		binaryParam,
		simplifyParam,
		optionsParam([
			startOptions.parameters,
			startOptions.allowUnknownCost,
			startOptions.aspectRatio,
			startOptions.duration,
			hideProgressOption,
			maxSizeOption,
			startOptions.quality,
			startOptions.spendingCapPerExecution,
			startOptions.spendingLabel,
			startOptions.triggerGroup,
			startOptions.voice,
			maxWaitOption,
			startOptions.whileBuilding,
		]),
	],

	prepare: ({ binaryProperty, options, simplify, ...params }, surroundings) => ({
		...toStartRequest(params, options, surroundings, toMaxWait(options)),
		simplify,
		binaryProperty,
		maxWait: toMaxWait(options),
		hideProgress: options.hideProgress ?? false,
		maxSizeMib: options.maxSizeMib ?? maxSizeOption.default,
	}),

	identify: identifyStart,
	check: chooseStart,

	async run(context) {
		const { clock, request, addHint } = context;
		const { job: started, startedAt, ...paid } = await startPaidJob(context);
		const { ledgered, reusedFrom } = paid;
		const progress = createJobProgress(context, started);
		const waitAndDownload = async () => {
			await progress.started(startedAt !== undefined);
			const isPaidHere = !ledgered?.startedBefore && !reusedFrom;
			const running = { progress, startedJob: started, isPaidHere };
			const job = await waitAndCount(context, started, running);
			countEnd(context, job);
			if (job.state === 'failed') throw jobFailedError(job);
			const { simplify, maxSizeMib, binaryProperty } = request;
			const fileOptions = { binaryProperty, maxSizeMib, justCompleted: true };
			const downloaded = await downloadResult(context, job, fileOptions).catch((cause: unknown) => {
				throw mapServiceError(cause, (error) => withDetails(error, { partial: job.record }));
			});
			const { file, ...binary } = downloaded;
			const odd = describeOtherFormat(request.body, file['mimeType']);
			if (odd) addHint(odd);
			await progress.arrived(file);
			const json = toJobJson(job, { simplify, file, ...paid });
			if (startedAt !== undefined) json['durationMs'] = clock.now() - startedAt;
			return { json, ...binary };
		};
		// from here on, every error contains the job's ID
		return await withJobId(started.jobId, () =>
			deliverInNode(context, ledgered?.entry, waitAndDownload),
		);
	},
});
