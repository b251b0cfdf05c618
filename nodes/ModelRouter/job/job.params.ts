import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/parameters';
import type { JobAddress } from '../../../src/router/jobs';
import { checkUrl } from '../../../src/router/messages';
import { binarySourceField, sourceField, urlSourceField } from '../fileSource.params';

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

/** The address of a started job. */
export const addressParams = [
	segmentParam,
	{
		displayName: 'Job ID',
		name: 'jobId',
		type: 'string',
		default: '={{ $json.jobId }}',
		required: true,
		description: 'ID of the job, from the field "jobId" of Start',
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
	description: 'How long to wait. The job itself continues to run; its ID is in the error.',
} as const satisfies INodeProperties;

export const maximumSizeOption = {
	displayName: 'Maximum Size (MiB)',
	name: 'maximumSize',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 250,
	description:
		'A larger file is not stored. n8n cannot read back 256 MiB or more from its database, where it stores files in queue mode.',
} as const satisfies INodeProperties;

export function toAddress({ segment, jobId }: ParamValues<typeof addressParams>): JobAddress {
	return { segment, jobId: jobId.trim() };
}

/** Milliseconds. */
export const toDeadline = ({ deadline = deadlineOption.default }: { deadline?: number }) =>
	deadline * 1000;

export const inputsParam = {
	displayName: 'Inputs',
	name: 'inputs',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Input',
	default: {},
	description:
		'Images and other files that the model works on. Which parameters accept them depends on the model.',
	options: [
		{
			displayName: 'Input',
			name: 'input',
			values: [
				{
					displayName: 'Parameter Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. image',
					description:
						'The request field that contains the input. Use dots for nested objects, e.g. "reference.image". Several inputs with the same name become a list, and a name that ends in [] is always a list.',
				},
				sourceField,
				{ ...binarySourceField, description: 'At most 50 MiB; it is sent as a data URL' },
				{
					...urlSourceField,
					description: 'Sent unchanged; the service downloads the file from there',
				},
			],
		},
	],
} as const satisfies INodeProperties;

/** An input as entered in the editor. Its file is not read yet. */
export interface InputSource {
	/** Its label in the editor, for error messages. */
	path: string;
	name: string;
	url?: string;
	binaryProperty?: string;
}

/** @throws ServiceError `invalid` for a URL that the service could not download. */
export function toInputSources({
	input = [],
}: ParamValues<readonly [typeof inputsParam]>['inputs']): InputSource[] {
	return input.map(({ name = '', source = 'binary', binaryProperty, url = '' }, index) => {
		const path = `Inputs ${index + 1}`;
		if (source === 'url') return { path, name, url: checkUrl(url, `${path}: URL`) };
		return { path, name, binaryProperty: binaryProperty?.trim() || 'data' };
	});
}
