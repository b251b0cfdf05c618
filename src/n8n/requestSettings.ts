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

/** How requests are sent. They are read once per execution, for all items: an expression would be read with the first. */
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
			noDataExpression: true,
			typeOptions: { minValue: 1, maxValue: 50 },
			default: defaultRequestSettings.concurrency,
		},
		{
			displayName: 'Wait When Rate-Limited (Seconds)',
			name: 'maxRateLimitWait',
			type: 'number',
			noDataExpression: true,
			typeOptions: { minValue: 0, maxValue: 3600 },
			default: defaultRequestSettings.maxRateLimitWait,
			description: 'After "too many requests"',
		},
		withFieldRules({ inTool: 'fixed' })({
			displayName: 'Resend If Outcome Is Unknown',
			name: 'resendIfUnknown',
			type: 'boolean',
			noDataExpression: true,
			default: true,
			description: 'Whether to send again, and perhaps pay twice',
		}),
		{
			displayName: 'Idle Timeout (Seconds)',
			name: 'idleTimeout',
			type: 'number',
			noDataExpression: true,
			typeOptions: { minValue: 1, maxValue: 86400 },
			default: defaultRequestSettings.idleTimeout,
		},
		{
			displayName: 'Total Timeout (Seconds)',
			name: 'totalTimeout',
			type: 'number',
			noDataExpression: true,
			typeOptions: { minValue: 1, maxValue: 86400 },
			default: defaultRequestSettings.totalTimeout,
		},
	],
});
