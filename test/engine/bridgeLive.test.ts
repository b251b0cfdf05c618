import type { IDataObject } from 'n8n-workflow';

import type { LoopOptions } from './rig/loop';
import { loop } from './rig/talk';

describe('live', () => {
	const lines = async (options: IDataObject, mode: 'stream' | 'quiet' = 'stream') => {
		const chunks: Array<{ type: string; content: string | undefined; runIndex: number }> = [];
		await loop({
			bridge: {
				message: 'Hello',
				turnLimit: 2,
				firstName: 'Ada',
				options,
			} as LoopOptions['bridge'],
			...(mode === 'stream' && {
				onChunk: ({ type, content, metadata: { nodeName, runIndex } }) => {
					if (nodeName === 'Bridge') chunks.push({ type, content, runIndex });
				},
			}),
		});
		return chunks;
	};

	it('a line names who speaks, in a bubble of its own', async () => {
		expect(await lines({})).toEqual([
			{ type: 'begin', content: undefined, runIndex: 0 },
			{ type: 'item', content: '**Ada:**\n\n', runIndex: 0 },
			{ type: 'end', content: undefined, runIndex: 0 },
			{ type: 'begin', content: undefined, runIndex: 1 },
			{ type: 'item', content: '**Second Speaker:**\n\n', runIndex: 1 },
			{ type: 'end', content: undefined, runIndex: 1 },
		]);
	});

	it('or the answers, for speakers that write none themselves', async () => {
		const items = (await lines({ liveOutput: 'answers' })).filter(({ type }) => type === 'item');
		expect(items.map(({ content }) => content)).toEqual([
			'**Ada:**\n\nfirst 1\n\n',
			'**Second Speaker:**\n\nsecond 1\n\n',
		]);
	});

	it('or nothing; and never where nobody reads along', async () => {
		expect(await lines({ liveOutput: 'nothing' })).toEqual([]);
		expect(await lines({}, 'quiet')).toEqual([]);
	});
});
