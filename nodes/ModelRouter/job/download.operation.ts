import { operation } from '../../../src/n8n/operation';
import { addressParams, binaryParam, maximumSizeOption, toAddress } from './job.params';
import { storeResult } from './result';

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
		binaryProperty,
		maximumSize,
	}),

	async run({ request: { address, binaryProperty, maximumSize }, ...call }) {
		const { binary, file } = await storeResult(call, address, { maximumSize });
		return { json: { ...address, file }, binary: { [binaryProperty]: binary } };
	},
});
