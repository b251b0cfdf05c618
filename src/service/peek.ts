/** Reads on until it can be seen what the body begins with, and gives it back untouched. */
export async function peek(
	pieces: AsyncGenerator<string>,
): Promise<{ start: string; pieces: AsyncGenerator<string> }> {
	let seen = '';
	while (seen.trimStart().length < 'retry:'.length) {
		const { done, value } = await pieces.next();
		if (done) break;
		seen += value;
	}
	return {
		start: seen.trimStart(),
		pieces: (async function* () {
			yield seen;
			yield* pieces;
		})(),
	};
}
