import { CONVERSATION_CAP, createConversationCap } from '../core/caps';
import { invalidInputError, messageOf } from '../core/errors';
import { Big } from '../core/money';
import type { RegexEngine } from '../core/regex';
import type { Failure, Reply } from './reply';

/** Why a conversation ended. Stored in workflows that look at it: never change one. */
export type EndingKind =
	| 'denied'
	| 'emptyRound'
	| 'moderator'
	| 'speakerFailed'
	| 'spendingCap'
	| 'stopPattern'
	| 'stopPhrase'
	| 'timeLimit'
	| 'turnLimit'
	| 'waiting';

export interface Ending {
	kind: EndingKind;
	/** The same in words. */
	reason: string;
	/** If a speaker failed: the message it was sent, and what went wrong. */
	failure?: Pick<Failure, 'error' | 'details'> & AskedTurn;
	/** If a stop phrase or pattern ended it, and is to be removed: the last turn without it. */
	finalText?: string;
}

/** The rules that end a conversation. */
export interface EndingRules {
	/** The first message. May be empty if the conversation has earlier turns. */
	opening: string;
	/** By speaker: placed before its first message, or before every message if each contains the whole conversation. */
	instructions: Readonly<Record<string, string>>;
	/** Maximum number of turns, not counting earlier ones. */
	turnLimit: number;
	/** Milliseconds; none if absent. */
	timeLimit?: number;
	stopPhrase: string;
	/** A regular expression, bare or as `/…/flags`. */
	stopPattern: string;
	/** Whether what ended the conversation is removed from the final answer. */
	removeStop: boolean;
	/** USD. */
	spendingCap: number;
	/** `fail` also ends it; the node then fails. */
	onFailure: 'end' | 'fail' | 'skip' | 'askAgain';
	onDenial: 'end' | 'skip';
}

/** Whether the conversation's end fails the node. */
export const failsNode = ({ rules, ending }: { rules: EndingRules; ending?: Ending }): boolean =>
	ending?.kind === 'speakerFailed' && rules.onFailure === 'fail';

/** The part of a conversation that decides whether it ends. */
interface Course {
	rules: EndingRules;
	speakers: readonly string[];
	turns: ReadonlyArray<{ text: string; costUsd?: number }>;
	/** How many of the turns are from an earlier conversation. */
	earlier: number;
	/** Milliseconds since 1970. */
	began: number;
}

/** A turn that was requested from a speaker. */
export interface AskedTurn {
	turn: number;
	speaker: string;
	message: string;
}

/**
 * Checks whether the conversation ends with the latest turn.
 *
 * @param stop The ending by what was said in it, as of `checkStop`.
 * @returns undefined if it continues.
 */
export function checkEnding(
	conversation: Course,
	{ pending, reply, stop }: { pending: AskedTurn; reply: Reply; stop: Ending | undefined },
	now: number,
): Ending | undefined {
	return (
		checkFailure(conversation, pending, reply) ??
		stop ??
		checkSilence(conversation, pending, reply) ??
		checkLimits(conversation, now)
	);
}

/**
 * Checks whether a limit forbids another turn. To be called before every turn, including the first.
 *
 * @returns undefined if it continues.
 */
export function checkLimits(
	{ rules, turns, earlier, began }: Course,
	now: number,
): Ending | undefined {
	const { turnLimit, timeLimit, spendingCap } = rules;
	if (turns.length - earlier >= turnLimit)
		return { kind: 'turnLimit', reason: `Turn Limit of ${turnLimit} was reached` };
	if (timeLimit !== undefined && now - began >= timeLimit)
		return { kind: 'timeLimit', reason: `Time Limit of ${timeLimit / 1000} s was reached` };
	return checkSpending(spendingCap, turns);
}

/** Checks whether the cap, in USD, allows no more spending. */
export function checkSpending(cap: number, turns: Costs): Ending | undefined {
	const spent = sumCosts(turns);
	if (createConversationCap(cap, spent).remaining().gt(0)) return undefined;
	const reason = `${CONVERSATION_CAP} of ${cap} USD was reached: ${spent} USD are spent or reserved`;
	return { kind: 'spendingCap', reason };
}

type Costs = ReadonlyArray<{ costUsd?: number; reservedUsd?: number }>;

/** USD. A turn of unknown cost counts with what was reserved for it, or as 0 if its speaker does not say. */
export function sumCosts(turns: Costs): number {
	const sum = turns.reduce(
		(before, { costUsd = 0, reservedUsd = 0 }) => before.plus(costUsd).plus(reservedUsd),
		new Big(0),
	);
	return Math.min(sum.toNumber(), Number.MAX_VALUE);
}

