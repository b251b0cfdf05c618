import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';

import { createBits } from './media/drawn/bits.ts';
import { linesOf } from './media/drawn/canvas.ts';
import { drawnFile } from './media/drawn/drawnFile.ts';
import { glyphOf } from './media/drawn/font.ts';
import type { MediaFile } from './media/file.ts';
import { readPng } from './media/png.ts';
import { client } from './probe.ts';
import { startService, type Service } from './service.ts';

const BEACH = 'Waves on a beach at dawn, seen from above';

/** The content of the first box of a name, wherever it is. */
function boxOf(file: Buffer, name: string): Buffer {
	const at = file.indexOf(name, 0, 'latin1');
	return file.subarray(at + 4, at - 4 + file.readUInt32BE(at - 4));
}

/** Seconds, and size in pixels. */
function filmOf({ bytes }: MediaFile) {
	const [header, track, sizes] = ['mvhd', 'tkhd', 'stsz'].map((name) => boxOf(bytes, name));
	return {
		seconds: (header?.readUInt32BE(16) ?? 0) / (header?.readUInt32BE(12) ?? 1),
		width: (track?.readUInt32BE(76) ?? 0) >>> 16,
		height: (track?.readUInt32BE(80) ?? 0) >>> 16,
		pictures: sizes?.readUInt32BE(8) ?? 0,
	};
}

/** Seconds, and how loud the loudest sample is (of 32767). */
function soundOf({ bytes }: MediaFile) {
	const at = bytes.indexOf('data', 0, 'latin1');
	const size = bytes.readUInt32LE(at + 4);
	const data = bytes.subarray(at + 8, at + 8 + size);
	expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
	let loudest = 0;
	for (let sample = 0; sample < size; sample += 2) {
		loudest = Math.max(loudest, Math.abs(data.readInt16LE(sample)));
	}
	return { seconds: size / bytes.readUInt32LE(28), loudest };
}

describe('a picture', () => {
	it.each([
		[{}, 1024, 768],
		[{ size: '640x480' }, 640, 480],
		[{ aspect_ratio: '16:9' }, 1024, 576],
		[{ aspect_ratio: '9:16' }, 576, 1024],
		[{ width: 300, height: 200 }, 300, 200],
		[{ size: '8192x4096' }, 2048, 1024],
	])('for %j has %i by %i pixels, all of them drawn', (body, width, height) => {
		const { bytes, type, extension } = drawnFile('image', BEACH, body);
		expect([type, extension]).toEqual(['image/png', 'png']);
		expect(readPng(bytes)).toEqual({ width, height, note: BEACH });
		const at = bytes.indexOf('IDAT', 0, 'latin1');
		const rows = inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)));
		expect(rows).toHaveLength(height * (1 + width * 3));
		const colors = new Set<number>();
		for (let pixel = 1; pixel + 2 < rows.length; pixel += 999)
			colors.add(rows.readUIntBE(pixel, 3));
		expect(colors.size).toBeGreaterThan(20);
	});

	it('is another one for other words, and the same for the same', () => {
		const bytesOf = (prompt: string) => drawnFile('image', prompt, { size: '160x120' }).bytes;
		expect(bytesOf('A boat at night')).not.toEqual(bytesOf('A boat at dawn'));
		expect(bytesOf('A boat at dawn')).toBe(bytesOf('A boat at dawn'));
	});

	it('shows its prompt in two lines at most', () => {
		expect(linesOf('A lighthouse at dawn', 12, 2)).toEqual(['A lighthouse', 'at dawn']);
		expect(linesOf('one two three four five', 9, 2)).toEqual(['one two', 'three ...']);
		expect(glyphOf('I')).toEqual(glyphOf('Í'));
		expect(glyphOf('語')).toEqual(glyphOf('?'));
	});
});

