/** One spelling of a key. */
interface KeySpelling {
	/** Its character codes, folded. */
	codes: number[];
	/** Maps codes that count as the same to one of them. */
	fold(code: number): number;
	/** Whether it counts only without a letter, digit, hyphen or underscore next to it. */
	isWholeWordOnly: boolean;
	/** The index of its first character that an escape may begin with; infinite if it has none. */
	firstEscape: number;
}

/** The place of a key in a text. */
interface KeyMatch {
	start: number;
	/** Undefined if the text ends before it is clear whether it is the key. */
	end: number | undefined;
}

/** What `matchAt` returns in place of an end where the text is not the key. */
const NO_MATCH = -1;
/** The same where the text ended first: INCOMPLETE - n after n characters of the key. */
const INCOMPLETE = -2;

const ASCII_COUNT = 128;

/** Characters from which the beginning of a key reveals too much, where it looks random. */
const MIN_RANDOM_PART = 8;
/** The same for the beginning of any key. */
const MIN_ANY_PART = 12;
/** The same as a share of a short key. */
const MIN_SHARE = 0.6;

/**
 * Finds keys in texts in any spelling: upper or lower case, escaped characters, broken over lines, as hexadecimal digits, and inside
 * base64 with other text around them.
 */
export function createKeyFinder() {
	const byFirst: Array<KeySpelling[]> = Array.from({ length: ASCII_COUNT }, () => []);
	const all: KeySpelling[] = [];
	/** By character code: 1 where a key may begin. Every character of every answer is looked up here, which has to be fast. */
	const mayBegin = new Uint8Array(ASCII_COUNT);
	ESCAPE_CODES.forEach((code) => (mayBegin[code] = 1));

	/** Spellings that may begin at a place. */
	const startingAt = (text: string, place: number): KeySpelling[] => {
		const code = text.charCodeAt(place);
		if (!ESCAPE_CODES.includes(code)) return byFirst[code] ?? [];
		if (mayBeIncomplete(text, place)) return all;
		return decodeCharacterAt(text, place).flatMap(([meant]) => byFirst[meant] ?? []);
	};

	return {
		/** @param alone For a short key: only a whole word counts, and only the plain spelling. */
		add(key: string, alone = false) {
			const word = () => ({ ...createSpelling(key, foldCase), isWholeWordOnly: true });
			for (const spelling of alone ? [word()] : createSpellings(key)) {
				all.push(spelling);
				for (const [code, spellings] of byFirst.entries()) {
					if (spelling.fold(code) !== spelling.codes[0]) continue;
					spellings.push(spelling);
					mayBegin[code] = 1;
				}
			}
		},

		/**
		 * @param isEnd Whether nothing follows the text.
		 * @returns the first key from a place on; undefined where there is none.
		 */
		find(text: string, from: number, isEnd: boolean): KeyMatch | undefined {
			for (let start = from; start < text.length; start++) {
				if (!mayBegin[text.charCodeAt(start)]) continue;
				const spellings = startingAt(text, start);
				const end = findLongestMatch(spellings, text, start, isEnd);
				if (end !== NO_MATCH) return { start, end: end === INCOMPLETE ? undefined : end };
			}
			return undefined;
		},

		/**
		 * Whether the text from this place to its end is the beginning of a key, and long enough to be redacted.
		 *
		 * @param mayBeWords Whether it may be an ordinary word that is also the beginning of a key.
		 */
		isBegun(text: string, start: number, mayBeWords: boolean): boolean {
			return startingAt(text, start).some((spelling) => {
				const count = INCOMPLETE - matchAt(text, start, spelling, false);
				const isMost = count >= Math.min(MIN_ANY_PART, spelling.codes.length * MIN_SHARE);
				if (isMost && !mayBeWords) return true;
				return (
					count >= (mayBeWords ? MIN_ANY_PART : MIN_RANDOM_PART) && looksRandom(text.slice(start))
				);
			});
		},
	};
}

function findLongestMatch(
	spellings: KeySpelling[],
	text: string,
	start: number,
	isEnd: boolean,
): number {
	let best = NO_MATCH;
	for (const spelling of spellings) {
		const end = matchAt(text, start, spelling, isEnd);
		// a longer match may follow
		const isOpen = end <= INCOMPLETE || (spelling.isWholeWordOnly && end === text.length);
		if (isOpen && !isEnd) return INCOMPLETE;
		if (end > best && (!spelling.isWholeWordOnly || isWholeWord(text, start, end))) best = end;
	}
	return best;
}

