import { operation } from '../../../src/n8n/operation';
import { addressParams, binaryParam, maximumSizeOption, toAddress } from './job.params';
import { fetchResult } from './result';

export const download = operation({
	name: 'Download',
	value: 'download',
	action: 'Download the file of a media job',
	description: 'Bring the file of a completed job into n8n',
	params: [
		...addressParams,
		binaryParam,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [maximumSizeOption],
		},
	],

	prepare: ({
		binaryProperty,
		options: { maximumSize = maximumSizeOption.default },
		...params
	}) => ({
		address: toAddress(params),
		wanted: { binaryProperty, maximumSize },
	}),

	async run({ request: { address, wanted }, ...call }) {
		const { file, ...binary } = await fetchResult(call, address, wanted);
		return { json: { ...address, file }, ...binary };
	},
});
