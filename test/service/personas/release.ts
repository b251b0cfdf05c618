import {
	lastWeekday,
	listed,
	NUMBER,
	numberFrom,
	numberWord,
	stopPhraseOf,
	WEEKDAYS,
} from './words.ts';

/** What two agents know who agree on the day of a release. The build is there on Monday evening. */
interface Matter {
	product: string;
	/** Days that the tests take. */
	days: number;
	stop: string;
	/** What came last. */
	message: string;
	turn: number;
}

const FIRST_IDEA = 'Tuesday';
const WORKDAYS = WEEKDAYS.slice(0, 5);
/** Days of tests that leave a day for the release in the same week. */
const LONGEST = 3;
const NEXT = ' of next week';

export const isRelease = (said: readonly string[]): boolean =>
	/\brelease\b/i.test(said[0] ?? '') &&
	/\b(agree|plan|tests?|which day|what day)\b/i.test(said[0] ?? '');

export const isTester = (said: readonly string[], workspace: string): boolean =>
	/\byou (run|do|are in charge of) the tests|\byou are (a|the) tester/i.test(said[0] ?? '') ||
	(workspace === 'ws-2' && !/\byou plan\b/i.test(said[0] ?? ''));

/** Wants an early day, and gives way to what the other one needs. */
export function planner(said: readonly string[]): string {
	const { product, message, stop, turn } = matterOf(said);
	const day = dayIn(message);
	if (turn === 1) {
		const idea = day ?? FIRST_IDEA;
		return (
			`Let us release ${product} on ${idea}: the build is ready on Monday evening, and ${idea} is the quietest ` +
			'morning of our customers. Does that leave you enough time for the tests?'
		);
	}
	if (!day) return `On which day can we release ${product}, then? Name one, and I plan around it.`;
	if (turn > 2 || /^\s*(yes|agreed)\b/i.test(message)) {
		return `Then it is settled: ${product} is released on ${day} at 10:00. ${stop}`.trim();
	}
	return (
		`${day} is fine with me, on one condition: we release at 10:00, so that the rest of the day is left should we ` +
		`have to go back. You test until the evening before, and I write the announcement meanwhile. Do we agree on ${day} at 10:00?`
	);
}

/** Needs days for the tests, and gives none of them away. */
export function tester(said: readonly string[]): string {
	const { days, stop, message } = matterOf(said);
	const proposed = dayIn(message) ?? FIRST_IDEA;
	// from Friday on it is next week, and all of its days are late enough
	const first = days > LONGEST ? `Monday${NEXT}` : (WEEKDAYS[days + 1] ?? '');
	const isLate = proposed.endsWith(NEXT) || WEEKDAYS.indexOf(proposed) > days;
	if (!isLate) {
		return (
			`${proposed} is too early. The build comes on Monday evening, and the tests take ` +
			`${numberWord(days)} ${days === 1 ? 'day' : 'days'}: ${listed(WORKDAYS.slice(1, days + 1))}. The first day I can agree to is ${first}. ` +
			`Can we take ${first}?`
		);
	}
	const time = /\b\d{1,2}:\d{2}\b/.exec(message)?.[0];
	return (
		`Yes, ${proposed}${time ? ` at ${time}` : ''}. You have the result of the tests the evening before at 17:00; should one of them ` +
		`fail, we move the release and not the tests. ${stop}`
	).trim();
}

/** The day that is named last. */
function dayIn(message: string): string | undefined {
	const day = lastWeekday(message);
	return day && /\bnext week\b/i.test(message) ? day + NEXT : day;
}

function matterOf(said: readonly string[]): Matter {
	const all = said.join('\n');
	const needed = new RegExp(String.raw`\b${NUMBER} days?\b`, 'i').exec(all)?.[1] ?? '';
	return {
		product: /\brelease of ([A-Z]\w*)/.exec(all)?.[1] ?? 'it',
		days: Math.min(4, Math.max(1, numberFrom(needed) ?? 3)),
		stop: stopPhraseOf(said),
		// the instructions of the first message name no day; what the other one said stands behind them
		message: said.at(-1) ?? '',
		turn: said.length,
	};
}
