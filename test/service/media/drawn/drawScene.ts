import { between, disc, fillRows, linesOf, LINE_HEIGHT, paint, polygon, write } from './canvas.ts';
import type { Canvas, Color } from './canvas.ts';
import { chanceOf } from './chance.ts';
import type { Scene } from './scene.ts';
import { drawSubject } from './subjects.ts';

// looked up once: the global object of a test answers slowly
const { floor, max, min, PI, round, sin } = Math;

/** Side of a macroblock of the film: what moves does so in whole rows of them. */
const BLOCK = 16;
const WHITE: Color = [255, 255, 255];
const SAND: Color = [222, 196, 150];

/** The places that all parts of a picture go by. */
export interface Layout {
	/** Height of a band of waves or clouds. */
	band: number;
	horizon: number;
	/** Pixels that the slowest band has moved: an even number. */
	moved: number;
	/** Seconds since the film began. */
	time: number;
}

/** How far each frame of a film moves, in pixels; some bands move twice as far. */
export const STEP = 2;

/** Draws what a prompt asks for, as it is at one frame of a film; the first is the picture. */
export function drawScene(canvas: Canvas, scene: Scene, frame = 0, time = 0): void {
	const { height } = canvas;
	const band = BLOCK * max(1, round(height / 400));
	const horizon = band * round((height * 0.56) / band);
	const layout: Layout = { band, horizon, moved: frame * STEP, time };
	const { skyTop, skyLow } = scene.colors;
	fillRows(canvas, 0, height, (y) => between(skyTop, skyLow, min(1, y / horizon) ** 1.4));
	if (scene.stars) drawStars(canvas, scene, layout);
	if (scene.weather === 'clouds' || scene.weather === 'clear') drawLight(canvas, scene, layout);
	if (scene.weather !== 'clear' && !scene.stars) drawClouds(canvas, scene, layout);
	if (scene.subjects.has('mountains')) drawMountains(canvas, scene, layout);
	if (scene.ground === 'sea') drawSea(canvas, scene, layout);
	else drawHills(canvas, scene, layout);
	if (scene.beach) drawBeach(canvas, scene, layout);
	for (const subject of scene.subjects) drawSubject(subject, canvas, scene, layout);
	drawWeather(canvas, scene, layout);
	if (scene.paper) drawPaper(canvas);
	drawCaption(canvas, scene.prompt);
}

function drawStars(canvas: Canvas, { prompt }: Scene, { horizon }: Layout) {
	const chance = chanceOf(`stars ${prompt}`);
	for (let count = 0; count < canvas.width / 5; count++) {
		const place = [chance() * canvas.width, chance() * horizon * 0.95] as const;
		disc(canvas, place, 0.6 + chance() * 1.3, WHITE, { alpha: 0.4 + chance() * 0.6 });
	}
}

function drawLight(canvas: Canvas, { colors, isLow }: Scene, { horizon }: Layout) {
	const radius = canvas.height * 0.06;
	const y = isLow ? horizon - radius * 0.9 : horizon * 0.34;
	const place = [canvas.width * (isLow ? 0.34 : 0.24), y] as const;
	disc(canvas, place, radius * 3, colors.light, { alpha: 0.55, soft: true });
	disc(canvas, place, radius, colors.light);
}

/** Clouds of discs; they go round and come back on the other side. */
function drawClouds(canvas: Canvas, { prompt, colors, weather }: Scene, layout: Layout) {
	const chance = chanceOf(`clouds ${prompt}`);
	const { width, height } = canvas;
	const size = height * (weather === 'clouds' ? 0.032 : 0.05);
	const color = between(colors.skyLow, WHITE, weather === 'clouds' ? 0.55 : 0.25);
	const around = width + size * 20;
	for (let count = 0; count < (weather === 'clouds' ? 4 : 9); count++) {
		const start = chance() * around;
		const y = layout.horizon * (0.1 + chance() * 0.45);
		const x = ((start + layout.moved) % around) - size * 10;
		for (let puff = 0; puff < 7; puff++) {
			const place = [x + (puff - 3) * size * 0.9, y - chance() * size * 0.7] as const;
			disc(canvas, place, size * (0.7 + chance() * 0.6), color);
		}
	}
}

function drawMountains(canvas: Canvas, { prompt, colors }: Scene, { horizon }: Layout) {
	const chance = chanceOf(`mountains ${prompt}`);
	const { width } = canvas;
	for (let row = 0; row < 2; row++) {
		const color = between(colors.skyLow, colors.land, 0.45 + row * 0.3);
		for (let peak = 0; peak < 5; peak++) {
			const x = (peak + chance() * 0.7) * (width / 5);
			const top = horizon * (0.3 + row * 0.2 + chance() * 0.2);
			const half = (horizon - top) * 0.9;
			polygon(
				canvas,
				[
					[x - half, horizon],
					[x, top],
					[x + half, horizon],
				],
				color,
			);
			const snow = (horizon - top) * 0.22;
			polygon(
				canvas,
				[
					[x - snow * 0.9, top + snow],
					[x, top],
					[x + snow * 0.9, top + snow],
				],
				WHITE,
				0.8,
			);
		}
	}
}

