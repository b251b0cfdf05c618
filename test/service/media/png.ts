import { crc32, deflateSync } from 'node:zlib';

const SIDE = 16;

/** A picture of 16 by 16 pixels with a text chunk. */
export function png(note: string): Buffer {
	const head = Buffer.alloc(13);
	head.writeUInt32BE(SIDE, 0);
	head.writeUInt32BE(SIDE, 4);
	// 8 bits, RGB
	head.set([8, 2, 0, 0, 0], 8);
	const rows = Buffer.alloc(SIDE * (1 + SIDE * 3));
	for (let y = 0; y < SIDE; y++) {
		for (let x = 0; x < SIDE; x++) {
			rows.set([x * 16, y * 16, 128], y * (1 + SIDE * 3) + 1 + x * 3);
		}
	}
	return Buffer.concat([
		Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
		chunk('IHDR', head),
		chunk('tEXt', Buffer.from(`Comment\0${note}`, 'latin1')),
		chunk('IDAT', deflateSync(rows)),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

function chunk(name: string, content: Buffer): Buffer {
	const named = Buffer.concat([Buffer.from(name), content]);
	const result = Buffer.alloc(named.length + 8);
	result.writeUInt32BE(content.length, 0);
	named.copy(result, 4);
	result.writeUInt32BE(crc32(named), named.length + 4);
	return result;
}
