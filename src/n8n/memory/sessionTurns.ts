import { cancelledError, withDetails } from '../../core/errors';
import { withDeadline } from '../deadline';
import type { Slot } from '../itemPool';

/** The end of the last turn of each session that has one. */
const lastTurns = new Map<string, Promise<unknown>>();

/** Nothing was sent. */
const stoppedBefore = () => withDetails(cancelledError(false), { outcome: 'not_started' });

/** As long as a timer may be: a turn ends by its own timeouts. */
const FOREVER = 2 ** 31 - 1;

/**
 * Makes what runs an action after those of the same session that came before, in all executions of this process. A failure is told to the
 * one whose action it was; the next one has its turn.
 *
 * @param account Whose sessions they are.
 * @param slot Another item may use it meanwhile.
 * @returns what throws ServiceError `cancelled` when the execution is stopped before.
 */
export const createSessionRunner =
	(
		account: string,
		{ slot, stop }: { slot: Pick<Slot, 'releaseDuring'>; stop: AbortSignal | undefined },
	) =>
	async <Result>(session: string, action: () => Promise<Result>): Promise<Result> => {
		const key = `${account} ${session}`;
		const before = lastTurns.get(key);
		const act = async () => {
			if (stop?.aborted) throw stoppedBefore();
			if (before) await slot.releaseDuring(async () => await withDeadline(before, FOREVER, stop));
			if (stop?.aborted) throw stoppedBefore();
			return await action();
		};
		const turn = act();
		// one that was stopped before its turn does not let the next one pass those before
		const end = Promise.allSettled([before, turn]).then(() => {
			if (lastTurns.get(key) === end) lastTurns.delete(key);
		});
		lastTurns.set(key, end);
		return await turn;
	};
