/** Deeper nesting has no legitimate use and breaks code that walks the value recursively, such as n8n saving outputs. */
const MAX_NESTING = 200;

/** A key that could change a prototype, also with escaped letters: such text needs a reviver, which takes five times as long. */
const PROTOTYPE_KEY = /__proto__|constructor|\\u00[2-7]/;
/** A number that JavaScript may round. */
const LONG_NUMBER = /(?:^|[:,[])\s*-?(?:\d{16}|[\d.]+[eE]\+?\d{3})/;

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
	if (nestingDepth(text) > MAX_NESTING)
		throw new SyntaxError(`nested more than ${MAX_NESTING} levels deep`);
	const exact = LONG_NUMBER.test(text) ? replaceRoundedNumbers(text, replaceRounded) : text;
	return PROTOTYPE_KEY.test(exact) ? JSON.parse(exact, safeReviver) : JSON.parse(exact);
}

const INTEGER = /^-?\d+$/;
const quoteInteger = (number: string) => (INTEGER.test(number) ? `"${number}"` : number);

/** The digits that a reviver is given would do as well, but Node 20 does not give them, on which n8n 2.7 runs. */
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
	// of concatenated objects, only the last one can be truncated
	let start = 0;
	for (let end = findObjectEnd(json, 0); end !== undefined; end = findObjectEnd(json, start))
		for (start = end; /\s/.test(json.charAt(start)); ) start++;
	const last = json.slice(start);
	if (start > 0 && !last.startsWith('{')) return false;
	try {
		JSON.parse(last);
		return false;
	} catch (cause) {
		const { message } = cause as SyntaxError;
		// V8's error messages
		const [, position] = /\bat position (\d+)/.exec(message) ?? [];
		const isAtEnd = position !== undefined && Number(position) >= last.length;
		return isAtEnd || /^Unexpected end of JSON|^Unterminated/.test(message);
	}
}

/**
 * Parses a text of several JSON objects with nothing but white space between them.
 *
 * @returns undefined for any other text.
 */
export function parseConcatenatedObjects(text: string): unknown[] | undefined {
	const objects: unknown[] = [];
	for (let start = 0; start < text.length; ) {
		const end = findObjectEnd(text, start);
		const value = end === undefined ? undefined : tryParseJson(text.slice(start, end));
		if (end === undefined || !isPlainObject(value)) return undefined;
		objects.push(value);
		for (start = end; /\s/.test(text.charAt(start)); ) start++;
	}
	return objects.length > 1 ? objects : undefined;
}

/** The index after the brace that closes the first one. */
function findObjectEnd(text: string, start: number): number | undefined {
	let depth = 0;
	for (let index = start; index < text.length; index++) {
		const character = text.charCodeAt(index);
		if (character === QUOTE) index = findStringEnd(text, index);
		else if (character === OPEN_BRACE) depth++;
		else if (character === CLOSE_BRACE && --depth === 0) return index + 1;
		if (depth === 0) return undefined;
	}
	return undefined;
}

/** Whether a text between JSON values is only a keep-alive message. */
export const isKeepAlive = (text: string) => KEEP_ALIVE.test(text.trim());

const KEEP_ALIVE =
	/^(:.*|[^\p{L}\p{N}{}[\]"]{1,40}|(ping|pong|keep[-_ ]?alive|heart[-_ ]?beat|alive|connect(ed|ion)|open|ready|ok|no-?op|wait(ing)?|processing|idle|tick|none|undefined)\b.{0,60})$/iu;

/** True for a plain JSON object, as opposed to an array, a text, a number or null. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields that have a value: those that are undefined or null are left out. */
export const omitMissing = <Fields extends object>(
	fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } =>
	Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
	) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

function safeReviver(key: string, value: unknown): unknown {
	if (key === '__proto__') return undefined;
	const isHarmful = key === 'constructor' && isPlainObject(value);
	return isHarmful && Object.hasOwn(value, 'prototype') ? undefined : value;
}

/** The deepest nesting of brackets outside of strings. Exact for valid JSON. */
function nestingDepth(text: string): number {
	// every level takes two brackets
	if (text.length <= 2 * MAX_NESTING) return 0;
	let depth = 0;
	let deepest = 0;
	for (let index = 0; index < text.length; index++) {
		const character = text.charCodeAt(index);
		if (character === QUOTE) {
			index = findStringEnd(text, index);
		} else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
			depth++;
			if (depth > deepest) deepest = depth;
		} else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) {
			depth--;
		}
	}
	return deepest;
}

/** Character codes. */
const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

function findStringEnd(text: string, start: number): number {
	for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
		let backslashes = 0;
		while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
		if (backslashes % 2 === 0) return end;
	}
	return text.length;
}