describe('a film', () => {
	it.each([
		[{}, { width: 480, height: 272, seconds: 5.04, pictures: 63 }],
		[
			{ duration: 2, aspect_ratio: '9:16' },
			{ width: 272, height: 480, seconds: 2, pictures: 25 },
		],
		[
			{ seconds: 900, size: '64x64' },
			{ width: 64, height: 64, seconds: 12, pictures: 150 },
		],
	])('for %j is %j', (body, film) => {
		const file = drawnFile('video', BEACH, body);
		expect([file.type, file.extension]).toEqual(['video/mp4', 'mp4']);
		expect(filmOf(file)).toEqual(film);
	});

	// ffmpeg decoded just these frames, bit by bit what was drawn, and Chromium played them; whoever changes this lets them again
	it.each([
		[BEACH, {}, 'f0812093aef4aabc'],
		['A lighthouse at night under the stars', { duration: 2 }, '4040078623c55cb4'],
		['A boat on the sea, in the rain', { duration: 1 }, '48c6c01006ce90b7'],
	])('%s, %j: the file that was seen to play', (prompt, body, hash) => {
		const { bytes } = drawnFile('video', prompt, body);
		expect(createHash('sha256').update(bytes).digest('hex').slice(0, 16)).toBe(hash);
	});

	it('writes numbers as H.264 does, and escapes what looks like the start of a unit', () => {
		const bits = createBits();
		// 1 010 00100 011 1 and the stop bit
		for (const value of [0, 1, 3]) bits.unsigned(value);
		for (const value of [-1, 0]) bits.signed(value);
		expect(bits.unit()).toEqual(Buffer.from([0b1010_0010, 0b0011_1100]));
		const bytes = createBits();
		bytes.aligned(Uint8Array.from([0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 4]));
		expect(bytes.unit().toString('hex')).toBe('00000301000003000003000300000480');
	});
});

describe('a sound', () => {
	it.each([
		[{}, 8],
		[{ duration: 3 }, 3],
		[{ seconds: 600 }, 30],
	])('music for %j lasts %i seconds', (body, seconds) => {
		const file = drawnFile('music', 'A calm melody', body);
		expect([file.type, file.extension]).toEqual(['audio/wav', 'wav']);
		const sound = soundOf(file);
		expect(sound.seconds).toBeCloseTo(seconds);
		expect(sound.loudest).toBeGreaterThan(8000);
	});

	it('speech lasts as long as its text', () => {
		const [short, long] = ['Good morning.', 'Good morning. The release is on Friday at ten.'].map(
			(text) => soundOf(drawnFile('audio', text, {})),
		);
		expect(short?.seconds).toBeGreaterThan(1);
		expect(long?.seconds).toBeGreaterThan(2 * (short?.seconds ?? 0));
		expect(long?.loudest).toBeGreaterThan(20_000);
	});
});

describe('a job', () => {
	let service: Service;
	beforeAll(async () => (service = await startService({ personas: true })));
	afterAll(() => service.stop());

	it.each([
		['images', 'canvas/sketch-1', 'image/png'],
		['videos', 'reel/clip-3', 'video/mp4'],
		['music', 'tune/melody-1', 'audio/wav'],
		['audio', 'voice/speaker-1', 'audio/wav'],
	])('of %s brings the file that was asked for', async (segment, model, type) => {
		const http = client(service.router.baseUrl, { 'x-api-key': service.router.keys.main });
		const body = { model, prompt: 'A lighthouse', size: '128x96', duration: 1 };
		const started = await http.post<{ id: string }>(`/v1/${segment}/jobs`, body);
		const path = `/v1/${segment}/jobs/${started.data.id}`;
		for (let reads = 0; reads < service.forms.jobSteps; reads++) await http.get(path);
		const file = await http.get(`${path}/content`, { responseType: 'arraybuffer' });
		expect([file.status, file.headers['content-type']]).toEqual([200, type]);
		const kind = { images: 'image', videos: 'video', music: 'music', audio: 'audio' } as const;
		const drawn = drawnFile(kind[segment as keyof typeof kind], body.prompt, body);
		expect(Buffer.from(file.data as ArrayBuffer)).toEqual(drawn.bytes);
	});
});
