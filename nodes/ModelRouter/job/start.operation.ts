import { operation } from '../../../src/n8n/operation';
import { toJobJson, toLedgerJson } from './jobOutput';
import {
	labelOption,
	startKeyOption,
	executionCapOption,
	itemCapOption,
	startParams,
	toStartRequest,
} from './start.params';
import { checkStart, startPaidJob } from './startPaidJob';

export const start = operation({
	name: 'Start',
	value: 'start',
	action: 'Start a paid image, video, music or speech job',
	description:
		'Start making an image, video, music or speech, and get the job ID at once. It costs money when it completes.',
	params: [
		...startParams,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [labelOption, executionCapOption, itemCapOption, startKeyOption],
		},
	],

	prepare: ({ options, ...params }) => toStartRequest(params, options),
	check: checkStart,

	async run(context) {
		const { job, ledgered } = await startPaidJob(context);
		return { json: { ...toJobJson(job), ...toLedgerJson(ledgered) } };
	},
});
