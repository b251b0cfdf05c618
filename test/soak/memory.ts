/** MiB, garbage left out. */
export interface Memory {
	/** Held by the process after the first tenth of the jobs, when everything is loaded and warm. */
	before: number;
	after: number;
	/** Of it, what is still in use on the heap. */
	heapBefore: number;
	heapAfter: number;
}

const MIB = 1024 * 1024;

/** Looks at the memory of this process while it works, where Node was started with --expose-gc. */
export function memoryWatch() {
	const look = () => {
		globalThis.gc?.();
		const { rss, heapUsed } = process.memoryUsage();
		return { rss: rss / MIB, heap: heapUsed / MIB };
	};
	let warm: ReturnType<typeof look> | undefined;
	return {
		/** @param share How much of the work is done, of 1. */
		look(share: number): void {
			if (!warm && share >= 0.1) warm = look();
		},
		/** @returns undefined where garbage cannot be told from what is in use */
		read(): Memory | undefined {
			if (!globalThis.gc) return undefined;
			const now = look();
			const before = warm ?? now;
			return { before: before.rss, after: now.rss, heapBefore: before.heap, heapAfter: now.heap };
		},
	};
}
