import { invalid } from '../service/errors';
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
	if (stopPattern && isSaid(text, told, (words) => toPattern(stopPattern).test(words)))
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
	if (ending?.kind === 'stopPattern')
		return text.replace(toPattern(rules.stopPattern, 'g'), '').trim();
	return text;
}

/**
 * Reads a regular expression, bare or as `/…/flags`.
 *
 * @throws ServiceError `invalid`.
 */
export function toPattern(written: string, more = ''): RegExp {
	const [, source = written, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(written) ?? [];
	try {
		// with "g" or "y" a pattern remembers where it was
		return new RegExp(source, flags.replace(/[gy]/g, '') + more);
	} catch (cause) {
		throw invalid('Stop Pattern is no regular expression', `${(cause as Error).message}.`);
	}
}
