import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { readKeyText } from '../../../src/core/keyText';
import { MAX_ROWS } from '../../../src/tables/table';
import type { EventFilter } from '../../../src/ledger/dueJobs';
import type { ParamValues } from '../../../src/n8n/parameters';
import { optionsParam } from '../../fieldKinds.params';
import { binaryParam, maxSizeOption, mediaTypeParam } from '../media/media.params';
import { triggerGroupOption } from '../media/start.params';
import { simplifyParam } from '../acrossResources.params';

/**
 * Milliseconds from the start of a job after which its file is gone: 7 days from its end. With a list of job IDs, a trigger looks for it
 * once, so not before.
 */
const RETENTION = 8 * 24 * 3_600_000;

/** A trigger that only reports expired files gets completed jobs once they are older than the retention time. */
export function toEventFilters({ wants }: Pick<TriggerSettings, 'wants'>): EventFilter[] {
	const filters: EventFilter[] = [];
	if (wants('mediaJobCompleted')) filters.push({ outcome: 'completed' });
	else if (wants('mediaContentExpired'))
		filters.push({ outcome: 'completed', minimumAge: RETENTION });
	if (wants('mediaJobFailed')) filters.push({ outcome: 'failed' }, { outcome: 'lost' });
	for (const { event, outcome } of ALARMS)
		if (wants(event)) filters.push({ outcome, isAlarm: true });
	return filters;
}

/** The events that are alarms, and the outcomes of their rows. */
export const ALARMS = [
	{ event: 'budgetThresholdReached', outcome: 'threshold' },
	{ event: 'outcomeUnknown', outcome: 'outcomeUnknown' },
	{ event: 'spendingTableNearlyFull', outcome: 'nearlyFull' },
] as const satisfies Array<Pick<EventFilter, 'outcome'> & { event: TriggerEvent }>;

const ofLedger = { show: { watch: ['ledger'] } };
const ofList = { show: { watch: ['list'] } };

/** What a trigger can wait for: n8n's list of nodes shows them in this order, which is the one in which people come for them. */
const eventOptions = [
	{
		name: 'Media Job Completed',
		value: 'mediaJobCompleted',
		description: 'A job has completed; its file is downloaded',
	},
	{
		name: 'Media Job Failed',
		value: 'mediaJobFailed',
		description: 'A job has failed, or the service no longer knows it',
	},
	{
		name: 'Budget Threshold Reached',
		value: 'budgetThresholdReached',
		description:
			'Spending has reached a percentage in Alarms At (Percent) of the credential: once per period for each',
	},
	{
		name: 'Outcome Unknown',
		value: 'outcomeUnknown',
		description:
			'A start in the job ledger may or may not have been received, so a person must decide',
	},
	{
		name: 'Spending Table Nearly Full',
		value: 'spendingTableNearlyFull',
		description: 'The record of spending takes few more rows: once per month',
	},
	{
		name: 'Media Content Expired',
		value: 'mediaContentExpired',
		description: 'A job has completed, and its file is no longer available',
	},
] as const satisfies INodePropertyOptions[];

const eventLabels = Object.fromEntries(eventOptions.map(({ value, name }) => [value, name]));

/** The chosen events by their labels. */
export const eventsSubtitle = `={{ [$parameter["events"]].flat().map((event) => (${JSON.stringify(eventLabels)})[event]).join(", ") }}`;

