import { createHash } from 'node:crypto';
import { crc32, inflateSync } from 'node:zlib';

import { mediaFile, padded } from './media/file.ts';

const NOTE = 'job-1';

/** Boxes of an MP4 with their content, down into those that hold boxes. */
function boxes(bytes: Buffer, path = ''): Map<string, Buffer> {
	const found = new Map<string, Buffer>();
	for (let at = 0; at < bytes.length; ) {
		const size = bytes.readUInt32BE(at);
		expect(size).toBeGreaterThanOrEqual(8);
		const name = path + bytes.toString('latin1', at + 4, at + 8);
		const content = bytes.subarray(at + 8, at + size);
		expect(content).toHaveLength(size - 8);
		found.set(name, content);
		if (/(moov|trak|mdia|minf|stbl|dinf)$/.test(name)) {
			for (const [inner, value] of boxes(content, `${name}/`)) found.set(inner, value);
		}
		at += size;
	}
	return found;
}

it('PNG: every chunk has its sum, the pixels unpack', () => {
	const { bytes } = mediaFile('image', NOTE);
	expect(bytes.toString('latin1', 0, 8)).toBe('\x89PNG\r\n\x1a\n');
	const names: string[] = [];
	for (let at = 8; at < bytes.length; ) {
		const size = bytes.readUInt32BE(at);
		const named = bytes.subarray(at + 4, at + 8 + size);
		const name = named.toString('latin1', 0, 4);
		names.push(name);
		expect(bytes.readUInt32BE(at + 8 + size)).toBe(crc32(named));
		if (name === 'IDAT') expect(inflateSync(named.subarray(4))).toHaveLength(16 * 49);
		at += size + 12;
	}
	expect(names).toEqual(['IHDR', 'tEXt', 'IDAT', 'IEND']);
});

it('MP4: boxes nest without a gap, the sample is where the index says', () => {
	const { bytes } = mediaFile('video', NOTE);
	const found = boxes(bytes);
	expect(found.get('free')?.toString()).toBe(NOTE);
	const table = 'moov/trak/mdia/minf/stbl/';
	const offset = found.get(`${table}stco`)?.readUInt32BE(8) ?? 0;
	const size = found.get(`${table}stsz`)?.readUInt32BE(12) ?? 0;
	expect(bytes.subarray(offset, offset + size)).toEqual(found.get('mdat'));
	// one picture: its length, then an IDR slice
	expect(bytes.readUInt32BE(offset)).toBe(size - 4);
	expect(bytes[offset + 4]).toBe(0x65);
});

it('MP3: a tag, then frame on frame to the end', () => {
	const { bytes } = mediaFile('music', NOTE);
	expect(bytes.toString('latin1', 0, 3)).toBe('ID3');
	let frames = 0;
	for (let at = 10 + (bytes[9] ?? 0); at < bytes.length; at += 104) {
		expect(bytes.readUInt16BE(at)).toBe(0xfffb);
		frames++;
	}
	expect(frames).toBe(20);
});

it('WAV: the sizes add up', () => {
	const { bytes } = mediaFile('audio', NOTE);
	expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 12)).toBe('RIFFWAVE');
	expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
	const names: string[] = [];
	let at = 12;
	while (at < bytes.length) {
		names.push(bytes.toString('latin1', at, at + 4));
		at += 8 + bytes.readUInt32LE(at + 4);
	}
	expect([names, at]).toEqual([['fmt ', 'LIST', 'data'], bytes.length]);
});

it.each(['image', 'video', 'music', 'audio'] as const)(
	'%s: another file for another job, the same for the same',
	(kind) => {
		const bytes = mediaFile(kind, NOTE).bytes;
		expect(mediaFile(kind, NOTE).bytes).toEqual(bytes);
		expect(mediaFile(kind, 'job-2').bytes).not.toEqual(bytes);
	},
);

it.each([0, 3, 200_000])('is cut or filled up to %i bytes', async (size) => {
	const parts: Buffer[] = [];
	for await (const part of padded(Buffer.from('hello'), size)) parts.push(part);
	expect(Buffer.concat(parts)).toHaveLength(size);
});

// ffmpeg decoded just these files without a word; whoever changes one lets it decode again
it.each([
	['video', '3c91e4e9379d0570'],
	['music', '6212ccecd259a66c'],
	['audio', '38f5b77de8b878d6'],
] as const)('%s is the file that was seen to open', (kind, hash) => {
	const { bytes } = mediaFile(kind, NOTE);
	expect(createHash('sha256').update(bytes).digest('hex').slice(0, 16)).toBe(hash);
});
