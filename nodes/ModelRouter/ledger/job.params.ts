import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { encodePathSegment } from '../../../src/core/urls';
import type { JobSelector, StartSelector } from '../../../src/ledger/manualChanges';
import type { ParamValues } from '../../../src/n8n/parameters';
import { toJobId } from '../media/media.params';

/** Select the start. */
export const whichParams = [
	{
		displayName: 'Find By',
		name: 'findBy',
		type: 'options',
		options: [
			{
				name: 'Entry ID',
				value: 'entryId',
				description: 'The number of the entry, which the error also contains',
			},
			{
				name: 'Unique Key',
				value: 'key',
				description: 'The key that the job was started with',
			},
		],
		default: 'key',
		description: 'How to find the start',
	},
	{
		displayName: 'Unique Key',
		name: 'idempotencyKey',
		type: 'string',
		displayOptions: { show: { findBy: ['key'] } },
		default: '={{ $json.idempotencyKey }}',
		required: true,
		description: 'As entered in Unique Key (Start Only Once)',
	},
	{
		displayName: 'Entry ID',
		name: 'entryId',
		type: 'number',
		displayOptions: { show: { findBy: ['entryId'] } },
		default: 0,
		required: true,
		description: 'The number of the entry, from the field "entryId"',
	},
] as const satisfies INodeProperties[];

/** @throws ServiceError `invalid`. */
export function toSelector({
	findBy,
	idempotencyKey,
	entryId,
}: ParamValues<typeof whichParams>): StartSelector {
	if (findBy === 'entryId') {
		if (!(entryId > 0)) throw invalidInputError('Entry ID is empty');
		return { id: entryId };
	}
	if (!idempotencyKey.trim()) throw invalidInputError('Unique Key is empty');
	return { startKey: idempotencyKey.trim() };
}

const [findByParam, keyParam, entryIdParam] = whichParams;
const [, keyOption] = findByParam.options;

const jobIdOption = {
	name: 'Job ID',
	value: 'jobId',
	description: 'The ID of the job at the service',
} as const;
const entryIdOption = {
	name: 'Entry ID',
	value: 'entryId',
	description: 'The number of the entry, which the item of the trigger also contains',
} as const;
const executionOption = {
	name: 'Execution',
	value: 'execution',
	description: 'All jobs that were delivered to this execution, such as one that was killed',
} as const;

const jobParams = [
	{
		displayName: 'Job ID',
		name: 'jobId',
		type: 'string',
		displayOptions: { show: { findBy: ['jobId'] } },
		default: '={{ $json.jobId }}',
		required: true,
		description: 'From the field "jobId" of the Model Router Trigger. You can also paste its URL.',
	},
	keyParam,
	entryIdParam,
] as const satisfies INodeProperties[];

/** Select one job. */
export const oneJobParams = [
	{
		displayName: 'Find By',
		name: 'findBy',
		type: 'options',
		options: [entryIdOption, jobIdOption, keyOption],
		default: 'jobId',
		description: 'How to find the job',
	},
	...jobParams,
] as const satisfies INodeProperties[];

/** Select one job, or those of an execution. */
export const jobsParams = [
	{
		displayName: 'Find By',
		name: 'findBy',
		type: 'options',
		options: [entryIdOption, executionOption, jobIdOption, keyOption],
		default: 'jobId',
		description: 'How to find the jobs',
	},
	...jobParams,
	{
		displayName: 'Execution ID',
		name: 'executionId',
		type: 'string',
		displayOptions: { show: { findBy: ['execution'] } },
		default: '={{ $json.execution }}',
		required: true,
		placeholder: 'e.g. 1234',
		description: 'The number at the end of the address of the execution',
	},
] as const satisfies INodeProperties[];

/** A selection, without the credential of the job. */
type JobSelection = ReturnType<typeof toJobSelection>;

/** @throws ServiceError `invalid`. */
export function toJobSelection({ findBy, jobId, ...which }: ParamValues<typeof oneJobParams>) {
	if (findBy !== 'jobId') return toSelector({ ...which, findBy });
	const id = toJobId(jobId);
	encodePathSegment(id, 'Job ID');
	return { jobId: id };
}

/** @param account The credential: jobs of different accounts may share an ID. */
export const toJobSelector = (selection: JobSelection, account: string): JobSelector =>
	'jobId' in selection ? { ...selection, account } : selection;
