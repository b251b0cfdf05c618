import { BinaryDataService } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';

import { job } from '../engine/rig/calls';
import { Container } from '../engine/rig/container';
import { run, type Outcome, type RunOptions } from '../engine/rig/run';
import { sha256, type Wanted } from './wanted';

/** What a workflow's user is told of one item. */
export interface Told {
	key: string;
	/** Every job id that stood in an output of the node. */
	ids: Set<string>;
	/** The last word on a start without an id. */
	outcome?: string;
	/** Whether the service's word that the job has failed came through. */
	failed?: boolean;
	file?: { jobId: string; sha256: string };
}

/** The node, pointed at the service. */
export interface Bench extends Pick<RunOptions, 'secrets' | 'pack'> {
	/** Lets the service refuse the next starts of a job. */
	refuse(key: string, times: number): void;
	/** Is shown all that n8n would store of each execution. */
	seen(outcome: Outcome): void;
}

/** A way to make files, as a workflow goes about it. */
export type Scenario = (wanted: Wanted[], bench: Bench) => Promise<Told[]>;

export const nothingTold = ({ key }: Wanted): Told => ({ key, ids: new Set() });
export const isOpen = ({ ids, file, failed }: Told) => ids.size > 0 && !file && !failed;

const carryOn = { onError: 'continueErrorOutput' } as const;
const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const address = { mediaType: '={{ $json.mediaType }}', jobId: '={{ $json.jobId }}' };
const starting = {
	mediaType: '={{ $json.mediaType }}',
	model: { __rl: true, mode: 'id', value: '={{ $json.model }}' },
	prompt: '={{ $json.prompt }}',
	// the catalog fails, too
	options: { allowUnknownCost: true },
};
const once = { ...starting, useLedger: true, uniqueKey: '={{ $json.key }}' };

/** All of them take their turns. */
export const scenarios: Record<string, Scenario> = {
	Generate: async (wanted, bench) =>
		await toldOf(wanted, await execute('generate', starting, wanted, bench, carryOn)),

	async 'Start, Wait, Download'(wanted, bench) {
		const told = await toldOf(wanted, await execute('start', starting, wanted, bench, carryOn));
		await fetchFiles(told, wanted, bench);
		return told;
	},

	async 'Generate, run three times by Retry On Fail'(wanted, bench) {
		// of the items that n8n is given, a failed first one makes it run the node again
		bench.refuse(wanted[0]!.key, 2);
		const settings = { ...carryOn, ...retry };
		return await toldOf(wanted, await execute('generate', starting, wanted, bench, settings));
	},

	async 'Generate, failed three times, retried as a changed workflow'(wanted, bench) {
		bench.refuse(wanted[Math.floor(wanted.length / 2)]!.key, 3);
		const first = await execute('generate', starting, wanted, bench, retry);
		if (!first.error) throw new Error('the execution was to fail, and did not');
		const { data } = first.run;
		return await toldOf(wanted, await execute('generate', starting, wanted, bench, carryOn, data));
	},

	async 'Unique Key, in three executions at once'(wanted, bench) {
		const rivals = [0, 1, 2].map(async () =>
			toldOf(wanted, await execute('start', once, wanted, bench, { ...carryOn, ...retry })),
		);
		const each = await Promise.all(rivals);
		const told = wanted.map(({ key }, index): Told => {
			const all = each.map((one) => one[index]!);
			const outcomes = all.map(({ outcome }) => outcome);
			const outcome = outcomes.includes('unknown') ? 'unknown' : outcomes.find(Boolean);
			return { key, ids: new Set(all.flatMap(({ ids }) => [...ids])), ...(outcome && { outcome }) };
		});
		await fetchFiles(told, wanted, bench);
		return told;
	},
};

/** Brings the files of jobs that have none yet, as the node advises: with their ids. */
export async function fetchFiles(told: Told[], wanted: Wanted[], bench: Bench): Promise<void> {
	const itemOf = ({ key, ids }: Told) => ({
		...wanted.find((each) => each.key === key),
		jobId: [...ids].at(-1),
	});
	for (const operation of ['wait', 'download']) {
		const open = told.filter(isOpen);
		const outcome = await execute(operation, address, open.map(itemOf), bench, carryOn);
		await readOutcome(open, outcome);
	}
}

