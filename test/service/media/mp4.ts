import { frame, HEIGHT, PPS, SPS, WIDTH } from './h264.ts';

/** A video of one H.264 picture that lasts a second; the note is in a `free` box. */
export function mp4(note: string): Buffer {
	const sample = frame();
	const front = Buffer.concat([
		box('ftyp', 'isom', u32(512), 'isomiso2avc1mp41'),
		box('free', note),
	]);
	// the length of the index does not depend on the offset written into it
	const offset = front.length + movie(sample.length, 0).length + 8;
	return Buffer.concat([front, movie(sample.length, offset), box('mdat', sample)]);
}

type Part = string | Buffer;

const u8 = (...values: number[]) => Buffer.from(values);
const u16 = (...values: number[]) =>
	Buffer.concat(values.map((value) => u8(value >> 8, value & 255)));

function u32(...values: number[]): Buffer {
	const result = Buffer.alloc(values.length * 4);
	for (const [index, value] of values.entries()) result.writeUInt32BE(value, index * 4);
	return result;
}

function box(name: string, ...parts: Part[]): Buffer {
	const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
	return Buffer.concat([u32(content.length + 8), Buffer.from(name), content]);
}

/** A box with a version (0) and flags. */
const full = (name: string, flags: number, ...parts: Part[]) => box(name, u32(flags), ...parts);

const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
/** Units a second, and so the length of the video. */
const SECOND = 1000;

function movie(size: number, offset: number): Buffer {
	const header = full(
		'mvhd',
		0,
		u32(0, 0, SECOND, SECOND, 0x10000),
		u16(0x0100, 0),
		u32(0, 0),
		MATRIX,
		u32(0, 0, 0, 0, 0, 0, 2),
	);
	const track = full(
		'tkhd',
		3,
		u32(0, 0, 1, 0, SECOND, 0, 0),
		u16(0, 0, 0, 0),
		MATRIX,
		u32(WIDTH << 16, HEIGHT << 16),
	);
	const media = box(
		'mdia',
		full('mdhd', 0, u32(0, 0, SECOND, SECOND), u16(0x55c4, 0)),
		full('hdlr', 0, u32(0), 'vide', u32(0, 0, 0), 'video\0'),
		box(
			'minf',
			full('vmhd', 1, u16(0, 0, 0, 0)),
			box('dinf', full('dref', 0, u32(1), full('url ', 1))),
			sampleTable(size, offset),
		),
	);
	return box('moov', header, box('trak', track, media));
}

function sampleTable(size: number, offset: number): Buffer {
	const config = box(
		'avcC',
		// version, then profile, compatibility and level as in the sequence parameter set
		u8(1, SPS[1] ?? 0, SPS[2] ?? 0, SPS[3] ?? 0, 0xff, 0xe1),
		u16(SPS.length),
		SPS,
		u8(1),
		u16(PPS.length),
		PPS,
	);
	const entry = box(
		'avc1',
		u16(0, 0, 0, 1),
		u32(0, 0, 0, 0),
		u16(WIDTH, HEIGHT),
		u32(0x480000, 0x480000, 0),
		u16(1),
		Buffer.alloc(32),
		u16(0x18, 0xffff),
		config,
	);
	return box(
		'stbl',
		full('stsd', 0, u32(1), entry),
		full('stts', 0, u32(1, 1, SECOND)),
		full('stsc', 0, u32(1, 1, 1, 1)),
		full('stsz', 0, u32(0, 1, size)),
		full('stco', 0, u32(1, offset)),
	);
}
