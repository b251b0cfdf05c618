import type { ParamValues } from '../../../src/n8n/params';
import { invalid } from '../../../src/service/errors';
import type { chatParams } from './question.params';

/** A question, and what to make of its answer. */
export interface Asked {
	message: string;
	/** A chat to continue: goes back exactly as it came. */
	chatId?: string;
	/** What the items of one chat have in common, where nobody knows its id yet. */
	chatKey?: string;
	model?: string;
	keepEvents: boolean;
	language: string;
	showToolCalls: boolean;
	onIncomplete: 'error' | 'partial';
	/** Goes into the output as it is. */
	told: { question?: string };
}

interface Options {
	model?: string;
	includeEvents?: boolean;
	language?: string;
	showToolCalls?: boolean;
	onIncomplete?: 'error' | 'partial';
}

/** @throws ServiceError `invalid` for a key that is empty. */
export function toAsked(
	message: string,
	{ chat, chatId, chatKey }: ParamValues<typeof chatParams>,
	{ model, includeEvents, language, showToolCalls, onIncomplete }: Options,
): Asked {
	const key = chatKey.trim();
	if (chat === 'key' && !key)
		throw invalid('Chat Key is empty', 'If it is an expression, it found nothing for this item.');
	return {
		message,
		...(chat === 'key' ? { chatKey: key } : chatId && { chatId }),
		...(model && { model }),
		keepEvents: includeEvents ?? false,
		language: language?.trim() || 'en',
		showToolCalls: showToolCalls ?? false,
		onIncomplete: onIncomplete ?? 'error',
		told: {},
	};
}

/** Questions of one chat follow one another. */
export const laneOf = ({ chatId, chatKey }: Asked) =>
	chatKey === undefined ? chatId && `id ${chatId}` : `key ${chatKey}`;
