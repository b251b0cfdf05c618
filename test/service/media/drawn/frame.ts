import type { Canvas } from './canvas.ts';
import type { Motion } from './motion.ts';

/** One frame of a film: brightness, then two colors of half the lines and columns. */
export interface Frame {
	width: number;
	height: number;
	brightness: Uint8Array;
	blue: Uint8Array;
	red: Uint8Array;
}

const BLOCK = 16;

/** The frame that a canvas shows, in the range of television (16 to 235). */
export function frameOf({ width, height, pixels }: Canvas): Frame {
	const brightness = new Uint8Array(width * height);
	for (let at = 0, from = 0; at < brightness.length; at++, from += 3) {
		const [red = 0, green = 0, blue = 0] = [pixels[from], pixels[from + 1], pixels[from + 2]];
		brightness[at] = 16.5 + 0.257 * red + 0.504 * green + 0.098 * blue;
	}
	const [across, down, row] = [width / 2, height / 2, width * 3];
	const colors = { blue: new Uint8Array(across * down), red: new Uint8Array(across * down) };
	for (let y = 0, at = 0; y < down; y++) {
		for (let x = 0, from = y * 2 * row; x < across; x++, at++, from += 6) {
			const sum = (part: number) =>
				(pixels[part] ?? 0) +
				(pixels[part + 3] ?? 0) +
				(pixels[part + row] ?? 0) +
				(pixels[part + row + 3] ?? 0);
			const [red, green, blue] = [sum(from) / 4, sum(from + 1) / 4, sum(from + 2) / 4];
			colors.blue[at] = 128.5 - 0.148 * red - 0.291 * green + 0.439 * blue;
			colors.red[at] = 128.5 + 0.439 * red - 0.368 * green - 0.071 * blue;
		}
	}
	return { width, height, brightness, ...colors };
}

/** The bytes of a block: brightness, then the two colors. */
export function copyBlock(frame: Frame, index: number): Uint8Array {
	const result = new Uint8Array(384);
	let to = 0;
	for (const { plane, side, stride, at } of planesOf(frame, index)) {
		for (let row = 0; row < side; row++, to += side) {
			result.set(plane.subarray(at + row * stride, at + row * stride + side), to);
		}
	}
	return result;
}

/** Whether a block is the one of the frame before that a motion points to, inside of that frame. */
export function isSameBlock(frame: Frame, before: Frame, index: number, [x, y]: Motion): boolean {
	const [left, top] = placeOf(frame, index);
	const inside =
		left + x >= 0 &&
		top + y >= 0 &&
		left + x + BLOCK <= frame.width &&
		top + y + BLOCK <= frame.height;
	if (!inside) return false;
	const others = planesOf(before, index);
	return planesOf(frame, index).every(({ plane, side, stride, at }, number) => {
		const other = others[number]?.plane ?? plane;
		const scale = side / BLOCK;
		const from = at + y * scale * stride + x * scale;
		for (let row = 0; row < side; row++) {
			for (let column = 0; column < side; column++) {
				const place = row * stride + column;
				if (plane[at + place] !== other[from + place]) return false;
			}
		}
		return true;
	});
}

function placeOf({ width }: Frame, index: number): [left: number, top: number] {
	const across = width / BLOCK;
	return [(index % across) * BLOCK, Math.floor(index / across) * BLOCK];
}

/** The part of each plane that a block takes: the length of its side, that of a line, and where it begins. */
function planesOf(frame: Frame, index: number) {
	const [left, top] = placeOf(frame, index);
	const { width, brightness, blue, red } = frame;
	const half = (plane: Uint8Array) => ({
		plane,
		side: BLOCK / 2,
		stride: width / 2,
		at: (top / 2) * (width / 2) + left / 2,
	});
	return [
		{ plane: brightness, side: BLOCK, stride: width, at: top * width + left },
		half(blue),
		half(red),
	];
}
