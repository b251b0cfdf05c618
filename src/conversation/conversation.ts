import { joinSentences } from '../core/errors';
import { omitMissing } from '../core/json';
import type { RegexEngine } from '../core/regex';
import type { Decision } from '../core/decision';
import { type Approval, nextApproval, toApproval, toRecorded } from './approval';
import { type Failure, idsOfTurn, type Reply, type TurnFacts } from './reply';
import type { WaitingIds } from './waiting';
import { type AskedTurn, checkEnding, checkStop, type Ending, type EndingRules } from './ending';

/** The rules of a conversation. Plain data, like everything in it: n8n stores it with the execution. */
export interface Rules extends EndingRules {
	turnOrder: 'inTurn' | 'addressed' | 'moderator' | 'sameMessage';
	hearing: 'auto' | 'sinceOwnTurn' | 'lastMessage' | 'all';
	/** People: speakers whose answers decide about the turn before, and may replace it. */
	editors: readonly string[];
	/** The JSON schema of the result. If absent, there is no result. */
	resultSchema?: Readonly<Record<string, unknown>>;
}

/** The result that a model extracted from a conversation that has ended. */
export interface Conclusion {
	/** The result, or why there is none. */
	output: { result: unknown } | { resultError: string };
	/** USD. */
	costUsd?: number;
	/** The name of the model's node, if it did not report the cost of every call. */
	withoutCost?: [string];
}

/** What one speaker said. A speaker that failed or was not allowed to speak has a turn without a text. */
export interface Turn extends TurnFacts, WaitingIds, Pick<PendingTurn, 'isForApproval'> {
	/** Counted from 1, including earlier turns. */
	turn: number;
	speaker: string;
	text: string;
	/** Who approved the turn. */
	approvedBy?: string;
	/** What the speaker itself said, if a person has replaced it. */
	replacedText?: string;
	/** Who replaced it. */
	replacedBy?: string;
	/** As of the reply. */
	durationMs?: number;
	/** When it ended: an ISO date. */
	at: string;
	/** A remark for the reader of the transcript. */
	note?: string;
	/** Set if the speaker did not speak. Its next message then repeats what it was sent. */
	failed?: true;
}

/** The IDs with which a speaker continues its own conversation. */
interface SpeakerIds extends WaitingIds {
	/** Absent for a speaker without sessions. */
	sessionId?: string;
	/** From the speaker's answer. */
	chatId?: string;
	/** Where these IDs count. Absent before the first answer, and for a speaker that does not say it. */
	sessionAt?: string;
}

/** The turn in progress. */
export interface PendingTurn extends AskedTurn {
	/** 1, or 2 for a turn that certainly was not received and is repeated. */
	attempt: number;
	/** Identifies the message for its recipient, also where it is sent again. Never that of another message, whatever is continued. */
	messageId: string;
	/** Milliseconds since 1970. */
	askedAt: number;
	/** For the transcript. */
	note?: string;
	/** Who approved the turn, if it needed approval. */
	approvedBy?: string;
	/** What a person has decided about what the speaker waits for. The message is in the person's words. */
	decision?: Decision;
	/** Set if the speaker is only asked for what it waits. It is sent no message. */
	isCheck?: true;
	/** Set if the speaker is a person who is asked for that. */
	isForApproval?: true;
}

export interface Conversation {
	id: string;
	rules: Rules;
	/** Names of the speakers, in the order in which they were connected. */
	speakers: readonly string[];
	ids: Readonly<Record<string, SpeakerIds>>;
	/** Milliseconds since 1970. */
	began: number;
	/** How many of the turns are from an earlier conversation. */
	earlier: number;
	turns: readonly Turn[];
	pending?: PendingTurn;
	/** What an agent waits for. */
	approval?: Approval;
	ending?: Ending;
	/** Milliseconds since 1970. */
	endedAt?: number;
	conclusion?: Conclusion;
}

/** A conversation before its first new turn. */
export function startConversation(
	{ id, rules, speakers, ids }: Pick<Conversation, 'id' | 'rules' | 'speakers' | 'ids'>,
	earlier: readonly Turn[],
	now: number,
): Conversation {
	const continued = Object.fromEntries(
		speakers.map((name) => {
			const own = earlier.filter(({ speaker }) => speaker === name);
			const { sessionId, sessionAt } = own.findLast((turn) => turn.sessionId) ?? {};
			const isHere = (turn: Turn) => turn.chatId && turn.sessionAt === sessionAt;
			const chatId = own.findLast(isHere)?.chatId;
			const { taskId, waiting } = own.at(-1) ?? {};
			const continuing = omitMissing({ sessionId, chatId, sessionAt, taskId, waiting });
			return [name, { ...ids[name], ...continuing }];
		}),
	);
	const lastOf = (name: string) => earlier.findLast(({ speaker }) => speaker === name);
	const waiting = earlier.findLast(
		(turn) => turn.waiting === 'approval' && lastOf(turn.speaker) === turn,
	);
	// a decision that was not received has a turn without a text
	const asking = earlier.findLast(
		(turn) => turn.speaker === waiting?.speaker && turn.waiting === 'approval' && turn.text,
	);
	return {
		id,
		rules,
		speakers,
		ids: continued,
		began: now,
		earlier: earlier.length,
		turns: earlier,
		...(waiting && { approval: toRecorded(waiting.speaker, asking?.text ?? '') }),
	};
}

