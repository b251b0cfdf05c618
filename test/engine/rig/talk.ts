import type { IDataObject } from 'n8n-workflow';

import { runLoop, says, type LoopOptions, type Speaker } from './loop';

/** Says which of its answers this is. */
export const counting = (name: string): Speaker => {
	let said = 0;
	return () => says(`${name} ${++said}`);
};

export const loop = async (options: Partial<LoopOptions> = {}) =>
	await runLoop({
		bridge: { message: '={{ $json.q }}', turnLimit: 3 },
		items: [{ q: 'Hello' }],
		first: counting('first'),
		second: counting('second'),
		...options,
	});

export const texts = (json: IDataObject | undefined) =>
	(json?.['transcript'] as Array<{ text: string }>).map(({ text }) => text);
