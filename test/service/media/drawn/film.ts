import { encodeMp4 } from '../mp4.ts';
import { createCanvas } from './canvas.ts';
import { drawScene, STEP } from './drawScene.ts';
import { frameOf, type Frame } from './frame.ts';
import { encodeH264 } from './h264Stream.ts';
import { sceneOf } from './scene.ts';

/** Milliseconds of a frame: twelve and a half a second. */
const EACH = 80;

/** Where a block of a film comes from: what moves does so by one step or two, waves to the left, clouds to the right. */
const MOTIONS = [1, 2, -1].map((steps) => [steps * STEP, 0] as const);

/** A film of what a prompt asks for, as MP4. */
export function film(prompt: string, width: number, height: number, seconds: number): Buffer {
	const frames = Math.max(1, Math.round((seconds * 1000) / EACH));
	return encodeMp4(encodeH264(drawn(prompt, width, height, frames), MOTIONS, EACH), prompt);
}

function* drawn(prompt: string, width: number, height: number, count: number): Generator<Frame> {
	// paper would have to move as well
	const scene = { ...sceneOf(prompt), paper: false };
	for (let frame = 0; frame < count; frame++) {
		const canvas = createCanvas(width, height);
		drawScene(canvas, scene, frame, (frame * EACH) / 1000);
		yield frameOf(canvas);
	}
}
