import type { IDataObject, INodeExecutionData, ISourceData } from 'n8n-workflow';

import { toResult } from '../../src/bridge/result';
import type { Talks } from '../../src/bridge/talks';
import { toTask } from '../../src/bridge/task';
import type { LiveLines } from './opening';

/** The item that a conversation was opened by. */
export interface Origin {
	item: number;
	source?: ISourceData;
	live?: LiveLines;
}

/** What stands for an item that cannot begin a conversation. */
export type Refusal = IDataObject;

export type BridgeTalks = Talks<Origin, Refusal>;

/** Index of the output after those of the speakers. */
export const DONE = 2;

/** The turn that is under way at its speaker's output, or all results at the last one. Made anew each time: n8n changes items. */
export function toOutputs({ ended, current }: BridgeTalks): INodeExecutionData[][] {
	if (current) {
		const { side, task } = toTask(current.conversation, ended.length + 1) ?? {};
		const item = { json: { ...task } as IDataObject, pairedItem: pairedTo(current.origin) };
		return side === 'first' ? [[item], [], []] : [[], [item], []];
	}
	const results = ended.map(({ origin, ...end }) => ({
		json:
			'refusal' in end
				? { ...end.refusal }
				: (toResult(end.conversation) as unknown as IDataObject),
		pairedItem: pairedTo(origin),
	}));
	return [[], [], results];
}

/** From the second run on the node's input is a speaker's answer: the item belongs to what came in at first. */
const pairedTo = ({ item, source }: Origin) => ({
	item,
	...(source && { sourceOverwrite: source }),
});
