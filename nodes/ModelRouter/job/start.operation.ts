import { operation } from '../../../src/n8n/operation';
import { jobJson, startOnce } from './jobOutput';
import { checkStart, startParams, toStart } from './start.params';

export const start = operation({
	name: 'Start',
	value: 'start',
	action: 'Start a media job',
	description:
		'Start making an image, video, music or speech, and get the job ID at once. It costs money when it completes.',
	params: startParams,

	prepare: toStart,
	check: checkStart,

	async run(call) {
		return { json: jobJson(await startOnce(call)) };
	},
});
