import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { encodePathSegment } from '../../../src/core/urls';
import type { PrepareContext } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import { findJobId } from '../../../src/router/jobRecord';
import type { JobAddress } from '../../../src/router/jobs';
import { serviceAt } from '../../../src/router/services';
import type { MediaType } from '../../../src/router/model';
import { fileField, toFileSources } from '../acrossResources.params';

export const mediaTypeParam = {
	displayName: 'Media Type',
	name: 'mediaType',
	type: 'options',
	options: [
		{ name: 'Image', value: 'images' },
		{ name: 'Music', value: 'music', description: 'A piece of music' },
		{ name: 'Speech', value: 'audio', description: 'A voice or another sound' },
		{ name: 'Video', value: 'videos' },
	],
	default: 'images',
} as const satisfies INodeProperties;

/** A media type as the editor shows it. */
export const mediaTypeLabel = (mediaType: string) =>
	mediaTypeParam.options.find(({ value }) => value === mediaType)?.name ?? mediaType;

export const jobIdParam = {
	displayName: 'Job ID',
	name: 'jobId',
	type: 'string',
	default: '={{ $json.jobId }}',
	required: true,
	placeholder: 'e.g. job-1, or a URL of the job',
} as const satisfies INodeProperties;

/** The address of a started job. */
export const addressParams = [mediaTypeParam, jobIdParam] as const satisfies INodeProperties[];

export const binaryParam = {
	displayName: 'Put Output File in Field',
	name: 'binaryProperty',
	type: 'string',
	default: 'data',
	required: true,
} as const satisfies INodeProperties;

export const hideProgressOption = {
	displayName: 'Hide Progress in Chat',
	name: 'hideProgress',
	type: 'boolean',
	default: true,
	noDataExpression: true,
	description: 'Whether the chat stays silent',
} as const satisfies INodeProperties;

export const maxWaitOption = {
	displayName: 'Wait At Most (Seconds)',
	name: 'maxWait',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 86400 },
	default: 600,
	description: 'Then the node fails, and the job goes on',
} as const satisfies INodeProperties;

export const maxSizeOption = {
	displayName: 'Max Size (MiB)',
	name: 'maxSizeMib',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 250,
	description: "In n8n's database, at most 255",
} as const satisfies INodeProperties;

/** @throws ServiceError `invalid` as `toJobId`. */
export function toAddress(
	{ mediaType, jobId }: ParamValues<typeof addressParams>,
	{ baseUrl }: Pick<PrepareContext, 'baseUrl'>,
): JobAddress {
	requireMediaJobs(baseUrl);
	return { mediaType, jobId: toJobId(jobId) };
}

/** @throws ServiceError `invalid` for a service that is known by its host: only the specified one has such jobs. */
export function requireMediaJobs(baseUrl: string): void {
	const service = serviceAt(baseUrl);
	if (!service) return;
	throw invalidInputError(
		`${service.name} has no media jobs`,
		'Nothing was sent. Images, videos, music and speech need a service with the job endpoints of the specification: choose a credential of such a service.',
	);
}

/**
 * A job ID as typed, or the one in a pasted URL.
 *
 * @throws ServiceError `invalid` for a URL without a job ID, and for an ID that cannot be one.
 */
export function toJobId(text: string): string {
	const jobId = findJobId(text);
	if (jobId === undefined)
		throw invalidInputError(
			'Job ID is a URL without a job ID',
			'Enter the ID, or the URL of a job\'s status or file, which contains "/jobs/" and the ID.',
		);
	encodePathSegment(jobId, 'Job ID');
	return jobId;
}

/** Milliseconds. */
export const toMaxWait = ({ maxWait = maxWaitOption.default }: { maxWait?: number }) =>
	maxWait * 1000;

export const inputsParam = {
	displayName: 'Inputs',
	name: 'inputs',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Input',
	default: {},
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
					description: 'Such as reference.image. Several of a name become a list.',
				},
				fileField,
			],
		},
	],
} as const satisfies INodeProperties;

/** @throws ServiceError `invalid` for a URL that the service could not download. */
export const toInputSources = ({ input = [] }: ParamValues<[typeof inputsParam]>['inputs']) =>
	input.flatMap(({ name = '', ...file }, index) =>
		toFileSources('Inputs', index, file).map((source) => ({ name, ...source })),
	);

const shownFor = (...mediaType: MediaType[]) => ({ show: { '/mediaType': mediaType } });

/** Parameters that many models have, as options. */
export const presetOptions = {
	aspectRatio: {
		displayName: 'Aspect Ratio',
		name: 'aspectRatio',
		type: 'options',
		displayOptions: shownFor('images', 'videos'),
		options: [
			{ name: '1:1 (Square)', value: '1:1' },
			{ name: '16:9 (Landscape)', value: '16:9' },
			{ name: '2:3 (Portrait)', value: '2:3' },
			{ name: '21:9 (Cinema)', value: '21:9' },
			{ name: '3:2 (Landscape)', value: '3:2' },
			{ name: '3:4 (Portrait)', value: '3:4' },
			{ name: '4:3 (Landscape)', value: '4:3' },
			{ name: '9:16 (Portrait)', value: '9:16' },
		],
		default: '1:1',
	},
	duration: {
		displayName: 'Duration (Seconds)',
		name: 'duration',
		type: 'number',
		displayOptions: shownFor('videos', 'music'),
		typeOptions: { minValue: 0.1, numberPrecision: 1 },
		default: 5,
	},
	quality: {
		displayName: 'Quality',
		name: 'quality',
		type: 'string',
		default: '',
		placeholder: 'e.g. high',
	},
	voice: {
		displayName: 'Voice',
		name: 'voice',
		type: 'string',
		displayOptions: shownFor('audio'),
		default: '',
		placeholder: 'e.g. alloy',
	},
} as const satisfies Record<string, INodeProperties>;

type PresetOption = (typeof presetOptions)[keyof typeof presetOptions];
type Presets = Partial<ParamValues<PresetOption[]>>;

/**
 * The presets that are set, as fields of the request, with their labels. The specification defines no field except the model: these are
 * the usual names.
 */
export const toPresetFields = (presets: Presets) =>
	Object.values(presetOptions).flatMap(({ name, displayName: label }) => {
		const given = presets[name];
		const value = typeof given === 'string' ? given.trim() : given;
		const field = name === 'aspectRatio' ? 'aspect_ratio' : name;
		return value === undefined || value === '' ? [] : [{ field, label, value }];
	});
