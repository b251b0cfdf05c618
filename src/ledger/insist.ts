import { explained, ServiceError } from '../service/errors';
import { fullJitter, type Clock } from '../service/retry';
import { isPassing } from './trouble';

/**
 * Repeats a reading or a change that may be made twice, while n8n has a passing trouble: it may be restarting, and PostgreSQL may
 * have ended a deadlock.
 *
 * @throws what it threw last.
 */
export async function insist<Result>(
	clock: Clock,
	attempts: number,
	action: () => Promise<Result>,
): Promise<Result> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await action();
		} catch (cause) {
			const hopeless = !(cause instanceof ServiceError) || !isPassing(cause);
			if (hopeless || attempt === attempts) throw explained(cause);
			await clock.sleep(fullJitter(attempt, clock));
		}
	}
}
