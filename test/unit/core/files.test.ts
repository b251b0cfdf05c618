import { detectFileType, sanitizeFileName } from '../../../src/core/files';
import fc, { character } from '../../support/fastCheck';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const text = (value: string) => new TextEncoder().encode(value);
const ftyp = (brand: string) =>
	hex(`00000020 66747970 ${Buffer.from(brand).toString('hex')} 00000200`);

const PNG = hex('89504e47 0d0a1a0a 0000000d 49484452 00000001 00000001');
const JPEG = hex('ffd8ffe0 00104a46 49460001 01000048');
const WAV = hex('52494646 24000000 57415645 666d7420 10000000');
const MP3 = hex('49443304 00000000 0000');
const OGG = hex('4f676753 00020000 00000000');
const WEBM = hex('1a45dfa3 9f428681 0142f781 01');

const UNKNOWN = hex('01020304');
const SVG = ['image/svg+xml', 'svg'] as const;
const NONE = ['application/octet-stream', 'bin'] as const;

type Family = Parameters<typeof detectFileType>[2];
type Found = readonly [mimeType: string, extension: string];

it.each<[string, Uint8Array, string | undefined, Family, ...Found]>([
	['PNG', PNG, undefined, 'image', 'image/png', 'png'],
	['PNG under a wrong header', PNG, 'application/json', 'image', 'image/png', 'png'],
	['JPEG', JPEG, 'image/png', 'image', 'image/jpeg', 'jpg'],
	['WAV', WAV, undefined, 'audio', 'audio/wav', 'wav'],
	['MP3', MP3, undefined, 'audio', 'audio/mpeg', 'mp3'],
	['MP4 of a video job', ftyp('isom'), undefined, 'video', 'video/mp4', 'mp4'],
	['MP4 of a speech job', ftyp('isom'), undefined, 'audio', 'audio/mp4', 'm4a'],
	['MP4 with a header', ftyp('mp42'), 'video/mp4; codecs=avc1', 'audio', 'video/mp4', 'mp4'],
	['MP4 with a useless header', ftyp('isom'), 'text/plain', 'video', 'video/mp4', 'mp4'],
	['Ogg of a music job', OGG, undefined, 'audio', 'audio/ogg', 'ogg'],
	['WebM of a video job', WEBM, undefined, 'video', 'video/webm', 'webm'],
	['SVG', text('<svg xmlns="http://www.w3.org/2000/svg">'), undefined, 'image', ...SVG],
	['SVG with a declaration', text('<?xml version="1.0"?>\n<svg>'), undefined, 'image', ...SVG],
	['SVG behind a comment', text('<!-- made by x -->\n<svg>'), NONE[0], 'image', ...SVG],
	[
		'SVG behind its type',
		text('<?xml?><!DOCTYPE svg PUBLIC "a" "b"><svg>'),
		NONE[0],
		'image',
		...SVG,
	],
	['unknown bytes with a header', UNKNOWN, 'audio/aac', 'audio', 'audio/aac', 'aac'],
	['unknown bytes with an x- header', UNKNOWN, 'audio/x-aiff', 'audio', 'audio/x-aiff', 'aiff'],
	['raw sound', hex('00000100 02000100'), 'audio/pcm', 'audio', 'audio/pcm', 'pcm'],
	['raw sound like a video', hex('47000100'), 'audio/pcm', 'audio', 'audio/pcm', 'pcm'],
	['raw sound like JSON', hex('5b00ff00'), 'audio/pcm', 'audio', 'audio/pcm', 'pcm'],
	['raw sound like an MP3', hex('fffb9000'), 'audio/pcm', 'audio', 'audio/pcm', 'pcm'],
	['raw sound of Gemini', hex('00000100'), 'audio/L16;rate=24000', 'audio', 'audio/l16', 'l16'],
	['unknown bytes', UNKNOWN, undefined, 'image', ...NONE],
	['unknown bytes, a hostile header', UNKNOWN, 'image/../../x', 'image', ...NONE],
])('%s', (_name, start, header, family, mimeType, extension) => {
	expect(detectFileType(start, header, family)).toEqual({ mimeType, extension });
});

it.each([
	['<!DOCTYPE html><html><body>Log in</body></html>', 'text/html'],
	['<html><head></head></html>', 'image/png'],
	['\n  <!doctype html>', undefined],
	['{"error":{"message":"gone"}}', 'application/json'],
	['{"detail":"gone"}', undefined],
	['[{"a":1}]', 'video/mp4'],
	['<?xml version="1.0"?><Error/>', 'application/xml'],
	['Internal error: no such file\n', 'text/plain'],
	// a text that begins as a film does
	['Gateway Timeout', undefined],
	['The file is not ready yet.', 'image/png'],
	['upstream error', 'Image/JPEG; q=1'],
	['rate limit exceeded', 'audio/mpeg'],
	['not found', 'video/mp4'],
	['not found', 'image/svg+xml'],
	['GRIB', 'image/x-grib'],
	['<!-- x --><html>', 'image/svg+xml'],
	['Grüße', undefined],
	// cut in a character, two bytes a character, unknown bytes
	[text('Grü').slice(0, 3), 'application/octet-stream'],
	[hex('fffe47006100'), undefined],
	[UNKNOWN, 'image/svg+xml'],
	[UNKNOWN, 'application/problem+json'],
])('%j under the header %s is no file', (start, header) => {
	const bytes = typeof start === 'string' ? text(start) : start;
	expect(detectFileType(bytes, header, 'image')).toBeUndefined();
});

