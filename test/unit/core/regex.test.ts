import { compileRegex } from '../../../src/core/regex';
import fc from '../../support/fastCheck';

it.each<[string, string, string, boolean]>([
	['^a.c$', 'u', 'abc', true],
	['^a.c$', 'su', 'a\nc', true],
	['^b$', 'u', 'a\nb', false],
	['^b$', 'mu', 'a\nb\n', true],
	['^\\s+$', 'u', ' \t\r\n', true],
	['^[^\\S ]$', 'u', ' ', false],
	['^\\u00e4\\x62\\cJ\\0$', 'u', 'äb\n\0', true],
	['^\\u{1f600}$', 'u', '😀', true],
	['^[\\u{1f600}-\\u{1f64f}]+$', 'u', '😀🙂', true],
	['^\\p{L}+$', 'u', 'äΩЖ字', true],
	['^[]$', 'u', '', false],
	['^[^]$', 'u', '\n', true],
	['ÄSSK', 'iu', 'äſsK', true],
	['^(?<year>\\d{4})-(\\d\\d)$', 'u', '2024-05', true],
	['^(?:a|ab)(?:c|bcd)(?:d*)$', 'u', 'abcd', true],
	['^(a?){3}b{2,}?c*?$', 'u', 'aabb', true],
	['(?<=\\d)€', 'u', '5€', true],
	['(?<!\\d)€', 'u', '5€', false],
	['\\bfoo\\B', 'u', 'a fooo', true],
	['^\\\\k$', 'u', '\\k', true],
	// as JavaScript reads a pattern without "u"
	['a{,2}]}', '', 'a{,2}]}', true],
	['^[\\w-.]+\\-$', '', 'a.b--', true],
	['^\\u0041\\/$', 'dgy', 'A/', true],
	['', '', '', true],
])('/%s/%s in %j: %j', (source, flags, text, expected) => {
	// what is expected is what JavaScript does, but that "y" has no effect
	expect(new RegExp(source, flags.replace('y', '')).test(text)).toBe(expected);
	const { test } = compileRegex(source, flags);
	expect([test(text), test(text)]).toEqual([expected, expected]);
});

it.each<[string, string, RegExp]>([
	['(', 'u', /^Invalid regular expression: \/\(\/u: Unterminated group$/],
	['\\-', 'u', /^Invalid regular expression: .*Invalid escape$/],
	['a', 'x', /^Invalid flags/],
	['a(?=b)', 'u', /^RE2 does not support it \(.*`\(\?=`\)\. Lookahead, .* are not possible$/],
	['a(?!b)', '', /`\(\?!`/],
	['(a)\\1', 'u', /`\\1`/],
	['(?<n>a)\\k<n>', 'u', /\(\\k<n>\)/],
	['(a)(b)(c)(d)(e)(f)(g)(h)\\8', '', /\(\\8\)/],
	['a{1001}', 'u', /`\{1001\}`/],
	['(?:a{50}){50}', 'u', /repeat count/],
	['\\ud83d\\ude00', 'u', /\(\\ud83d\)/],
	['\\p{Script=Greek}', 'u', /Script=Greek/],
	['[a]', 'v', /\(flag v\)/],
])('refuses /%s/%s', (source, flags, message) => {
	expect(() => compileRegex(source, flags)).toThrow(message);
});

it.each<[string, string, string, string]>([
	['/?stop!*', 'gi', 'Stop!! now, STOP', ' now, '],
	['^b', 'm', 'b\nb', '\n'],
	['\\d*', '', 'a1b22', 'ab'],
	['😀', 'u', 'a😀b😀', 'ab'],
])('takes /%s/%s out of %j: %j', (source, flags, text, expected) => {
	expect(text.replace(new RegExp(source, `${flags.replace('g', '')}g`), '')).toBe(expected);
	expect(compileRegex(source, flags).removeFrom(text)).toBe(expected);
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
	const { test, removeFrom } = compileRegex(source, 'u');
	expect([test(text), removeFrom(text)]).toEqual([false, text]);
});

it('removes a bounded number of matches, each of which RE2 finds by reading the whole text', () => {
	const text = 'a'.repeat(100_000);
	expect(compileRegex('a.*z|a').removeFrom(text)).toHaveLength(99_800);
});

it('finds what JavaScript finds, whatever the pattern', () => {
	const atom = fc.constantFrom(
		...['a', 'b', 'k', 'ä', '\\.', '\\n', '\\u0061', '\\x62', '😀', '/', '[a-c]', '[^a-c]', '\\d'],
		...[
			'\\D',
			'\\w',
			'[\\w.-]',
			'[-a]',
			'\\p{L}',
			'\\P{L}',
			'[\\p{L}\\p{N}]',
			'[😀b]',
			'[]',
			'[^]',
		],
	);
	const repeat = fc.constantFrom(
		...['', '', '*', '+', '?', '*?', '+?', '{2}', '{1,3}', '{0,2}?', '{2,}'],
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
	const unit = fc.constantFrom(...'abckKäÖΩσ019_-. \n\t/😀🙂\u2028\ufeff\u00a0');
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
				const { test } = compileRegex(source, flags);
				for (const text of texts) expect(test(text)).toBe(native.test(text));
			},
		),
	);
});
