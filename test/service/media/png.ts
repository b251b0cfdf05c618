import { crc32, deflateSync } from 'node:zlib';

const SIDE = 16;

/** A picture of 16 by 16 pixels with a text chunk. */
export function png(note: string): Buffer {
	const pixels = new Uint8Array(SIDE * SIDE * 3);
	for (let y = 0; y < SIDE; y++) {
		for (let x = 0; x < SIDE; x++) pixels.set([x * 16, y * 16, 128], (y * SIDE + x) * 3);
	}
	return encodePng({ width: SIDE, height: SIDE, pixels }, note);
}

/** A picture of 8 bits a color, three bytes a pixel, with a text chunk. */
export function encodePng(
	{ width, height, pixels }: { width: number; height: number; pixels: Uint8Array },
	note: string,
): Buffer {
	const head = Buffer.alloc(13);
	head.writeUInt32BE(width, 0);
	head.writeUInt32BE(height, 4);
	// 8 bits, RGB
	head.set([8, 2, 0, 0, 0], 8);
	// each row begins with its filter: none
	const row = width * 3;
	const rows = Buffer.alloc(height * (1 + row));
	for (let y = 0; y < height; y++) {
		rows.set(pixels.subarray(y * row, (y + 1) * row), y * (1 + row) + 1);
	}
	return Buffer.concat([
		SIGNATURE,
		chunk('IHDR', head),
		chunk('tEXt', Buffer.from(`Comment\0${note.replaceAll(/[^\x20-\xff]/gu, '?')}`, 'latin1')),
		chunk('IDAT', deflateSync(rows)),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** What a picture of ours says about itself: its size, and the note in it. */
export function readPng(
	bytes: Buffer,
): { width: number; height: number; note: string } | undefined {
	if (!bytes.subarray(0, 8).equals(SIGNATURE) || bytes.length < 33) return undefined;
	const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
	for (let at = 8; at + 8 <= bytes.length; at += bytes.readUInt32BE(at) + 12) {
		if (bytes.toString('latin1', at + 4, at + 8) !== 'tEXt') continue;
		const text = bytes.toString('latin1', at + 8, at + 8 + bytes.readUInt32BE(at));
		return { ...size, note: text.slice(text.indexOf('\0') + 1) };
	}
	return { ...size, note: '' };
}

function chunk(name: string, content: Buffer): Buffer {
	const named = Buffer.concat([Buffer.from(name), content]);
	const result = Buffer.alloc(named.length + 8);
	result.writeUInt32BE(content.length, 0);
	named.copy(result, 4);
	result.writeUInt32BE(crc32(named), named.length + 4);
	return result;
}
