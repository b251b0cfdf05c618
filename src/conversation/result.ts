import type { Conversation } from './conversation';
import { sumCosts, withoutStop, type Ending, type EndingKind } from './ending';
import { toRows, type TranscriptRow } from './transcript';

/** The output of a conversation that has ended. */
export interface Result {
	/** The last thing said. */
	output: string;
	ended: EndingKind;
	/** Why it ended, in words. */
	reason: string;
	/** Of all turns, earlier ones included. */
	turns: number;
	conversationId: string;
	/** What the speakers reported together, in USD; absent if none reported anything. */
	costUsd?: number;
	/** Who reported no cost in a turn: it counted as 0. */
	speakersWithoutCost: string[];
	speakers: Array<{ name: string; sessionId?: string; chatId?: string }>;
	transcript: TranscriptRow[];
	durationMs: number;
	/** No field of the name `error`: n8n would take the conversation for one that has to be repeated. */
	failure?: NonNullable<Ending['failure']>;
}

export function toResult(conversation: Conversation): Result {
	const { id, rules, ids, speakers, turns, began, endedAt = began, ending } = conversation;
	const last = turns.findLast(({ text, failed }) => text.trim() && !failed)?.text ?? '';
	const isPriced = turns.some(({ costUsd }) => costUsd !== undefined);
	const unpriced = turns.filter(({ costUsd }) => costUsd === undefined);
	return {
		output: rules.removeStop ? withoutStop(last, conversation) : last,
		ended: ending?.kind ?? 'speakerFailed',
		reason: ending?.reason ?? 'It has not ended',
		turns: turns.length,
		conversationId: id,
		...(isPriced && { costUsd: sumCosts(turns) }),
		speakersWithoutCost: [...new Set(unpriced.map(({ speaker }) => speaker))],
		speakers: speakers.map((name) => ({ name, ...ids[name] })),
		transcript: toRows(conversation),
		durationMs: Math.max(0, endedAt - began),
		...(ending?.failure && { failure: { ...ending.failure } }),
	};
}
