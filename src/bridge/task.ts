import type { Conversation, Side } from './conversation';
import { historyOf, type Message } from './history';

/** What a speaker's node gets for one turn. */
export interface Task {
	/** What to say to the speaker. */
	message: string;
	/** For a workspace agent: a UUID, the same in all turns of this side. */
	sessionId: string;
	/** For the market assistant: as its own first answer gave it; absent before. */
	chatId?: string;
	/** For a model: everything that it was told and said so far, and the message. */
	messages: Message[];
	/** Name of the side whose turn it is. */
	speaker: string;
	turn: number;
	/** From 1, in the order of the items. */
	conversation: number;
}

/** @returns undefined when no turn is under way. */
export function toTask(
	conversation: Conversation,
	number: number,
): { side: Side; task: Task } | undefined {
	const { pending, rules, ids } = conversation;
	if (!pending) return undefined;
	const { side, turn, message } = pending;
	const task = {
		message,
		...ids[side],
		messages: historyOf(conversation),
		speaker: rules.names[side],
		turn,
		conversation: number,
	};
	return { side, task };
}
