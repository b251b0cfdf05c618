import { operation } from '../../../src/n8n/operation';
import { readJob } from '../../../src/router/jobs';
import { outputParams, toOutputChoice } from '../output.params';
import { addressParams, toAddress } from './media.params';
import { toJobOutput } from './jobOutput';

export const get = operation({
	name: 'Get Job',
	value: 'get',
	action: 'Get media job',
	description: 'Read the state and the cost of a job',
	params: [...addressParams, ...outputParams],

	prepare: (params) => ({ address: toAddress(params), output: toOutputChoice(params) }),

	async run({ request: { address, output }, http, asTool }) {
		return { json: toJobOutput(await readJob(http, address), { output, asTool }) };
	},
});
