import { sides, type Conversation, type Turn } from './conversation';
import { withoutStop, type EndingKind, type Ending } from './ending';

/** What is told of a conversation that has ended. */
export interface Result {
	/** The last thing said. */
	output: string;
	ended: EndingKind;
	reason: string;
	/** Of all turns, earlier ones included. */
	turns: number;
	opening: string;
	transcript: Turn[];
	/** The ids of both sides, by which they can be told more. */
	speakers: Array<{ side: string; name: string; sessionId: string; chatId?: string }>;
	durationMs: number;
	/** No field of the name `error`: n8n would take the conversation for one that has to be repeated. */
	failure?: NonNullable<Ending['failure']>;
}

export function toResult(conversation: Conversation): Result {
	const { rules, ids, turns, began, endedAt = began, ending } = conversation;
	const last = turns.findLast(({ text }) => text.trim())?.text ?? '';
	return {
		output: rules.removeStop ? withoutStop(last, conversation) : last,
		ended: ending?.kind ?? 'error',
		reason: ending?.reason ?? 'It has not ended',
		turns: turns.length,
		opening: rules.opening,
		transcript: turns.map((turn) => ({ ...turn })),
		speakers: sides.map((side) => ({ side, name: rules.names[side], ...ids[side] })),
		durationMs: Math.max(0, endedAt - began),
		...(ending?.failure && { failure: { ...ending.failure } }),
	};
}
