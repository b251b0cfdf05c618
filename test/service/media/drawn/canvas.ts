import { glyphOf, GLYPH_HEIGHT, GLYPH_WIDTH } from './font.ts';

// looked up once: the global object of a test answers slowly
const { floor, max, min, sqrt } = Math;

/** Red, green and blue, 0 to 255. */
export type Color = readonly [number, number, number];
type Point = readonly [x: number, y: number];

export interface Canvas {
	width: number;
	height: number;
	/** Three bytes a pixel, row by row. */
	pixels: Uint8Array;
}

export const createCanvas = (width: number, height: number): Canvas => ({
	width,
	height,
	pixels: new Uint8Array(width * height * 3),
});

/** The color between two others; 0 is the first, 1 the second. */
export const between = (one: Color, other: Color, share: number): Color => [
	one[0] + (other[0] - one[0]) * share,
	one[1] + (other[1] - one[1]) * share,
	one[2] + (other[2] - one[2]) * share,
];

/** Puts a color over a pixel; nothing happens outside of the canvas. */
export function paint(
	{ width, height, pixels }: Canvas,
	x: number,
	y: number,
	[red, green, blue]: Color,
	alpha = 1,
) {
	if (x < 0 || y < 0 || x >= width || y >= height || alpha <= 0) return;
	const at = (y * width + x) * 3;
	const over = alpha > 1 ? 1 : alpha;
	const under = 1 - over;
	// an array of bytes drops what is behind the point
	pixels[at] = (pixels[at] ?? 0) * under + red * over + 0.5;
	pixels[at + 1] = (pixels[at + 1] ?? 0) * under + green * over + 0.5;
	pixels[at + 2] = (pixels[at + 2] ?? 0) * under + blue * over + 0.5;
}

/** Fills whole rows, each with one color. */
export function fillRows(canvas: Canvas, from: number, to: number, colorOf: (y: number) => Color) {
	const { width, pixels } = canvas;
	for (let y = Math.max(0, from); y < Math.min(canvas.height, to); y++) {
		const start = y * width * 3;
		const [red, green, blue] = colorOf(y).map(Math.round) as [number, number, number];
		for (let at = start; at < start + width * 3; at += 3) {
			pixels[at] = red;
			pixels[at + 1] = green;
			pixels[at + 2] = blue;
		}
	}
}

/** A disc with a smooth edge; `soft` lets it fade from its center on. */
export function disc(
	canvas: Canvas,
	[centerX, centerY]: Point,
	radius: number,
	color: Color,
	{ alpha = 1, soft = false } = {},
) {
	for (let y = Math.floor(centerY - radius); y <= centerY + radius; y++) {
		for (let x = Math.floor(centerX - radius); x <= centerX + radius; x++) {
			const [across, down] = [x + 0.5 - centerX, y + 0.5 - centerY];
			const inside = radius - sqrt(across * across + down * down);
			if (inside <= -0.5) continue;
			const fading = inside > 0 ? (inside / radius) ** 2 : 0;
			const edge = inside > 0.5 ? 1 : inside + 0.5;
			paint(canvas, x, y, color, alpha * (soft ? fading : edge));
		}
	}
}

/** A filled polygon, row by row between its edges. */
export function polygon(canvas: Canvas, points: readonly Point[], color: Color, alpha = 1) {
	const heights = points.map(([, y]) => y);
	const last = Math.min(canvas.height - 1, Math.ceil(Math.max(...heights)));
	for (let y = Math.max(0, Math.floor(Math.min(...heights))); y <= last; y++) {
		const edges = crossings(points, y + 0.5);
		for (let index = 0; index + 1 < edges.length; index += 2) {
			const [from = 0, to = 0] = [edges[index], edges[index + 1]];
			const end = min(canvas.width, to);
			for (let x = max(0, floor(from)); x < end; x++) {
				// what of the pixel lies between the two edges
				const covered = (x + 1 < to ? x + 1 : to) - (x > from ? x : from);
				paint(canvas, x, y, color, alpha * covered);
			}
		}
	}
}

/** Where a horizontal line crosses the edges, from left to right. */
function crossings(points: readonly Point[], y: number): number[] {
	const found: number[] = [];
	for (const [index, [x1, y1]] of points.entries()) {
		const [x2, y2] = points[(index + 1) % points.length] ?? [x1, y1];
		if (y1 <= y !== y2 <= y) found.push(x1 + ((y - y1) / (y2 - y1)) * (x2 - x1));
	}
	return found.sort((one, other) => one - other);
}

/** One line of text; `scale` is the size of a dot of a letter. */
export function write(
	canvas: Canvas,
	text: string,
	[left, top]: Point,
	scale: number,
	color: Color,
) {
	for (const [index, letter] of [...text].entries()) {
		const start = left + index * (GLYPH_WIDTH + 1) * scale;
		for (const [column, row] of glyphOf(letter)) {
			for (let y = 0; y < scale; y++) {
				for (let x = 0; x < scale; x++) {
					paint(canvas, start + column * scale + x, top + row * scale + y, color);
				}
			}
		}
	}
}

/** Breaks a text into lines of at most so many letters; what needs more lines than there are ends with dots. */
export function linesOf(text: string, letters: number, most: number): string[] {
	const lines: string[] = [];
	let line = '';
	for (const word of text.split(/\s+/)) {
		if (line && line.length + 1 + word.length > letters) {
			lines.push(line);
			line = word;
		} else line = line ? `${line} ${word}` : word;
	}
	lines.push(line);
	const shown = lines.slice(0, most).map((each) => each.slice(0, letters));
	if (lines.length > most) {
		shown.push(`${(shown.pop() ?? '').slice(0, letters - 4)} ...`);
	}
	return shown;
}

export const LINE_HEIGHT = GLYPH_HEIGHT + 3;
