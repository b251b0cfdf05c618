import { omitMissing } from '../core/json';
import type { Failure, Reply, TurnFacts } from './reply';
import { type AskedTurn, checkEnding, type Ending, type EndingRules } from './ending';

/** How a conversation is held. Plain data, as everything of a conversation: n8n stores it with the execution. */
export interface Rules extends EndingRules {
	turnOrder: 'inTurn' | 'addressed' | 'moderator' | 'sameMessage';
	hearing: 'auto' | 'sinceOwnTurn' | 'lastMessage' | 'all';
	/** Whether what ended the conversation is removed from the final answer. */
	removeStop: boolean;
	/** The speakers whose answers decide on the turn before, and may replace it: people. */
	editors: readonly string[];
	/** What the result of the conversation has to match; without it there is none. */
	resultSchema?: Readonly<Record<string, unknown>>;
}

/** What a model made of a conversation that has ended. */
export interface Conclusion {
	/** The result, or why there is none. */
	output: { result: unknown } | { resultError: string };
	/** USD. */
	costUsd?: number;
	/** The name of the model's node, if it was asked and did not say what that cost. */
	withoutCost?: [string];
}

/** What one speaker said. A speaker that failed or was not allowed to speak has a turn without a text. */
export interface Turn extends TurnFacts {
	/** From 1, earlier turns counted. */
	turn: number;
	speaker: string;
	text: string;
	/** Who allowed the turn. */
	approvedBy?: string;
	/** What the speaker itself said, if a person has put another text in its place. */
	replacedText?: string;
	/** Who that was. */
	replacedBy?: string;
	/** As of the reply. */
	durationMs?: number;
	/** When it ended: an ISO date. */
	at: string;
	/** What the reader of the transcript has to know, in words. */
	note?: string;
	/** Set if the speaker did not speak: it heard nothing that counts. */
	failed?: true;
}

/** The IDs by which a speaker continues its own conversation. */
interface SpeakerIds {
	/** Absent for a speaker without sessions. */
	sessionId?: string;
	/** As the speaker's answer gave it. */
	chatId?: string;
	/** The task of an agent elsewhere that waits for the next message. */
	taskId?: string | undefined;
}

/** The turn in progress. */
export interface PendingTurn extends AskedTurn {
	/** From 1; more if a turn that certainly was not received is asked once more. */
	attempt: number;
	/** Milliseconds since 1970. Of an execution that waits since an older version of the package, it is not known. */
	askedAt?: number;
	/** For the transcript. */
	note?: string;
	/** Who allowed the turn, if a person had to. */
	approvedBy?: string;
}

export interface Conversation {
	id: string;
	rules: Rules;
	/** Names of those who speak, in the order in which they were connected. */
	speakers: readonly string[];
	ids: Readonly<Record<string, SpeakerIds>>;
	/** Milliseconds since 1970. */
	began: number;
	/** How many of the turns are from an earlier conversation. */
	earlier: number;
	turns: readonly Turn[];
	pending?: PendingTurn;
	ending?: Ending;
	/** Milliseconds since 1970. */
	endedAt?: number;
	conclusion?: Conclusion;
}

/** A conversation in which nobody has been asked yet, apart from its earlier turns. */
export function startConversation(
	{ id, rules, speakers, ids }: Pick<Conversation, 'id' | 'rules' | 'speakers' | 'ids'>,
	earlier: readonly Turn[],
	now: number,
): Conversation {
	const continued = Object.fromEntries(
		speakers.map((name) => {
			const own = earlier.filter(({ speaker }) => speaker === name);
			const chatId = own.findLast((turn) => turn.chatId)?.chatId;
			const sessionId = own.findLast((turn) => turn.sessionId)?.sessionId;
			return [name, { ...ids[name], ...(sessionId && { sessionId }), ...(chatId && { chatId }) }];
		}),
	);
	return {
		id,
		rules,
		speakers,
		ids: continued,
		began: now,
		earlier: earlier.length,
		turns: earlier,
	};
}

/** Hands the turn to a speaker. */
export function askSpeaker(
	conversation: Conversation,
	{ note, ...asked }: Pick<PendingTurn, 'speaker' | 'message' | 'note' | 'askedAt'>,
): Conversation {
	const turn = conversation.turns.length + 1;
	const pending = { turn, ...asked, attempt: 1, ...(note && { note }) };
	return { ...conversation, pending };
}

