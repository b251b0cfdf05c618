import type { INodeParameters } from 'n8n-workflow';

import { job } from '../engine/rig/calls';
import { run, type Outcome, type RunOptions } from '../engine/rig/run';
import { nothingTold, readOutcome, type Told } from './told';
import type { Wanted } from './wanted';

/** The node, pointed at the service. */
export interface Bench {
	secrets: RunOptions['secrets'];
	pack?: RunOptions['pack'];
	/** Lets the service refuse the next starts of a job. */
	refuse(key: string, times: number): void;
	/** Is shown all that n8n would store of each execution. */
	seen(outcome: Outcome): void;
}

/** A way to make files, as a workflow goes about it. */
export interface Scenario {
	name: string;
	make(wanted: Wanted[], bench: Bench): Promise<Told[]>;
}

const carryOn = { onError: 'continueErrorOutput' } as const;
const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** All of them take their turns. */
export const scenarios: readonly Scenario[] = [
	{
		name: 'Generate',
		async make(wanted, bench) {
			const told = wanted.map(({ key }) => nothingTold(key));
			await readOutcome(told, await generate(wanted, bench, carryOn));
			return told;
		},
	},
	{
		name: 'Start, Wait, Download',
		async make(wanted, bench) {
			const told = wanted.map(({ key }) => nothingTold(key));
			await readOutcome(told, await execute('start', startParameters, wanted, bench, carryOn));
			await fetchFiles(told, wanted, bench);
			return told;
		},
	},
	{
		name: 'Generate, run three times by Retry On Fail',
		async make(wanted, bench) {
			const told = wanted.map(({ key }) => nothingTold(key));
			// of the items that n8n is given, a failed first one makes it run the node again
			bench.refuse(wanted[0]!.key, 2);
			await readOutcome(told, await generate(wanted, bench, { ...carryOn, ...retry }));
			return told;
		},
	},
	{
		name: 'Generate, failed three times, retried as a changed workflow',
		async make(wanted, bench) {
			const told = wanted.map(({ key }) => nothingTold(key));
			bench.refuse(wanted[Math.floor(wanted.length / 2)]!.key, 3);
			const first = await generate(wanted, bench, retry);
			if (!first.error) throw new Error('the execution was to fail, and did not');
			await readOutcome(told, await generate(wanted, bench, carryOn, first.run.data));
			return told;
		},
	},
	{
		name: 'Unique Key, in three executions at once',
		async make(wanted, bench) {
			const starts = {
				...startParameters,
				useLedger: true,
				idempotencyKey: '={{ $json.key }}',
			};
			const settings = { ...carryOn, ...retry };
			const each = await Promise.all(
				[0, 1, 2].map(async () => {
					const told = wanted.map(({ key }) => nothingTold(key));
					await readOutcome(told, await execute('start', starts, wanted, bench, settings));
					return told;
				}),
			);
			const told = wanted.map((_, index) => together(each.map((one) => one[index]!)));
			await fetchFiles(told, wanted, bench);
			return told;
		},
	},
];

/** What several executions have told of one item. */
function together(told: Told[]): Told {
	return {
		...told[0]!,
		ids: new Set(told.flatMap(({ ids }) => [...ids])),
		unknown: told.some(({ unknown }) => unknown),
		notStarted: told.every(({ notStarted }) => notStarted),
	};
}

/** Brings the files of jobs that have none yet, as the node advises: with their ids. */
export async function fetchFiles(told: Told[], wanted: Wanted[], bench: Bench): Promise<void> {
	const open = told.filter(({ ids, file, failed }) => ids.size && !file && !failed);
	const itemOf = (each: Told) => ({
		...wanted.find(({ key }) => key === each.key),
		jobId: [...each.ids].at(-1),
	});
	await readOutcome(open, await execute('wait', address, open.map(itemOf), bench, carryOn));
	const completed = open.filter(({ failed }) => !failed);
	const items = completed.map(itemOf);
	await readOutcome(completed, await execute('download', address, items, bench, carryOn));
}

const address = { mediaType: '={{ $json.mediaType }}', jobId: '={{ $json.jobId }}' };

const startParameters = {
	mediaType: '={{ $json.mediaType }}',
	model: { __rl: true, mode: 'id', value: '={{ $json.model }}' },
	prompt: '={{ $json.prompt }}',
	// the catalog fails, too
	options: { allowUnknownCost: true },
};

const generate = async (
	wanted: Wanted[],
	bench: Bench,
	settings: RunOptions['settings'],
	retried?: RunOptions['retry'],
) => await execute('generate', startParameters, wanted, bench, settings, retried);

async function execute(
	operation: string,
	parameters: INodeParameters,
	items: object[],
	{ secrets, pack, seen }: Bench,
	settings: RunOptions['settings'],
	retried?: RunOptions['retry'],
): Promise<Outcome> {
	const outcome = await run({
		// a service that hangs is given up before long
		...job(operation, { ...parameters, requestSettings: { concurrency: 20, idleTimeout: 10 } }),
		items: items.map((item) => ({ ...item })),
		secrets,
		...(settings && { settings }),
		...(pack && { pack }),
		...(retried && { retry: retried }),
	});
	seen(outcome);
	return outcome;
}
