import { endingOf, type Ending } from './ending';
import { fill } from './relay';
import type { Reply } from './reply';

export const sides = ['first', 'second'] as const;
export type Side = (typeof sides)[number];

export const otherThan = (side: Side): Side => (side === 'first' ? 'second' : 'first');

/** How a conversation is held. Plain data, as everything of a conversation: it is stored with the execution. */
export interface Rules {
	/** What is said first; with earlier turns, what is put before the text that is passed on. */
	opening: string;
	startsWith: Side;
	names: Record<Side, string>;
	/** Put before the first message that a side gets. */
	instructions: Record<Side, string>;
	/** What a side's text is passed on as; holds `{message}`. */
	relayTemplate: string;
	/** Turns, earlier ones not counted. */
	turnLimit: number;
	/** Milliseconds; none when absent. */
	timeLimit?: number;
	stopPhrase: string;
	stopPattern: string;
	/** Whether what ended the conversation is taken out of the final answer. */
	removeStop: boolean;
	/** Path of the field that holds a speaker's text; empty to look in all usual places. */
	answerField: string;
}

/** What one side was told, and what it answered. */
export interface Turn {
	/** From 1, earlier ones counted. */
	turn: number;
	side: Side;
	/** The side's name. */
	speaker: string;
	/** Absent in earlier turns that do not say it. */
	message?: string;
	text: string;
	sessionId?: string;
	chatId?: string;
	/** Absent in earlier turns that do not say it. */
	durationMs?: number;
}

/** The ids by which a side keeps its conversation. */
export interface Ids {
	/** Made once. */
	sessionId: string;
	/** As the side's first answer gave it. */
	chatId?: string;
}

/** The turn that is under way. */
export interface Pending {
	turn: number;
	side: Side;
	message: string;
	/** Milliseconds since 1970. */
	since: number;
}

export interface Conversation {
	rules: Rules;
	ids: Record<Side, Ids>;
	/** Milliseconds since 1970. */
	began: number;
	/** How many of the turns were given. */
	earlier: number;
	turns: readonly Turn[];
	/** Absent once it has ended. */
	pending?: Pending;
	ending?: Ending;
	/** Milliseconds since 1970. */
	endedAt?: number;
}

/**
 * Begins a conversation, or goes on with earlier turns: the side that did not speak last is told what was said last.
 *
 * @param newId Makes a UUID.
 */
export function begin(
	rules: Rules,
	earlier: readonly Turn[],
	now: number,
	newId: () => string,
): Conversation {
	const idsOf = (side: Side): Ids => {
		const own = earlier.filter((turn) => turn.side === side);
		const chatId = own.find((turn) => turn.chatId)?.chatId;
		const sessionId = own.findLast((turn) => turn.sessionId)?.sessionId ?? newId();
		return { sessionId, ...(chatId && { chatId }) };
	};
	const conversation: Conversation = {
		rules,
		ids: { first: idsOf('first'), second: idsOf('second') },
		began: now,
		earlier: earlier.length,
		turns: earlier,
	};
	// who was silent is asked again
	const last = earlier.findLast(({ text }) => text.trim());
	const side = last ? otherThan(last.side) : rules.startsWith;
	const said = [rules.opening, last && relayed(rules, last)];
	return asked(conversation, side, joined(said), now);
}

/**
 * Takes the answer of the turn that is under way: then the other side is asked, or the conversation has ended.
 *
 * A speaker that failed has no turn: what was sent to it is in the ending.
 */
export function hear(conversation: Conversation, reply: Reply, now: number): Conversation {
	const { rules, pending, ids, turns, ...rest } = conversation;
	if (!pending) return conversation;
	const { side, turn, message, since } = pending;
	const chatId = ids[side].chatId ?? reply.chatId;
	const own = { ...ids[side], ...(chatId && { chatId }) };
	const spoken: Turn = {
		turn,
		side,
		speaker: rules.names[side],
		message,
		text: reply.text,
		sessionId: reply.sessionId ?? own.sessionId,
		...(chatId && { chatId }),
		durationMs: Math.max(0, now - since),
	};
	const heard: Conversation = {
		...rest,
		rules,
		ids: { ...ids, [side]: own },
		turns: reply.failure ? turns : [...turns, spoken],
	};
	const ending = endingOf(heard, pending, reply, now);
	if (ending) return { ...heard, ending, endedAt: now };
	return asked(heard, otherThan(side), relayed(rules, spoken), now);
}

function asked(conversation: Conversation, side: Side, text: string, now: number): Conversation {
	const { rules, turns } = conversation;
	const isNew = !turns.some((turn) => turn.side === side);
	const message = joined([isNew && rules.instructions[side], text]);
	return { ...conversation, pending: { turn: turns.length + 1, side, message, since: now } };
}

const relayed = ({ relayTemplate }: Rules, { text, speaker, turn }: Turn) =>
	fill(relayTemplate, { message: text, speaker, turn: String(turn) });

const joined = (texts: Array<string | false | undefined>) =>
	texts.filter((text) => text && text.trim()).join('\n\n');
