import { operation } from '../../../src/n8n/operation';
import { optionsParam } from '../../fieldKinds.params';
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
		optionsParam([
			startOptions.parameters,
			startOptions.allowUnknownCost,
			startOptions.aspectRatio,
			startOptions.duration,
			startOptions.quality,
			startOptions.spendingCapPerExecution,
			startOptions.spendingLabel,
			startOptions.triggerGroup,
			startOptions.voice,
			startOptions.whileBuilding,
		]),
	],

	prepare: ({ options, ...params }, surroundings) => toStartRequest(params, options, surroundings),

	identify: identifyStart,
	check: chooseStart,

	async run(context) {
		const { job, ...details } = await startPaidJob(context);
		return { json: toJobJson(job, details) };
	},
});
