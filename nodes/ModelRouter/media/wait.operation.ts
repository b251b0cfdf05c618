import { operation } from '../../../src/n8n/operation';
import { optionsParam } from '../../fieldKinds.params';
import {
	addressParams,
	hideProgressOption,
	maxWaitOption,
	toAddress,
	toMaxWait,
} from './media.params';
import { toJobJson } from './jobOutput';
import { findReused } from './whileBuilding';
import { createJobProgress, waitAndCount } from './jobProgress';

export const wait = operation({
	name: 'Wait for Job',
	value: 'wait',
	action: 'Wait for media job',
	description: 'Wait until a job has completed or failed',
	params: [...addressParams, optionsParam([hideProgressOption, maxWaitOption])],

	prepare: ({ options, ...params }, surroundings) => ({
		address: toAddress(params, surroundings),
		maxWait: toMaxWait(options),
		hideProgress: options.hideProgress ?? false,
	}),

	async run(context) {
		const { address } = context.request;
		const progress = createJobProgress(context, address);
		const reusedFrom = findReused(context, address);
		const job = await waitAndCount(context, address, { progress, isPaidHere: !reusedFrom });
		return { json: toJobJson(job, { reusedFrom }) };
	},
});
