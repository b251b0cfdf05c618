import { isAct, pieces, type Answer, type Piece } from './answer.ts';

export interface Gate {
	/** Lets every gated stream send `count` more pieces. */
	step(count?: number): void;
	/** Resolves once so many streams have begun since the last `open()`: a step is for those that have. */
	begun(count: number): Promise<void>;
	/** Lets everything through that waits now. */
	open(): void;
	/** Resolves when the gate is opened the next time, or the connection is closed. */
	opened(closed: AbortSignal): Promise<void>;
	/** The body with a gate before each piece but the first. */
	through(body: Answer['body'], closed: AbortSignal): AsyncGenerator<Piece>;
}

/** Streams that go on only when told to, so that tests prove liveness without a clock. */
export function createGate(): Gate {
	let steps = 0;
	let opened = 0;
	let streams = 0;
	let waiting: Array<() => void> = [];
	const wake = () => {
		const list = waiting;
		waiting = [];
		for (const resolve of list) resolve();
	};
	return {
		step(count = 1) {
			steps += count;
			wake();
		},
		async begun(count) {
			while (streams < count) await new Promise<void>((resolve) => waiting.push(resolve));
		},
		open() {
			opened++;
			streams = 0;
			wake();
		},
		async opened(closed) {
			const round = opened;
			closed.addEventListener('abort', wake, { once: true });
			while (round === opened && !closed.aborted)
				await new Promise<void>((resolve) => waiting.push(resolve));
		},
		async *through(body, closed) {
			// steps taken before this stream began are not for it; later ones are kept for it
			const from = steps;
			const round = opened;
			let sent = 0;
			streams++;
			wake();
			closed.addEventListener('abort', wake, { once: true });
			for await (const piece of pieces(body)) {
				while (steps - from < sent && round === opened && !closed.aborted) {
					await new Promise<void>((resolve) => waiting.push(resolve));
				}
				if (closed.aborted) return;
				if (!isAct(piece)) sent++;
				yield piece;
			}
		},
	};
}
