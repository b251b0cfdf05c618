import { operation } from '../../../src/n8n/operation';
import { waitForJob } from '../../../src/router/jobs';
import { addressParams, deadlineOption, toAddress, toDeadline } from './job.params';
import { toJobJson } from './jobOutput';

export const wait = operation({
	name: 'Wait',
	value: 'wait',
	action: 'Wait until a media job has ended',
	description: 'Wait until a job has completed or failed',
	params: [
		...addressParams,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [deadlineOption],
		},
	],

	prepare: ({ options, ...params }) => ({
		address: toAddress(params),
		deadline: toDeadline(options),
	}),

	async run({ request: { address, deadline }, http, clock }) {
		return { json: toJobJson(await waitForJob(http, address, { deadline, clock })) };
	},
});
