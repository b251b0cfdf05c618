import { sanitizeFileName } from '../../../src/core/files';
import fc, { character } from '../../support/fastCheck';

const bytesOf = (text: string) => new TextEncoder().encode(text).length;
/** As a header arrives: one character per byte. */
const arrived = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

it.each<[string, string | undefined]>([
	['attachment; filename="cat.png"', 'cat.png'],
	['attachment; filename=cat.png', 'cat.png'],
	['attachment;filename = "cat.png" ; size=5', 'cat.png'],
	['ATTACHMENT; FILENAME="cat.png"', 'cat.png'],
	['filename="cat.png"', 'cat.png'],
	['inline; name="field"; filename="cat.png"', 'cat.png'],
	['attachment; filename="first.png"; filename="second.png"', 'first.png'],
	// the type's ending wins
	['attachment; filename="cat.html"', 'cat.png'],
	['attachment; filename="cat"', 'cat.png'],
	['attachment; filename="cat.tar.gz"', 'cat.tar.png'],
	['attachment; filename="a cat, 1.5 years.jpeg"', 'a cat, 1.5 years.png'],
	// RFC 6266, RFC 8187
	[`attachment; filename="x.png"; filename*=UTF-8''%e2%82%ac%20rates.png`, '€ rates.png'],
	[`attachment; filename*=utf-8'en'caf%C3%A9.png; filename="x.png"`, 'café.png'],
	[`attachment; filename*=iso-8859-1''caf%e9.png`, 'café.png'],
	[`attachment; filename*="UTF-8''quoted.png"`, 'quoted.png'],
	[`attachment; filename*=UTF-8''%e2%82; filename="x.png"`, 'x.png'],
	[`attachment; filename*=UTF-8''%zz; filename="x.png"`, 'x.png'],
	[`attachment; filename*=utf-16''a; filename="x.png"`, 'x.png'],
	[`attachment; filename*=nothing; filename="x.png"`, 'x.png'],
	[`attachment; filename="a; filename*=UTF-8''evil.png"`, "a; filename=UTF-8''evil.png"],
	['attachment; filename="a;b.png"', 'a;b.png'],
	['attachment; filename="a \\"b\\" c.png"', 'a b c.png'],
	['attachment; filename="100%25.png"', '100%25.png'],
	[arrived('attachment; filename="Größe.png"'), 'Größe.png'],
	['attachment; filename="Gr\xf6\xdfe.png"', 'Größe.png'],
	// no folders
	['attachment; filename="../../evil.html"', 'evil.png'],
	['attachment; filename="/etc/passwd"', 'passwd.png'],
	['attachment; filename="C:/dir/cat.png"', 'cat.png'],
	['attachment; filename="a\\\\b\\\\cat.png"', 'cat.png'],
	[`attachment; filename*=UTF-8''..%2f..%2Fcat.png`, 'cat.png'],
	// nothing that misleads
	[`attachment; filename*=UTF-8''cat%00.png%0d%0aX-Evil:%201`, 'cat.pngX-Evil 1.png'],
	[`attachment; filename*=UTF-8''cat%e2%80%aegnp.exe`, 'catgnp.png'],
	[`attachment; filename*=UTF-8''%ef%bb%bfcat%c2%85.png`, 'cat.png'],
	['attachment; filename="a<b>c:d|e?f*g.png"', 'abcdefg.png'],
	['attachment; filename=".htaccess"', 'htaccess.png'],
	['attachment; filename="...cat . .png"', 'cat.png'],
	['attachment; filename=" cat   and\tdog .png "', 'cat anddog.png'],
	[arrived('attachment; filename="e\u0301.png"'), '\u00e9.png'],
	// devices of Windows
	['attachment; filename="CON.txt"', undefined],
	['attachment; filename="nul"', undefined],
	['attachment; filename="Com1.x.txt"', undefined],
	['attachment; filename="console.txt"', 'console.png'],
	['attachment; filename=" .CON.txt"', undefined],
	[`attachment; filename*=UTF-8''C%e2%80%8bON.txt`, undefined],
	['attachment; filename="?.htaccess"', 'htaccess.png'],
	// no name
	['attachment', undefined],
	['', undefined],
	['attachment; filename=""', undefined],
	['attachment; filename=".."', undefined],
	['attachment; filename="???"', undefined],
	['attachment; filename="/"', undefined],
	['attachment; filename="unclosed', undefined],
])('%j', (header, name) => {
	expect(sanitizeFileName(header, 'png')).toBe(name);
});

it('there may be no header', () => {
	expect(sanitizeFileName(undefined, 'png')).toBeUndefined();
});

it.each([
	['a'.repeat(5000), 'jpeg', `${'a'.repeat(115)}.jpeg`],
	['é'.repeat(200), 'png', `${'é'.repeat(116)}.png`],
	['日'.repeat(200), 'png', `${'日'.repeat(78)}.png`],
	['😀'.repeat(200), 'png', `${'😀'.repeat(58)}.png`],
	// no blank is left before the ending
	[`${'a'.repeat(115)} b`, 'png', `${'a'.repeat(115)}.png`],
])('a long name is cut: %#', (name, extension, expected) => {
	expect(sanitizeFileName(arrived(`attachment; filename="${name}"`), extension)).toBe(expected);
});

it('whatever comes, the name is safe or there is none', () => {
	const text = fc.string({ unit: character, maxLength: 300 });
	const header = fc.oneof(
		text,
		text.map((name) => `attachment; filename="${name}"`),
		text.map((name) => arrived(`attachment; filename="${name}"`)),
		fc
			.stringMatching(/^[^\ud800-\udfff]{0,50}$/)
			.map((name) => `a; filename*=UTF-8''${encodeURIComponent(name)}`),
	);
	fc.assert(
		fc.property(header, (value) => {
			const name = sanitizeFileName(value, 'png');
			if (name === undefined) return;
			expect(name).toMatch(/^[^.\s][^/\\<>:"|?*\p{C}]*\.png$/u);
			expect(name).not.toMatch(/[. ]\.png$/);
			expect(name.length).toBeLessThanOrEqual(120);
			expect(bytesOf(name)).toBeLessThanOrEqual(240);
			expect(name.isWellFormed()).toBe(true);
		}),
	);
});
