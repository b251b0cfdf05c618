import { invalidInputError } from '../core/errors';
import { compileSafeRegex, type SafeRegex } from '../core/safeRegex';
import type { Conversation, Pending } from './conversation';
import type { Failure, Reply } from './reply';

/** Why a conversation ended. Stored in workflows that look at it: never change one. */
export type EndingKind =
	| 'turnLimit'
	| 'stopPhrase'
	| 'stopPattern'
	| 'timeLimit'
	| 'emptyAnswer'
	| 'error';

export interface Ending {
	kind: EndingKind;
	/** The same in words. */
	reason: string;
	/** Of a speaker that failed: what it was told, and what went wrong. */
	failure?: Failure & { turn: number; speaker: string; message: string };
}

/** @returns undefined when the conversation goes on. */
export function endingOf(
	{ rules, turns, earlier, began }: Conversation,
	{ side, turn, message }: Pending,
	{ text, failure, missing }: Reply,
	now: number,
): Ending | undefined {
	const speaker = rules.names[side];
	if (failure) {
		const reason = `${speaker} failed: ${failure.error}`;
		return { kind: 'error', reason, failure: { turn, speaker, message, ...failure } };
	}
	if (!text.trim()) {
		const why = missing ? `: its output has no field "${missing}"` : '';
		return { kind: 'emptyAnswer', reason: `${speaker} gave an empty answer${why}` };
	}
	const told = turns.flatMap((each) => (each.side === side && each.message) || []);
	const { stopPhrase, stopPattern } = rules;
	if (stopPhrase && isSaid(text, told, (words) => words.includes(stopPhrase)))
		return { kind: 'stopPhrase', reason: `${speaker} said "${stopPhrase}"` };
	const pattern = stopPattern ? toPattern(stopPattern) : undefined;
	if (pattern && isSaid(text, told, pattern.test))
		return { kind: 'stopPattern', reason: `${speaker} said what fits ${stopPattern}` };
	if (turns.length - earlier >= rules.turnLimit)
		return { kind: 'turnLimit', reason: `Turn Limit of ${rules.turnLimit} was reached` };
	if (rules.timeLimit !== undefined && now - began >= rules.timeLimit) {
		const seconds = rules.timeLimit / 1000;
		return { kind: 'timeLimit', reason: `Time Limit of ${seconds} s was reached` };
	}
	return undefined;
}

/** Whether a speaker says it itself: an instruction that it repeats word for word names the phrase without meaning it. */
function isSaid(text: string, told: readonly string[], holds: (words: string) => boolean): boolean {
	const repeated = told.filter(holds).sort((one, other) => other.length - one.length);
	return holds(repeated.reduce((rest, message) => rest.replaceAll(message, ' '), text));
}

/** The text without what ended the conversation. */
export function withoutStop(text: string, { rules, ending }: Conversation): string {
	if (ending?.kind === 'stopPhrase') return text.replaceAll(rules.stopPhrase, '').trim();
	if (ending?.kind === 'stopPattern') return toPattern(rules.stopPattern).removeFrom(text).trim();
	return text;
}

/**
 * Reads a regular expression, bare or as `/…/flags`.
 *
 * @throws ServiceError `invalid`.
 */
export function toPattern(written: string): SafeRegex {
	const [, source = written, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(written) ?? [];
	try {
		return compileSafeRegex(source, flags);
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		throw invalidInputError('Stop Pattern cannot be used', `${reason}.`);
	}
}
