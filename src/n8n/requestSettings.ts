import { withFieldRules } from './parameterFields';

/** How requests are sent, for every operation of every node; read once per execution. */
export const requestSettings = withFieldRules({ inTool: 'notFromModel' })({
	displayName: 'Request Settings',
	name: 'requestSettings',
	type: 'collection',
	placeholder: 'Add Setting',
	default: {},
	options: [
		{
			displayName: 'Max Items at Once',
			name: 'concurrency',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 50 },
			default: 5,
			description:
				'Items of one conversation always follow one another. An item that only waits for its media job does not count.',
		},
		{
			displayName: 'Wait When Rate-Limited (Seconds)',
			name: 'maxRateLimitWait',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 3600 },
			default: 60,
			description:
				'How long an item may wait after "too many requests" (429). If the service asks for a longer wait, the item fails.',
		},
		withFieldRules({ inTool: 'fixed' })({
			displayName: 'Resend If Outcome Is Unknown',
			name: 'resendIfUnknown',
			type: 'boolean',
			default: true,
			description:
				'Whether Retry On Fail and "Retry execution" also send a request that the service may have received. It may then be carried out, and charged, twice.',
		}),
		{
			displayName: 'Idle Timeout (Seconds)',
			name: 'idleTimeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 86400 },
			default: 300,
			description: 'How long the service may send nothing before the request is canceled',
		},
		{
			displayName: 'Total Timeout (Seconds)',
			name: 'totalTimeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 86400 },
			default: 3600,
			description: 'How long one answer or file may take in total',
		},
	],
});

/** The same with its defaults, in the units of the editor. */
export interface RequestSettings {
	/** Items. */
	concurrency: number;
	/** Seconds. */
	maxRateLimitWait: number;
	resendIfUnknown: boolean;
	/** Seconds. */
	idleTimeout: number;
	/** Seconds. */
	totalTimeout: number;
}

/** Where nothing was chosen. A number is as the editor shows it, and a switch is off until it is added. */
export const defaultRequestSettings = {
	...Object.fromEntries(requestSettings.options.map(({ name, default: shown }) => [name, shown])),
	resendIfUnknown: false,
} as RequestSettings;
