import type { Fields } from '../../call.ts';
import type { MediaKind } from '../../router/job.ts';
import type { MediaFile } from '../file.ts';
import { encodePng } from '../png.ts';
import { createCanvas } from './canvas.ts';
import { drawScene } from './drawScene.ts';
import { film } from './film.ts';
import { melody } from './melody.ts';
import { sceneOf } from './scene.ts';
import { speech } from './speech.ts';

/** Side lengths in pixels. */
interface Size {
	width: number;
	height: number;
}

const PICTURE: Size = { width: 1024, height: 768 };
const MOST_OF_PICTURE = 2048;
/** Films are small, whatever is asked for: each must be there within a second. */
const FILM: Size = { width: 480, height: 272 };
const MOST_OF_FILM = 640;
const KEPT = 24;

const made = new Map<string, MediaFile>();

/** A file to look at and listen to, of the size and length that the body of a start asks for. Made once, then kept. */
export function drawnFile(kind: MediaKind, prompt: string, body: Fields): MediaFile {
	const key = JSON.stringify([kind, prompt, body]);
	const file = made.get(key) ?? make(kind, prompt, body);
	made.set(key, file);
	const [oldest = ''] = made.keys();
	if (made.size > KEPT) made.delete(oldest);
	return file;
}

function make(kind: MediaKind, prompt: string, body: Fields): MediaFile {
	switch (kind) {
		case 'image': {
			const { width, height } = sizeOf(body, PICTURE, MOST_OF_PICTURE);
			const canvas = createCanvas(width, height);
			drawScene(canvas, sceneOf(prompt));
			return { bytes: encodePng(canvas, prompt), type: 'image/png', extension: 'png' };
		}
		case 'video': {
			const { width, height } = sizeOf(body, FILM, MOST_OF_FILM);
			const bytes = film(prompt, inBlocks(width), inBlocks(height), secondsOf(body, 5, 12));
			return { bytes, type: 'video/mp4', extension: 'mp4' };
		}
		case 'music':
			return { bytes: melody(prompt, secondsOf(body, 8, 30)), type: 'audio/wav', extension: 'wav' };
		case 'audio':
			return { bytes: speech(prompt), type: 'audio/wav', extension: 'wav' };
	}
}

/** `width` and `height`, `size: "1024x768"` or `aspect_ratio: "16:9"`; their names are not specified. */
function sizeOf(body: Fields, usual: Size, most: number): Size {
	const written = String(body.size ?? body.resolution ?? '').match(/^(\d+)\s*[x*×]\s*(\d+)$/i);
	const ratio = String(body.aspect_ratio ?? body.aspectRatio ?? '').match(/^([\d.]+):([\d.]+)$/);
	const pair = (width: unknown, height: unknown): Size | undefined =>
		Number(width) > 0 && Number(height) > 0
			? { width: Number(width), height: Number(height) }
			: undefined;
	const wanted =
		pair(body.width, body.height) ??
		pair(written?.[1], written?.[2]) ??
		shaped(pair(ratio?.[1], ratio?.[2]), usual);
	const scale = Math.min(1, most / Math.max(wanted.width, wanted.height));
	return { width: sideOf(wanted.width * scale), height: sideOf(wanted.height * scale) };
}

/** The usual size in another shape: its longer side stays. */
function shaped(ratio: Size | undefined, usual: Size): Size {
	if (!ratio) return usual;
	const scale = Math.max(usual.width, usual.height) / Math.max(ratio.width, ratio.height);
	return { width: ratio.width * scale, height: ratio.height * scale };
}

const sideOf = (pixels: number) => Math.max(64, Math.round(pixels));

const inBlocks = (pixels: number) => Math.max(4, Math.round(pixels / 16)) * 16;

function secondsOf(body: Fields, usual: number, most: number): number {
	const wanted = Number(body.duration ?? body.seconds);
	return Math.min(most, wanted > 0 ? wanted : usual);
}
