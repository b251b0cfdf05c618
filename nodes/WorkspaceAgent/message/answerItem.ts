import type { IDataObject } from 'n8n-workflow';

import type { PartialAnswer } from '../../../src/agent/client';
import type { Said } from '../../../src/agent/server';
import { omitMissing } from '../../../src/core/json';
import type { ItemOutput } from '../../../src/n8n/operation';
import type { HistoryRequest } from './history';

export type Answer = PartialAnswer & {
	durationMs?: number;
	requestId?: string;
	chatId?: string;
	taskId?: string;
	history?: readonly Said[];
};

/** What of a request is in its answer. */
export interface Shown extends Pick<HistoryRequest, 'server' | 'session' | 'place'> {
	includeRawEvents: boolean;
}

/** Fields that did not arrive are left out. */
export function toItem(
	{ server, session, place, includeRawEvents }: Shown,
	sessionId: string,
	{
		text,
		chatId,
		taskId,
		history,
		waitsFor,
		format,
		dialect,
		events = [],
		requestId,
		durationMs,
	}: Answer,
	more: { complete: boolean; notice?: string },
): ItemOutput {
	return {
		json: {
			output: text,
			sessionId,
			...omitMissing({
				sessionSource: session.source,
				sessionKey: session.key,
				chatId,
				taskId,
				sessionAt: place,
				server: server?.name,
				waitsFor: waitsFor && { ...waitsFor },
			}),
			...more,
			...(history && { history: history as unknown as IDataObject[] }),
			format,
			...omitMissing({ dialect, durationMs, requestId }),
			...((includeRawEvents || !text) && { events: events as IDataObject[] }),
		},
	};
}

export const noTextNotice = (answerPath: string | undefined) =>
	answerPath
		? `No text was found in the field "${answerPath}". In an event with a name, the path begins inside of "data".`
		: 'No text was found in the answer; "events" contains what arrived. If it contains the text, enter the path to it in the option "Answer Field Path".';
