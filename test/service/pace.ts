import type { Piece } from './answer.ts';
import type { Call } from './call.ts';
import { directivesOf } from './directives.ts';
import type { World } from './world.ts';

/** Pieces of a stream with the gate and the pace that the forms or the message ask for. */
export function paced(
	world: World,
	call: Call,
	pieces: Iterable<string> | AsyncIterable<string>,
): AsyncIterable<Piece> {
	const body = slowed(pieces, world.forms.pace);
	const gated = world.forms.gate || directivesOf(call.bodyText).has('gate');
	return gated ? world.gate.through(body, call.closed) : body;
}

async function* slowed(
	pieces: Iterable<string> | AsyncIterable<string>,
	pause: number,
): AsyncGenerator<Piece> {
	let first = true;
	for await (const piece of pieces) {
		if (!first && pause > 0) yield { wait: pause };
		first = false;
		yield piece;
	}
}
