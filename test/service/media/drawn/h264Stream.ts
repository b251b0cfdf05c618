import type { Film } from '../mp4.ts';
import { createBits, type Bits } from './bits.ts';
import { copyBlock, isSameBlock, type Frame } from './frame.ts';
import { mostLikely, type Motion, skipMotion } from './motion.ts';

/** Side of a macroblock. */
const BLOCK = 16;
/** Types of macroblocks and slices, as the standard numbers them (tables 7-6, 7-11 and 7-13). */
const I_PCM = 25;
const INTRA_IN_P = 5;
const ALL_I = 7;
const P = 5;

/**
 * Frames as H.264 of the baseline profile: the first as it is (I_PCM), and of the others what has changed. A block
 * that is somewhere in the frame before is copied from there, all other blocks are written as they are: no loss.
 *
 * @param frames Of the same size, in whole macroblocks.
 * @param motions Where blocks may come from, in pixels; even numbers, since colors have half of the lines.
 */
export function encodeH264(
	frames: Iterable<Frame>,
	motions: readonly Motion[],
	each: number,
): Film {
	const pictures: Buffer[] = [];
	let before: Frame | undefined;
	for (const frame of frames) {
		const unit = before
			? changedPicture(frame, before, motions, pictures.length)
			: wholePicture(frame);
		const length = Buffer.alloc(4);
		length.writeUInt32BE(unit.length);
		pictures.push(Buffer.concat([length, unit]));
		before = frame;
	}
	const { width = BLOCK, height = BLOCK } = before ?? {};
	return { width, height, sps: sequenceSet(width, height), pps: pictureSet(), pictures, each };
}

/** 7.3.2.1.1: baseline, one frame to look back to, shown in the order of decoding. */
function sequenceSet(width: number, height: number): Buffer {
	const bits = createBits();
	for (const byte of [0x67, 66, 0xc0, 31]) bits.fixed(byte, 8);
	bits.unsigned(0);
	// eight bits for the number of a frame
	bits.unsigned(4);
	// shown in the order of decoding
	bits.unsigned(2);
	bits.unsigned(1);
	bits.fixed(0, 1);
	bits.unsigned(width / BLOCK - 1);
	bits.unsigned(height / BLOCK - 1);
	// whole frames, direct inference of 8 by 8, no cropping, no further parameters
	bits.fixed(0b1100, 4);
	return bits.unit();
}

/** 7.3.2.2: CAVLC, and slices say whether they are deblocked. */
function pictureSet(): Buffer {
	const bits = createBits();
	bits.fixed(0x68, 8);
	bits.unsigned(0);
	bits.unsigned(0);
	bits.fixed(0, 2);
	for (let count = 0; count < 3; count++) bits.unsigned(0);
	bits.fixed(0, 3);
	for (let count = 0; count < 3; count++) bits.signed(0);
	bits.fixed(0b100, 3);
	return bits.unit();
}

function wholePicture(frame: Frame): Buffer {
	const bits = createBits();
	bits.fixed(0x65, 8);
	startSlice(bits, ALL_I, 0);
	bits.unsigned(0);
	// no marking of earlier pictures
	bits.fixed(0, 2);
	endSliceHead(bits);
	for (let index = 0; index < blocksOf(frame); index++) {
		bits.unsigned(I_PCM);
		bits.aligned(copyBlock(frame, index));
	}
	return bits.unit();
}

function changedPicture(frame: Frame, before: Frame, motions: readonly Motion[], number: number) {
	const bits = createBits();
	bits.fixed(0x41, 8);
	startSlice(bits, P, number % 256);
	// the default number of references in their default order, and no marking
	bits.fixed(0, 3);
	endSliceHead(bits);
	const across = frame.width / BLOCK;
	const moved: Array<Motion | undefined> = [];
	let skipped = 0;
	for (let index = 0; index < blocksOf(frame); index++) {
		const likely = skipMotion(moved, index, across);
		if (isSameBlock(frame, before, index, likely)) {
			moved.push(likely);
			skipped++;
			continue;
		}
		bits.unsigned(skipped);
		skipped = 0;
		const motion = motions.find((each) => isSameBlock(frame, before, index, each));
		if (motion) {
			const [x, y] = mostLikely(moved, index, across);
			// one motion for the whole block, in quarters of a pixel, and nothing that is left to correct
			bits.unsigned(0);
			bits.signed((motion[0] - x) * 4);
			bits.signed((motion[1] - y) * 4);
			bits.unsigned(0);
		} else {
			bits.unsigned(INTRA_IN_P + I_PCM);
			bits.aligned(copyBlock(frame, index));
		}
		moved.push(motion);
	}
	if (skipped) bits.unsigned(skipped);
	return bits.unit();
}

const blocksOf = ({ width, height }: Frame) => (width / BLOCK) * (height / BLOCK);

/** 7.3.3: one slice a picture. */
function startSlice(bits: Bits, type: number, number: number) {
	bits.unsigned(0);
	bits.unsigned(type);
	bits.unsigned(0);
	bits.fixed(number, 8);
}

function endSliceHead(bits: Bits) {
	bits.signed(0);
	// no deblocking: it would change what is copied
	bits.unsigned(1);
}
