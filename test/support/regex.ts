import type { RegexEngine } from '../../src/core/regex';

/** JavaScript's own, without a limit of time. */
export const ownRegex: RegexEngine = {
	test: (pattern, text, flags) => new RegExp(pattern, flags).test(text),
	replace: (pattern, text, flags, by) => text.replace(new RegExp(pattern, flags), by),
};

/** Gives up every match, as n8n's does after 250 ms. */
const giveUp = () => {
	throw new Error('Regular expression execution timed out');
};
export const slowRegex: RegexEngine = { test: giveUp, replace: giveUp };
