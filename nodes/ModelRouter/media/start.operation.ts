import { operation } from '../../../src/n8n/operation';
import { optionsParam } from '../../fieldKinds.params';
import { simplifyParam } from '../acrossResources.params';
import { toJobJson } from './jobOutput';
import { identifyStart, startOptions, startParams, toStartRequest } from './start.params';
import { chooseStart, startPaidJob } from './startPaidJob';

export const start = operation({
	name: 'Start Job',
	value: 'start',
	action: 'Start image, video, music or speech job',
	description: 'Start a paid job, and get its ID at once',
	params: [
		...startParams,
		simplifyParam,
		optionsParam([
			startOptions.allowUnknownCost,
			startOptions.spendingCapPerExecution,
			startOptions.spendingLabel,
			startOptions.triggerGroup,
			startOptions.whileBuilding,
		]),
	],

	prepare: ({ options, simplify, ...params }, surroundings) => ({
		...toStartRequest(params, options, surroundings),
		simplify,
	}),

	identify: identifyStart,
	check: chooseStart,

	async run(context) {
		const { simplify } = context.request;
		const { job, ...details } = await startPaidJob(context);
		return { json: toJobJson(job, { simplify, ...details }) };
	},
});
