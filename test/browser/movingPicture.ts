import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { applyPalette, GIFEncoder, quantize } from 'gifenc';
import type { Page } from 'playwright-core';
import { picturesFolder } from '../support/pictureFile.ts';
import { hidden, picturesWanted } from './pictures.ts';

/** Milliseconds from one frame to the next, of a frame that is shown long, and of the last one. */
const [BETWEEN, LONGEST, LAST] = [250, 1200, 4000];
const mostBytes = 1_500_000;

interface Frame {
	png: Buffer;
	at: number;
}

/**
 * Runs `play` and makes an animated picture of a part of the page for the documentation, where `npm run test:browser -- --pictures` asks for
 * pictures.
 */
export async function takeMovingPicture(
	name: string,
	page: Page,
	clip: { x: number; y: number; width: number; height: number },
	play: () => Promise<void>,
) {
	if (!picturesWanted()) return await play();
	const frames: Frame[] = [];
	let playing = true;
	const take = async () => {
		const png = await page.screenshot({ scale: 'css', style: hidden, clip });
		if (!frames.at(-1)?.png.equals(png)) frames.push({ png, at: Date.now() });
	};
	const taken = (async () => {
		while (playing) {
			await take();
			await pause(BETWEEN);
		}
	})();
	try {
		await play();
	} finally {
		playing = false;
		await taken;
	}
	// how it ended
	await take();
	const bytes = await encode(frames, page);
	const path = join(picturesFolder, `${name}.gif`);
	if (bytes.length > mostBytes) throw new Error(`${path} has ${bytes.length} bytes`);
	mkdirSync(picturesFolder, { recursive: true });
	writeFileSync(path, bytes);
}

/** The colors of all frames are those of the last one, which shows everything. */
async function encode(frames: Frame[], page: Page) {
	const reader = await page.context().newPage();
	try {
		const encoder = GIFEncoder();
		const pictures = [];
		for (const { png } of frames) pictures.push(await pixelsOf(reader, png));
		const palette = quantize(pictures.at(-1)!.pixels, 256);
		for (const [index, { pixels, width, height }] of pictures.entries()) {
			const next = frames[index + 1]?.at;
			const shown = next === undefined ? LAST : Math.min(next - frames[index]!.at, LONGEST);
			encoder.writeFrame(applyPalette(pixels, palette), width, height, {
				palette,
				delay: shown,
			});
		}
		encoder.finish();
		return encoder.bytes();
	} finally {
		await reader.close();
	}
}

/** Run in the browser, which reads its own pictures: four bytes per pixel, as base64. */
const readPixels = `async (source) => {
	const picture = await createImageBitmap(await (await fetch(source)).blob());
	const { width, height } = picture;
	const canvas = new OffscreenCanvas(width, height).getContext('2d');
	canvas.drawImage(picture, 0, 0);
	const { data } = canvas.getImageData(0, 0, width, height);
	let binary = '';
	for (let at = 0; at < data.length; at += 32768)
		binary += String.fromCharCode(...data.subarray(at, at + 32768));
	return { width, height, base64: btoa(binary) };
}`;

async function pixelsOf(page: Page, png: Buffer) {
	const source = `data:image/png;base64,${png.toString('base64')}`;
	const { width, height, base64 } = await page.evaluate<{
		width: number;
		height: number;
		base64: string;
	}>(`(${readPixels})(${JSON.stringify(source)})`);
	return { width, height, pixels: new Uint8Array(Buffer.from(base64, 'base64')) };
}
