import { detectFileType, SNIFF_LENGTH } from '../../../src/core/files';
import fc, { character } from '../../support/fastCheck';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const text = (value: string) => new TextEncoder().encode(value);
const ftyp = (brand: string) =>
	hex(`00000020 66747970 ${Buffer.from(brand).toString('hex')} 00000200`);

const PNG = hex('89504e47 0d0a1a0a 0000000d 49484452 00000001 00000001');
const JPEG = hex('ffd8ffe0 00104a46 49460001 01000048');
const WEBP = hex('52494646 24000000 57454250 56503820');
const WAV = hex('52494646 24000000 57415645 666d7420 10000000');
const MP3 = hex('49443304 00000000 0000');
const FLAC = hex('664c6143 00000022');
const OGG = hex('4f676753 00020000 00000000');
const WEBM = hex('1a45dfa3 9f428681 0142f781 01');

it.each<[string, Uint8Array, string | undefined, 'image' | 'video' | 'audio', string, string]>([
	['PNG', PNG, undefined, 'image', 'image/png', 'png'],
	['PNG under a wrong header', PNG, 'application/json', 'image', 'image/png', 'png'],
	['JPEG', JPEG, 'image/png', 'image', 'image/jpeg', 'jpg'],
	['WebP', WEBP, undefined, 'image', 'image/webp', 'webp'],
	['GIF', text('GIF89a\x01\x00\x01\x00'), undefined, 'image', 'image/gif', 'gif'],
	['WAV', WAV, undefined, 'audio', 'audio/wav', 'wav'],
	['MP3', MP3, undefined, 'audio', 'audio/mpeg', 'mp3'],
	['FLAC', FLAC, undefined, 'audio', 'audio/flac', 'flac'],
	['MP4 of a video job', ftyp('isom'), undefined, 'video', 'video/mp4', 'mp4'],
	['MP4 of a speech job', ftyp('isom'), undefined, 'audio', 'audio/mp4', 'm4a'],
	['MP4 with a header', ftyp('mp42'), 'video/mp4; codecs=avc1', 'audio', 'video/mp4', 'mp4'],
	['MP4 with a useless header', ftyp('isom'), 'text/plain', 'video', 'video/mp4', 'mp4'],
	['Ogg of a music job', OGG, undefined, 'audio', 'audio/ogg', 'ogg'],
	['WebM of a video job', WEBM, undefined, 'video', 'video/webm', 'webm'],
	[
		'SVG',
		text('<svg xmlns="http://www.w3.org/2000/svg">'),
		undefined,
		'image',
		'image/svg+xml',
		'svg',
	],
	[
		'SVG with a declaration',
		text('<?xml version="1.0"?>\n<svg>'),
		undefined,
		'image',
		'image/svg+xml',
		'svg',
	],
	['unknown bytes with a header', hex('01020304'), 'audio/aac', 'audio', 'audio/aac', 'aac'],
	[
		'unknown bytes with an x- header',
		hex('01020304'),
		'audio/x-aiff',
		'audio',
		'audio/x-aiff',
		'aiff',
	],
	...['<!-- made by x -->\n<svg>', '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "a" "b"><svg>'].map(
		(start): [string, Uint8Array, string, 'image', string, string] => [
			`a drawing behind ${start.slice(0, 9)}`,
			text(start),
			'application/octet-stream',
			'image',
			'image/svg+xml',
			'svg',
		],
	),
	['unknown bytes', hex('01020304'), undefined, 'image', 'application/octet-stream', 'bin'],
	[
		'unknown bytes, a hostile header',
		hex('01020304'),
		'image/../../x',
		'image',
		'application/octet-stream',
		'bin',
	],
])('%s', (_name, start, header, family, mimeType, extension) => {
	expect(detectFileType(start, header, family)).toEqual({ mimeType, extension });
});

it.each<[string, Uint8Array, string | undefined]>([
	['an HTML page', text('<!DOCTYPE html><html><body>Log in</body></html>'), 'text/html'],
	['an HTML page under an image header', text('<html><head></head></html>'), 'image/png'],
	['an HTML page without a header', text('\n  <!doctype html>'), undefined],
	['JSON', text('{"error":{"message":"gone"}}'), 'application/json'],
	['JSON without a header', text('{"detail":"gone"}'), undefined],
	['a JSON list under a video header', text('[{"a":1}]'), 'video/mp4'],
	['XML', text('<?xml version="1.0"?><Error/>'), 'application/xml'],
	['a plain text', text('Internal error: no such file\n'), 'text/plain'],
	['a text that begins as a film does', text('Gateway Timeout'), undefined],
	['words under a header of a picture', text('The file is not ready yet.'), 'image/png'],
	['words under a header with parameters', text('upstream error'), 'Image/JPEG; q=1'],
	['words under a header of sound', text('rate limit exceeded'), 'audio/mpeg'],
	['words under a header of a film', text('not found'), 'video/mp4'],
	['words under a header of a drawing', text('not found'), 'image/svg+xml'],
	['words under a rare header', text('GRIB'), 'image/x-grib'],
	['unknown bytes under the header of a drawing', hex('01020304'), 'image/svg+xml'],
	['a page with a comment first', text('<!-- x --><html>'), 'image/svg+xml'],
	['a plain text without a header', text('Grüße'), undefined],
	['a plain text, cut in a character', text('Grü').slice(0, 3), 'application/octet-stream'],
	['a text of two bytes a character', hex('fffe47006100'), undefined],
	['unknown bytes under a JSON header', hex('01020304'), 'application/problem+json'],
])('%s is no file', (_name, start, header) => {
	expect(detectFileType(start, header, 'image')).toBeUndefined();
});

it('gives a type and an ending that can be stored, or nothing, for any bytes and header', () => {
	const header = fc.option(
		fc.oneof(
			fc.string({ unit: character }),
			fc.constantFrom('image/png', 'audio/x-m4a', 'video/webm'),
		),
		{ nil: undefined },
	);
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 64 }), header, (start, declared) => {
			const type = detectFileType(start, declared, 'video');
			if (!type) return;
			expect(type.mimeType).toMatch(/^[\w.+-]+\/[\w.+-]+$/);
			expect(type.extension).toMatch(/^[\w+-]{1,20}$/);
		}),
	);
	expect(SNIFF_LENGTH).toBeGreaterThanOrEqual(4096);
});
