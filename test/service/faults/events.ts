import { holding, isAct, pieces, type Answer, type Piece } from '../answer.ts';
import type { Fault } from './fault.ts';

const LINE_ENDS = { lf: '\n', cr: '\r', crlf: '\r\n' };

/** Faults of an event stream. A piece of the real body is one event or line. */
export function eventFault(answer: Answer, fault: Fault): Answer | undefined {
	const body = changed(answer, fault) ?? otherBody(answer, fault);
	return body && holding(answer, body);
}

function otherBody(answer: Answer, fault: Fault): AsyncGenerator<Piece> | undefined {
	switch (fault.type) {
		case 'keep_alives_only':
			return keepAlives(fault.every ?? 20);
		case 'after_end':
			return followed(answer, fault.text);
		case 'stream_error': {
			const error = fault.error ?? { code: 'backend_error', message: 'fault: backend failed' };
			const line = `data: ${JSON.stringify({ error })}\n\n`;
			const end = fault.done === false ? [line] : [line, 'data: [DONE]\n\n'];
			return replacedAfter(answer, fault.after, end);
		}
		default:
			return undefined;
	}
}

/** Each event becomes others, of which there may be none. */
function changed(answer: Answer, fault: Fault): AsyncGenerator<Piece> | undefined {
	const each = async function* (change: (text: string, index: number) => Array<string | Buffer>) {
		let index = 0;
		for await (const piece of pieces(answer.body)) {
			if (isAct(piece)) yield piece;
			else yield* change(piece.toString(), index++);
		}
	};
	const without = (isGone: (text: string) => boolean) =>
		each((text) => (isGone(text) ? [] : [text]));
	switch (fault.type) {
		case 'comments':
			return each((text) => [': keep-alive\n\n', text]);
		case 'no_end_marker':
			// the end markers of the specification (6B, 6C), and the one of a form of A
			return without((text) => /^data: \[DONE\]|^event: finish|"type":"end"/.test(text));
		case 'drop':
			return without((text) => text.includes(fault.includes));
		case 'insert': {
			const inserted = fault.base64 ? Buffer.from(fault.text, 'base64') : fault.text;
			return each((text, index) => (index === fault.after ? [inserted, text] : [text]));
		}
		case 'line_ends':
			return each((text) => [text.replaceAll('\n', LINE_ENDS[fault.value])]);
		case 'bom':
			return each((text, index) => [index ? text : '\ufeff'.repeat(fault.count ?? 1) + text]);
		default:
			return undefined;
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
