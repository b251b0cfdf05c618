import type { Page } from 'playwright-core';

/** What somebody has done in a page: clicks, and the fields that were typed into. */
export interface Counted {
	clicks: number;
	typed: number;
}

/** Run in the browser: every click but those of the driver, which looks at all of the canvas, and every field that is typed into. */
const COUNTING = `(() => {
	window.counted = { clicks: 0, typed: [] };
	document.addEventListener('click', ({ isTrusted, target }) => {
		if (isTrusted && !target.closest('[data-test-id="zoom-to-fit"]')) window.counted.clicks++;
	}, true);
	document.addEventListener('input', ({ target }) => {
		if (!window.counted.typed.includes(target)) window.counted.typed.push(target);
	}, true);
})()`;

/** Counts from now on. The page that is loaded has the counter once. */
export const countFromHere = async (page: Page): Promise<void> =>
	void (await page.evaluate(
		`window.counted ? window.counted = { clicks: 0, typed: [] } : ${COUNTING}`,
	));

export const counted = async (page: Page): Promise<Counted> =>
	await page.evaluate<Counted>(
		'({ clicks: window.counted.clicks, typed: window.counted.typed.length })',
	);

/** Counts this work as so many clicks, whatever the driver had to try again. */
export async function uncounted(
	page: Page,
	work: () => Promise<void>,
	asClicks = 0,
): Promise<void> {
	const { clicks } = await counted(page);
	await work();
	await page.evaluate(`window.counted.clicks = ${clicks + asClicks}`);
}
