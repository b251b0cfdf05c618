/** MPEG 1 layer III, 32 kbit/s, 44.1 kHz, mono: 144 * 32000 / 44100 bytes a frame. */
const FRAME_HEAD = [0xff, 0xfb, 0x10, 0xc0];
const FRAME_SIZE = 104;
const FRAMES = 20;

/** Half a second of silence (frames whose side information is all zero) after an ID3 tag. */
export function mp3(note: string): Buffer {
	const frame = Buffer.alloc(FRAME_SIZE);
	frame.set(FRAME_HEAD);
	return Buffer.concat([tag(note), ...Array.from({ length: FRAMES }, () => frame)]);
}

/** An ID3v2.3 tag with a title. */
function tag(title: string): Buffer {
	const text = Buffer.concat([Buffer.from([0]), Buffer.from(title, 'latin1')]);
	const frame = Buffer.alloc(10);
	frame.write('TIT2');
	frame.writeUInt32BE(text.length, 4);
	const size = frame.length + text.length;
	// the size of a tag has seven bits a byte
	const bytes = [size >> 21, size >> 14, size >> 7, size].map((part) => part & 0x7f);
	return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, ...bytes]), frame, text]);
}
