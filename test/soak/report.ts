import { aligned } from '../support/aligned';
import type { Findings } from './book';
import type { Memory } from './memory';

/** What a soak came to. */
export interface Soaked extends Findings {
	booked: number;
	/** Executions, logs and requests to another origin that hold a key. */
	leaks: number;
	/** What went on outside of the specification. */
	unexpected: string[];
	/** Items that are handed over once may get lost behind the trigger. */
	handedOver?: boolean;
	memory?: Memory | undefined;
	/** Counts by name, such as how often each trouble struck. */
	tables: Record<string, Map<string, number>>;
	/** Further numbers by name. */
	facts: Record<string, number>;
	seconds: number;
}

export interface Goal {
	what: string;
	figure: string;
	goal: string;
	met: boolean;
	/** Which ones, when it is missed. */
	which: string[];
}

/** MiB that a process may have grown by. */
const GROWTH = 100;

type Lists = {
	[Name in keyof Soaked]-?: Soaked[Name] extends string[] ? Name : never;
}[keyof Soaked];

/** On these lists there must be nothing, whatever goes wrong. */
const LISTS: Array<[list: Lists, what: string]> = [
	['twice', 'started twice'],
	['sentAgain', 'sent again, though it may have arrived'],
	['lost', 'lost: booked, no ID anywhere, not called unknown'],
	['unsaid', 'booked, and the ledger has neither job nor doubt'],
	['phantom', 'IDs that the service never gave'],
	['silent', 'items of which nothing was said'],
	['undelivered', 'jobs in the ledger that were not delivered'],
	['lostItems', 'delivered, and never at the end of the workflow'],
	['withoutFile', 'completed and known, and never with its file'],
	['wrongFiles', 'files that are not the bytes of their job'],
	['unexpected', 'requests outside of the specification'],
];

export function goalsOf(soaked: Soaked): Goal[] {
	const { leaks, memory, handedOver } = soaked;
	const lists = LISTS.map(([list, what]): Goal => {
		const which = soaked[list];
		const isTold = list === 'lostItems' && handedOver;
		const met = isTold || !which.length;
		return { what, figure: String(which.length), goal: isTold ? 'told' : '0', met, which };
	});
	const places = { what: 'places where a key came to light', figure: String(leaks), goal: '0' };
	return [...lists, { ...places, met: !leaks, which: [] }, ...(memory ? [growthOf(memory)] : [])];
}

function growthOf({ before, after, heapBefore, heapAfter }: Memory): Goal {
	return {
		what: 'memory after the first tenth and at the end (MiB)',
		figure: `${before.toFixed(0)}, ${after.toFixed(0)}`,
		goal: `+${GROWTH}`,
		met: after - before < GROWTH,
		which: [`the heap held ${heapBefore.toFixed(0)}, then ${heapAfter.toFixed(0)}`],
	};
}

/** What a person reads at the end: counts, numbers, and the goals with those that each missed one is about. */
export function reportOf(soaked: Soaked): string {
	const { seconds, booked, tables, facts, unknown } = soaked;
	const named = (entries: Iterable<[string, number]>) =>
		[...entries].map(([name, number]) => [name, String(number)]);
	const goals = goalsOf(soaked);
	return [
		`${seconds.toFixed(0)} s: ${booked} jobs booked by the service.`,
		...Object.entries(tables).map(([title, counts]) =>
			aligned([[title, 'times'], ...named(counts).sort()]),
		),
		aligned([
			['', 'figure'],
			...named(Object.entries(facts)),
			['called unknown, and really started', `${unknown.called}, ${unknown.started}`],
			['not started', String(soaked.notStarted)],
		]),
		aligned([
			['', 'figure', 'goal', ''],
			...goals.map(({ what, figure, goal, met }) => [what, figure, goal, met ? 'met' : 'MISSED']),
		]),
		...goals
			.filter(({ met }) => !met)
			.map(({ what, which }) => `${what}: ${which.slice(0, 20).join(', ')}`),
	].join('\n\n');
}
