import { operation } from '../../../src/n8n/operation';
import { waitForJob } from '../../../src/router/jobs';
import { optionsParam } from '../../fieldKinds.params';
import { simplifyParam } from '../acrossResources.params';
import { addressParams, maxWaitOption, toAddress, toMaxWait } from './media.params';
import { countEndedJob, toJobJson } from './jobOutput';

export const wait = operation({
	name: 'Wait for Job',
	value: 'wait',
	action: 'Wait for media job',
	description: 'Wait until a job has completed or failed',
	params: [...addressParams, simplifyParam, optionsParam([maxWaitOption])],

	prepare: ({ options, simplify, ...params }) => ({
		address: toAddress(params),
		simplify,
		maxWait: toMaxWait(options),
	}),

	async run(context) {
		const { request, http, clock } = context;
		const { address, simplify, maxWait } = request;
		const job = countEndedJob(context, await waitForJob(http, address, { maxWait, clock }));
		return { json: toJobJson(job, { simplify }) };
	},
});
