import { frame, HEIGHT, PPS, SPS, WIDTH } from './h264.ts';

/** An H.264 stream: its parameter sets, and its pictures with their lengths in front. */
export interface Film {
	width: number;
	height: number;
	sps: Buffer;
	pps: Buffer;
	/** The first can be decoded alone. */
	pictures: Buffer[];
	/** Milliseconds that each picture is shown. */
	each: number;
}

/** A video of one H.264 picture that lasts a second; the note is in a `free` box. */
export const mp4 = (note: string): Buffer =>
	encodeMp4(
		{ width: WIDTH, height: HEIGHT, sps: SPS, pps: PPS, pictures: [frame()], each: SECOND },
		note,
	);

/** The file of a film; the note is in a `free` box. */
export function encodeMp4(film: Film, note: string): Buffer {
	const front = Buffer.concat([
		box('ftyp', 'isom', u32(512), 'isomiso2avc1mp41'),
		box('free', note),
	]);
	// the length of the index does not depend on the offset written into it
	const offset = front.length + movie(film, 0).length + 8;
	return Buffer.concat([front, movie(film, offset), box('mdat', ...film.pictures)]);
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
/** Units a second. */
const SECOND = 1000;

function movie(film: Film, offset: number): Buffer {
	const length = film.pictures.length * film.each;
	const header = full(
		'mvhd',
		0,
		u32(0, 0, SECOND, length, 0x10000),
		u16(0x0100, 0),
		u32(0, 0),
		MATRIX,
		u32(0, 0, 0, 0, 0, 0, 2),
	);
	const track = full(
		'tkhd',
		3,
		u32(0, 0, 1, 0, length, 0, 0),
		u16(0, 0, 0, 0),
		MATRIX,
		u32(film.width << 16, film.height << 16),
	);
	const media = box(
		'mdia',
		full('mdhd', 0, u32(0, 0, SECOND, length), u16(0x55c4, 0)),
		full('hdlr', 0, u32(0), 'vide', u32(0, 0, 0), 'video\0'),
		box(
			'minf',
			full('vmhd', 1, u16(0, 0, 0, 0)),
			box('dinf', full('dref', 0, u32(1), full('url ', 1))),
			sampleTable(film, offset),
		),
	);
	return box('moov', header, box('trak', track, media));
}

function sampleTable({ width, height, sps, pps, pictures, each }: Film, offset: number): Buffer {
	const count = pictures.length;
	const config = box(
		'avcC',
		// version, then profile, compatibility and level as in the sequence parameter set
		u8(1, sps[1] ?? 0, sps[2] ?? 0, sps[3] ?? 0, 0xff, 0xe1),
		u16(sps.length),
		sps,
		u8(1),
		u16(pps.length),
		pps,
	);
	const entry = box(
		'avc1',
		u16(0, 0, 0, 1),
		u32(0, 0, 0, 0),
		u16(width, height),
		u32(0x480000, 0x480000, 0),
		u16(1),
		Buffer.alloc(32),
		u16(0x18, 0xffff),
		config,
	);
	return box(
		'stbl',
		full('stsd', 0, u32(1), entry),
		full('stts', 0, u32(1, count, each)),
		// absent when every picture can be decoded alone
		...(count > 1 ? [full('stss', 0, u32(1, 1))] : []),
		full('stsc', 0, u32(1, 1, count, 1)),
		full('stsz', 0, u32(0, count, ...pictures.map(({ length }) => length))),
		full('stco', 0, u32(1, offset)),
	);
}
