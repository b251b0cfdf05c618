/** The smallest H.264 there is: one picture of uncompressed (I_PCM) macroblocks. */
export const WIDTH = 128;
export const HEIGHT = 96;

/** Sequence parameter set: baseline, 128 by 96. */
export const SPS = Buffer.from([0x67, 0x42, 0x00, 0x0a, 0xf8, 0x41, 0xa2]);
/** Picture parameter set. */
export const PPS = Buffer.from([0x68, 0xce, 0x38, 0x80]);

const SLICE_HEAD = Buffer.from([0x65, 0x88, 0x84, 0x08, 0x68]);
/** The head of every macroblock but the first, whose head is the end of the slice head. */
const MACROBLOCK_HEAD = Buffer.from([0x0d, 0x00]);
const MACROBLOCKS = (WIDTH / 16) * (HEIGHT / 16);

/** The one picture, with its length in front as MP4 wants it. */
export function frame(): Buffer {
	const parts: Buffer[] = [SLICE_HEAD];
	for (let index = 0; index < MACROBLOCKS; index++) {
		if (index > 0) parts.push(MACROBLOCK_HEAD);
		// brightness, then the two colours; never zero, so that no byte must be escaped
		parts.push(Buffer.alloc(256, 40 + index * 4), Buffer.alloc(64, 100), Buffer.alloc(64, 160));
	}
	parts.push(Buffer.from([0x80]));
	const picture = Buffer.concat(parts);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(picture.length);
	return Buffer.concat([length, picture]);
}
