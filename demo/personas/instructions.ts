import { NUMBER, numberFrom, sentencesOf } from './words.ts';

/** A text with as many sentences as the system message asks for, or the question itself. */
export function asTold(text: string, system: string, question: string): string {
	const limit = new RegExp(
		String.raw`\b(?:in|at most|use)\s+(?:at most |only )?${NUMBER} sentences?\b`,
		'i',
	).exec(`${system}\n${question}`)?.[1];
	const count = limit === undefined ? undefined : numberFrom(limit);
	return count === undefined ? text : sentencesOf(text).slice(0, count).join(' ');
}