function checkFailure(
	{ rules }: Course,
	{ speaker, turn, message }: AskedTurn,
	{ failure, denial, isRefusal, approval }: Reply,
): Ending | undefined {
	if (isRefusal && rules.onDenial === 'end')
		return { kind: 'denied', reason: `${speaker} did not approve` };
	if (denial && rules.onDenial === 'end') {
		const words = denial.words ? `: ${denial.words}` : '';
		const reason = denial.isUnanswered
			? `Nobody answered in time: the turn of ${speaker} was refused`
			: `A person did not allow the turn of ${speaker}${words}`;
		return { kind: 'denied', reason };
	}
	// what waits already is no failure: a person decides about it
	if (!failure || approval !== undefined) return undefined;
	if (failure.isOverBudget) {
		const reason = `The turn of ${speaker} could exceed ${CONVERSATION_CAP}: ${failure.error}`;
		return { kind: 'spendingCap', reason };
	}
	if (rules.onFailure === 'skip') return undefined;
	const why =
		rules.onFailure !== 'askAgain' || failure.isInvalid
			? ''
			: failure.isCertainlyNotReceived
				? ' twice'
				: ', and was not asked again: it may have received the message';
	return {
		kind: 'speakerFailed',
		reason: `${speaker} failed${why}`,
		failure: toFailure({ speaker, turn, message }, failure),
	};
}

const toFailure = ({ speaker, turn, message }: AskedTurn, { error, details }: Failure) => ({
	turn,
	speaker,
	message,
	error,
	...(details !== undefined && { details }),
});

/**
 * Checks whether what a speaker says ends the conversation.
 *
 * @returns the ending, or a note for the transcript if it cannot be known.
 */
export function checkStop(
	{ stopPhrase, stopPattern, removeStop, opening, instructions }: EndingRules,
	{ speaker, message }: AskedTurn,
	{ text, failure }: Reply,
	regex: RegexEngine,
): { ending?: Ending; note?: string } {
	const quotable = [message, opening, ...Object.values(instructions)];
	try {
		const said = [toPhrase(stopPhrase), toPattern(stopPattern, regex)].find(
			(stop) => !failure && isOwnWords(text, quotable, stop),
		);
		if (!said) return {};
		const ending = { kind: said.kind, reason: `${speaker} said ${said.name}` };
		const isCut = removeStop && text.trim() !== '';
		return { ending: isCut ? { ...ending, finalText: said.removeFrom(text).trim() } : ending };
	} catch (cause) {
		return { note: `Stop Pattern was not checked: ${messageOf(cause)}.` };
	}
}

/** What ends the conversation when it is said. `name` is for a sentence. */
type Stop = ReturnType<typeof toPhrase>;

const toPhrase = (phrase: string) => ({
	kind: 'stopPhrase' as EndingKind,
	name: `"${phrase}"`,
	test: (text: string) => phrase !== '' && text.includes(phrase),
	removeFrom: (text: string) => text.replaceAll(phrase, ''),
});

/**
 * Whether a speaker says the stop phrase in its own words: a word-for-word quote, such as of its instruction, does not count. A text that
 * only repeats a whole message, as an agreement may, or only the phrase, is not a quote.
 */
function isOwnWords(text: string, quotable: readonly string[], stop: Stop): boolean {
	if (!stop.test(text)) return false;
	const isQuote = (words: string) =>
		words.trim() !== text.trim() && stop.test(words) && hasWords(stop.removeFrom(words));
	const quoted = quotable.filter(isQuote).sort((one, other) => other.length - one.length);
	return stop.test(quoted.reduce((rest, words) => rest.replaceAll(words, ' '), text));
}

const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text);

/** Ends the conversation after a round in which nobody said anything: it would go on like that until the turn limit. */
function checkSilence(
	{ turns, earlier, speakers }: Course,
	pending: AskedTurn,
	{ text, failure }: Reply,
): Ending | undefined {
	if (text.trim()) return undefined;
	const round = turns.slice(earlier).slice(-speakers.length);
	if (round.length < speakers.length || round.some((turn) => turn.text.trim())) return undefined;
	const reason = `Nobody said anything in ${speakers.length} turns`;
	return { kind: 'emptyRound', reason, ...(failure && { failure: toFailure(pending, failure) }) };
}

/**
 * Reads a regular expression, bare or as `/…/flags`.
 *
 * @throws ServiceError `invalid`.
 */
export function toPattern(written: string, regex: RegexEngine): Stop {
	const [, source = written, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(written) ?? [];
	try {
		const { global } = new RegExp(source, flags);
		return {
			kind: 'stopPattern',
			name: `something that matches ${written}`,
			test: (text) => written !== '' && regex.test(source, text, flags),
			removeFrom: (text) => regex.replace(source, text, global ? flags : `${flags}g`, ''),
		};
	} catch (cause) {
		throw invalidInputError('Stop Pattern cannot be used', `${messageOf(cause)}.`);
	}
}