async function execute(
	operation: string,
	parameters: INodeParameters,
	items: object[],
	{ secrets, pack, seen }: Bench,
	settings: NonNullable<RunOptions['settings']>,
	retried?: RunOptions['retry'],
): Promise<Outcome> {
	const outcome = await run({
		// a service that hangs is given up before long
		...job(operation, { ...parameters, requestSettings: { concurrency: 20, idleTimeout: 10 } }),
		...{ items: items.map((item) => ({ ...item })), secrets, settings },
		...(pack && { pack }),
		...(retried && { retry: retried }),
	});
	seen(outcome);
	return outcome;
}

async function toldOf(wanted: Wanted[], outcome: Outcome): Promise<Told[]> {
	const told = wanted.map(nothingTold);
	await readOutcome(told, outcome);
	return told;
}

/** Adds what a run of the node has told; `told` is in the order of its items. */
async function readOutcome(told: Told[], { items, failed }: Outcome): Promise<void> {
	const itemOf = ({ pairedItem }: Outcome['items'][number]) =>
		told[(pairedItem as { item: number }).item]!;
	for (const item of items) {
		const { jobId, state } = item.json;
		if (typeof jobId !== 'string') continue;
		const each = itemOf(item);
		each.ids.add(jobId);
		if (state === 'failed') each.failed = true;
		const file = item.binary?.['data'];
		if (!file) continue;
		if (!file.id) throw new Error('the file is in the item itself, not in the binary store');
		const bytes = await Container.get(BinaryDataService).getAsBuffer(file);
		each.file = { jobId, sha256: sha256(bytes) };
	}
	for (const item of failed) {
		// only what our node says: beside it stands the JSON of the item that came in
		const { jobId, outcome } = (item.json['details'] ?? {}) as Record<string, unknown>;
		const each = itemOf(item);
		if (typeof jobId === 'string') each.ids.add(jobId);
		if (typeof outcome === 'string') each.outcome = outcome;
	}
}

/** What a first attempt without care does: three tries for everything, and a file is whatever came. */
export const naive: Scenario = async (wanted, { secrets }) => {
	const { baseUrl, apiKey } = secrets['modelRouterApi']!;
	const ask = async (path: string, body?: object) => {
		const response = await fetch(`${String(baseUrl)}/v1/${path}`, {
			...(body && { method: 'POST', body: JSON.stringify(body) }),
			headers: { 'X-API-KEY': String(apiKey), 'content-type': 'application/json' },
			signal: AbortSignal.timeout(2000),
		});
		if (!response.ok) throw new Error(`status ${response.status}`);
		return Buffer.from(await response.arrayBuffer());
	};
	const threeTimes = async <Result>(attempt: () => Promise<Result>, time = 1): Promise<Result> =>
		await attempt().catch(async (error: unknown) => {
			if (time === 3) throw error;
			return await threeTimes(attempt, time + 1);
		});
	const read = async (path: string, body?: object) =>
		await threeTimes(
			async () => JSON.parse(String(await ask(path, body))) as { id: string; status: string },
		);
	const makeOne = async ({ key, mediaType, model, prompt }: Wanted): Promise<Told> => {
		const { id } = await read(`${mediaType}/jobs`, { model, prompt });
		const told = { key, ids: new Set([id]) };
		const path = `${mediaType}/jobs/${id}`;
		for (let status = ''; status !== 'completed'; ) {
			({ status } = await read(path));
			if (status === 'failed') return { ...told, failed: true };
		}
		const bytes = await threeTimes(async () => await ask(`${path}/content`));
		return { ...told, file: { jobId: id, sha256: sha256(bytes) } };
	};
	return await Promise.all(
		wanted.map(async (each) => await makeOne(each).catch(() => nothingTold(each))),
	);
};
