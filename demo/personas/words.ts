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

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A number in digits or as a word; `a` and `an` are one. */
export function numberFrom(word: string): number | undefined {
	const plain = word.toLowerCase();
	if (/^\d+$/.test(plain)) return Number(plain);
	if (plain === 'a' || plain === 'an') return 1;
	const found = NUMBERS.indexOf(plain);
	return found < 0 ? undefined : found;
}

export const NUMBER = String.raw`(\d+|an?|${NUMBERS.join('|')})`;

/** The weekday that is named last. */
export function lastWeekday(text: string): string | undefined {
	const found = text.match(new RegExp(WEEKDAYS.join('|'), 'gi'))?.at(-1);
	return WEEKDAYS.find((day) => day.toLowerCase() === found?.toLowerCase());
}

/** The sentences of a text; a point inside of a number ends none. */
export const sentencesOf = (text: string): string[] =>
	(text.match(/[^\s][^]*?(?:[.!?]+(?=\s|$)|$)/g) ?? []).map((each) => each.trim());
