import { between, disc, polygon, type Canvas, type Color } from './canvas.ts';
import { chanceOf } from './chance.ts';
import type { Layout } from './drawScene.ts';
import type { Scene, Subject } from './scene.ts';

const WHITE: Color = [250, 248, 242];
const RED: Color = [188, 52, 44];
const LAMP: Color = [255, 232, 140];

/** Draws one of the things that a prompt names. */
export function drawSubject(subject: Subject, canvas: Canvas, scene: Scene, layout: Layout): void {
	switch (subject) {
		case 'lighthouse':
			return drawLighthouse(canvas, scene, layout);
		case 'boat':
			return drawBoat(canvas, layout);
		case 'trees':
			return drawTrees(canvas, scene, layout);
		case 'house':
			return drawHouse(canvas, scene, layout);
		case 'city':
			return drawCity(canvas, scene, layout);
		case 'mountains':
			// behind the ground, and so drawn before it
			return;
	}
}

/** On a rock at the right; its lamp shines every other second. */
function drawLighthouse(canvas: Canvas, { colors }: Scene, { horizon, time }: Layout) {
	const { width, height } = canvas;
	const [x, foot, size] = [width * 0.72, horizon + height * 0.06, height * 0.36];
	const rock = between(colors.land, [0, 0, 0], 0.15);
	polygon(
		canvas,
		[
			[x - size * 0.7, foot + size * 0.24],
			[x - size * 0.36, foot - size * 0.04],
			[x + size * 0.3, foot - size * 0.08],
			[x + size * 0.62, foot + size * 0.08],
			[x + size * 0.9, foot + size * 0.24],
		],
		rock,
	);
	const halfAt = (share: number) => size * (0.12 - 0.045 * share);
	const part = (from: number, to: number, color: Color) =>
		polygon(
			canvas,
			[
				[x - halfAt(from), foot - size * from],
				[x - halfAt(to), foot - size * to],
				[x + halfAt(to), foot - size * to],
				[x + halfAt(from), foot - size * from],
			],
			color,
		);
	for (let stripe = 0; stripe < 5; stripe++) {
		part(stripe / 5, (stripe + 1) / 5, stripe % 2 ? WHITE : RED);
	}
	const lamp = foot - size * 1.07;
	const isLit = Math.floor(time) % 2 === 0;
	if (isLit) {
		for (const away of [-1, 1]) {
			polygon(
				canvas,
				[
					[x, lamp - 2],
					[x + away * size * 1.1, lamp - size * 0.14],
					[x + away * size * 1.1, lamp + size * 0.14],
					[x, lamp + 2],
				],
				LAMP,
				0.28,
			);
		}
		disc(canvas, [x, lamp], size * 0.28, LAMP, { alpha: 0.8, soft: true });
	}
	const gallery = size * 0.1;
	polygon(
		canvas,
		[
			[x - gallery, foot - size],
			[x + gallery, foot - size],
			[x + gallery, foot - size * 1.02],
			[x - gallery, foot - size * 1.02],
		],
		[40, 40, 46],
	);
	polygon(
		canvas,
		[
			[x - size * 0.05, foot - size * 1.02],
			[x + size * 0.05, foot - size * 1.02],
			[x + size * 0.05, foot - size * 1.12],
			[x - size * 0.05, foot - size * 1.12],
		],
		isLit ? LAMP : [120, 128, 136],
	);
	polygon(
		canvas,
		[
			[x - size * 0.08, foot - size * 1.12],
			[x + size * 0.08, foot - size * 1.12],
			[x, foot - size * 1.22],
		],
		RED,
	);
}

function drawBoat(canvas: Canvas, { horizon, moved }: Layout) {
	const { width, height } = canvas;
	const size = height * 0.12;
	const x = ((width * 0.45 + moved) % (width + size * 2)) - size;
	const y = horizon + height * 0.14;
	polygon(
		canvas,
		[
			[x - size, y - size * 0.2],
			[x + size, y - size * 0.2],
			[x + size * 0.7, y + size * 0.2],
			[x - size * 0.7, y + size * 0.2],
		],
		[110, 62, 40],
	);
	polygon(
		canvas,
		[
			[x, y - size * 1.8],
			[x + size * 0.85, y - size * 0.35],
			[x, y - size * 0.35],
		],
		WHITE,
	);
	polygon(
		canvas,
		[
			[x - size * 0.1, y - size * 1.6],
			[x - size * 0.1, y - size * 0.35],
			[x - size * 0.7, y - size * 0.35],
		],
		[228, 222, 206],
	);
}

