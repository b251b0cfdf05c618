import type { Clock } from '../service/retry';

/** Milliseconds for which n8n may be kept from all other work, such as webhooks and Stop. */
const LONGEST = 50;

/**
 * For a loop over items that waits for nothing: n8n takes half a millisecond for an expression, and 10,000 of them would
 * stop the whole instance for seconds.
 *
 * @returns To be awaited before every item. It throws when the execution is stopped.
 */
export function breather({ now, sleep }: Clock): () => Promise<void> | undefined {
	let since = now();
	return () => {
		if (now() - since < LONGEST) return undefined;
		return sleep(0).then(() => void (since = now()));
	};
}