/** A person has allowed the turn in progress. */
export function approveTurn(conversation: Conversation, approvedBy: string): Conversation {
	const { pending } = conversation;
	return pending ? { ...conversation, pending: { ...pending, approvedBy } } : conversation;
}

/**
 * Takes what became of the turn in progress.
 *
 * A speaker that failed keeps the turn once if it may be asked once more; then `pending` is still set.
 */
export function receiveReply(conversation: Conversation, reply: Reply, now: number): Conversation {
	const { pending, ...rest } = conversation;
	if (!pending) return conversation;
	const { rules } = conversation;
	if (mayAskAgain(rules, pending, reply.failure)) {
		const note = joinNotes(
			pending.note,
			`Asked once more after a failure: ${reply.failure?.error}`,
		);
		return { ...conversation, pending: { ...pending, attempt: pending.attempt + 1, note } };
	}
	const heard = {
		...rest,
		ids: learnIds(conversation, reply),
		turns: addTurn(conversation, toTurn(conversation, pending, reply, now), reply),
	};
	const ending = checkEnding(heard, pending, reply, now);
	return ending ? endConversation(heard, ending, now) : heard;
}

export const endConversation = (
	conversation: Omit<Conversation, 'pending'>,
	ending: Ending,
	now: number,
): Conversation => ({ ...conversation, ending, endedAt: now });

/** A speaker that may have received its message is never asked again: it may have been paid. */
const mayAskAgain = (
	{ onFailure }: Rules,
	{ attempt }: PendingTurn,
	failure: Failure | undefined,
) => onFailure === 'askAgain' && attempt === 1 && failure?.isCertainlyNotReceived === true;

function learnIds(
	{ ids, pending }: Conversation,
	{ facts: { chatId }, ids: learned }: Reply,
): Conversation['ids'] {
	const own = pending && ids[pending.speaker];
	if (!own || !(chatId || learned)) return ids;
	return { ...ids, [pending.speaker]: { ...own, ...(chatId && { chatId }), ...learned } };
}

function toTurn(
	{ ids }: Conversation,
	{ turn, speaker, note, approvedBy }: PendingTurn,
	{ text, facts, failure, denial, notice, durationMs }: Reply,
	now: number,
): Turn {
	const { sessionId, chatId } = ids[speaker] ?? {};
	const notes = joinNotes(
		note,
		failure &&
			(text ? `Failed after a part of the answer: ${failure.error}` : `Failed: ${failure.error}`),
		denial && describeDenial(denial),
		notice,
	);
	return {
		turn,
		speaker,
		text,
		...omitMissing({ sessionId, chatId, durationMs }),
		...facts,
		...(approvedBy && { approvedBy }),
		at: new Date(now).toISOString(),
		...(notes && { note: notes }),
		...((failure ?? denial) && { failed: true as const }),
	};
}

/**
 * Adds a turn. What a person says in place of a turn becomes the text of that turn, for everybody who follows: nobody hears both. With no
 * turn before it, it is said as any other.
 */
function addTurn(
	{ turns, rules }: Pick<Conversation, 'turns' | 'rules'>,
	turn: Turn,
	{ text, replacesTurn }: Reply,
): readonly Turn[] {
	const isReplaceable = (each: Turn) =>
		each.text.trim() && !each.failed && !rules.editors.includes(each.speaker);
	const index = replacesTurn ? turns.findLastIndex(isReplaceable) : -1;
	const before = turns[index];
	if (!before) return [...turns, turn];
	const replaced: Turn = {
		...before,
		text,
		replacedText: [before.replacedText, before.text].filter(Boolean).join('\n\n'),
		replacedBy: turn.respondedBy ?? turn.speaker,
	};
	const note = joinNotes(turn.note, `Replaced what ${before.speaker} said in turn ${before.turn}.`);
	return [...turns.with(index, replaced), { ...turn, text: '', note }];
}

function describeDenial({ words, isUnanswered }: NonNullable<Reply['denial']>): string {
	if (isUnanswered) return 'Nobody answered in time';
	return words ? `Not allowed by a person: ${words}` : 'Not allowed by a person';
}

const joinNotes = (...notes: Array<string | undefined>) => notes.filter(Boolean).join(' ');
