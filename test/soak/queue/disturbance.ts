import { chanceOf } from '../chance';

/** One process that is ended and started again. */
export interface Disturbance {
	victim: 'worker' | 'main' | 'Redis';
	/** Redis keeps nothing, however it ends. */
	how: 'kill' | 'stop';
	/** Which worker, from 0. */
	worker: number;
	/** Milliseconds until it is started again. */
	pause: number;
}

/** Each of them once in a row of six, in another order each time. */
const KINDS = [
	{ victim: 'worker', how: 'kill' },
	{ victim: 'worker', how: 'kill' },
	{ victim: 'worker', how: 'stop' },
	{ victim: 'main', how: 'kill' },
	{ victim: 'main', how: 'stop' },
	{ victim: 'Redis', how: 'kill' },
] as const;

export const DISTURBANCES_IN_A_ROW = KINDS.length;

const LONGEST_PAUSE = 5000;

/** The disturbance of a number, from 0: the same for the same seed. */
export function disturbanceOf(seed: number, number: number, workers: number): Disturbance {
	const row = Math.floor(number / KINDS.length);
	const order = KINDS.map((kind, at) => ({ kind, at: chanceOf(seed, 'order', row, at) }));
	order.sort((one, other) => one.at - other.at);
	const { kind } = order[number % KINDS.length]!;
	return {
		...kind,
		worker: Math.floor(chanceOf(seed, 'worker', number) * workers),
		pause: Math.floor(chanceOf(seed, 'pause', number) * LONGEST_PAUSE),
	};
}

export const nameOf = ({ victim, how }: Pick<Disturbance, 'victim' | 'how'>): string =>
	`${victim}, ${how === 'kill' ? 'kill -9' : 'SIGTERM'}`;
