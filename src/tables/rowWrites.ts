import { mapServiceError, ServiceError } from '../core/errors';
import type { Clock } from '../core/retry';
import { isTransient } from './retries';

/*
 * How many node runs and processes write the same row.
 */

/**
 * Makes a function that does tasks together: those that come while it works are done at once after that.
 *
 * @param work Returns a result for each task, in their order.
 */
export function inBatches<Task, Result>(
	work: (tasks: readonly Task[]) => Promise<readonly Result[]>,
): (task: Task) => Promise<Result> {
	let tasks: Task[] = [];
	/** The results of those tasks. Undefined as long as there are none. */
	let results: Promise<readonly Result[]> | undefined;
	let lastWork: Promise<unknown> = Promise.resolve();
	return async (task) => {
		const index = tasks.push(task) - 1;
		results ??= lastWork.then(async () => {
			const batch = tasks;
			tasks = [];
			results = undefined;
			return await work(batch);
		});
		lastWork = results.catch(() => undefined);
		return (await results)[index] as Result;
	};
}

/** Milliseconds between two attempts after another process was faster, at most: twice as long each time, so that many get their turn. */
const FIRST_BACK_OFF = 100;
const MAX_BACK_OFF = 6400;
/** Milliseconds that are added after a failure of n8n. */
const FAILURE_PAUSE = 500;

/**
 * Repeats a write that other processes have prevented, or a failure of n8n.
 *
 * @param options.maxTime Milliseconds.
 * @param options.minAttempts Made even after that time.
 * @param options.minLosses How often another process has to be faster, even after that time. Each time it has written, so all get on, however
 *   slow the machine is.
 * @param tooMany Says that other processes were faster all the time.
 * @param attempt Returns nothing, or false, if another process was faster.
 * @throws ServiceError once it takes too long.
 */
export async function repeatWrite<Result>(
	clock: Clock,
	{
		maxTime,
		minAttempts = 1,
		minLosses = 1,
	}: { maxTime: number; minAttempts?: number; minLosses?: number },
	tooMany: string,
	attempt: () => Promise<Result | undefined | false>,
): Promise<Result> {
	const until = clock.now() + maxTime;
	let losses = 0;
	for (let attempts = 1; ; attempts++) {
		let pause = clock.random() * Math.min(FIRST_BACK_OFF * 2 ** attempts, MAX_BACK_OFF);
		const isLast = () => attempts >= minAttempts && clock.now() >= until;
		try {
			const result = await attempt();
			if (result !== undefined && result !== false) return result;
			losses++;
			if (losses >= minLosses && isLast()) throw new ServiceError('failed', tooMany);
		} catch (cause) {
			if (!isTransient(cause) || isLast()) throw mapServiceError(cause);
			pause += FAILURE_PAUSE;
		}
		await clock.sleep(pause);
	}
}
