import { RE2JS } from 're2js';

/** A regular expression of a workflow, which is applied to texts of models and services: it never hangs n8n. */
export interface Regex {
	/** Takes linear time. */
	test(text: string): boolean;
	/** The text without its matches. */
	removeFrom(text: string): string;
}

/** RE2 would interpret these differently: references to groups, and one half of a character. */
const MISREAD = /(?<!\\)(?:\\\\)*(\\(?:[89]|k(?:<[^>]*>)?|u[dD][89a-fA-F][\da-fA-F]{2}))/;

/** To find one match, RE2 may have to read the whole text. All matches are removed from a text of up to 4,000 characters. */
const MAX_CHARACTERS_READ = 20_000_000;

/**
 * Compiles a regular expression for RE2. JavaScript's own engine may take hours for a text, and nothing can stop it.
 *
 * @param flags JavaScript flags. `d`, `g`, `u` and `y` have no effect.
 * @throws SyntaxError for an invalid pattern, and for what RE2 does not have.
 */
export function compileRegex(source: string, flags = ''): Regex {
	// JavaScript itself gives the best error message; it only compiles here
	const pattern = new RegExp(source, flags);
	const [, misread] = MISREAD.exec(source) ?? [];
	if (misread) throw unsupportedError(misread);
	if (flags.includes('v')) throw unsupportedError('flag v');
	const compiled = compileRe2(RE2JS.translateRegExp(pattern));
	return {
		test: (text) => compiled.test(text),
		removeFrom(text) {
			const matcher = compiled.matcher(text);
			let rest = '';
			let start = 0;
			for (let read = 0; read < MAX_CHARACTERS_READ && matcher.find(); read += text.length) {
				rest += text.slice(start, matcher.start());
				start = matcher.end();
			}
			return rest + text.slice(start);
		},
	};
}

function compileRe2(pattern: string): RE2JS {
	try {
		return RE2JS.compile(pattern, RE2JS.LOOKBEHINDS);
	} catch (cause) {
		throw unsupportedError(String(cause).replace(/^.*error parsing regexp: /, ''));
	}
}

const unsupportedError = (what: string) =>
	new SyntaxError(
		`RE2 does not support it (${what}). Lookahead, references to groups and more than 1000 repetitions are not possible`,
	);
