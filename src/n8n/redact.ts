import { ServiceError } from '../core/errors';

export type Redactor = ReturnType<typeof createRedactor>;

/** Redacts a text that comes in pieces. */
export type RedactedStream = ReturnType<typeof createRedactedStream>;

/** Removes API keys, in the forms of `formsOf`, from everything that a service may repeat. */
export function createRedactor(...firstKeys: string[]) {
	const inAnswers = createKeyFinder();
	const inErrors = createKeyFinder();
	/** The first and last characters of long keys. */
	const keyEnds: string[] = [];
	/** Adds further keys to redact. */
	const addKey = (...given: string[]) => {
		const keys = given.filter(Boolean);
		inErrors.add(keys);
		inAnswers.add(keys.filter((key) => !isShortWord(key)));
		const ends = keys.filter(({ length }) => length >= 20);
		keyEnds.push(...ends.flatMap((key) => [key.slice(0, 8), key.slice(-8)]).filter(looksRandom));
	};
	addKey(...firstKeys);

	/** For errors and logs: also redacts parts of a key, and anything that looks like a key. */
	const text = (words: string) => {
		// a service may have cut a key before an ellipsis, too
		const pieces = removeKeys(inErrors, words).split(/(…|\.\.\.)/);
		const whole = pieces.map((piece) => removeKeys(inErrors, piece, isCutInError)).join('');
		return keyEnds
			.reduce((rest, end) => rest.replaceAll(end, '***'), whole)
			.replace(/\bBearer\s+[\w.~+/=-]+/gi, 'Bearer ***')
			.replace(/\bsk-[\w-]{8,}/g, '***');
	};
	/**
	 * For outputs and stored data: redacts whole keys, and the end of a text if it can only be the beginning of a key. Returns the same
	 * object if there is nothing to redact.
	 */
	const data = <Data>(value: Data): Data => {
		const { anyBeginning } = inAnswers.find();
		return mapTexts(value, (words) =>
			anyBeginning.test(words) ? removeKeys(inAnswers, words, isCutInAnswer) : words,
		);
	};
	/** As `text`, for every text in a value. */
	const texts = <Data>(value: Data): Data => mapTexts(value, text);

	return {
		text,
		texts,
		data,
		/** A redacted copy of an error: the service's words as by `text`; what this package says, IDs and what is of an answer as by `data`. */
		error({ kind, message, details }: ServiceError) {
			const { reason, code, meta, ...rest } = details;
			return new ServiceError(kind, data(message), {
				...data(rest),
				...(reason !== undefined && { reason: text(reason) }),
				...(code !== undefined && { code: text(code) }),
				...(meta && { meta: texts(meta) }),
			});
		},
		/** For streamed text. */
		stream: () => createRedactedStream(inAnswers),
		addKey,
	};
}

/** Whether a key is redacted only as a whole word, because it may be a part of one. */
const isShort = (key: string) => key.length < 8;

/** Whether a key is a short word or number, which an answer may contain by chance. */
export const isShortWord = (key: string) => isShort(key) && /^(?:[a-z]+|\d+)$/i.test(key);

/** Whether a part of a key is not an ordinary word: it mixes case or digits, or has no letter. */
function looksRandom(part: string): boolean {
	const changes = part.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g) ?? [];
	return changes.length > 1 || !/[a-z]/i.test(part);
}

/** Whether the end of a text that is the beginning of a form is split off. */
type IsSplitOff = (part: string, form: string) => boolean;

/** What follows decides whether it is a key, or a whole word. */
const isOpen: IsSplitOff = (part, form) => part.length < form.length || isShort(form);
/** Characters. An answer may end with words that are also the beginning of a key, but not with so many. */
const MIN_CUT_LENGTH = 12;
const isCutInAnswer: IsSplitOff = (part) => part.length >= MIN_CUT_LENGTH && looksRandom(part);
const isCutInError: IsSplitOff = (part, form) =>
	part.length >= Math.min(12, form.length * 0.6) || (part.length >= 8 && looksRandom(part));

type KeyFinder = ReturnType<typeof createKeyFinder>;

/** What finds keys. */
function toPatterns(keys: string[]) {
	/** The longest first: of two keys with the same beginning, the longer one counts. */
	const forms = keys.flatMap(formsOf).sort((one, other) => other.length - one.length);
	if (!forms.length) return { forms, anyForm: /(?!)/g, anyBeginning: /(?!)/ };
	const beginnings = new Set(forms.map((form) => form.slice(0, MIN_CUT_LENGTH)));
	return {
		forms,
		anyForm: new RegExp(forms.map(patternOf).join('|'), 'gi'),
		/** Matches a text that may contain a key, or at its end as much of one as `isCutInAnswer` asks for. Most texts do not. */
		anyBeginning: new RegExp([...beginnings].map(patternOf).join('|'), 'i'),
	};
}

