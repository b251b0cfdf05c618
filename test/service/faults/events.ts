import { holding, isAct, pieces, type Answer, type Piece } from '../answer.ts';
import type { Faults } from './fault.ts';

/** Faults of an event stream. A piece of the real body is one event or line. */
export const eventFaults = {
	keep_alives_only: (answer, { every = 20 }) => holding(answer, keepAlives(every)),
	comments: (answer) => changed(answer, (text) => [': keep-alive\n\n', text]),
	drop: (answer, { includes }) => without(answer, (text) => text.includes(includes)),
	stream_error(answer, { after, done, error: given }) {
		const error = given ?? { code: 'backend_error', message: 'fault: backend failed' };
		const line = `data: ${JSON.stringify({ error })}\n\n`;
		const end = done === false ? [line] : [line, 'data: [DONE]\n\n'];
		return holding(answer, replacedAfter(answer, after, end));
	},
	insert(answer, { after, text, base64 }) {
		const inserted = base64 ? Buffer.from(text, 'base64') : text;
		return changed(answer, (own, index) => (index === after ? [inserted, own] : [own]));
	},
} satisfies Partial<Faults>;

/** Each event becomes others, of which there may be none. */
function changed(
	answer: Answer,
	change: (text: string, index: number) => Array<string | Buffer>,
): Answer {
	const each = async function* (): AsyncGenerator<Piece> {
		let index = 0;
		for await (const piece of pieces(answer.body)) {
			if (isAct(piece)) yield piece;
			else yield* change(piece.toString(), index++);
		}
	};
	return holding(answer, each());
}

const without = (answer: Answer, isGone: (text: string) => boolean) =>
	changed(answer, (text) => (isGone(text) ? [] : [text]));

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
