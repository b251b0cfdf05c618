/** Requests after which V8 is to look at their garbage: about 120 MB. */
const EVERY = 3000;

/** What an item leaves behind when its parameters are read, as a share of what its request does: 10 kB of 40. */
const PREPARED = 1 / 4;

/** Bytes outside of the heap at which V8 begins to collect: 64 MiB, and a little more. */
const ENOUGH = 80 * 1024 * 1024;

/**
 * Makes V8 collect the garbage of an execution with thousands of items in time.
 *
 * Of every request that n8n's helper sends, about 40 kB outlive V8's small collections (the closed socket and all that axios
 * hangs on it), and a large one begins only once the heap has grown by a share of what the machine allows: where there is
 * much memory, 10,000 items leave 500 MB behind. V8 begins earlier when memory outside of its heap grows. So some is asked
 * for and let go at once; nobody touches it, so the system never provides it.
 *
 * @param items How many the execution has; their parameters have been read.
 * @returns To be called for every request.
 */
export function garbageWatch(items: number): () => void {
	let left = EVERY - items * PREPARED;
	return () => {
		if (--left > 0) return;
		left = EVERY;
		askForMemory();
	};
}

function askForMemory(): void {
	try {
		void new ArrayBuffer(ENOUGH);
	} catch {
		// where so much is not to be had, V8 collects often enough by itself
	}
}
