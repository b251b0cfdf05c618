import { operation } from '../../../src/n8n/operation';
import { jobJson, ledgerJson } from './jobOutput';
import { labelOption, startKeyOption } from './ledger.params';
import { executionCapOption, itemCapOption, startParams, toStart } from './start.params';
import { checkStart, startOnce } from './startRequest';

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

	prepare: ({ options, ...params }) => toStart(params, options),
	check: checkStart,

	async run(call) {
		const { job, ledgered } = await startOnce(call);
		return { json: { ...jobJson(job), ...ledgerJson(ledgered) } };
	},
});
