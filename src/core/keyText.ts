import { invalidInputError } from './errors';

/**
 * A key or label in one form: texts that look the same are the same. Accents are composed (NFC), every kind of space is a space, and
 * characters that nobody sees, such as a zero-width space from a copied text, are left out. Other control characters stay: a line break may
 * separate two parts.
 *
 * @param field Its name in the editor.
 * @throws ServiceError `invalid` for what a database does not store: PostgreSQL takes no NUL, and UTF-8 has no half of a character.
 */
export function readKeyText(field: string, text: string): string {
	if (/\0|\p{Cs}/u.test(text))
		throw invalidInputError(
			`${field} contains a character that cannot be stored`,
			'Nothing was sent. It has a NUL, or half of a character: correct the expression, or where its text comes from.',
		);
	return text
		.normalize('NFC')
		.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
		.replace(/\p{Zs}/gu, ' ')
		.trim();
}
