import { shortenText } from './errors';

/** Characters of a page that are searched. */
const MAX_PAGE_LENGTH = 64 * 1024;
/** Characters of a title that are shown. */
const MAX_TITLE_LENGTH = 200;

const DOCUMENT_START = /^[\s\uFEFF]*<(!doctype\s|html[\s>]|\?xml[\s?])/i;

/**
 * Whether a text begins like a web page or an XML document. A text with some markup in it does not count unless its type is
 * HTML, nor does plain text that only mentions `<html>`.
 *
 * @param type The `Content-Type`, in lower case.
 */
export function isWebPage(start: string, type = ''): boolean {
	if (/^[\s\uFEFF]*</.test(start) && type.includes('html')) return true;
	if (!DOCUMENT_START.test(start)) return false;
	const onlyMentionsHtml = type.includes('text/plain') && /^[\s\uFEFF]*<html/i.test(start);
	return !onlyMentionsHtml || /<(head|body|title|meta|script)\b/i.test(start);
}

/** A short description of a page for error messages: its kind and its title. */
export function describeWebPage(page: string): string {
	const text = page.slice(0, MAX_PAGE_LENGTH);
	if (/^[\s\uFEFF]*<\?xml/i.test(text) && !/<html[\s>]/i.test(text)) {
		const details = ['code', 'message']
			.map((name) => extractElementText(text, name))
			.filter(Boolean);
		return ['An XML document', ...details].join(': ');
	}
	const title = extractElementText(text, 'title');
	return title ? `An HTML page: "${title}"` : 'An HTML page';
}

/** The text of a page without markup. Line breaks are kept. */
export function extractPageText(page: string): string {
	return decodeEntities(
		page
			.replace(/<!--[^]*?(-->|$)/g, ' ')
			.replace(/<(script|style|svg|template)\b[^]*?(<\/\1\s*>|$)/gi, ' ')
			.replace(MARKUP_TAG, ' '),
	);
}

/** Complete tags only. Removing an unclosed one could remove half of a key and leave the other half unredacted. */
const MARKUP_TAG = /<(?:\/?[a-z][\w:-]*(?:\s[^<>]*)?\/?|[!?][^<>]*)>/gi;

function extractElementText(text: string, element: string): string {
	const [, content = ''] =
		new RegExp(`<${element}\\b[^<>]*>([^]*?)</${element}\\b`, 'i').exec(text) ?? [];
	const elementText = decodeEntities(content).replaceAll('\n', ' ');
	return shortenText(elementText, MAX_TITLE_LENGTH);
}

const ENTITIES: Record<string, string> = {
	lt: '<',
	gt: '>',
	quot: '"',
	'#39': "'",
	nbsp: ' ',
	amp: '&',
};

const decodeEntities = (markup: string) =>
	markup
		.replace(/&(lt|gt|quot|#39|nbsp|amp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
		.replace(/[^\S\n]+/g, ' ')
		.replace(/ ?\n\s*/g, '\n')
		.trim();
