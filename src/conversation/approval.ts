import { type Decision, MAX_SHOWN } from '../core/decision';
import { cutText, shortenText } from '../core/errors';
import type { Reply } from './reply';
import type { Asked } from './waiting';

/** What an agent waits for: the decision of a person, which no other speaker takes. */
export interface Approval {
	/** Who waits. */
	speaker: string;
	/** For what, in words. */
	text: string;
	/** Set if it takes nothing else: a person is not shown all of it. */
	onlyDecline?: true;
	/** Set if a transcript says it, whose rows people can change. */
	isRecorded?: true;
	/** Set if the server was asked, and did not say it. */
	isChecked?: true;
	/** Set if nobody is asked (again). */
	isAsked?: true;
	/** What a person has answered that is no decision. */
	unclear?: string;
	/** Kept until it has been sent. */
	decision?: Decision;
	/** The person's words. */
	words?: string;
}

/** What a transcript says. Of more than messengers take, the end is shown, where the question is, and it can only be declined. */
export function toRecorded(speaker: string, said: string): Approval {
	const text = said.length > MAX_SHOWN ? `…${cutText(said, -MAX_SHOWN)}` : said;
	return { speaker, text, isRecorded: true, ...(text !== said && { onlyDecline: true }) };
}

/**
 * The message to the person who decides.
 *
 * @param canApprove Whether the agent takes an approval.
 */
export const toApprovalMessage = (
	{ speaker, text, unclear, isRecorded, onlyDecline }: Approval,
	canApprove: boolean,
): string =>
	[
		unclear !== undefined &&
			`Nothing was decided: "${shortenText(unclear, 100)}" is none of the answers below.`,
		`${speaker} waits for approval${isRecorded ? '. The transcript says' : ''}:`,
		text,
		`Answer with one word: ${canApprove && !onlyDecline ? 'approve, or decline' : 'decline'}.${onlyDecline ? '' : IN_WORDS}`,
	]
		.filter(Boolean)
		.join('\n\n');

const IN_WORDS =
	' To answer in your own words, begin with "text:". Tools are then declined. Who asks only for yes or no may take any text for a yes.';

/**
 * What a person has decided: only a clear word is a decision. Silence, a failure, and the answer of what is no person decide nothing. A
 * person whose answer is unclear is asked again.
 *
 * @param reply Read as that of a person who decides about what an agent waits for.
 * @param canApprove Whether the agent takes an approval.
 */
export function decide(
	approval: Approval,
	{ decision, text: words, failure, denial }: Reply,
	hasWaited: boolean,
	canApprove: boolean,
): Approval {
	if (!hasWaited || failure || denial) return { ...approval, isAsked: true };
	const takesMore = !approval.onlyDecline && (canApprove || decision !== 'approve');
	const isClear = decision && (takesMore || decision === 'decline');
	return isClear ? { ...approval, decision, words } : { ...approval, unclear: words };
}

/** A turn in which nobody has decided does not count as refused. */
export function asDecision({ denial, ...reply }: Reply): Reply {
	return denial ? { ...reply, notice: 'Nobody answered in time' } : reply;
}

/**
 * What is waited for after a reply: what the speaker asks now. A decision that was certainly not received is kept, unless what waited is
 * gone.
 */
export function nextApproval(
	approval: Approval | undefined,
	hadDecision: boolean,
	reply: Reply,
	speaker: string,
): Approval | undefined {
	const { failure } = reply;
	const found = toApproval(speaker, reply);
	// nobody is asked again and again about what takes no decision
	const isRefused = hadDecision && failure?.isInvalid && found?.text === approval?.text;
	if (found) return { ...found, ...(isRefused && { isAsked: true }) };
	if (!hadDecision) return approval;
	const isKept = approval && failure?.isCertainlyNotReceived && !failure.isGone;
	// the same would be refused again
	return isKept ? { ...approval, ...(failure.isInvalid && { isAsked: true }) } : undefined;
}

/** What a speaker asks in a reply. */
export const toApproval = (
	speaker: string,
	{ approval: text, onlyDecline }: Asked,
): Approval | undefined =>
	text === undefined ? undefined : { speaker, text, ...(onlyDecline && { onlyDecline }) };

/** What still waits at the end, for the output. */
export const toOpenApproval = ({ speaker, text, decision, words }: Approval) => ({
	kind: 'approval',
	speaker,
	text,
	...(decision && { decision, words }),
});

/** What becomes of a decision that was not sent. */
export const describeUnsent = ({ speaker, decision }: Approval): string | undefined =>
	decision && `The decision of a person (${decision}) was not sent to ${speaker}.`;
