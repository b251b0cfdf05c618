/**
 * Builds the text of an answer from its pieces, as messages with a blank line between them.
 *
 * `append` returns the new text, for live output. Joined, that is the text.
 */
export function createTextAccumulator() {
	/** The messages that have ended, and the separator before the one that is arriving. */
	let before = '';
	let current = '';
	/** The messages that have ended, without white space: some services trim what they repeat. */
	const ended = new Set<string>();
	let last: string | undefined;

	return {
		append(piece: string): string {
			const separator = piece && before && !current ? '\n\n' : '';
			before += separator;
			current += piece;
			return separator + piece;
		},
		endMessage(): void {
			if (!current) return;
			last = withoutSpace(current);
			ended.add(last);
			before += current;
			current = '';
		},
		/** Whether a text is a message that has ended. */
		isKnown: (message: string): boolean => ended.has(withoutSpace(message)),
		/** Whether it is the last of them. */
		isLast: (message: string): boolean => last === withoutSpace(message),
		/** The message that is arriving. */
		current: () => current,
		text: () => before + current,
		isEmpty: () => !current && !before,
	};
}

export const withoutSpace = (text: string): string => text.replace(/\s+/g, '');
