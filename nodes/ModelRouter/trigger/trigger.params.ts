import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { MOST_ROWS } from '../../../src/ledger/table';
import type { ParamValues } from '../../../src/n8n/params';
import { invalid } from '../../../src/service/errors';
import { binaryParam, maximumSizeOption, segmentParam } from '../job/job.params';

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
				description: 'A job has completed, and its file is gone',
			},
			{
				name: 'Media Job Completed',
				value: 'mediaJobCompleted',
				description: 'A job has completed; its file comes along',
			},
			{
				name: 'Media Job Failed',
				value: 'mediaJobFailed',
				description: 'A job has failed, or the service does not know it any more',
			},
			{
				name: 'Model Added',
				value: 'modelAdded',
				description: 'The catalog has a model that it did not have',
			},
			{
				name: 'Model Retired',
				value: 'modelRetired',
				description: 'The catalog does not have a model any more',
			},
			{
				name: 'Price Changed',
				value: 'priceChanged',
				description: 'A model has another price',
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
					'All jobs that were entered in the job ledger. Each is brought once, through crashes and restarts.',
			},
			{
				name: 'List of Job IDs',
				value: 'list',
				description:
					'Job IDs that you type or that an expression gives. What was told is kept in the workflow, where a crash may lose it.',
			},
		],
		default: 'ledger',
		description:
			'Where the trigger learns of jobs, and keeps what it has told of them and of the catalog. Choose the list, and leave it empty, for events of the catalog without a job ledger.',
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
			'With commas or blanks between them, or a list from an expression. Best effort: n8n saves what was told only together with an execution, so after a crash a job may be told again. The same goes for what the catalog was when it was last looked at.',
	},
	{
		displayName: 'Label',
		name: 'label',
		type: 'string',
		displayOptions: ofLedger,
		default: '',
		placeholder: 'e.g. product videos',
		description:
			'Only jobs that were entered with this Ledger Label. Left empty, all jobs that were started with the same Model Router credential. Of several triggers that want the same job, one gets it.',
	},
	{
		displayName: 'Attach File',
		name: 'attachFile',
		type: 'boolean',
		default: true,
		description: 'Whether to bring the file of a completed job into n8n',
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
					'When an execution was killed or stopped before it had the files, its jobs are handed to another one after this time. It should be longer than executions wait for their turn.',
			},
			{
				displayName: 'Max Jobs per Run',
				name: 'mostJobs',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: MOST_ROWS },
				default: 50,
				description: 'How many jobs one execution gets at most; the rest comes with the next poll',
			},
			maximumSizeOption,
		],
	},
] as const satisfies INodeProperties[];

export type TriggerParams = ParamValues<typeof triggerParams>;
export type TriggerEvent = TriggerParams['events'][number];

/** What the trigger is to do, read for every poll and every execution. */
export interface TriggerSettings {
	wants(event: TriggerEvent): boolean;
	wantsJobs: boolean;
	wantsCatalog: boolean;
	jobSource: TriggerParams['jobSource'];
	segment: TriggerParams['segment'];
	jobIds: string;
	label: string;
	/** Undefined when no file is wanted. */
	binaryProperty: string | undefined;
	/** Milliseconds. */
	lease: number;
	mostJobs: number;
	/** MiB. */
	maximumSize: number;
}

/**
 * @param typed The parameters as they are stored, with their expressions.
 * @throws ServiceError `invalid`.
 */
export function toSettings(
	{
		events,
		jobSource,
		segment,
		jobIds,
		label,
		attachFile,
		binaryProperty,
		options: { deliverAgainAfter = 10, mostJobs = 50, maximumSize = maximumSizeOption.default },
	}: TriggerParams,
	typed: INodeParameters,
): TriggerSettings {
	// n8n makes nothing of an expression that fails, and without a label all jobs would be taken
	if (!label.trim() && String(typed['label'] ?? '').startsWith('='))
		throw invalid('Label is an expression that finds nothing', 'Leave it empty to take all jobs.');
	if (!events.length) throw invalid('Events is empty', 'Choose what the workflow is to start on.');
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
