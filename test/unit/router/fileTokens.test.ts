import { maximumFileTokens } from '../../../src/router/fileTokens';
import { maximumPromptTokens } from '../../../src/router/promptTokens';

/** What GPT-4o mini counts for the largest picture. */
const PICTURE = 48_169;
const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64');
const dataUrl = (type: string, content: string) => `data:${type};base64,${content}`;
const SMALL = dataUrl('image/png', 'iVBORw0KGgo=');
const text = base64('x'.repeat(3000));

/** A header of a WAV file. */
function wav({ format = 1, sampleRate = 16_000, frame = 2 } = {}) {
	const head = Buffer.alloc(44);
	head.write('RIFF');
	head.write('WAVEfmt ', 8);
	head.writeUInt16LE(format, 20);
	head.writeUInt32LE(sampleRate, 24);
	head.writeUInt16LE(frame, 32);
	return base64(Buffer.concat([head, Buffer.alloc(16_000)]));
}
const mp3 = base64(Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0]), Buffer.alloc(16_000)]));
const tagged = base64(`ID3${'\0'.repeat(3000)}`);
const sound = (format: unknown, data: string) => ({
	type: 'input_audio',
	input_audio: { data, format },
});
const file = (type: string, content: string) => ({
	type: 'file',
	file: { filename: 'a', file_data: dataUrl(type, content) },
});

it.each<[string, object, number]>([
	[
		'a picture, however small its file is',
		{ type: 'image_url', image_url: { url: SMALL } },
		PICTURE,
	],
	[
		'with a level of detail, and a mark',
		{ type: 'image_url', image_url: { url: SMALL, detail: 'low' }, cache_control: {} },
		PICTURE,
	],
	['of the responses protocol', { type: 'input_image', image_url: SMALL, detail: 'high' }, PICTURE],
	['a photo', { type: 'input_image', image_url: dataUrl('IMAGE/JPEG', text) }, PICTURE],
	[
		'one that is read later',
		{ type: 'input_image', image_url: dataUrl('image/webp', '') },
		PICTURE,
	],
	['a text', file('text/plain', text), 8000],
	['one with a character set', file('text/csv;charset=utf-16', text), 8000],
	['JSON', file('application/json', text), 8000],
	[
		'XML',
		{ type: 'input_file', filename: 'a', file_data: dataUrl('application/atom+xml', text) },
		8000,
	],
	['MP3', sound('mp3', mp3), 22 * 32],
	['MP3 with a tag', sound('mp3', tagged), 5 * 32],
	['WAV', sound('wav', wav()), 3 * 32],
	['sound that is read later', sound('mp3', ''), 0],
	['a file of which nothing is known until it is read', file('application/octet-stream', ''), 0],
	[
		'sound by its data address',
		{ type: 'audio_url', audio_url: { url: dataUrl('audio/mpeg', mp3) } },
		22 * 32,
	],
])('counts %s', (_what, part, tokens) => {
	const counted = maximumFileTokens(part as Record<string, unknown>)!;
	// what stands beside the file counts by its bytes
	expect(counted).toBeGreaterThan(tokens);
	expect(counted).toBeLessThan(tokens + 150);
	const body = { messages: [{ role: 'user', content: [part, part] }] };
	const prompt = maximumPromptTokens(body) as { tokens: number; hasFiles: boolean };
	expect(prompt).toMatchObject({ hasFiles: true });
	expect(prompt.tokens).toBeGreaterThan(2 * counted);
	expect(prompt.tokens).toBeLessThan(2 * counted + 100);
});

it.each<[string, object]>([
	[
		'what is behind an address',
		{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
	],
	['a file of the vendor', { type: 'input_image', file_id: 'x' }],
	['one beside it', { type: 'input_image', image_url: SMALL, file_id: 'x' }],
	[
		'another address beside it',
		{ type: 'image_url', image_url: { url: SMALL, more: 'https://a.b' } },
	],
	['a PDF: few bytes may have many pages', file('application/pdf', text)],
	['a PDF that is read later', file('application/pdf', '')],
	['a picture of which no vendor has a rule', file('image/tiff', text)],
	['a drawing', file('image/svg+xml', text)],
	[
		'an office document',
		file('application/vnd.openxmlformats-officedocument.wordprocessingml.document', text),
	],
	['a video', { type: 'video_url', video_url: { url: dataUrl('video/mp4', text) } }],
	[
		'a video that is called a picture',
		{ type: 'image_url', image_url: { url: dataUrl('video/mp4', text) } },
	],
	['a text that is no Base64', { type: 'file', file: { file_data: 'data:text/plain,abc' } }],
	['something else that is called MP3', sound('mp3', wav())],
	['a format that is no word', sound({ toString: 1 }, mp3)],
	['AAC', sound('mp3', base64(Buffer.from([0xff, 0xf1, 0x50, 0x80])))],
	['Opus', sound('opus', text)],
	['a WAV that claims one sample per second', sound('wav', wav({ sampleRate: 1 }))],
	['a WAV with compressed sound', sound('wav', wav({ format: 0x31 }))],
	['a WAV without a header', sound('wav', text)],
	['a WAV that is cut off', sound('wav', base64('RIFF'))],
	['a part without a file', { type: 'image_url', image_url: 'x' }],
	['a type that is not known', { type: 'constructor', url: SMALL }],
])('has no limit for %s', (_what, part) => {
	expect(maximumFileTokens(part as Record<string, unknown>)).toBeUndefined();
	const body = { messages: [{ role: 'user', content: [part] }] };
	expect(maximumPromptTokens(body)).toHaveProperty('unbounded');
});
