import { operation } from '../../../src/n8n/operation';
import { optionsParam } from '../../fieldKinds.params';
import { addressParams, binaryParam, maxSizeOption, toAddress } from './media.params';
import { countCost, downloadResult } from './jobOutput';

export const download = operation({
	name: 'Download File',
	value: 'download',
	action: 'Download file of media job',
	description: 'Download the file of a completed job',
	mayTakeLong: true,
	params: [...addressParams, binaryParam, optionsParam([maxSizeOption])],

	prepare: (
		{ binaryProperty, options: { maxSizeMib = maxSizeOption.default }, ...params },
		surroundings,
	) => ({
		address: toAddress(params, surroundings),
		fileOptions: { binaryProperty, maxSizeMib },
	}),

	async run({ request: { address, fileOptions }, ...context }) {
		try {
			const { file, ...binary } = await downloadResult(context, address, fileOptions);
			return { json: { ...address, file }, ...binary };
		} finally {
			// a job without a file may have a cost, too
			if (!context.asTool) await countCost(context, address);
		}
	},
});
