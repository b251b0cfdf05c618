import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { pictureFile, picturesFolder } from '../support/pictureFile.ts';

const mostBytes = 170_000;

/** What lies over the part that a picture is of: messages, the editor's own buttons, and marks of accounts that a reader has to add. */
export const hidden = `
	.el-notification,
	[data-test-id="canvas-controls"],
	[data-test-id^="execute-workflow-button"],
	[data-test-id="node-creator-plus-button"],
	[data-test-id="command-bar-button"],
	[data-test-id="add-sticky-button"],
	[data-test-id="toggle-focus-panel-button"],
	[data-test-id="ask-assistant-canvas-action-button"],
	[data-test-id="instance-ai-canvas-action-button"],
	[data-test-id="node-issues"],
	[class*="executionButtons"],
	.n8n-tooltip,
	[data-reka-popper-content-wrapper],
	.tab-bar-container { visibility: hidden !important; }
	[data-test-id^="radio-button-"]:not([data-test-id="ndv"] *) { visibility: hidden !important; }`;

/** Around all parts. */
const margin = 48;

/** With a list that is open. */
export const withList = hidden.replace('[data-reka-popper-content-wrapper],', '');

/** Takes a picture for the documentation, where `npm run test:browser -- --pictures` asks for them. */
export async function takePicture(name: string, of: Locator, style = hidden) {
	if (!picturesWanted()) return;
	const path = pathOf(name);
	// what the pointer is over is dark, or has buttons
	await of.page().mouse.move(0, 0);
	await of.screenshot({ path, style, animations: 'disabled', scale: 'css' });
	checkSize(path);
}

/** A picture of the part of a page that these elements take, all of them together. */
export async function takePictureAround(name: string, page: Page, parts: Locator) {
	if (!picturesWanted()) return;
	const boxes = (
		await Promise.all((await parts.all()).map(async (one) => await one.boundingBox()))
	).filter((box) => box !== null);
	const x = Math.max(0, Math.min(...boxes.map((box) => box.x)) - margin);
	const y = Math.max(0, Math.min(...boxes.map((box) => box.y)) - margin);
	const right = Math.max(...boxes.map((box) => box.x + box.width)) + margin;
	const canvas = await page.locator('[data-test-id="canvas-wrapper"]').boundingBox();
	const bottom = Math.min(
		Math.max(...boxes.map((box) => box.y + box.height)) + margin,
		canvas ? canvas.y + canvas.height : Infinity,
	);
	const path = pathOf(name);
	await page.screenshot({
		path,
		style: hidden,
		animations: 'disabled',
		scale: 'css',
		clip: { x, y, width: right - x, height: bottom - y },
	});
	checkSize(path);
}

/** Whether this run takes the pictures of the documentation. */
export const picturesWanted = () => Boolean(process.env['AGENT_BRIDGE_PICTURES']);

function pathOf(name: string) {
	mkdirSync(picturesFolder, { recursive: true });
	return join(picturesFolder, pictureFile(name));
}

function checkSize(path: string) {
	const { size } = statSync(path);
	if (size > mostBytes) throw new Error(`${path} has ${size} bytes`);
}
