import { data, holding, isAct, pieces, type Answer, type Piece } from '../answer.ts';
import type { Faults } from './fault.ts';

/** Faults of an event stream. A piece of the real body is one event or line. */
export const eventFaults = {
	keep_alives_only: (answer, { every = 20 }) => holding(answer, keepAlives(every)),
	drop: (answer, { includes }) => holding(answer, without(answer.body, includes)),
	stream_error(answer, { after }) {
		const error = { code: 'backend_error', message: 'fault: backend failed' };
		const end = [data({ error }), data('[DONE]')];
		return holding(answer, replacedAfter(answer, after, end));
	},
} satisfies Partial<Faults>;

async function* without(body: Answer['body'], includes: string): AsyncGenerator<Piece> {
	for await (const piece of pieces(body))
		if (isAct(piece) || !piece.toString().includes(includes)) yield piece;
}

async function* replacedAfter(answer: Answer, count: number, end: string[]): AsyncGenerator<Piece> {
	let left = count;
	if (left > 0) {
		for await (const piece of pieces(answer.body)) {
			yield piece;
			if (!isAct(piece) && --left === 0) break;
		}
	}
	yield* end;
}

async function* keepAlives(every: number): AsyncGenerator<Piece> {
	for (;;) {
		yield ': keep-alive\n\n';
		yield { wait: every };
	}
}
