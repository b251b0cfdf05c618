import { withFieldRules } from './parameterFields';

/** What applies where nothing was chosen. Times are in seconds. A number is also what the editor shows for a setting that is added. */
export const defaultRequestSettings = {
	concurrency: 5,
	maxRateLimitWait: 60,
	resendIfUnknown: false,
	idleTimeout: 300,
	totalTimeout: 3600,
};

export type RequestSettings = typeof defaultRequestSettings;

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
			default: defaultRequestSettings.concurrency,
			description:
				'Items of one conversation always follow one another. An item that only waits for its media job does not count.',
		},
		{
			displayName: 'Wait When Rate-Limited (Seconds)',
			name: 'maxRateLimitWait',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 3600 },
			default: defaultRequestSettings.maxRateLimitWait,
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
			default: defaultRequestSettings.idleTimeout,
			description: 'How long the service may send nothing before the request is canceled',
		},
		{
			displayName: 'Total Timeout (Seconds)',
			name: 'totalTimeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 86400 },
			default: defaultRequestSettings.totalTimeout,
			description: 'How long one answer or file may take in total',
		},
	],
});
