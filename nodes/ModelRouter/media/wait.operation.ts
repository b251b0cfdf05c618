import { operation } from '../../../src/n8n/operation';
import { waitForJob } from '../../../src/router/jobs';
import { outputParams, toOutputChoice } from '../output.params';
import { addressParams, maxWaitOption, toAddress, toMaxWait } from './media.params';
import { toJobOutput } from './jobOutput';

export const wait = operation({
	name: 'Wait for Job',
	value: 'wait',
	action: 'Wait for media job',
	description: 'Wait until a job has completed or failed',
	params: [
		...addressParams,
		...outputParams,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [maxWaitOption],
		},
	],

	prepare: ({ options, ...params }) => ({
		address: toAddress(params),
		output: toOutputChoice(params),
		maxWait: toMaxWait(options),
	}),

	async run({ request: { address, output, maxWait }, http, clock, asTool }) {
		const job = await waitForJob(http, address, { maxWait, clock });
		return { json: toJobOutput(job, { output, asTool }) };
	},
});
