import { readKeyText } from '../../../src/core/keyText';

it.each([
	['composed', 'Caf\u00e9'],
	['decomposed', 'Cafe\u0301'],
	['with a zero-width space', 'Ca\u200bf\u00e9'],
	['with a byte order mark and spaces', '\ufeff Caf\u00e9 '],
	['with a soft hyphen and a word joiner', 'Ca\u00adf\u2060\u00e9'],
])('a key is the same, %s', (_how, text) => {
	expect(readKeyText('Unique Key', text)).toBe('Caf\u00e9');
});

it.each(['order\u00a01', 'order\u20091', 'order\u30001'])('%j is one with a space', (text) => {
	expect(readKeyText('Unique Key', text)).toBe('order 1');
});

it('parts that a line break or a tab separates are not joined', () => {
	expect(readKeyText('Unique Key', '1\t12')).not.toBe(readKeyText('Unique Key', '11\t2'));
});

it.each(['a\u0000b', '\ud800', 'x\udc00'])('%j is refused: no database stores it', (text) => {
	expect(() => readKeyText('Spending Label', text)).toThrow(
		'Spending Label contains a character that cannot be stored',
	);
});
