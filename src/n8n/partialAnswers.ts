import type { INodeProperties } from 'n8n-workflow';

import { joinSentences, ServiceError } from '../core/errors';

/** An option of every operation that reads a streamed answer. */
export const onIncompleteOption = {
	displayName: 'On Incomplete Answer',
	name: 'onIncomplete',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Fail (Keep Partial Text)',
			value: 'error',
			description: 'The text is in the details of the error',
		},
		{
			name: 'Return Partial Answer',
			value: 'partial',
			description: 'The text is in an item with "complete" false',
		},
	],
	default: 'error',
	description: 'It is billed either way, and not requested again',
} as const satisfies INodeProperties;

/**
 * What arrived of an incomplete answer, and what to say about it. An answer in an unexpected form counts only if it has text.
 *
 * @returns undefined for any other failure, and for an answer without anything that arrived.
 */
export function partialAnswerOf<Partial extends { text: string }>(cause: unknown) {
	if (!(cause instanceof ServiceError) || !cause.details.partial) return undefined;
	const { kind, message, details } = cause;
	const { reason, requestId, ids = {}, computed = {} } = details;
	const partial = details.partial as Partial & { body?: unknown; unread?: unknown };
	const isGiven = kind === 'truncated' || (kind === 'malformed' && partial.text !== '');
	if (!isGiven) return undefined;
	const { body, unread } = partial;
	return {
		partial: partial as Partial,
		/** What arrived in addition to the text: `body`, the answer in its own form, and `unread`, a part that could not be read. */
		extras: { ...(body !== undefined && { body }), ...(unread !== undefined && { unread }) },
		/** Our sentence and the service's own words. */
		notice: joinSentences(`${message}.`, reason),
		/** IDs from the service, e.g. `chatId`. */
		ids,
		computed,
		...(requestId && { requestId }),
	};
}
