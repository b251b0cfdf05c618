/** Deeper nesting has no legitimate use and breaks code that walks the value recursively, such as n8n saving outputs. */
const MAX_NESTING = 200;

/** A key that could change a prototype, also with escaped letters: such text needs a reviver, which takes five times as long. */
const PROTOTYPE_KEY = /__proto__|constructor|\\u00[2-7]/;
/** A number that JavaScript may round. */
const LONG_NUMBER = /(?:^|[:,[])\s*-?(?:\d{16}|[\d.]+[eE]\+?\d{3})/;
/** What such a number contains. It is faster to look for, and faster without a quantifier. */
const SIXTEEN_DIGITS = new RegExp('\\d'.repeat(16));
const LONG_EXPONENT = /[\d.][eE]\+?\d{3}/;

/**
 * Parses JSON from outside.
 *
 * Drops a `__proto__` key, and a `constructor` that contains a `prototype`. An integer beyond 2^53 becomes a string with all its
 * digits: it may be an ID.
 *
 * @param replaceRounded Gives the JSON for a number that JavaScript would round to another integer, or to infinity.
 * @throws SyntaxError for anything that is not JSON, or is nested more than 200 levels deep.
 */
export function parseJson(text: string, replaceRounded = quoteInteger): unknown {
	// every level takes two brackets
	if (text.length > 2 * MAX_NESTING && isNestedTooDeeply(text))
		throw new SyntaxError(`nested more than ${MAX_NESTING} levels deep`);
	const mayBeRounded =
		(SIXTEEN_DIGITS.test(text) || LONG_EXPONENT.test(text)) && LONG_NUMBER.test(text);
	const exact = mayBeRounded ? replaceRoundedNumbers(text, replaceRounded) : text;
	return PROTOTYPE_KEY.test(exact) ? JSON.parse(exact, safeReviver) : JSON.parse(exact);
}

const INTEGER = /^-?\d+$/;
const quoteInteger = (number: string) => (INTEGER.test(number) ? `"${number}"` : number);

/** A reviver could use the original digits, too, but would be called for every value of an answer. */
function replaceRoundedNumbers(json: string, replace: (number: string) => string): string {
	let isInString = false;
	return json.replace(/\\.|"|-?\d[\d.eE+-]*/gs, (token) => {
		if (token === '"') isInString = !isInString;
		return !isInString && isRounded(token) ? replace(token) : token;
	});
}

function isRounded(number: string): boolean {
	const value = Number(number);
	return INTEGER.test(number) ? !Number.isSafeInteger(value) : Math.abs(value) === Infinity;
}

/** As `parseJson`, with `undefined` for anything that cannot be parsed. */
export function tryParseJson(text: string): unknown {
	try {
		return parseJson(text);
	} catch {
		return undefined;
	}
}

/** Whether a text is truncated JSON, as opposed to a text that only begins like JSON. */
export function isTruncatedJson(text: string): boolean {
	const json = text.trim();
	try {
		JSON.parse(json);
		return false;
	} catch (cause) {
		const { message } = cause as SyntaxError;
		// V8's error messages
		const [, position] = /\bat position (\d+)/.exec(message) ?? [];
		const isAtEnd = position !== undefined && Number(position) >= json.length;
		return isAtEnd || /^Unexpected end of JSON|^Unterminated/.test(message);
	}
}

/** An object as it came as JSON. */
export type JsonObject = Record<string, unknown>;

/** True for a plain JSON object, as opposed to an array, a text, a number or null. */
export function isPlainObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function safeReviver(key: string, value: unknown): unknown {
	if (key === '__proto__') return undefined;
	const isHarmful = key === 'constructor' && isPlainObject(value);
	return isHarmful && Object.hasOwn(value, 'prototype') ? undefined : value;
}

/** Counts the brackets outside of strings. Exact for valid JSON. */
function isNestedTooDeeply(text: string): boolean {
	let depth = 0;
	for (let index = 0; index < text.length; index++) {
		const character = text[index];
		if (character === '"') index = findStringEnd(text, index);
		else if (character === '{' || character === '[') {
			if (++depth > MAX_NESTING) return true;
		} else if (character === '}' || character === ']') depth--;
	}
	return false;
}

function findStringEnd(text: string, start: number): number {
	for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
		let backslashes = 0;
		while (text[end - 1 - backslashes] === '\\') backslashes++;
		if (backslashes % 2 === 0) return end;
	}
	return text.length;
}

/** Whether a value is neither undefined nor null. */
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Whether a value is undefined, null or an empty text. */
export const isMissing = (value: unknown) => value === undefined || value === null || value === '';

/** Whether a value is missing, false, 0, or has nothing in it. */
export const isEmptyValue = (value: unknown): boolean =>
	!value || (typeof value === 'object' && Object.keys(value).length === 0);

/** These fields of an object, as far as they have a value. */
export function pickPresent<Of extends object, Name extends keyof Of>(
	of: Of,
	names: readonly Name[],
): { [Field in Name]?: NonNullable<Of[Field]> } {
	const picked: Partial<Pick<Of, Name>> = {};
	for (const name of names) picked[name] = of[name];
	return omitMissing(picked as Pick<Of, Name>);
}

/** The fields that have a value: those that are undefined or null are left out. */
export function omitMissing<Fields extends object>(
	fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
	const present: { [Name in keyof Fields]?: NonNullable<Fields[Name]> } = {};
	for (const name in fields) {
		const value = fields[name];
		if (value !== undefined && value !== null) present[name] = value;
	}
	return present;
}
