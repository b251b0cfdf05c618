/**
 * Puts words into the texts of a value: `{name}` stands for `words.name`.
 *
 * A text that is nothing but `{name}` becomes the word itself, so a number stays a number.
 */
export function fill(value: unknown, words: Readonly<Record<string, unknown>>): unknown {
	if (typeof value === 'string') return filledText(value, words);
	if (Array.isArray(value)) return value.map((one) => fill(one, words));
	if (value === null || typeof value !== 'object') return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one, words)]));
}

function filledText(text: string, words: Readonly<Record<string, unknown>>): unknown {
	const only = /^\{(\w+)\}$/.exec(text)?.[1];
	if (only !== undefined && only in words) return words[only];
	return text.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
		name in words ? String(words[name]) : all,
	);
}
