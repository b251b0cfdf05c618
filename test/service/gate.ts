import { isAct, pieces, type Answer, type Piece } from './answer.ts';

export type Gate = ReturnType<typeof createGate>;

/** Streams that go on only when told to, so that tests prove liveness without a clock. */
export function createGate() {
	let [steps, opened, streams] = [0, 0, 0];
	let waiting: Array<() => void> = [];
	const wake = () => {
		const list = waiting;
		waiting = [];
		for (const resolve of list) resolve();
	};
	const woken = async () => await new Promise<void>((resolve) => waiting.push(resolve));
	return {
		/** Lets every gated stream send `count` more pieces. */
		step(count = 1) {
			steps += count;
			wake();
		},
		/** Resolves once so many streams have begun since the last `open()`: a step is for those that have. */
		async begun(count: number) {
			while (streams < count) await woken();
		},
		/** Lets everything through that waits now. */
		open() {
			opened++;
			streams = 0;
			wake();
		},
		/** Resolves when the gate is opened the next time, or the connection is closed. */
		async opened(closed: AbortSignal) {
			const round = opened;
			closed.addEventListener('abort', wake, { once: true });
			while (round === opened && !closed.aborted) await woken();
		},
		/** The body with a gate before each piece but the first. */
		async *through(body: Answer['body'], closed: AbortSignal): AsyncGenerator<Piece> {
			// steps taken before this stream began are not for it; later ones are kept for it
			const [from, round] = [steps, opened];
			let sent = 0;
			streams++;
			wake();
			closed.addEventListener('abort', wake, { once: true });
			for await (const piece of pieces(body)) {
				while (steps - from < sent && round === opened && !closed.aborted) await woken();
				if (closed.aborted) return;
				if (!isAct(piece)) sent++;
				yield piece;
			}
		},
	};
}
