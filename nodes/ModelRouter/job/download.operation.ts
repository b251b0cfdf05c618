import { operation } from '../../../src/n8n/operation';
import { addressParams, binaryParam, maximumSizeOption, toAddress } from './job.params';
import { downloadResult } from './jobOutput';

export const download = operation({
	name: 'Download',
	value: 'download',
	action: 'Download the file of a media job',
	description: 'Download the file of a completed job into n8n',
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
		fileOptions: { binaryProperty, maximumSize },
	}),

	async run({ request: { address, fileOptions }, ...context }) {
		const { file, ...binary } = await downloadResult(context, address, fileOptions);
		return { json: { ...address, file }, ...binary };
	},
});
