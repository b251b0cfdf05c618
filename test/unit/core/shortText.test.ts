import { cutText, shortenText } from '../../../src/core/errors';
import fc from '../../support/fastCheck';

const FAMILY = '👨‍👩‍👧';
const MARKS = '\u0301'.repeat(500);

it.each([
	['abc', 3, 'abc'],
	['abc', 2, 'ab'],
	['abc', -2, 'bc'],
	['abc', 0, ''],
	[`ab${FAMILY}cd`, 3, 'ab'],
	[`ab${FAMILY}cd`, 2 + FAMILY.length, `ab${FAMILY}`],
	[`ab${FAMILY}cd`, -3, 'cd'],
	[`ab${FAMILY}cd`, -2 - FAMILY.length, `${FAMILY}cd`],
	['a😀', 2, 'a'],
	['😀a', -2, 'a'],
	['e\u0301x', 1, ''],
	['🇩🇪🇫🇷', 6, '🇩🇪'],
	[`${'a'.repeat(500)}😀`, 501, 'a'.repeat(500)],
	[`a${MARKS}`, 300, `a${MARKS}`.slice(0, 300)],
	['\ud83d and more', 5, '\ufffd and'],
])('of %j, a length of %d keeps whole characters', (text, length, kept) => {
	expect(cutText(text, length)).toBe(kept);
});

it('is never longer, never half a character, and a part of the text', () => {
	const texts = fc.array(fc.constantFrom('a', '😀', FAMILY, '\u0301', ' ', MARKS, '\u{1e000}'));
	fc.assert(
		fc.property(texts, fc.integer({ min: -700, max: 700 }), (pieces, length) => {
			const text = pieces.join('');
			const cut = cutText(text, length);
			expect(cut.length).toBeLessThanOrEqual(Math.abs(length));
			expect(cut.isWellFormed()).toBe(true);
			expect(length < 0 ? text.endsWith(cut) : text.startsWith(cut)).toBe(true);
		}),
	);
});

it('what was left out is marked', () => {
	expect([shortenText('a😀', 3), shortenText('a😀', 2)]).toEqual(['a😀', 'a…']);
});
