import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { MAX_ROWS } from '../../../src/ledger/ledger';
import type { EventFilter } from '../../../src/ledger/pollRound';
import type { ParamValues } from '../../../src/n8n/parameters';
import { binaryParam, maximumSizeOption, segmentParam } from '../job/job.params';

/** Maximum milliseconds for which the service stores a file. */
const RETENTION = 7 * 24 * 3_600_000;

/** A trigger for expired files only gets completed jobs once they are older than the retention time. */
export function toEventFilters({ wants }: Pick<TriggerSettings, 'wants'>): EventFilter[] {
	const filters: EventFilter[] = [];
	if (wants('mediaJobCompleted')) filters.push({ outcome: 'completed', minimumAge: 0 });
	else if (wants('mediaContentExpired'))
		filters.push({ outcome: 'completed', minimumAge: RETENTION });
	if (wants('mediaJobFailed'))
		filters.push({ outcome: 'failed', minimumAge: 0 }, { outcome: 'lost', minimumAge: 0 });
	return filters;
}

const ofLedger = { show: { jobSource: ['ledger'] } };
const ofList = { show: { jobSource: ['list'] } };

export const triggerParams = [
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		options: [
			{
				name: 'Media Content Expired',
				value: 'mediaContentExpired',
				description: 'A job has completed, and its file is no longer available',
			},
			{
				name: 'Media Job Completed',
				value: 'mediaJobCompleted',
				description: 'A job has completed; its file is attached',
			},
			{
				name: 'Media Job Failed',
				value: 'mediaJobFailed',
				description: 'A job has failed, or the service no longer knows it',
			},
			{
				name: 'Model Added',
				value: 'modelAdded',
				description: 'A model was added to the catalog',
			},
			{
				name: 'Model Retired',
				value: 'modelRetired',
				description: 'A model was removed from the catalog',
			},
			{
				name: 'Price Changed',
				value: 'priceChanged',
				description: 'The price of a model has changed',
			},
		],
		default: ['mediaJobCompleted', 'mediaJobFailed'],
		required: true,
		description: 'What starts the workflow',
	},
	{
		displayName: 'Job Source',
		name: 'jobSource',
		type: 'options',
		options: [
			{
				name: 'Job Ledger',
				value: 'ledger',
				description:
					'All jobs that were entered in the job ledger. Each is reported once, even after crashes and restarts.',
			},
			{
				name: 'List of Job IDs',
				value: 'list',
				description:
					'Job IDs that you type or that an expression returns. What was reported is stored in the workflow, where a crash may lose it.',
			},
		],
		default: 'ledger',
		description:
			'Where the trigger finds jobs, and stores what it has reported about them and the catalog. For catalog events without a job ledger, choose the list and leave it empty.',
	},
	{ ...segmentParam, displayOptions: ofList },
	{
		displayName: 'Job IDs',
		name: 'jobIds',
		type: 'string',
		displayOptions: ofList,
		default: '',
		placeholder: 'e.g. job-1, job-2',
		description:
			'Separated by commas or spaces, or a list from an expression, which is [] when there are none. Best effort: n8n saves what was reported only together with an execution, so after a crash a job may be reported again. The same applies to the last state of the catalog.',
	},
	{
		displayName: 'Label',
		name: 'label',
		type: 'string',
		displayOptions: ofLedger,
		default: '',
		placeholder: 'e.g. product videos',
		description:
			'Only jobs that were entered with this Ledger Label. If empty, all jobs that were started with the same Model Router credential. If several triggers match the same job, one gets it.',
	},
	{
		displayName: 'Attach File',
		name: 'attachFile',
		type: 'boolean',
		default: true,
		description: 'Whether to download the file of a completed job into n8n',
	},
	{ ...binaryParam, displayOptions: { show: { attachFile: [true] } } },
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			{
				displayName: 'Deliver Again After (Minutes)',
				name: 'deliverAgainAfter',
				type: 'number',
				typeOptions: { minValue: 5, maxValue: 1440 },
				default: 10,
				description:
					'When an execution was killed or stopped before it had the files, its jobs are delivered to another one after this time. It should be longer than executions wait in the queue.',
			},
			{
				displayName: 'Max Jobs per Run',
				name: 'mostJobs',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: MAX_ROWS },
				default: 50,
				description: 'Maximum number of jobs in one execution; the rest follows with the next poll',
			},
			maximumSizeOption,
		],
	},
] as const satisfies INodeProperties[];

type TriggerParams = ParamValues<typeof triggerParams>;
export type TriggerEvent = TriggerParams['events'][number];

/** The settings of the trigger, read for every poll and every execution. */
export interface TriggerSettings {
	wants(event: TriggerEvent): boolean;
	wantsJobs: boolean;
	wantsCatalog: boolean;
	jobSource: TriggerParams['jobSource'];
	segment: TriggerParams['segment'];
	jobIds: string;
	label: string;
	/** Undefined when no file is downloaded. */
	binaryProperty: string | undefined;
	/** Milliseconds. */
	lease: number;
	mostJobs: number;
	/** MiB. */
	maximumSize: number;
}

/** @throws ServiceError `invalid`. */
export function toSettings({
	events,
	jobSource,
	segment,
	jobIds,
	label,
	attachFile,
	binaryProperty,
	options: { deliverAgainAfter = 10, mostJobs = 50, maximumSize = maximumSizeOption.default },
}: TriggerParams): TriggerSettings {
	if (!events.length)
		throw invalidInputError('Events is empty', 'Choose what starts the workflow.');
	const wants = (event: TriggerEvent) => events.includes(event);
	return {
		wants,
		wantsJobs:
			wants('mediaJobCompleted') || wants('mediaJobFailed') || wants('mediaContentExpired'),
		wantsCatalog: wants('modelAdded') || wants('modelRetired') || wants('priceChanged'),
		...{ jobSource, segment, jobIds },
		label: label.trim(),
		binaryProperty: attachFile ? binaryProperty.trim() || binaryParam.default : undefined,
		lease: deliverAgainAfter * 60_000,
		...{ mostJobs, maximumSize },
	};
}
