import { holding, isAct, pieces, type Answer, type Piece } from '../answer.ts';
import type { Fault } from './fault.ts';

const LINE_ENDS = { lf: '\n', cr: '\r', crlf: '\r\n' };

/** Faults of an event stream. A piece of the real body is one event or line. */
export function eventFault(answer: Answer, fault: Fault): Answer | undefined {
	switch (fault.type) {
		case 'keep_alives_only':
			return holding(answer, keepAlives(fault.every ?? 20));
		case 'comments':
			return holding(
				answer,
				each(answer, (text) => [': keep-alive\n\n', text]),
			);
		case 'after_end':
			return holding(answer, followed(answer, fault.text));
		case 'no_end_marker':
			// the end markers of the specification (6B, 6C), and the one of a form of A
			return holding(
				answer,
				each(answer, (text) =>
					/^data: \[DONE\]|^event: finish|"type":"end"/.test(text) ? [] : [text],
				),
			);
		case 'drop':
			return holding(
				answer,
				each(answer, (text) => (text.includes(fault.includes) ? [] : [text])),
			);
		case 'stream_error': {
			const error = fault.error ?? { code: 'backend_error', message: 'fault: backend failed' };
			const line = `data: ${JSON.stringify({ error })}\n\n`;
			const end = fault.done === false ? [line] : [line, 'data: [DONE]\n\n'];
			return holding(answer, replacedAfter(answer, fault.after, end));
		}
		case 'insert': {
			const inserted = fault.base64 ? Buffer.from(fault.text, 'base64') : fault.text;
			let count = -1;
			return holding(
				answer,
				each(answer, (text) => (++count === fault.after ? [inserted, text] : [text])),
			);
		}
		case 'line_ends':
			return holding(
				answer,
				each(answer, (text) => [text.replaceAll('\n', LINE_ENDS[fault.value])]),
			);
		case 'bom': {
			let first = true;
			const mark = '\ufeff'.repeat(fault.count ?? 1);
			const marked = (text: string) => {
				const result = first ? mark + text : text;
				first = false;
				return [result];
			};
			return holding(answer, each(answer, marked));
		}
		default:
			return undefined;
	}
}

async function* each(
	answer: Answer,
	change: (text: string) => Array<string | Buffer>,
): AsyncGenerator<Piece> {
	for await (const piece of pieces(answer.body)) {
		if (isAct(piece)) yield piece;
		else yield* change(piece.toString());
	}
}

async function* followed(answer: Answer, text: string): AsyncGenerator<Piece> {
	yield* pieces(answer.body);
	yield text;
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
