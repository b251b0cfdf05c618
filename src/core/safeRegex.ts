import { RE2JS } from 're2js';

/** A regular expression from a user, applied to texts from others: it runs in linear time. */
export interface SafeRegex {
	test(text: string): boolean;
	/** The text without all matches. */
	removeFrom(text: string): string;
	/** How much work one character may take, compared with a pattern of one letter. */
	programSize: number;
}

/** Without effect when a pattern is only tested, or applied to a whole text. */
const IGNORED_FLAGS = /[dgy]/g;

/**
 * Compiles a JavaScript regular expression.
 *
 * @throws SyntaxError for an invalid one, and for what cannot run in linear time: lookahead and references to groups.
 */
export function compileSafeRegex(source: string, flags = ''): SafeRegex {
	// JavaScript itself gives the best error message; it only compiles here
	new RegExp(source, flags);
	const activeFlags = flags.replace(IGNORED_FLAGS, '');
	if (activeFlags.includes('v')) throw new SyntaxError('The flag "v" is not supported');
	const isMultiline = activeFlags.includes('m');
	const compiled = compileRe2(
		convertToRe2(source, activeFlags),
		(activeFlags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) | RE2JS.LOOKBEHINDS,
	);
	// JavaScript has four line terminators, RE2 one
	const normalizeLineEnds = (text: string) =>
		isMultiline ? text.replace(/[\r\u2028\u2029]/g, '\n') : text;
	return {
		test: (text) => compiled.test(normalizeLineEnds(text)),
		removeFrom(text) {
			const matcher = compiled.matcher(normalizeLineEnds(text));
			let rest = '';
			let start = 0;
			while (matcher.find()) {
				rest += text.slice(start, matcher.start());
				start = matcher.end();
			}
			return rest + text.slice(start);
		},
		programSize: compiled.programSize(),
	};
}

function compileRe2(source: string, flags: number): RE2JS {
	try {
		return RE2JS.compile(source, flags);
	} catch (cause) {
		throw unsupportedSyntaxError(cause);
	}
}

