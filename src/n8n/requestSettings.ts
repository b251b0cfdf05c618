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
			description: 'Items of one session or chat run one by one',
		},
		{
			displayName: 'Wait When Rate-Limited (Seconds)',
			name: 'maxRateLimitWait',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 3600 },
			default: defaultRequestSettings.maxRateLimitWait,
			description: 'Longest wait after "too many requests". After that, the item fails.',
		},
		withFieldRules({ inTool: 'fixed' })({
			displayName: 'Resend If Outcome Is Unknown',
			name: 'resendIfUnknown',
			type: 'boolean',
			default: true,
			description:
				'Whether a retry sends again what the service may have received, and may pay twice',
		}),
		{
			displayName: 'Idle Timeout (Seconds)',
			name: 'idleTimeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 86400 },
			default: defaultRequestSettings.idleTimeout,
			description: 'How long the service may be silent',
		},
		{
			displayName: 'Total Timeout (Seconds)',
			name: 'totalTimeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 86400 },
			default: defaultRequestSettings.totalTimeout,
			description: 'How long one answer or file may take',
		},
	],
});
