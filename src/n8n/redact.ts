import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../core/errors';
import { createKeyFinder, looksRandom } from './keyFinder';

/** Characters. A shorter key could be part of an ordinary word. */
export const MIN_KEY_LENGTH = 8;
/** Characters. The first and last eight of a key of this length are redacted by themselves, too. */
const LONG_KEY_LENGTH = 20;
const KEY_PART_LENGTH = 8;

/** Characters before a cut in which the beginning of a key is searched. */
const MAX_PARTIAL_KEY_LENGTH = 2000;

type KeyFinder = ReturnType<typeof createKeyFinder>;

export interface Redactor {
	/** For errors and logs: also redacts parts of a key, and anything that looks like a key. */
	text(text: string): string;
	/** The same for every text in it. */
	texts<Data>(data: Data): Data;
	/**
	 * For outputs and stored data: redacts whole keys, and the end of a text if it can only be the beginning of a key. Returns the same
	 * object if there is nothing to redact.
	 */
	data<Data>(data: Data): Data;
	/** A redacted copy of an error: the service's words as by `text`; our own words, IDs and the partial answer as by `data`. */
	error(error: ServiceError): ServiceError;
	/** For streamed text. */
	stream(): RedactedStream;
	/** Adds another key to redact. */
	addKey(key: string): void;
}

export interface RedactedStream {
	/** @returns what can be shown already. What may be the beginning of a key is held back. */
	push(piece: string): string;
	/** @returns what was held back, redacted if it can only be the beginning of a key. */
	end(): string;
}

/** Removes API keys, in any spelling, from everything that a service may echo. */
export function createRedactor(firstKey: string): Redactor {
	const inAnswers = createKeyFinder();
	const inErrors = createKeyFinder();
	const parts: string[] = [];
	const addKey = (key: string) => {
		if (!key) return;
		const isShort = key.length < MIN_KEY_LENGTH;
		inErrors.add(key, isShort);
		if (!isShort || !isPlainWord(key)) inAnswers.add(key, isShort);
		if (key.length >= LONG_KEY_LENGTH)
			parts.push(
				...[key.slice(0, KEY_PART_LENGTH), key.slice(-KEY_PART_LENGTH)].filter(looksRandom),
			);
	};
	addKey(firstKey);

	// an answer may have been truncated in the middle of a key
	const answer = (text: string) => removePartialKey(inAnswers, removeKeys(inAnswers, text), true);
	const text = (words: string) =>
		parts
			.reduce(
				(rest, part) => rest.replaceAll(part, '***'),
				removePartialKeys(inErrors, removeKeys(inErrors, words)),
			)
			.replace(/\bBearer\s+[\w.~+/=-]+/gi, 'Bearer ***')
			.replace(/\bsk-[\w-]{8,}/g, '***');
	const data = <Data>(value: Data): Data => mapTexts(value, answer);
	const texts = <Data>(value: Data): Data => mapTexts(value, text);

	return {
		text,
		texts,
		data,
		error({ kind, message, details }) {
			const { reason, code, meta, computed, cause, ...rest } = details;
			return new ServiceError(kind, answer(message), {
				...data(rest),
				...(reason !== undefined && { reason: text(reason) }),
				...(code !== undefined && { code: text(code) }),
				...(meta && { meta: texts(meta) }),
				...(computed && { computed: texts(computed) }),
				...(cause !== undefined && { cause }),
			});
		},
		stream: () => createRedactedStream(inAnswers),
		addKey,
	};
}

/** Whether a key is a word or a number, which an answer may contain by chance. */
export const isPlainWord = (key: string) => /^(?:[a-z]+|\d+)$/i.test(key);

function removeKeys(finder: KeyFinder, text: string): string {
	const { shown, held } = redactAvailable(finder, text, 0, true);
	return shown + held;
}

/** @param from The place from which the text is shown. The character before it decides whether a word begins there. */
function redactAvailable(finder: KeyFinder, text: string, from: number, isEnd: boolean) {
	let shown = '';
	let place = from;
	for (;;) {
		const found = finder.find(text, place, isEnd);
		if (!found) return { shown: shown + text.slice(place), held: '' };
		shown += text.slice(place, found.start);
		if (found.end === undefined) return { shown, held: text.slice(found.start) };
		shown += '***';
		place = found.end;
	}
}

/** A text may have been cut in the middle of a key: at its end, or before an ellipsis. */
function removePartialKeys(finder: KeyFinder, text: string): string {
	return text.replace(/[^…]+?(?=…|\.\.\.|$)/gs, (words) => removePartialKey(finder, words, false));
}

function removePartialKey(finder: KeyFinder, text: string, mayBeWords: boolean): string {
	for (let start = Math.max(0, text.length - MAX_PARTIAL_KEY_LENGTH); start < text.length; start++)
		if (finder.isBegun(text, start, mayBeWords)) return `${text.slice(0, start)}***`;
	return text;
}

function createRedactedStream(finder: KeyFinder): RedactedStream {
	let held = '';
	/** The character before what is held. */
	let last = '';
	const take = (piece: string, isEnd: boolean) => {
		const text = last + held + piece;
		const { shown, held: rest } = redactAvailable(finder, text, last.length, isEnd);
		held = rest;
		last = text.slice(0, text.length - rest.length).slice(-1);
		return shown;
	};
	return {
		push: (piece) => take(piece, false),
		end: () => removePartialKey(finder, take('', true), true),
	};
}

/** The same value where nothing changes. */
function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
	if (typeof value === 'string') return change(value) as Value;
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) {
		const entries = value.map((entry: unknown) => mapTexts(entry, change));
		return entries.every((entry, index) => Object.is(entry, value[index]))
			? value
			: (entries as Value);
	}
	const entries = Object.entries(value as IDataObject);
	const changed = entries.map(([name, entry]): [string, unknown] => [
		change(name),
		mapTexts(entry, change),
	]);
	const isSame = changed.every(([name, entry], index) => {
		const [oldName, oldEntry] = entries[index] ?? [];
		return name === oldName && Object.is(entry, oldEntry);
	});
	return isSame ? value : (Object.fromEntries(changed) as Value);
}
