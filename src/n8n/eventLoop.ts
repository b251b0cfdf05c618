import type { Clock } from '../core/retry';

/** Milliseconds for which the event loop may be blocked. Until then webhooks and Stop have to wait. */
const MAX_BLOCKING_TIME = 50;

/**
 * For a loop over items without other waits: n8n takes half a millisecond per expression, so 10,000 of them would block the whole
 * instance for seconds.
 *
 * @returns a function to be awaited before every item. It throws when the execution is stopped.
 */
export function createEventLoopYielder({ now, sleep }: Clock): () => Promise<void> | undefined {
	let since = now();
	return () => {
		if (now() - since < MAX_BLOCKING_TIME) return undefined;
		return sleep(0).then(() => void (since = now()));
	};
}