function unsupportedSyntaxError(cause: unknown): SyntaxError {
	const message = cause instanceof Error ? cause.message : String(cause);
	return new SyntaxError(
		message.includes('invalid repeat count')
			? 'Something is repeated more than 1000 times, which is not supported'
			: `It is not supported: ${message.replace(/^error parsing regexp: |: `.*$/gs, '')}`,
	);
}

/** The tokens of a pattern. Every valid JavaScript pattern consists of these only. */
const createTokenPattern = (isUnicode: boolean) =>
	new RegExp(
		[
			String.raw`(?<group>\((?:\?(?:<[=!]|[=!:]|<[^>]*>|[a-z-]*:))?)`,
			String.raw`(?<set>\[(?:\\[^]|[^\]\\])*\]|\\[dDsSwW]|\.${isUnicode ? String.raw`|\\[pP]\{[^}]*\}` : ''})`,
			'(?<syntax>[|)])',
			String.raw`(?<place>\\[bB]|[\^$])`,
			String.raw`(?<reference>\\[1-9]\d*|\\0\d+|\\k<[^>]*>)`,
			String.raw`(?<escape>\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u\{[\da-fA-F]+\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[a-zA-Z]|\\[^])`,
			String.raw`(?<count>[*+?]\??|\{\d+(?:,\d*)?\}\??)`,
			'(?<character>[^])',
		].join('|'),
		'gu',
	);

/**
 * Converts a JavaScript regular expression to RE2 syntax with the same meaning, except that its groups no longer capture.
 *
 * @param source A valid JavaScript pattern.
 * @param flags JavaScript flags.
 * @throws SyntaxError for what takes more than linear time, or is not supported.
 */
function convertToRe2(source: string, flags: string): string {
	return [...source.matchAll(createTokenPattern(flags.includes('u')))]
		.map(({ 0: token, groups = {} }) => {
			if (groups['group'] !== undefined) return convertGroup(token);
			if (groups['set'] !== undefined) return convertCharacterSet(token, flags);
			if (groups['place'] !== undefined) return convertAnchor(token, flags.includes('m'));
			if (groups['reference'] !== undefined)
				throw new SyntaxError('A reference back to a group is not supported');
			if (groups['escape'] !== undefined) return writeCharacter(parseEscape(token));
			return groups['character'] === undefined ? token : writeCharacter(token.codePointAt(0) ?? 0);
		})
		.join('');
}

function convertGroup(opening: string): string {
	if (opening === '(?=' || opening === '(?!')
		throw new SyntaxError('Looking ahead, with (?= or (?!, is not supported');
	if (opening === '(?<=' || opening === '(?<!') return opening;
	if (/^\(\?[a-z-]+:$/.test(opening))
		throw new SyntaxError('Flags inside a pattern are not supported');
	return '(?:';
}

function convertAnchor(token: string, isMultiline: boolean): string {
	if (token === '^') return isMultiline ? '(?m:^)' : String.raw`\A`;
	if (token === '$') return isMultiline ? '(?m:$)' : String.raw`\z`;
	return token;
}

const writeCharacter = (code: number) =>
	/\w/.test(String.fromCodePoint(code)) ? String.fromCodePoint(code) : `\\x{${code.toString(16)}}`;

const CONTROL_ESCAPES: Record<string, number> = { 0: 0, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** The code point that an escape stands for. */
function parseEscape(escape: string): number {
	const [, kind = '', rest = ''] = /^\\([^])(.*)$/su.exec(escape) ?? [];
	const [first = rest, second] = rest.split('\\u');
	if (kind === 'u' && rest) {
		const lowSurrogate = second === undefined ? '' : String.fromCharCode(parseInt(second, 16));
		const codeUnit = parseInt(first.replace(/[{}]/g, ''), 16);
		return lowSurrogate
			? ((String.fromCharCode(codeUnit) + lowSurrogate).codePointAt(0) ?? 0)
			: codeUnit;
	}
	if (kind === 'x' && rest) return parseInt(rest, 16);
	if (kind === 'c' && rest) return rest.charCodeAt(0) % 32;
	return CONTROL_ESCAPES[kind] ?? kind.codePointAt(0) ?? 0;
}

const WHITESPACE = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const LINE_ENDS = String.raw`\n\r\x{2028}\x{2029}`;

/** Character sets that mean the same in RE2, in an order without ambiguity. */
const RE2_COMPATIBLE = String.raw`\w-\w|\\[dwDW]|\\[^\w\s]|[\w !"#$%&'()*+,./:;<=>?@{|}~]`;
const RE2_COMPATIBLE_UNICODE = String.raw`${RE2_COMPATIBLE}|\\[pP]\{[LMNPSZ][a-z]?\}`;
const compatibleSets = {
	legacy: new RegExp(`^(?:\\\\[dwDW]|\\[\\^?-?(?:${RE2_COMPATIBLE})+-?\\])$`),
	unicode: new RegExp(
		`^(?:\\\\[dwDW]|\\\\[pP]\\{[LMNPSZ][a-z]?\\}|\\[\\^?-?(?:${RE2_COMPATIBLE_UNICODE})+-?\\])$`,
	),
};

/** More sets than the schemas of one n8n instance contain. The oldest are dropped first. */
const MAX_CACHED_SETS = 500;
const setCache = new Map<string, string>();

/**
 * Converts a character set to RE2 syntax: `[…]`, `\s`, `\p{…}` or a dot.
 *
 * A set that means something else in RE2 is expanded by testing every character with JavaScript's own engine, which is safe for
 * patterns of a single character.
 */
function convertCharacterSet(set: string, flags: string): string {
	if (set === '.') return flags.includes('s') ? '(?s:.)' : `[^${LINE_ENDS}]`;
	if (set === '\\s' || set === '\\S') return `[${set === '\\S' ? '^' : ''}${WHITESPACE}]`;
	const isUnicode = flags.includes('u');
	// ignoring case, \w of JavaScript also matches two characters outside of ASCII
	const foldsBeyondAscii = flags.includes('i') && isUnicode && /\\[wW]/.test(set);
	if (!foldsBeyondAscii && compatibleSets[isUnicode ? 'unicode' : 'legacy'].test(set)) return set;
	const cacheKey = `${isUnicode ? 'u' : ''}${flags.includes('i') ? 'i' : ''} ${set}`;
	const converted = setCache.get(cacheKey) ?? expandCharacterSet(set, cacheKey.split(' ')[0] ?? '');
	setCache.set(cacheKey, converted);
	for (const oldest of setCache.keys())
		if (setCache.size > MAX_CACHED_SETS) setCache.delete(oldest);
	return converted;
}

const SURROGATES = String.raw`\x{d800}-\x{dfff}`;
const ASTRAL = String.raw`\x{10000}-\x{10ffff}`;

function expandCharacterSet(set: string, flags: string): string {
	const ranges = Array.from(
		listAllCharacters(flags.includes('u')).matchAll(new RegExp(`(?:${set})+`, `g${flags}`)),
		([run]) => `${writeCodePoint(run, 0)}-${writeCodePoint(run, lastCharacterIndex(run))}`,
	);
	// one surrogate stands for all; without "u" every character beyond 16 bits counts as two surrogates
	if (new RegExp(`^${set}$`, flags).test('\ud800')) ranges.push(SURROGATES);
	if (!flags.includes('u') && ranges.includes(SURROGATES)) ranges.push(ASTRAL);
	return ranges.length ? `[${ranges.join('')}]` : String.raw`[^\x{0}-\x{10ffff}]`;
}

const lastCharacterIndex = (run: string) =>
	/[\udc00-\udfff]$/.test(run) ? run.length - 2 : run.length - 1;

const writeCodePoint = (text: string, index: number) =>
	`\\x{${(text.codePointAt(index) ?? 0).toString(16)}}`;

/** All characters in the order of their codes, without surrogates. */
function listAllCharacters(isUnicode: boolean): string {
	const units = new Uint16Array(isUnicode ? 0xf800 + 2 * 0x100000 : 0xf800);
	let index = 0;
	for (let code = 0; code < 0x10000; code++)
		if (code < 0xd800 || code > 0xdfff) units[index++] = code;
	for (let pair = 0; index < units.length; pair++) {
		units[index++] = 0xd800 + (pair >> 10);
		units[index++] = 0xdc00 + (pair & 0x3ff);
	}
	return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units);
}
