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
	/** Keeps another key out, too. */
	also(key: string): void;
}

/** Keeps API keys out of everything that a service may echo. */
export function redactor(firstKey: string): Redactor {
	const spellings: string[] = [];
	const inAnswers: string[] = [];
	const parts: string[] = [];
	const also = (key: string) => {
		if (!key) return;
		const all = new Set([key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)]);
		spellings.push(...all);
		if (key.length >= SHORTEST_IN_ANSWERS) inAnswers.push(...all);
		if (key.length >= 20) parts.push(key.slice(0, 8), key.slice(-8));
	};
	also(firstKey);

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
			if (!inAnswers.length) return data;
			const all = JSON.stringify(data) ?? '';
			return inAnswers.some((word) => all.includes(word))
				? deeply(data, (words) => without(words, inAnswers))
				: data;
		},
		also,
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
