import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/parameters';
import type { MediaType } from '../../../src/router/model';

const shownFor = (...mediaType: MediaType[]) => ({ show: { '/mediaType': mediaType } });

export const presetsParam = {
	displayName: 'Presets',
	name: 'presets',
	type: 'collection',
	placeholder: 'Add Preset',
	default: {},
	description:
		'What many models understand. A preset is only sent when it is set. Which values are accepted depends on the model.',
	options: [
		{
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
			description: 'Width to height. Sent as "aspect_ratio".',
		},
		{
			displayName: 'Duration (Seconds)',
			name: 'duration',
			type: 'number',
			displayOptions: shownFor('videos', 'music'),
			typeOptions: { minValue: 0.1, numberPrecision: 1 },
			default: 5,
			description:
				'How long the video or the music is. Sent as "duration". Without it, the model decides.',
		},
		{
			displayName: 'Quality',
			name: 'quality',
			type: 'string',
			displayOptions: shownFor('images', 'videos'),
			default: '',
			placeholder: 'e.g. high',
			description: 'Sent as "quality"; not sent when empty',
		},
		{
			displayName: 'Voice',
			name: 'voice',
			type: 'string',
			displayOptions: shownFor('audio'),
			default: '',
			placeholder: 'e.g. alloy',
			description: 'Name of the voice that speaks. Sent as "voice"; not sent when empty.',
		},
	],
} as const satisfies INodeProperties;

/** The specification defines no field of the body but the model: these are the usual names. */
const FIELDS = {
	aspectRatio: 'aspect_ratio',
	duration: 'duration',
	quality: 'quality',
	voice: 'voice',
} as const;

/** The presets that are set, each as a field of the request with the label of the preset. */
export const toPresetFields = (presets: ParamValues<readonly [typeof presetsParam]>['presets']) =>
	presetsParam.options.flatMap(({ name, displayName: label }) => {
		const given = presets[name];
		const value = typeof given === 'string' ? given.trim() : given;
		return value === undefined || value === '' ? [] : [{ field: FIELDS[name], label, value }];
	});
