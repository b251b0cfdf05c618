import type { INodeProperties } from 'n8n-workflow';

import { ServiceError } from '../core/errors';

/** An option of every operation that reads a streamed answer. */
export const onIncompleteOption = {
	displayName: 'On Incomplete Answer',
	name: 'onIncomplete',
	type: 'options',
	options: [
		{ name: 'Fail (Keep Partial Text)', value: 'error' },
		{ name: 'Return Partial Answer', value: 'partial' },
	],
	default: 'error',
	description:
		'What to do when an answer stops before its end, or its text arrives in an unexpected format. Fail with an error whose details contain the text, or return a normal item with "complete" false. It is billed either way and never requested again.',
} as const satisfies INodeProperties;

/** What arrived of an incomplete answer, and what to say about it. */
interface SalvagedAnswer<Partial> {
	partial: Partial;
	/** What arrived beside the text: `body`, the answer in its own form, and `unread`, a part that could not be read. */
	extras: { body?: unknown; unread?: unknown };
	/** Our sentence and the service's own words. */
	notice: string;
	/** IDs from the service, e.g. `chatId`. */
	ids: Record<string, string>;
	requestId?: string;
}

/**
 * @param textOf Finds the text of what arrived. An answer in an unexpected form counts only if it has text.
 * @returns undefined for any other failure, and for an answer without anything that arrived.
 */
export function partialAnswerOf<Partial extends object>(
	cause: unknown,
	textOf: (partial: Partial) => string,
): SalvagedAnswer<Partial> | undefined {
	if (!(cause instanceof ServiceError)) return undefined;
	const { partial, reason, requestId, ids = {} } = cause.details;
	if (!partial) return undefined;
	const isGiven =
		cause.kind === 'truncated' || (cause.kind === 'malformed' && textOf(partial as Partial) !== '');
	if (!isGiven) return undefined;
	const notice = [`${cause.message}.`, reason].filter(Boolean).join(' ');
	return {
		partial: partial as Partial,
		extras: extrasOf(partial),
		notice,
		ids,
		...(requestId && { requestId }),
	};
}

/** What an error keeps of an answer, beside its text. */
export function extrasOf(partial: object): SalvagedAnswer<object>['extras'] {
	const { body, unread } = partial as SalvagedAnswer<object>['extras'];
	return { ...(body !== undefined && { body }), ...(unread !== undefined && { unread }) };
}
