import { operation } from '../../../src/n8n/operation';
import { readJob } from '../../../src/router/jobs';
import { addressParams, toAddress } from './job.params';
import { toJobJson } from './jobOutput';

export const get = operation({
	name: 'Get',
	value: 'get',
	action: 'Get the state and the cost of a media job',
	description: 'Read the state and the cost of a job',
	params: addressParams,

	prepare: toAddress,

	async run({ request, http }) {
		return { json: toJobJson(await readJob(http, request)) };
	},
});
