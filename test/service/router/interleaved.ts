/** Takes one piece from each source in turn, until all are at their end. */
export function* interleaved<T>(
	sources: Array<Iterable<T>>,
): Generator<{ index: number; piece: T }> {
	let open = sources.map((source, index) => ({ index, rest: source[Symbol.iterator]() }));
	while (open.length) {
		const still: typeof open = [];
		for (const source of open) {
			const { value, done } = source.rest.next();
			if (done) continue;
			still.push(source);
			yield { index: source.index, piece: value };
		}
		open = still;
	}
}
