import { cancelledError, withDetails } from '../../core/errors';
import { withDeadline } from '../deadline';
import type { Slot } from '../itemPool';

/** The end of the last turn of each session that has one. */
const lastTurns = new Map<string, Promise<unknown>>();

/** Nothing was sent. */
const stoppedBefore = () => withDetails(cancelledError(false), { outcome: 'not_started' });

/** As long as a timer may be: a turn ends by its own timeouts. */
const FOREVER = 2 ** 31 - 1;

interface Session {
	/** Whose it is. */
	account: string;
	name: string;
	/** Another item may use it meanwhile. */
	slot: Pick<Slot, 'releaseDuring'>;
	stop: AbortSignal | undefined;
}

/**
 * Runs an action after those of the same session that came before, in all executions of this process. A failure is told to the one whose
 * action it was; the next one has its turn.
 *
 * @throws ServiceError `cancelled` when the execution is stopped before.
 */
export async function runInSession<Result>(
	{ account, name, slot, stop }: Session,
	action: () => Promise<Result>,
): Promise<Result> {
	const session = `${account} ${name}`;
	const before = lastTurns.get(session);
	const act = async () => {
		if (stop?.aborted) throw stoppedBefore();
		if (before) await slot.releaseDuring(async () => await withDeadline(before, FOREVER, stop));
		if (stop?.aborted) throw stoppedBefore();
		return await action();
	};
	const turn = act();
	// one that was stopped before its turn does not let the next one pass those before
	const end = Promise.allSettled([before, turn]).then(() => {
		if (lastTurns.get(session) === end) lastTurns.delete(session);
	});
	lastTurns.set(session, end);
	return await turn;
}