/** Whether a part of a key is not an ordinary word: it mixes case or digits, or has no letter. */
export function looksRandom(part: string): boolean {
	const changes = part.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g) ?? [];
	return changes.length > 1 || !/[a-z]/i.test(part);
}

const isWholeWord = (text: string, start: number, end: number) =>
	!/[\w-]/.test(text.charAt(start - 1)) && !/[\w-]/.test(text.charAt(end));

function createSpellings(key: string): KeySpelling[] {
	const hex = Array.from(key, (character) => character.charCodeAt(0).toString(16)).join('');
	// as in a file name
	const slug = key.replace(/[^\w-]+/g, '_');
	const texts = [...new Set([key, ...(slug.length < MIN_ANY_PART ? [] : [slug]), hex])];
	return [
		...texts.map((text) => createSpelling(text, foldCase)),
		...[0, 1, 2].map((shift) => createBase64Spelling(key, shift)),
	];
}

function createSpelling(text: string, fold: KeySpelling['fold']): KeySpelling {
	const codes = Array.from(text, (character) => fold(character.charCodeAt(0)));
	const escape = codes.findIndex((code) => ESCAPE_CODES.includes(code));
	return { codes, fold, isWholeWordOnly: false, firstEscape: escape < 0 ? Infinity : escape };
}

/**
 * The part that all base64 texts have in common that contain the key after the same number of bytes, as for `user:key` and
 * `Bearer key`.
 *
 * @param shift That number modulo 3.
 */
function createBase64Spelling(key: string, shift: number): KeySpelling {
	const whole = btoa('\0'.repeat(shift) + key).replace(/=+$/, '');
	// a character has six bits; those at both ends also have bits of the text around the key
	const first = Math.ceil((shift * 8) / 6);
	const last = whole.length - ((shift + key.length) % 3 ? 1 : 0);
	return createSpelling(whole.slice(first, last), foldBase64);
}

const foldCase = (code: number) => (code >= 65 && code <= 90 ? code + 32 : code);

const PLUS = 43;
const DASH = 45;
const SLASH = 47;
const UNDERSCORE = 95;

/** base64url uses two other characters. */
const foldBase64 = (code: number) => (code === DASH ? PLUS : code === UNDERSCORE ? SLASH : code);

/** @returns where the key ends. */
function matchAt(
	text: string,
	start: number,
	{ codes, fold, firstEscape }: KeySpelling,
	isEnd: boolean,
): number {
	let at = 0;
	while (at < codes.length && fold(text.charCodeAt(start + at)) === codes[at]) at++;
	if (at === codes.length) return start + at;
	if (start + at >= text.length) return INCOMPLETE - at;
	const code = text.charCodeAt(start + at);
	const isEscaped = ESCAPE_CODES.includes(code) || LINE_BREAK_CODES.includes(code);
	return isEscaped || firstEscape < at
		? matchEscaped(text, start, { codes, fold }, isEnd)
		: NO_MATCH;
}

/** The same for every way to decode the text, all of them in parallel. */
function matchEscaped(
	text: string,
	start: number,
	{ codes, fold }: Pick<KeySpelling, 'codes' | 'fold'>,
	isEnd: boolean,
): number {
	let places = new Set([start]);
	let open = NO_MATCH;
	for (const [index, wanted] of codes.entries()) {
		if (index) for (const place of places) places.add(skipLineBreak(text, place));
		const next = new Set<number>();
		for (const place of places) {
			if (mayBeIncomplete(text, place)) open = INCOMPLETE - index;
			for (const [code, end] of decodeCharacterAt(text, place))
				if (fold(code) === wanted) next.add(end);
		}
		if (!next.size) return open;
		places = next;
	}
	// an escaped "x" may continue as "\x2b"
	return open === NO_MATCH || isEnd ? Math.max(...places) : open;
}

const PERCENT = 37;
const AMPERSAND = 38;
const BACKSLASH = 92;
/** Where an escape may begin. */
const ESCAPE_CODES = [PERCENT, AMPERSAND, BACKSLASH];
/** Where a line break inside a word may begin: line feed, carriage return, and `=`, which ends a line of quoted-printable text. */
const LINE_BREAK_CODES = [10, 13, 61];

