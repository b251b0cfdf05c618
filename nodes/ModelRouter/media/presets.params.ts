import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/parameters';
import type { MediaType } from '../../../src/router/model';

/** The specification defines no field of the body but the model: these are the usual names. Sent only when set. */
const PRESET_FIELDS = {
	aspectRatio: { field: 'aspect_ratio', of: ['images', 'videos'] },
	duration: { field: 'duration', of: ['videos', 'music'] },
	quality: { field: 'quality', of: ['images', 'videos'] },
	voice: { field: 'voice', of: ['audio'] },
} as const satisfies Record<string, { field: string; of: readonly MediaType[] }>;

const shownFor = ({ of }: (typeof PRESET_FIELDS)[keyof typeof PRESET_FIELDS]) => ({
	show: { '/mediaType': [...of] },
});

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
			displayOptions: shownFor(PRESET_FIELDS.aspectRatio),
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
			displayOptions: shownFor(PRESET_FIELDS.duration),
			typeOptions: { minValue: 0.1, numberPrecision: 1 },
			default: 5,
			description: 'How long the video or the music is. Sent as "duration".',
		},
		{
			displayName: 'Quality',
			name: 'quality',
			type: 'string',
			displayOptions: shownFor(PRESET_FIELDS.quality),
			default: '',
			placeholder: 'e.g. high',
			description: 'Sent as "quality"; not sent when empty',
		},
		{
			displayName: 'Voice',
			name: 'voice',
			type: 'string',
			displayOptions: shownFor(PRESET_FIELDS.voice),
			default: '',
			placeholder: 'e.g. alloy',
			description: 'Name of the voice that speaks. Sent as "voice"; not sent when empty.',
		},
	],
} as const satisfies INodeProperties;

/** A field of the request, and the label of the preset that sets it. */
interface PresetField {
	field: string;
	label: string;
	value: string | number;
}

/** The presets that are set and that the editor shows for the media type. */
export function toPresetFields(
	presets: ParamValues<readonly [typeof presetsParam]>['presets'],
	mediaType: MediaType,
): PresetField[] {
	return presetsParam.options.flatMap(({ name, displayName }) => {
		const { field, of } = PRESET_FIELDS[name];
		const given = presets[name];
		const value = typeof given === 'string' ? given.trim() : given;
		const isShown = (of as readonly MediaType[]).includes(mediaType);
		return isShown && value !== undefined && value !== ''
			? [{ field, label: displayName, value }]
			: [];
	});
}
