import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';

import { toResult } from '../../src/conversation/result';
import type { State } from './state';

/**
 * The results of all conversations, linked to the items that began them.
 *
 * Never a field `error` in an item: with Retry On Fail n8n would call the node again without the answers, and all turns would be sent
 * again, endlessly (n8n-core 2.41.1, workflow-execute.js:1232). An item that began no conversation has an `error` beside its `json`,
 * which n8n turns into that field later.
 */
export function toOutput(n8n: IExecuteFunctions, { items, source }: State): INodeExecutionData[] {
	return items.flatMap((state, item): INodeExecutionData[] => {
		const pairedItem = { item, ...(source && { sourceOverwrite: source }) };
		if ('refusal' in state) {
			const { message, description } = state.refusal;
			const error = new NodeOperationError(n8n.getNode(), message, {
				itemIndex: item,
				...(description && { description }),
			});
			return [{ json: {}, error, pairedItem }];
		}
		const result = toResult(state.conversation);
		const rows: object[] = state.settings.outputMode === 'turns' ? result.transcript : [result];
		return rows.map((json) => ({ json: json as IDataObject, pairedItem }));
	});
}
