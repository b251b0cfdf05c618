import { nobodyPauses, timeIsVirtual } from '../support/jitter/quiet';

/** Virtual time for many thousands of events, which happen one after another. */
export function createTimeline() {
	timeIsVirtual();
	let now = 1_800_000_000_000;
	/** What is to happen, the next one last. */
	const happenings: Array<{ at: number; run(): void }> = [];
	const at = (milliseconds: number, run: () => void) => {
		const time = now + milliseconds;
		// before those of the same time, which happen first
		let [from, to] = [0, happenings.length];
		while (from < to) {
			const middle = (from + to) >> 1;
			if (happenings[middle]!.at > time) from = middle + 1;
			else to = middle;
		}
		happenings.splice(from, 0, { at: time, run });
	};
	return {
		at,
		now: () => now,
		sleep: async (milliseconds: number) =>
			await new Promise<void>((resolve) => at(milliseconds, resolve)),
		/** Lets everything happen, or so many events of it. */
		async run(mostEvents = Infinity) {
			for (let events = 0; happenings.length && events < mostEvents; events++) {
				const next = happenings.pop()!;
				now = Math.max(now, next.at);
				next.run();
				// all that follows without waiting
				await nobodyPauses();
			}
		},
	};
}

export type Timeline = ReturnType<typeof createTimeline>;
