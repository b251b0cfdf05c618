import type { IDataObject } from 'n8n-workflow';

/** Keys shorter than this could be ordinary words of an answer. */
const SHORTEST_IN_ANSWERS = 8;

export interface Redactor {
	/** For errors and logs: also takes out parts of the key and whatever looks like a key. */
	text(text: string): string;
	/** The same for every text in it. */
	texts<Data>(data: Data): Data;
	/** For outputs and what is stored: takes out the key itself, and returns the same data where it is not in there. */
	data<Data>(data: Data): Data;
}

/** Keeps an API key out of everything that a service may echo. */
export function redactor(key: string): Redactor {
	const spellings = key
		? [...new Set([key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)])]
		: [];
	const parts = key.length >= 20 ? [key.slice(0, 8), key.slice(-8)] : [];
	const without = (text: string, words: string[]) =>
		words.reduce((rest, word) => rest.replaceAll(word, '***'), text);

	const text = (words: string) =>
		without(words, [...spellings, ...parts])
			.replace(/\bBearer\s+[\w.~+/=-]+/gi, 'Bearer ***')
			.replace(/\bsk-[\w-]{8,}/g, '***');

	return {
		text,
		texts: (data) => deeply(data, text),
		data(data) {
			if (key.length < SHORTEST_IN_ANSWERS) return data;
			const all = JSON.stringify(data) ?? '';
			return spellings.some((word) => all.includes(word))
				? deeply(data, (words) => without(words, spellings))
				: data;
		},
	};
}

function deeply<Value>(value: Value, change: (text: string) => string): Value {
	if (typeof value === 'string') return change(value) as Value;
	if (Array.isArray(value)) return value.map((entry) => deeply(entry, change)) as Value;
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value as IDataObject).map(([name, entry]) => [
		change(name),
		deeply(entry, change),
	]);
	return Object.fromEntries(entries) as Value;
}
