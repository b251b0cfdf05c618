import { withFieldRules } from './parameterValidation';

/** How requests are sent, for every operation of every node; read once per execution. */
export const requestSettings = withFieldRules({ inTool: 'notFromModel' })({
	displayName: 'Request Settings',
	name: 'requestSettings',
	type: 'collection',
	placeholder: 'Add Setting',
	default: {},
	options: [
		{
			displayName: 'Items at Once',
			name: 'concurrency',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 50 },
			default: 5,
			description:
				'How many items are worked on at the same time, at most 50. Items of one conversation always follow one another; one that only waits for its media job does not count.',
		},
		{
			displayName: 'Longest Wait After 429 (Seconds)',
			name: 'longestWait',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 3600 },
			default: 60,
			description:
				'When the service says that there are too many requests, how long an item may wait before it is sent again. If the service asks for more, the item fails and says so.',
		},
		withFieldRules({ inTool: 'fixed' })({
			displayName: 'Send Again After Unknown Outcome',
			name: 'sendAgain',
			type: 'boolean',
			default: false,
			description:
				'Whether Retry On Fail and "Retry execution" also send what the service may already have received. It may then be carried out, and charged, twice.',
		}),
		{
			displayName: 'Silence Limit (Seconds)',
			name: 'silenceLimit',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 86400 },
			default: 300,
			description: 'How long the service may send nothing at all before the connection is given up',
		},
		{
			displayName: 'Total Limit (Seconds)',
			name: 'totalLimit',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 86400 },
			default: 3600,
			description: 'How long one answer or file may take in all',
		},
	],
});

/** The same with its defaults, in the units of the editor. */
export interface RequestSettings {
	/** Items. */
	concurrency: number;
	/** Seconds. */
	longestWait: number;
	sendAgain: boolean;
	/** Seconds. */
	silenceLimit: number;
	/** Seconds. */
	totalLimit: number;
}

/** What the editor shows where nothing was chosen. */
export const defaultRequestSettings = Object.fromEntries(
	requestSettings.options.map((setting) => [setting.name, setting.default]),
) as unknown as RequestSettings;
