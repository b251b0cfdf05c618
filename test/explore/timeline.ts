import { nobodyPauses, timeIsVirtual } from '../support/jitter/quiet';

interface Happening {
	at: number;
	order: number;
	run(): void;
}

/** Virtual time for many thousands of events, which happen one after another. */
export function createTimeline() {
	timeIsVirtual();
	let now = 1_800_000_000_000;
	let order = 0;
	/** A binary heap: the first one is the next. */
	const heap: Happening[] = [];
	const isBefore = (one: number, other: number) => {
		const [{ at, order: place }, later] = [heap[one]!, heap[other]!];
		return at < later.at || (at === later.at && place < later.order);
	};
	const swap = (one: number, other: number) => {
		[heap[one], heap[other]] = [heap[other]!, heap[one]!];
	};
	const at = (milliseconds: number, run: () => void) => {
		let index = heap.push({ at: now + milliseconds, order: order++, run }) - 1;
		for (let parent = (index - 1) >> 1; index && isBefore(index, parent); ) {
			swap(index, parent);
			[index, parent] = [parent, (parent - 1) >> 1];
		}
	};
	const takeNext = (): Happening | undefined => {
		if (!heap.length) return undefined;
		swap(0, heap.length - 1);
		const next = heap.pop();
		for (let index = 0; ; ) {
			const children = [2 * index + 1, 2 * index + 2].filter((child) => child < heap.length);
			const [least] = children.sort((one, other) => (isBefore(one, other) ? -1 : 1));
			if (least === undefined || !isBefore(least, index)) return next;
			swap(index, least);
			index = least;
		}
	};
	return {
		at,
		now: () => now,
		sleep: async (milliseconds: number) =>
			await new Promise<void>((resolve) => at(milliseconds, resolve)),
		/** Lets everything happen, or so many events of it. */
		async run(mostEvents = Infinity): Promise<void> {
			for (let events = 0; heap.length && events < mostEvents; events++) {
				const next = takeNext()!;
				now = Math.max(now, next.at);
				next.run();
				// all that follows without waiting
				await nobodyPauses();
			}
		},
	};
}

export type Timeline = ReturnType<typeof createTimeline>;
