import { operation } from '../../../src/n8n/operation';
import { describeUnknownStatus } from '../../../src/router/jobRecord';
import { readJob } from '../../../src/router/jobs';
import { simplifyParam } from '../acrossResources.params';
import { addressParams, toAddress } from './media.params';
import { countEndedJob, toJobJson } from './jobOutput';

export const getJob = operation({
	name: 'Get Job',
	value: 'getJob',
	action: 'Get media job',
	description: 'Read the state and the cost of a job',
	params: [...addressParams, simplifyParam],

	prepare: ({ simplify, ...params }, surroundings) => ({
		address: toAddress(params, surroundings),
		simplify,
	}),

	async run(context) {
		const { request, http, addHint } = context;
		const { address, simplify } = request;
		const job = countEndedJob(context, await readJob(http, address));
		const unknown = describeUnknownStatus(job);
		if (unknown) addHint(unknown);
		return { json: toJobJson(job, { simplify }) };
	},
});