/** As a header arrives: one character per byte. */
const arrived = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

const named = (name: string) => `attachment; filename="${name}"`;
const extended = (value: string) => `attachment; filename*=${value}`;
const orElseX = (value: string) => `${extended(value)}; filename="x.png"`;

it.each<[name: string | undefined, ...headers: Array<string | undefined>]>([
	['cat.png', named('cat.png'), 'attachment; filename=cat.png', 'filename="cat.png"'],
	['cat.png', 'attachment;filename = "cat.png" ; size=5', 'ATTACHMENT; FILENAME="cat.png"'],
	['cat.png', 'inline; name="field"; filename="cat.png"'],
	['first.png', `${named('first.png')}; filename="second.png"`],
	// the type's ending wins
	['cat.png', named('cat.html'), named('cat')],
	['cat.tar.png', named('cat.tar.gz')],
	['a cat, 1.5 years.png', named('a cat, 1.5 years.jpeg')],
	// RFC 6266, RFC 8187
	['€ rates.png', `${named('x.png')}; filename*=UTF-8''%e2%82%ac%20rates.png`],
	['café.png', extended(`utf-8'en'caf%C3%A9.png; filename="x.png"`)],
	['café.png', extended(`iso-8859-1''caf%e9.png`)],
	['quoted.png', extended(`"UTF-8''quoted.png"`)],
	['x.png', ...[`UTF-8''%e2%82`, `UTF-8''%zz`, `utf-16''a`, 'nothing'].map(orElseX)],
	["a; filename=UTF-8''evil.png", named("a; filename*=UTF-8''evil.png")],
	['a;b.png', named('a;b.png')],
	['a b c.png', named('a \\"b\\" c.png')],
	['100%25.png', named('100%25.png')],
	['Größe.png', arrived(named('Größe.png')), named('Gr\xf6\xdfe.png')],
	// no folders
	['evil.png', named('../../evil.html')],
	['passwd.png', named('/etc/passwd')],
	['cat.png', named('C:/dir/cat.png'), named('a\\\\b\\\\cat.png')],
	['cat.png', extended(`UTF-8''..%2f..%2Fcat.png`)],
	// nothing that misleads
	['cat.pngX-Evil 1.png', extended(`UTF-8''cat%00.png%0d%0aX-Evil:%201`)],
	['catgnp.png', extended(`UTF-8''cat%e2%80%aegnp.exe`)],
	['cat.png', extended(`UTF-8''%ef%bb%bfcat%c2%85.png`), named('...cat . .png')],
	['abcdefg.png', named('a<b>c:d|e?f*g.png')],
	['htaccess.png', named('.htaccess'), named('?.htaccess')],
	['cat anddog.png', named(' cat   and\tdog .png ')],
	['\u00e9.png', arrived(named('e\u0301.png'))],
	// devices of Windows
	[undefined, named('CON.txt'), named('nul'), named('Com1.x.txt'), named(' .CON.txt')],
	[undefined, extended(`UTF-8''C%e2%80%8bON.txt`)],
	['console.png', named('console.txt')],
	// no name
	[undefined, undefined, '', 'attachment', 'attachment; filename="unclosed'],
	[undefined, named(''), named('..'), named('???'), named('/')],
])('%j is the name in %j', (name, ...headers) => {
	expect(headers.map((header) => sanitizeFileName(header, 'png'))).toEqual(headers.map(() => name));
});

it.each([
	['a'.repeat(5000), 'jpeg', `${'a'.repeat(115)}.jpeg`],
	['é'.repeat(200), 'png', `${'é'.repeat(116)}.png`],
	['日'.repeat(200), 'png', `${'日'.repeat(78)}.png`],
	['😀'.repeat(200), 'png', `${'😀'.repeat(58)}.png`],
	// no blank is left before the ending
	[`${'a'.repeat(115)} b`, 'png', `${'a'.repeat(115)}.png`],
])('a long name is cut: %#', (name, extension, expected) => {
	expect(sanitizeFileName(arrived(named(name)), extension)).toBe(expected);
});

it('whatever comes, the name is safe or there is none', () => {
	const text = fc.string({ unit: character, maxLength: 300 });
	const header = fc.oneof(
		text,
		text.map(named),
		text.map((name) => arrived(named(name))),
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
			expect(Buffer.byteLength(name)).toBeLessThanOrEqual(240);
			expect(name.isWellFormed()).toBe(true);
		}),
	);
});