/** Hands the turn to a speaker. */
export function askSpeaker(
	conversation: Conversation,
	{ note, ...asked }: Omit<PendingTurn, 'turn' | 'attempt' | 'approvedBy'>,
): Conversation {
	const turn = conversation.turns.length + 1;
	const pending = { turn, ...asked, attempt: 1, ...(note && { note }) };
	return { ...conversation, pending };
}

/** Records that a person approved the turn in progress. */
export function approveTurn(conversation: Conversation, approvedBy: string): Conversation {
	const { pending } = conversation;
	return pending ? { ...conversation, pending: { ...pending, approvedBy } } : conversation;
}

/**
 * Applies the reply to the turn in progress.
 *
 * If a failed speaker may be asked again, it keeps the turn, and `pending` is still set.
 */
export function receiveReply(
	conversation: Conversation,
	reply: Reply,
	now: number,
	regex: RegexEngine,
): Conversation {
	const { pending, ...rest } = conversation;
	if (!pending) return conversation;
	const { rules } = conversation;
	if (pending.isCheck && !(reply.failure ?? reply.denial))
		return receiveCheck(rest, pending, reply, conversation);
	const ids = updateIds(conversation, reply);
	if (mayAskAgain(rules, pending, reply.failure)) {
		const note = joinSentences(
			pending.note,
			`Asked once more after a failure: ${reply.failure?.error}`,
		);
		return { ...conversation, ids, pending: { ...pending, attempt: pending.attempt + 1, note } };
	}
	const { ending: stop, note } = checkStop(rules, pending, reply, regex);
	const noted = { ...pending, note: joinSentences(pending.note, note) };
	const turn = toTurn(ids, noted, reply, now);
	const { approval: before, ...others } = rest;
	const approval = nextApproval(before, Boolean(pending.decision), reply, pending.speaker);
	const updated = {
		...others,
		...(approval && { approval }),
		ids,
		turns: addTurn(conversation, turn, reply),
	};
	const ending = checkEnding(updated, { pending, reply, stop }, now);
	return ending ? endConversation(updated, ending, now) : updated;
}

/** What a speaker waits for, as its server says it: in place of what a transcript says. It is no turn. */
function receiveCheck(
	before: Conversation,
	{ speaker }: PendingTurn,
	reply: Reply,
	conversation: Conversation,
): Conversation {
	const { approval } = before;
	// only a server that can say it is named
	if (approval && !reply.facts.server)
		return { ...before, approval: { ...approval, isChecked: true } };
	const checked: Conversation = { ...before, ids: updateIds(conversation, reply) };
	const found = toApproval(speaker, reply);
	delete checked.approval;
	return found ? { ...checked, approval: found } : checked;
}

export const endConversation = (
	conversation: Conversation,
	ending: Ending,
	now: number,
): Conversation => ({ ...conversation, ending, endedAt: now });

/** A speaker that may have received its message is never asked again: it may have been paid. What it has refused, it refuses again. */
const mayAskAgain = ({ onFailure }: Rules, { attempt }: PendingTurn, failure?: Failure) =>
	onFailure === 'askAgain' &&
	attempt === 1 &&
	failure?.isCertainlyNotReceived === true &&
	!failure.isInvalid;

function updateIds(
	{ ids, pending }: Conversation,
	{ facts: { chatId, sessionId, sessionAt }, ids: newIds }: Reply,
): Conversation['ids'] {
	const own = pending && ids[pending.speaker];
	if (!own || !(chatId || newIds)) return ids;
	const { taskId, waiting, chatId: chatBefore, ...kept } = own;
	const waits = newIds ?? { taskId, waiting };
	// only our own nodes say in which session they have spoken, which may be another one than that of a transcript
	const session = newIds && sessionId ? { sessionId, sessionAt } : {};
	const isOther = session.sessionId !== undefined && sessionId !== own.sessionId;
	const chat = { chatId: chatId ?? (isOther ? undefined : chatBefore) };
	return {
		...ids,
		[pending.speaker]: omitMissing({ ...kept, ...chat, ...session, ...waits }),
	};
}

function toTurn(
	ids: Conversation['ids'],
	{ turn, speaker, note, approvedBy, isForApproval }: PendingTurn,
	{ text, facts, ids: waits, failure, denial, notice, durationMs }: Reply,
	now: number,
): Turn {
	const { taskId, waiting, ...session } = ids[speaker] ?? {};
	const notes = joinSentences(
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
		...omitMissing({ ...idsOfTurn(session, facts), durationMs, isForApproval }),
		...facts,
		...(waits ?? omitMissing({ taskId, waiting })),
		...(approvedBy && { approvedBy }),
		at: new Date(now).toISOString(),
		...(notes && { note: notes }),
		...((failure ?? denial) && { failed: true as const }),
	};
}

/**
 * Adds a turn. A person's replacement becomes the text of the turn before, so that later speakers see only the replacement. If there is no
 * turn to replace, it is added like any other.
 */
function addTurn(
	{ turns, rules }: Conversation,
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
	const note = joinSentences(
		turn.note,
		`Replaced what ${before.speaker} said in turn ${before.turn}.`,
	);
	return [...turns.with(index, replaced), { ...turn, text: '', note }];
}

function describeDenial({ words, isUnanswered }: NonNullable<Reply['denial']>): string {
	if (isUnanswered) return 'Nobody answered in time';
	return words ? `Not allowed by a person: ${words}` : 'Not allowed by a person';
}
