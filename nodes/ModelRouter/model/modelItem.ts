import type { IDataObject } from 'n8n-workflow';

import type { Output } from '../../../src/n8n/operation';
import type { Model } from '../../../src/router/models';

/**
 * A catalog entry as an item, with the request that it came with.
 *
 * A field `error` on top would make n8n take the item for a failure and repeat the node (n8n-core 2.41.1,
 * workflow-execute.js:1206).
 */
export function modelItem({ error, ...entry }: Model, request: { requestId?: string }): Output {
	const kept = error === undefined ? {} : { failure: error };
	return { json: { ...entry, ...kept, ...request } as IDataObject };
}