export const triggerParams = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: eventOptions,
		default: ['mediaJobCompleted', 'mediaJobFailed'],
		required: true,
		hint: 'Without Media Job Failed, failed jobs are not reported',
	},
	{
		displayName: 'Jobs to Watch',
		name: 'watch',
		type: 'options',
		options: [
			{
				name: 'All Jobs in the Job Ledger',
				value: 'ledger',
				description: 'Remembers across crashes and restarts what was reported',
			},
			{
				name: 'List of Job IDs',
				value: 'list',
				description:
					'Job IDs that you enter or that an expression returns. What was reported is stored in the workflow, where a crash may lose it.',
			},
		],
		default: 'ledger',
		description: 'Where the trigger finds jobs, and stores what it has reported',
	},
	{ ...mediaTypeParam, displayOptions: ofList },
	{
		displayName: 'Job IDs',
		name: 'jobIds',
		type: 'string',
		displayOptions: ofList,
		default: '',
		placeholder: 'e.g. job-1, job-2',
		description:
			'Separated by commas or spaces, or a list from an expression, which is [] if there are none. Job URLs also work. Best effort: n8n saves what was reported only together with an execution, so after a crash a job may be reported again.',
	},
	{
		...triggerGroupOption,
		displayOptions: ofLedger,
		description:
			'Only jobs of this Trigger Group. If empty, all jobs started with the same Model Router credential. If several triggers match a job, one of them gets it.',
	},
	{
		displayName: 'Delivered When',
		name: 'deliveredWhen',
		type: 'options',
		displayOptions: ofLedger,
		options: [
			{
				name: 'Confirmed by the Workflow',
				value: 'confirmed',
				description:
					'At least once: until Confirm Delivery has run, the job is delivered again after the time in Deliver Again After. It may arrive twice, but is never lost.',
			},
			{
				name: 'Handed to the Workflow',
				value: 'handedOver',
				description:
					'Once, whatever the workflow does with it. If n8n or a worker is killed after the trigger, use Deliver Again.',
			},
		],
		default: 'handedOver',
		description:
			'When a job counts as delivered and is not delivered again. For Confirmed, end the workflow with Confirm Delivery of the resource Job Ledger.',
	},
	{
		displayName: 'Download File',
		name: 'downloadFile',
		type: 'boolean',
		displayOptions: { show: { events: ['mediaJobCompleted'] } },
		default: true,
		description: 'Whether to download the file of a completed job into n8n',
	},
	{
		...binaryParam,
		displayOptions: { show: { events: ['mediaJobCompleted'], downloadFile: [true] } },
	},
	simplifyParam,
	optionsParam([
		{
			displayName: 'Deliver Again After (Minutes)',
			name: 'deliverAgainAfter',
			type: 'number',
			typeOptions: { minValue: 5, maxValue: 1440 },
			default: 10,
			description:
				'If an execution is killed or stopped before it has the files, another one gets its jobs after this time. Make it longer than executions wait in the queue. With Confirmed by the Workflow, also make it longer than the workflow takes. It then doubles with every delivery of a job, up to a day.',
		},
		{
			displayName: 'Max Jobs per Run',
			name: 'maxJobs',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MAX_ROWS },
			default: 50,
			description: 'Maximum number of jobs per execution; the rest follow with the next poll',
		},
		maxSizeOption,
	]),
] as const satisfies INodeProperties[];

type TriggerParams = ParamValues<typeof triggerParams>;
export type TriggerEvent = TriggerParams['events'][number];

/** The settings of the trigger, read for every poll and every execution. */
export type TriggerSettings = ReturnType<typeof toSettings>;

/** @throws ServiceError `invalid`. */
export function toSettings({
	events,
	deliveredWhen,
	downloadFile,
	options,
	...params
}: TriggerParams) {
	const { deliverAgainAfter = 10, maxJobs = 50, maxSizeMib = maxSizeOption.default } = options;
	const { watch, triggerGroup, binaryProperty } = params;
	if (!events.length)
		throw invalidInputError('Trigger On is empty', 'Choose what starts the workflow.');
	const wants = (event: TriggerEvent) => events.includes(event);
	if (watch === 'list' && ALARMS.some(({ event }) => wants(event)))
		throw invalidInputError(
			'A list of job IDs has no alarms',
			'For Budget Threshold Reached, Outcome Unknown and Spending Table Nearly Full, set Jobs to Watch to "All Jobs in the Job Ledger".',
		);
	return {
		...params,
		wants,
		triggerGroup: readKeyText('Trigger Group', triggerGroup),
		/** Undefined when no file is downloaded. */
		binaryProperty: downloadFile ? binaryProperty.trim() || binaryParam.default : undefined,
		/** Milliseconds. */
		lease: deliverAgainAfter * 60_000,
		/** Whether a job only counts as delivered once the workflow has confirmed it. */
		isConfirmed: watch === 'ledger' && deliveredWhen === 'confirmed',
		maxJobs,
		maxSizeMib,
	};
}
