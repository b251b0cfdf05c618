/** Deeper nesting has no honest use, and breaks whatever walks the value later (n8n saves outputs recursively). */
const MAX_DEPTH = 200;

/**
 * Worth a closer look, which takes five times as long: a key that could change a prototype, also with its letters escaped, or a
 * number with more digits than JavaScript keeps.
 */
const SUSPICIOUS = /__proto__|constructor|\\u00[2-7]|(?:^|[:,[])\s*-?\d{16}/i;

/**
 * Parses JSON that came from outside.
 *
 * A `__proto__` key is dropped, and a `constructor` with a `prototype` in it; an integer beyond 2^53 becomes a string with all its digits.
 *
 * @throws SyntaxError for anything that is not JSON, or is nested more than 200 levels deep.
 */
export function parseJson(text: string): unknown {
	if (depth(text) > MAX_DEPTH) throw new SyntaxError(`nested more than ${MAX_DEPTH} levels deep`);
	return SUSPICIOUS.test(text) ? JSON.parse(text, harmless) : JSON.parse(text);
}

/** The same, with `undefined` for anything that cannot be parsed. */
export function tryParseJson(text: string): unknown {
	try {
		return parseJson(text);
	} catch {
		return undefined;
	}
}

/** True for a plain JSON object, as opposed to an array, a text, a number or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The third argument is there since V8 11.4 (Node 21); TypeScript 5.9 does not know it. */
function harmless(key: string, value: unknown, context?: { source?: string }): unknown {
	if (key === '__proto__') return undefined;
	if (key === 'constructor' && isObject(value) && Object.hasOwn(value, 'prototype'))
		return undefined;
	const digits = typeof value === 'number' && !Number.isSafeInteger(value) && context?.source;
	return digits && /^-?\d+$/.test(digits) ? digits : value;
}

/** The deepest nesting of brackets outside of strings; a count that is right for valid JSON. */
function depth(text: string): number {
	// every level takes two brackets
	if (text.length <= 2 * MAX_DEPTH) return 0;
	let [level, deepest] = [0, 0];
	for (let at = 0; at < text.length; at++) {
		const character = text.charCodeAt(at);
		if (character === QUOTE) {
			at = endOfString(text, at);
		} else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
			level++;
			if (level > deepest) deepest = level;
		} else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) {
			level--;
		}
	}
	return deepest;
}

const [QUOTE, BACKSLASH] = [34, 92];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [91, 93, 123, 125];

function endOfString(text: string, start: number): number {
	for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
		let backslashes = 0;
		while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
		if (backslashes % 2 === 0) return end;
	}
	return text.length;
}
