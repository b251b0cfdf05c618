import type { INodeProperties } from 'n8n-workflow';

import { ServiceError } from '../service/errors';

/** An option of everything that reads an answer piece by piece. */
export const onIncompleteOption = {
	displayName: 'On Incomplete Answer',
	name: 'onIncomplete',
	type: 'options',
	options: [
		{ name: 'Fail, and Keep the Text in the Error', value: 'error' },
		{ name: 'Give What Arrived', value: 'partial' },
	],
	default: 'error',
	description:
		'What to do with an answer that stopped before its end: an error whose details hold the text so far, or a normal item with "complete" false. It is billed either way, and never asked for again.',
} as const satisfies INodeProperties;

/** What came of an answer that stopped before its end, and what to tell of it. */
export interface Arrived<Partial> {
	partial: Partial;
	/** Our sentence and the service's own words. */
	notice: string;
	/** Ids that the service gave, e.g. `chatId`. */
	ids: Record<string, string>;
	requestId?: string;
}

/** @returns undefined for any other failure, and for an answer of which nothing is known. */
export function whatArrived<Partial extends object>(cause: unknown): Arrived<Partial> | undefined {
	if (!(cause instanceof ServiceError) || cause.kind !== 'cut') return undefined;
	const { partial, reason, requestId, ids = {} } = cause.details;
	if (!partial) return undefined;
	const notice = [`${cause.message}.`, reason].filter(Boolean).join(' ');
	return { partial: partial as Partial, notice, ids, ...(requestId && { requestId }) };
}