/** Finds keys in texts. Upper and lower case count as the same. The time is linear in the length of a text, whatever it contains. */
function createKeyFinder() {
	const keys: string[] = [];
	let patterns: ReturnType<typeof toPatterns> | undefined;
	/** Made for all keys together: a thousand items may have a thousand keys. */
	const find = () => (patterns ??= toPatterns(keys));

	return {
		add(given: string[]) {
			if (!given.length) return;
			keys.push(...given);
			patterns = undefined;
		},

		find,

		/**
		 * Redacts all keys in a text.
		 *
		 * @param from Where it begins. The character before it decides whether a word begins there.
		 */
		redact(text: string, isSplitOff: IsSplitOff, from: number): { shown: string; rest: string } {
			const { forms, anyForm } = find();
			let shown = '';
			for (let place = from; ; place = anyForm.lastIndex) {
				anyForm.lastIndex = place;
				const found = anyForm.exec(text);
				const end = text.length - countBegun(forms, text.slice(place), isSplitOff);
				if (!found || found.index >= end)
					return { shown: shown + text.slice(place, end), rest: text.slice(end) };
				shown += `${text.slice(place, found.index)}***`;
			}
		},
	};
}

/** How many characters at the end of a text are the beginning of a form. */
function countBegun(forms: string[], text: string, isSplitOff: IsSplitOff): number {
	const end = text.slice(-(forms[0]?.length ?? 1)).toLowerCase();
	const last = end.at(-1);
	let count = 0;
	for (const form of forms)
		for (let length = Math.min(form.length, end.length); length > count; length--)
			// the last character alone rules out most lengths
			if (form[length - 1] === last && end.endsWith(form.slice(0, length)))
				if (isSplitOff(text.slice(-length), form)) count = length;
	return count;
}

function removeKeys(keys: KeyFinder, text: string, isCut: IsSplitOff = () => false, from = 0) {
	const { shown, rest } = keys.redact(text, isCut, from);
	return rest ? `${shown}***` : shown;
}

function patternOf(form: string): string {
	const pattern = form.replace(/\W/g, '\\$&');
	return isShort(form) ? `(?<![\\w-])${pattern}(?![\\w-])` : pattern;
}

/** The forms in which a service may repeat a key: as it is, URL-encoded, escaped for JSON once and twice, and inside base64. */
function formsOf(key: string): string[] {
	const escaped = escapeForJson(key);
	const byPhp = escaped.replaceAll('/', '\\/');
	const forms = [key, encodeURIComponent(key), escaped, byPhp, escapeForJson(escaped)];
	// the number of bytes before the key, as in `user:key`, changes its base64 in one of three ways
	for (const bytesBefore of isShort(key) ? [] : [0, 1, 2]) {
		const bytes = Buffer.from('\0'.repeat(bytesBefore) + key);
		// a character has six bits; those at both ends also have bits of what is around the key
		const first = Math.ceil((bytesBefore * 8) / 6);
		const base64 = bytes.toString('base64url').slice(first, bytes.length % 3 ? -1 : undefined);
		forms.push(base64, base64.replaceAll('-', '+').replaceAll('_', '/'));
	}
	return [...new Set(forms.map((form) => form.toLowerCase()))];
}

const escapeForJson = (text: string) => JSON.stringify(text).slice(1, -1);

function createRedactedStream(keys: KeyFinder) {
	let held = '';
	/** The character before what is held. */
	let last = '';
	return {
		/** @returns what can be shown already. What may be the beginning of a key is held back. */
		push(piece: string) {
			const text = last + held + piece;
			const { shown, rest } = keys.redact(text, isOpen, last.length);
			held = rest;
			last = text.charAt(text.length - held.length - 1);
			return shown;
		},
		/** @returns what was held back, redacted if it can only be the beginning of a key. */
		end: () => removeKeys(keys, last + held, isCutInAnswer, last.length),
	};
}

/** The same value where nothing changes. */
function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
	if (typeof value === 'string') return change(value) as Value;
	if (typeof value !== 'object' || value === null) return value;
	const isArray = Array.isArray(value);
	let isSame = true;
	const entries: Array<[string, unknown]> = [];
	for (const [name, entry] of Object.entries(value)) {
		const changed: [string, unknown] = [isArray ? name : change(name), mapTexts(entry, change)];
		isSame &&= changed[0] === name && Object.is(changed[1], entry);
		entries.push(changed);
	}
	if (isSame) return value;
	return (isArray ? entries.map(([, entry]) => entry) : Object.fromEntries(entries)) as Value;
}
