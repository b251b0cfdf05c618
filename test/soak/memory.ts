/** MiB, garbage left out. */
export interface Memory {
	/** Held by the process after the first tenth of the jobs, when everything is loaded and warm. */
	before: number;
	after: number;
	/** Of it, what is still in use on the heap. */
	heapBefore: number;
	heapAfter: number;
}

interface Look {
	rss: number;
	heap: number;
}

const MIB = 1024 * 1024;

/** Looks at the memory of this process while it works, where Node was started with --expose-gc. */
export function memoryWatch() {
	let [warm, last]: [Look | undefined, Look | undefined] = [undefined, undefined];
	return {
		/** @param share How much of the work is done, of 1. */
		look(share: number): void {
			if (!globalThis.gc) return;
			// Only what stays is growth. Left to itself, V8 lets garbage lie and takes new pages in its place.
			globalThis.gc();
			const { rss, heapUsed } = process.memoryUsage();
			last = { rss: rss / MIB, heap: heapUsed / MIB };
			if (share >= 0.1) warm ??= last;
		},
		/** @returns undefined where garbage cannot be told from what is in use */
		read: (): Memory | undefined =>
			warm &&
			last && {
				before: warm.rss,
				after: last.rss,
				heapBefore: warm.heap,
				heapAfter: last.heap,
			},
	};
}
