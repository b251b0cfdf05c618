import { APPROVED } from './person';
import type { Reply } from './reply';

/** A person's decision, as of the field Answer to Approval of a remote agent. */
export type Decision = 'approve' | 'decline' | 'text';

/** What an agent waits for: the decision of a person, which no other speaker takes. */
export interface Approval {
	/** Who waits. */
	speaker: string;
	/** For what, in words. */
	text: string;
	/** Whether a person has been asked. */
	isAsked?: true;
	decision?: Decision;
	/** The person's words. */
	words?: string;
}

/** The message to the person who decides. */
export const toApprovalMessage = ({ speaker, text }: Approval): string =>
	`${speaker} waits for approval:\n\n${text}`;

/**
 * What a person has decided: only a clear word is a decision. Silence, a failure, and the answer of what is no person decide nothing.
 *
 * @param reply Read as that of a person who decides about a turn.
 */
export function decide(approval: Approval, reply: Reply, hasWaited: boolean): Approval {
	const asked: Approval = { ...approval, isAsked: true };
	const { text, isRefusal, replacesTurn, failure, denial } = reply;
	if (!hasWaited || failure || denial) return asked;
	if (isRefusal) return { ...asked, decision: 'decline', words: text };
	if (replacesTurn) return { ...asked, decision: 'text', words: text };
	return text === APPROVED ? { ...asked, decision: 'approve', words: text } : asked;
}

/** The reply as a turn of its own: it neither replaces the turn before nor refuses one. */
export function asDecision(reply: Reply): Reply {
	const turn = { ...reply };
	delete turn.isRefusal;
	delete turn.replacesTurn;
	if (turn.denial) turn.notice = 'Nobody answered in time';
	delete turn.denial;
	return turn;
}
