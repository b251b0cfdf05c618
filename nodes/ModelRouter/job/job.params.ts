import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/params';
import type { JobAddress } from '../../../src/router/jobs';

export const segmentParam = {
	displayName: 'Segment',
	name: 'segment',
	type: 'options',
	options: [
		{ name: 'Audio', value: 'audio', description: 'Speech and other sound' },
		{ name: 'Images', value: 'images', description: 'Pictures' },
		{ name: 'Music', value: 'music', description: 'Songs and pieces of music' },
		{ name: 'Videos', value: 'videos', description: 'Moving pictures' },
	],
	default: 'images',
	description: 'What the job makes',
} as const satisfies INodeProperties;

/** Where a started job is found. */
export const addressParams = [
	segmentParam,
	{
		displayName: 'Job ID',
		name: 'jobId',
		type: 'string',
		default: '={{ $json.jobId }}',
		required: true,
		description: 'ID of the job, as Start put it into "jobId"',
	},
] as const satisfies INodeProperties[];

export const binaryParam = {
	displayName: 'Put Output File in Field',
	name: 'binaryProperty',
	type: 'string',
	default: 'data',
	required: true,
	hint: 'The name of the output binary field to put the file in',
} as const satisfies INodeProperties;

export const deadlineOption = {
	displayName: 'Deadline (Seconds)',
	name: 'deadline',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 86400 },
	default: 600,
	description: 'How long to wait. The job itself runs on; its ID is in the error.',
} as const satisfies INodeProperties;

export const maximumSizeOption = {
	displayName: 'Maximum Size (MiB)',
	name: 'maximumSize',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 250,
	description:
		'A larger file is not stored. n8n cannot read back 256 MiB or more from its database, where it keeps files in queue mode.',
} as const satisfies INodeProperties;

export function toAddress({ segment, jobId }: ParamValues<typeof addressParams>): JobAddress {
	return { segment, jobId: jobId.trim() };
}

/** Milliseconds. */
export const toDeadline = ({ deadline = deadlineOption.default }: { deadline?: number }) =>
	deadline * 1000;
