/** Reading and writing of plain English, as far as the personas need it. */

const NUMBERS = [
	'zero',
	'one',
	'two',
	'three',
	'four',
	'five',
	'six',
	'seven',
	'eight',
	'nine',
	'ten',
];

export const WEEKDAYS = [
	'Monday',
	'Tuesday',
	'Wednesday',
	'Thursday',
	'Friday',
	'Saturday',
	'Sunday',
];

/** A number in digits or as a word; `a` and `an` are one. */
export function numberFrom(word: string): number | undefined {
	const plain = word.toLowerCase();
	if (/^\d+$/.test(plain)) return Number(plain);
	if (plain === 'a' || plain === 'an') return 1;
	const found = NUMBERS.indexOf(plain);
	return found < 0 ? undefined : found;
}

export const numberWord = (value: number): string => NUMBERS[value] ?? String(value);

export const NUMBER = String.raw`(\d+|an?|${NUMBERS.join('|')})`;

/** The weekday that is named last. */
export function lastWeekday(text: string): string | undefined {
	const found = text.match(new RegExp(WEEKDAYS.join('|'), 'gi'))?.at(-1);
	return WEEKDAYS.find((day) => day.toLowerCase() === found?.toLowerCase());
}

/** A phrase in square brackets and capitals that ends a conversation, as `[AGREED]`; empty when none is asked for. */
export const stopPhraseOf = (said: readonly string[]): string =>
	/\[[A-Z][A-Z _-]*\]/.exec(said.join('\n'))?.[0] ?? '';

/** The sentences of a text; a point inside of a number ends none. */
export const sentencesOf = (text: string): string[] =>
	(text.match(/[^\s][^]*?(?:[.!?]+(?=\s|$)|$)/g) ?? []).map((each) => each.trim());

/** `one`, `one and two`, `one, two and three`. */
export const listed = (parts: readonly string[]): string =>
	[parts.slice(0, -1).join(', '), parts.at(-1) ?? ''].filter(Boolean).join(' and ');

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
