import type { INodeProperties } from 'n8n-workflow';

import { withFieldRules } from '../../src/n8n/parameterValidation';
import { optionsParam } from './options.param';

export const bridgeParams = [
	withFieldRules({ mayBeEmpty: true })({
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. Agree on a date for the release.',
		description:
			'What the conversation begins with: the first message to the speaker who begins. With a Transcript to Continue it may be empty, and an expression may find nothing; what it says is put before the text that is passed on.',
	}),
	{
		displayName: 'Who Begins',
		name: 'startsWith',
		type: 'options',
		options: [
			{ name: 'First Speaker', value: 'first' },
			{ name: 'Second Speaker', value: 'second' },
		],
		default: 'first',
		description: 'Which speaker gets the message',
	},
	{
		displayName: 'Turn Limit',
		name: 'turnLimit',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 500 },
		default: 6,
		description:
			'How many answers there are at most, of both speakers together. Each is a request that may cost.',
	},
	{
		displayName: 'Stop Phrase',
		name: 'stopPhrase',
		type: 'string',
		default: '',
		placeholder: 'e.g. [DONE]',
		description:
			'The conversation ends when a speaker says this, exactly as it is written here. Tell the speakers so in their instructions. Leave empty for none.',
	},
	{
		displayName: 'Instruction to First Speaker',
		name: 'firstInstruction',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. You speak for the buyer. Say [DONE] once you agree.',
		description: 'Put before the first message that the First Speaker gets, once',
	},
	{
		displayName: 'Instruction to Second Speaker',
		name: 'secondInstruction',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. You speak for the seller. Say [DONE] once you agree.',
		description: 'Put before the first message that the Second Speaker gets, once',
	},
	{
		displayName: 'Name of First Speaker',
		name: 'firstName',
		type: 'string',
		default: 'First Speaker',
		required: true,
		description: 'What it is called in the transcript and in a chat',
	},
	{
		displayName: 'Name of Second Speaker',
		name: 'secondName',
		type: 'string',
		default: 'Second Speaker',
		required: true,
		description: 'What it is called in the transcript and in a chat',
	},
	optionsParam,
] as const satisfies INodeProperties[];

/** What the editor says of the wiring; it holds no value. */
export const wiringNotice = {
	displayName:
		'Connect First Speaker and Second Speaker to a node each, and the output of both nodes back to this one. They get <code>message</code>; with Session "From Input", a Workspace Agent also takes <code>sessionId</code>, a Market Assistant <code>chatId</code>; a Model Router takes <code>messages</code> (as JSON).',
	name: 'wiringNotice',
	type: 'notice',
	default: '',
} as const satisfies INodeProperties;
