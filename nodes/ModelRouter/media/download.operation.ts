import { mapServiceError, ServiceError } from '../../../src/core/errors';
import { operation } from '../../../src/n8n/operation';
import { optionsParam } from '../../fieldKinds.params';
import { addressParams, binaryParam, maxSizeOption, toAddress } from './media.params';
import { countCost, downloadResult } from './jobOutput';

export const download = operation({
	name: 'Download File',
	value: 'download',
	action: 'Download file of media job',
	description: 'Download the file of a completed job into n8n',
	params: [...addressParams, binaryParam, optionsParam([maxSizeOption])],

	prepare: ({ binaryProperty, options: { maxSizeMib = maxSizeOption.default }, ...params }) => ({
		address: toAddress(params),
		fileOptions: { binaryProperty, maxSizeMib },
	}),

	async run({ request: { address, fileOptions }, ...context }) {
		const count = async () => await countCost(context, address);
		try {
			const { file, ...binary } = await downloadResult(context, address, fileOptions);
			if (!context.asTool) await count();
			return { json: { ...address, file }, ...binary };
		} catch (cause) {
			// the file may be gone, and the job has a cost
			if (cause instanceof ServiceError && cause.details.status === 410) await count();
			throw mapServiceError(cause);
		}
	},
});