const PERCENT_ENCODED = /%(?:25){0,3}[\da-f]{2}/iy;
const ENTITY = /&(?:amp;){0,3}(?:#(\d{1,7});?|#x([\da-f]{1,6});?|([a-z]{2,8});)/iy;
const BACKSLASHED = /\\{1,8}(?:u([\da-f]{4})|u\{0{0,4}([\da-f]{1,4})\}|x([\da-f]{2}))/iy;
const BACKSLASHES = /\\{1,8}/y;
const LINE_BREAK = /=?(?:\r\n?|\n|\\{1,8}r\\{1,8}n|\\{1,8}[rn])[ \t]{0,8}/y;

/** Characters of the longest escape, or line break with whitespace after it. */
const MAX_ESCAPE_LENGTH = 48;
/** The beginning of an escape or a line break at the end of a text. */
const INCOMPLETE_ESCAPE =
	/^(?:|%[\da-f]*|&[#\w;]*|\\+(?:u\{?[\da-f]*|x[\da-f]?|r\\*)?|=?\r?\n?[ \t]*|=?\\+[rn][ \t]*)$/i;

function execAt(pattern: RegExp, text: string, place: number): RegExpExecArray | undefined {
	pattern.lastIndex = place;
	return pattern.exec(text) ?? undefined;
}

/**
 * The characters that a text may encode at a place, and where each of them ends: literal, percent-encoded, as an HTML entity or with
 * backslashes, each also doubly encoded.
 */
function decodeCharacterAt(text: string, place: number): Array<[code: number, end: number]> {
	if (place >= text.length) return [];
	const code = text.charCodeAt(place);
	const asItIs: [number, number] = [code, place + 1];
	if (code === PERCENT) return [asItIs, ...decodePercent(text, place)];
	if (code === AMPERSAND) return [asItIs, ...decodeEntity(text, place)];
	if (code === BACKSLASH) return [asItIs, ...decodeBackslash(text, place)];
	return [asItIs];
}

function decodePercent(text: string, place: number): Array<[number, number]> {
	const found = execAt(PERCENT_ENCODED, text, place);
	if (!found) return [];
	const [whole] = found;
	const encoded: Array<[number, number]> = [];
	// "%2525" may be a percent sign that was encoded once or twice, or the start of another character
	for (let end = 3; end <= whole.length; end += 2)
		encoded.push([parseInt(whole.slice(end - 2, end), 16), place + end]);
	return encoded;
}

function decodeEntity(text: string, place: number): Array<[number, number]> {
	const found = execAt(ENTITY, text, place);
	if (!found) return [];
	const [whole, decimal, hex, name = ''] = found;
	const number = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
	return [[ENTITIES.get(name.toLowerCase()) ?? number, place + whole.length]];
}

function decodeBackslash(text: string, place: number): Array<[number, number]> {
	const found: Array<[number, number]> = [];
	const number = execAt(BACKSLASHED, text, place);
	if (number) {
		const [whole, ...digits] = number;
		found.push([parseInt(digits.find(Boolean) ?? '', 16), place + whole.length]);
	}
	const { length } = execAt(BACKSLASHES, text, place)?.[0] ?? '';
	const next = place + length;
	if (next < text.length) found.push([text.charCodeAt(next), next + 1]);
	for (let pair = 2; pair <= length; pair *= 2) found.push([BACKSLASH, place + pair]);
	return found;
}

/** The place after a line break at this place and the whitespace after it; the same place if there is none. */
function skipLineBreak(text: string, place: number): number {
	return execAt(LINE_BREAK, text, place) ? LINE_BREAK.lastIndex : place;
}

/** Whether the text ends with the beginning of an escape or a line break at this place. */
function mayBeIncomplete(text: string, place: number): boolean {
	return text.length - place < MAX_ESCAPE_LENGTH && INCOMPLETE_ESCAPE.test(text.slice(place));
}

/** HTML's entity names of ASCII characters. */
const ENTITIES = new Map(
	Object.entries({
		...{ excl: '!', quot: '"', num: '#', dollar: '$', percnt: '%', amp: '&', apos: "'" },
		...{ lpar: '(', rpar: ')', ast: '*', midast: '*', plus: '+', comma: ',', period: '.' },
		...{ sol: '/', colon: ':', semi: ';', lt: '<', equals: '=', gt: '>', quest: '?' },
		...{ commat: '@', lsqb: '[', lbrack: '[', bsol: '\\', rsqb: ']', rbrack: ']', hat: '^' },
		...{ lowbar: '_', underbar: '_', grave: '`', lcub: '{', lbrace: '{', verbar: '|' },
		...{ vert: '|', rcub: '}', rbrace: '}' },
	}).map(([name, sign]) => [name, sign.charCodeAt(0)]),
);