/** Bands of waves, each with a pattern that repeats: moved, a band shows the same pattern further on. */
function drawSea(canvas: Canvas, { colors, isLow }: Scene, { band, horizon, moved }: Layout) {
	const { width, height } = canvas;
	fillRows(canvas, horizon, height, (y) =>
		between(colors.groundTop, colors.groundLow, ((y - horizon) / (height - horizon)) ** 0.6),
	);
	const period = band * 8;
	const crest = between(colors.groundTop, colors.light, 0.6);
	for (let top = horizon, index = 0; top < height; top += band, index++) {
		const shift = moved * (1 + (index % 2)) + index * band * 3;
		for (let x = 0; x < width; x++) {
			const angle = (((x + shift) % period) / period) * 2 * PI;
			const y = top + band * (0.45 + 0.2 * sin(angle) + 0.1 * sin(angle * 3 + index));
			const strength = 0.18 + 0.3 * max(0, sin(angle * 2 + index));
			const thickness = round(band * 0.16);
			for (let row = 0; row < thickness; row++) {
				paint(canvas, x, floor(y) + row, crest, strength * (1 - row / thickness));
			}
		}
	}
	if (!isLow) return;
	// the sun on the water
	for (let y = horizon; y < height; y += 4) {
		const half = (canvas.height * 0.05 * (1 + sin(y * 1.7))) / 2 + 3;
		for (let x = -half; x < half; x++) {
			paint(canvas, floor(width * 0.34 + x), y, colors.light, 0.5);
		}
	}
}

function drawHills(canvas: Canvas, { prompt, colors, weather }: Scene, { horizon }: Layout) {
	const { width, height } = canvas;
	const chance = chanceOf(`hills ${prompt}`);
	const steps = 60;
	for (let row = 0; row < 3; row++) {
		const bare = between(colors.groundTop, colors.groundLow, row / 2);
		const color = between(bare, WHITE, weather === 'snow' ? 0.65 : 0);
		const base = horizon + (height - horizon) * row * 0.3;
		const [phase, waves] = [chance() * 6, 1.5 + chance() * 2];
		const edge = Array.from({ length: steps + 1 }, (_, step) => {
			const wave = sin(phase + (step / steps) * waves * PI);
			return [(step / steps) * width, base - (wave + 0.4) * height * 0.05] as const;
		});
		polygon(canvas, [...edge, [width, height], [0, height]], color);
	}
}

/** Sand in the foreground; its wet edge goes up and down. */
function drawBeach(canvas: Canvas, { colors }: Scene, { time }: Layout) {
	const { width, height } = canvas;
	const color = between(SAND, colors.land, 0.25);
	const steps = 40;
	const edgeAt = (away: number) =>
		Array.from({ length: steps + 1 }, (_, step) => {
			const wave = sin((step / steps) * 9) * height * 0.012;
			const tide = sin(time * 1.6) * height * 0.025;
			return [
				(step / steps) * width,
				height * (0.8 - (step / steps) * 0.08) + wave + tide + away,
			] as const;
		});
	const below = [
		[width, height],
		[0, height],
	] as const;
	polygon(canvas, [...edgeAt(-height * 0.02), ...below], WHITE, 0.75);
	polygon(canvas, [...edgeAt(0), ...below], between(color, colors.land, 0.35));
	polygon(canvas, [...edgeAt(height * 0.04), ...below], color);
}

function drawWeather(canvas: Canvas, { prompt, weather }: Scene, { time }: Layout) {
	const { width, height } = canvas;
	const chance = chanceOf(`weather ${prompt}`);
	if (weather === 'fog') {
		for (let y = 0; y < height; y++) {
			const thick = 0.3 + 0.4 * max(0, sin((y / height) * PI));
			for (let x = 0; x < width; x++) paint(canvas, x, y, [214, 218, 222], thick);
		}
	}
	if (weather !== 'rain' && weather !== 'snow') return;
	for (let count = 0; count < width / 14; count++) {
		const [x, start, size] = [chance() * width, chance() * height, chance()];
		const y = (start + time * height * (weather === 'rain' ? 0.9 : 0.15)) % height;
		if (weather === 'snow') disc(canvas, [x, y], 1.2 + size * 2.2, WHITE, { alpha: 0.9 });
		else
			polygon(
				canvas,
				[
					[x, y],
					[x + 1.5, y],
					[x - 4, y + 16],
					[x - 5.5, y + 16],
				],
				WHITE,
				0.45,
			);
	}
}

/** A grain as of rough paper, and a white edge. */
function drawPaper(canvas: Canvas) {
	const { width, height } = canvas;
	const chance = chanceOf('paper');
	const grain = Float32Array.from({ length: 4099 }, () => chance() * 0.1);
	const edge = height * 0.03;
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const away = min(x, y, width - 1 - x, height - 1 - y);
			const rough = (grain[(x * 31 + y * 977) % grain.length] ?? 0) * 8;
			paint(canvas, x, y, WHITE, away < edge * (0.75 + rough * 0.4) ? 1 : rough * 0.16);
		}
	}
}

function drawCaption(canvas: Canvas, prompt: string) {
	const { width, height } = canvas;
	const scale = max(1, round(min(width, height) / 330));
	const letters = max(8, floor((width - 16 * scale) / (6 * scale)));
	const lines = linesOf(prompt, letters, 2);
	const top = height - (lines.length * LINE_HEIGHT + 4) * scale;
	for (let y = top; y < height; y++)
		for (let x = 0; x < width; x++) paint(canvas, x, y, [16, 18, 26], 0.62);
	for (const [index, line] of lines.entries()) {
		write(canvas, line, [8 * scale, top + (3 + index * LINE_HEIGHT) * scale], scale, WHITE);
	}
}