function drawTrees(canvas: Canvas, { prompt, colors }: Scene, { horizon }: Layout) {
	const { width, height } = canvas;
	const chance = chanceOf(`trees ${prompt}`);
	const trees = Array.from({ length: 14 }, () => ({
		x: chance(),
		depth: chance(),
		shade: chance(),
	}));
	for (const { x, depth, shade } of trees.sort((one, other) => one.depth - other.depth)) {
		const size = height * (0.1 + depth * 0.14);
		const foot = horizon + height * (0.02 + depth * 0.2);
		const left = x * width;
		const color = between(colors.land, [22, 66, 44], 0.4 + shade * 0.4);
		polygon(
			canvas,
			[
				[left - size * 0.06, foot],
				[left + size * 0.06, foot],
				[left + size * 0.06, foot - size * 0.3],
				[left - size * 0.06, foot - size * 0.3],
			],
			[78, 54, 40],
		);
		for (let step = 0; step < 3; step++) {
			const [low, half] = [foot - size * (0.22 + step * 0.26), size * (0.36 - step * 0.08)];
			polygon(
				canvas,
				[
					[left - half, low],
					[left, low - size * 0.46],
					[left + half, low],
				],
				color,
			);
		}
	}
}

function drawHouse(canvas: Canvas, { isLow, stars }: Scene, { horizon }: Layout) {
	const { width, height } = canvas;
	const [x, foot, size] = [width * 0.56, horizon + height * 0.14, height * 0.24];
	polygon(
		canvas,
		[
			[x - size * 0.6, foot],
			[x + size * 0.6, foot],
			[x + size * 0.6, foot - size * 0.6],
			[x - size * 0.6, foot - size * 0.6],
		],
		[226, 210, 180],
	);
	polygon(
		canvas,
		[
			[x - size * 0.72, foot - size * 0.58],
			[x, foot - size * 1.05],
			[x + size * 0.72, foot - size * 0.58],
		],
		[146, 66, 50],
	);
	const window = isLow || stars ? LAMP : ([104, 142, 170] as Color);
	for (const away of [-0.36, 0.2]) {
		const left = x + size * away;
		polygon(
			canvas,
			[
				[left, foot - size * 0.24],
				[left + size * 0.18, foot - size * 0.24],
				[left + size * 0.18, foot - size * 0.44],
				[left, foot - size * 0.44],
			],
			window,
		);
	}
	polygon(
		canvas,
		[
			[x - size * 0.1, foot],
			[x + size * 0.08, foot],
			[x + size * 0.08, foot - size * 0.34],
			[x - size * 0.1, foot - size * 0.34],
		],
		[96, 58, 40],
	);
}

function drawCity(canvas: Canvas, { prompt, colors, isLow, stars }: Scene, { horizon }: Layout) {
	const { width, height } = canvas;
	const chance = chanceOf(`city ${prompt}`);
	const lit = stars ? 0.6 : isLow ? 0.4 : 0.15;
	for (let left = 0; left < width; left += 0) {
		const wide = Math.round(width * (0.03 + chance() * 0.05));
		const top = Math.round(horizon - height * (0.08 + chance() * 0.3));
		const foot = horizon + height * 0.02;
		const color = between(colors.land, colors.skyLow, 0.1 + chance() * 0.3);
		polygon(
			canvas,
			[
				[left, foot],
				[left + wide - 2, foot],
				[left + wide - 2, top],
				[left, top],
			],
			color,
		);
		const step = Math.max(6, Math.round(height / 56));
		for (let y = top + step; y < horizon - step; y += step) {
			for (let x = left + step / 2; x < left + wide - step; x += step) {
				const isOn = chance() < lit;
				const shine = isOn ? LAMP : between(color, [0, 0, 0], 0.25);
				polygon(
					canvas,
					[
						[x, y],
						[x + step / 2, y],
						[x + step / 2, y + step / 2],
						[x, y + step / 2],
					],
					shine,
				);
			}
		}
		left += wide;
	}
}
