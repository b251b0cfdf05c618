import { latencies } from './answers.ts';
import { fileGoals } from './fileGoals.ts';
import { liveGoals } from './liveGoals.ts';
import { bootGoals, type Boot } from './boots.ts';
import { chatModelGoals } from './chatModels.ts';
import { waitingGoals, type Waiting } from './waiting.ts';
import { minus, over } from './numbers.ts';
import { pollGoals } from './pollFigures.ts';
import type { Pairs } from './pairs.ts';
import type { PollFigures } from './polls.ts';
import { queueGoals, type QueueFigures } from './queueRows.ts';
import type { RateFigure } from './rateFigures.ts';
import { find, least, most, ratio, type Result } from './results.ts';
import type { Sample } from './sample.ts';
import { turnGoals } from './turnGoals.ts';
import { slowForOpenAi, type Sizes } from './rows.ts';
import { aligned, times } from './table.ts';

/** A goal with what was measured of it, and at most what it may be. */
export type Figure = [goal: string, what: string, measured: number | undefined, limit: number];

export interface Goal {
	goal: string;
	what: string;
	measured: number | undefined;
	limit: number;
	/** Absent when its rows were not run. */
	met?: boolean;
}

/** The goals of the performance notes (section 9) that these rows can judge. */
export function judge(
	results: Result[],
	sizes: Sizes,
	{
		waiting,
		polls,
		chatModels,
		boots,
		ownShare,
		ownTurn,
		rates,
		queue,
	}: {
		waiting: Waiting[];
		polls: PollFigures[];
		chatModels: Array<Pairs<Sample>>;
		boots: Pairs<Boot> | undefined;
		ownShare: number | undefined;
		ownTurn: number | undefined;
		rates: RateFigure[];
		queue: QueueFigures;
	},
): Goal[] {
	const of = (job: Result['job'], name: string) => find(results, job, name);
	const chat = of('items', 'ours: chat c20');
	const http = of('items', 'HTTP Request + header auth');
	const openAi = of('items', 'OpenAI v2');
	const late = of('late', 'ours: chat c20');
	const long = of('long', 'ours: chat');
	const empty = of('long', 'empty workflow');
	const raw = of('long', 'raw http + parser');
	const short = of('long', 'ours: chat, short answer');
	const large = most(of('large', 'ours: chat c20'), 'growth');

	const execute = minus(least(long, 'wall'), least(empty, 'wall'));
	const perEvent = minus(least(long, 'cpu'), least(short, 'cpu'));
	const perfect = (sizes.items * latencies.late) / 20;
	const slow = (name: string) => least(of('slow', name), 'wall');
	const waits = sizes.items * latencies.slow;
	const serial = over(slow('OpenAI v2'), slowForOpenAi(sizes.items));
	const overHttp = over(large, most(of('large', 'HTTP Request + header auth'), 'growth'));

	const goals: Figure[] = [
		['G1', 'wall, x HTTP Request + header auth', ratio(chat, http, 'wall'), 0.4],
		['G1', 'CPU, x HTTP Request + header auth', ratio(chat, http, 'cpu'), 0.4],
		['G1', 'wall, x OpenAI v2', ratio(chat, openAi, 'wall'), 0.35],
		['G1', 'CPU, x OpenAI v2', ratio(chat, openAi, 'cpu'), 0.35],
		['G1', 'wall, x raw undici c20', ratio(chat, of('items', 'raw undici c20'), 'wall'), 12],
		['G1', 'wall, x raw axios c20', ratio(chat, of('items', 'raw axios c20'), 'wall'), 3.5],
		['G2', 'own share, us per item', ownShare, 60],
		['G3', 'wall, x items * latency / 20', over(least(late, 'wall'), perfect), 1.25],
		['G3', '500 ms, wall, x items * latency / 20', over(slow('ours: chat c20'), waits / 20), 1.25],
		['G3', '500 ms, wall, x items * latency / 50', over(slow('ours: chat c50'), waits / 50), 1.25],
		[
			'G3',
			'500 ms, wall per item, x OpenAI v2',
			over(over(slow('ours: chat c20'), sizes.items), serial),
			0.08,
		],
		['G4', 'most in flight of 20', most(late, 'mostInFlight'), 20],
		['G4', 'most in flight of 5', most(of('late', 'ours: chat c5'), 'mostInFlight'), 5],
		['G4', 'RSS growth, MB', large, 150],
		['G4', 'RSS growth, x HTTP Request + header auth', overHttp, 0.25],
		['G5', 'execute(), x raw http + parser', over(execute, least(raw, 'wall')), 1.5],
		['G5', 'whole execution, x HTTP Request as text', textRatio(results), 1.2],
		['G5', 'us CPU per event', perEvent && (perEvent * 1e6) / sizes.deltas, 6],
		...liveGoals(results),
		...fileGoals(results),
		...turnGoals(results, ownTurn),
		...waitingGoals(waiting),
		...pollGoals(polls),
		...chatModelGoals(chatModels),
		...bootGoals(boots),
		...queueGoals(queue),
		...rates.flatMap(rateGoals),
	];
	return goals.map(([goal, what, measured, limit]) => ({
		goal,
		what,
		measured,
		limit,
		...(measured !== undefined && { met: measured <= limit }),
	}));
}

/** Nothing is refused at 85 % or more of the limit, however the service counts. */
const rateGoals = ({ window, refused, minutes, questions, perMinute }: RateFigure): Figure[] => [
	['B', `refused questions, ${window} window`, refused, 0],
	['B', `virtual minutes, ${window} window`, minutes, twoDigits(questions / perMinute / 0.85)],
];

const twoDigits = (value: number) => Number(value.toFixed(2));

const textRatio = (results: Result[]) =>
	ratio(find(results, 'long', 'ours: chat'), find(results, 'long', 'HTTP Request as text'), 'wall');

export const goalTable = (goals: Goal[]): string =>
	aligned([
		['goal', 'measured', 'at most', ''],
		...goals.map(({ goal, what, measured, limit, met }) => [
			`${goal} ${what}`,
			times(measured),
			String(Math.round(limit * 1000) / 1000),
			met === undefined ? 'not run' : met ? 'met' : 'MISSED',
		]),
	]);
