import type { INodeExecutionData } from 'n8n-workflow';

import type { Outcome } from '../engine/rig/run';
import type { Evidence, Said } from './book';
import { sha256 } from './files';
import { readStored } from './stored';

/** What a workflow's user is told of one item. */
export interface Told {
	key: string;
	/** Every job id that stood in an output of the node. */
	ids: Set<string>;
	/** Whether the last word is that nobody knows whether a job was started. */
	unknown: boolean;
	/** Whether the last word is that none was started. */
	notStarted: boolean;
	/** Whether the service's word that the job has failed came through. */
	failed: boolean;
	file?: { jobId: string; sha256: string };
}

export const nothingTold = (key: string): Told => ({
	key,
	ids: new Set(),
	unknown: false,
	notStarted: false,
	failed: false,
});

/** Adds what a run of the node has told; `told` is in the order of its items. */
export async function readOutcome(told: Told[], { items, failed }: Outcome): Promise<void> {
	for (const item of items) {
		const each = told[indexOf(item)];
		const jobId = item.json['jobId'];
		if (!each || typeof jobId !== 'string') continue;
		each.ids.add(jobId);
		[each.unknown, each.notStarted] = [false, false];
		if (item.json['state'] === 'failed') each.failed = true;
		const file = item.binary?.['data'];
		if (file) each.file = { jobId, sha256: sha256(await readStored(file)) };
	}
	for (const item of failed) {
		const each = told[indexOf(item)];
		// only what our node says: beside it stands the JSON of the item that came in
		const details = (item.json['details'] ?? {}) as Record<string, unknown>;
		if (!each) continue;
		if (typeof details['jobId'] === 'string') each.ids.add(details['jobId']);
		each.unknown = details['outcome'] === 'unknown';
		each.notStarted = details['outcome'] === 'not_started';
	}
}

/** The same in the words of the book. */
export function evidenceOf(told: Told[]): Pick<Evidence, 'wanted' | 'said' | 'arrivals'> {
	const said = told.flatMap(({ key, ids, unknown, notStarted }): Said[] => {
		if (ids.size) return [...ids].map((jobId) => ({ key, jobId }));
		if (unknown || notStarted) return [{ key, outcome: unknown ? 'unknown' : 'not_started' }];
		return [];
	});
	const arrivals = told.flatMap(({ ids, file }) => [
		...[...ids].map((jobId) => ({ jobId })),
		...(file ? [file] : []),
	]);
	return { wanted: told.map(({ key }) => ({ key, hasKey: true })), said, arrivals };
}

function indexOf({ pairedItem }: INodeExecutionData): number {
	if (typeof pairedItem === 'object' && !Array.isArray(pairedItem)) return pairedItem.item;
	throw new Error(
		`an item of the node has lost where it comes from: ${JSON.stringify(pairedItem)}`,
	);
}
