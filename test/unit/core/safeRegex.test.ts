import { compileSafeRegex } from '../../../src/core/safeRegex';
import fc from '../../support/fastCheck';

it.each<[string, string, string, boolean]>([
	['^a.c$', 'u', 'abc', true],
	['^a.c$', 'u', 'a\u2028c', false],
	['^a.c$', 'su', 'a\nc', true],
	['^b$', 'u', 'a\nb', false],
	['^b$', 'mu', 'a\r\nb\r\n', true],
	['^\\s+$', 'u', ' \t\v\u00a0\ufeff\u2003', true],
	['^[^\\S ]$', 'u', ' ', false],
	['^\\u00e4\\x62\\cJ\\0$', 'u', 'äb\n\0', true],
	['^\\u{1f600}$', 'u', '😀', true],
	['^\\ud83d\\ude00.$', 'u', '😀🙂', true],
	['^[\\u{1f600}-\\u{1f64f}]+$', 'u', '😀🙂', true],
	['^\\p{L}+$', 'u', 'äΩЖ字', true],
	['^\\p{Uppercase_Letter}\\P{Lu}$', 'u', 'Ää', true],
	['^\\p{Script=Greek}+$', 'u', 'Ωμέγα', true],
	['^[\\p{ASCII}]+$', 'u', 'a-', true],
	['^[]$', 'u', '', false],
	['^[^]$', 'u', '\n', true],
	['^[\\b\\]\\-[]+$', 'u', '\b]-[', true],
	['ÄSSK', 'iu', 'äſsK', true],
	['^(?<year>\\d{4})-(\\d\\d)$', 'u', '2024-05', true],
	['^(?:a|ab)(?:c|bcd)(?:d*)$', 'u', 'abcd', true],
	['^(a?){3}b{2,}?c*?$', 'u', 'aabb', true],
	['(?<=\\d)€', 'u', '5€', true],
	['(?<!(\\d))€', 'u', '5€', false],
	['\\bfoo\\B', 'u', 'a fooo', true],
	// as JavaScript reads a pattern without "u"
	['a{,2}]}', '', 'a{,2}]}', true],
	['^[\\w-.]+\\-$', '', 'a.b--', true],
	['^\\p{L}$', '', 'p{L}', true],
	['^\\u0041\\/$', 'dgy', 'A/', true],
	['', '', '', true],
])('/%s/%s in %j: %j', (source, flags, text, expected) => {
	// what is expected is what JavaScript does, but that "y" has no effect
	expect(new RegExp(source, flags.replace('y', '')).test(text)).toBe(expected);
	const { test } = compileSafeRegex(source, flags);
	expect([test(text), test(text)]).toEqual([expected, expected]);
});

it.each<[string, string, RegExp]>([
	['(', 'u', /^Invalid regular expression: \/\(\/u: Unterminated group$/],
	['\\-', 'u', /^Invalid regular expression: .*Invalid escape$/],
	['a', 'x', /^Invalid flags/],
	['a(?=b)', 'u', /^Looking ahead/],
	['a(?!b)', '', /^Looking ahead/],
	['(a)\\1', 'u', /^A reference back to a group is not supported$/],
	['(?<n>a)\\k<n>', 'u', /^A reference back to a group is not supported$/],
	['a{1001}', 'u', /^Something is repeated more than 1000 times, which is not supported$/],
	['(?:a{50}){50}', 'u', /^Something is repeated more than 1000 times, which is not supported$/],
	['[a]', 'v', /^The flag "v" is not supported$/],
])('refuses /%s/%s', (source, flags, message) => {
	expect(() => compileSafeRegex(source, flags)).toThrow(message);
});

it.each<[string, string, string, string]>([
	['/?stop!*', 'gi', 'Stop!! now, STOP', ' now, '],
	['^b', 'm', 'b\r\nb', '\r\n'],
	['\\d*', '', 'a1b22', 'ab'],
	['😀', 'u', 'a😀b😀', 'ab'],
])('takes /%s/%s out of %j: %j', (source, flags, text, expected) => {
	expect(text.replace(new RegExp(source, `${flags.replace('g', '')}g`), '')).toBe(expected);
	expect(compileSafeRegex(source, flags).removeFrom(text)).toBe(expected);
});

it.each([
	['(a+)+$', `${'a'.repeat(100_000)}!`],
	['^(?:a|aa|a?)*$', `${'a'.repeat(100_000)}!`],
	['(x+x+)+y', 'x'.repeat(100_000)],
	['^(?:[a-z0-9]+\\.?)*$', `${'a'.repeat(100_000)}!`],
	['(?:.*,){12}P', '1,'.repeat(50_000)],
	['(?<!(?:a+)+b)c', 'a'.repeat(100_000)],
	['(a|b)*a(a|b){60}c', 'ab'.repeat(50_000)],
])('%s takes linear time', (source, text) => {
	const { test, removeFrom } = compileSafeRegex(source, 'u');
	expect([test(text), removeFrom(text)]).toEqual([false, text]);
});

it('finds what JavaScript finds, whatever the pattern', () => {
	const atom = fc.constantFrom(
		...['a', 'b', 'k', 'ä', '\\.', '\\n', '\\u0061', '\\x62', '😀', '\\ud83d\\ude00', '/'],
		...['.', '\\d', '\\D', '\\w', '\\s', '\\S', '[a-c]', '[^a-c]', '[^\\s]', '[\\w.-]', '[-a]'],
		...['\\p{L}', '\\P{L}', '[\\p{L}\\p{N}]', '\\p{Script=Greek}', '[😀b]', '[]', '[^]', '[K]'],
	);
	const repeat = fc.constantFrom(
		'',
		'',
		'*',
		'+',
		'?',
		'*?',
		'+?',
		'{2}',
		'{1,3}',
		'{0,2}?',
		'{2,}',
	);
	const pattern = fc.letrec<{ any: string }>((tie) => ({
		any: fc.oneof(
			{ maxDepth: 3, depthSize: 'small' },
			fc.tuple(atom, repeat).map((parts) => parts.join('')),
			fc.constantFrom('^', '$', '\\b', '\\B'),
			fc.array(tie('any'), { minLength: 2, maxLength: 3 }).map((parts) => parts.join('')),
			fc.tuple(tie('any'), tie('any')).map(([one, other]) => `(${one}|${other})`),
			// more often would keep JavaScript busy for hours
			fc
				.tuple(tie('any'), fc.constantFrom('', '?', '{2}'))
				.map(([one, times]) => `(?:${one})${times}`),
			tie('any').map((inner) => `(?<!${inner.replaceAll(/\((?!\?)/g, '(?:')})`),
		),
	})).any;
	const unit = fc.constantFrom(
		...'abckKäÖΩσ019_-. \n\t/',
		'😀',
		'🙂',
		'\u2028',
		'\ufeff',
		'\u00a0',
	);
	fc.assert(
		fc.property(
			pattern,
			fc.constantFrom('u', 'iu', 'su'),
			fc.array(fc.string({ unit, maxLength: 8 }), { minLength: 3, maxLength: 3 }),
			(source, flags, texts) => {
				// between characters V8 also looks in the middle of some
				const between = /\(\?<!|\\B/.test(source);
				fc.pre(!between || !/[\u{10000}-\u{10ffff}]/u.test(texts.join('')));
				const native = new RegExp(source, flags);
				const { test } = compileSafeRegex(source, flags);
				for (const text of texts) expect(test(text)).toBe(native.test(text));
			},
		),
	);
});
