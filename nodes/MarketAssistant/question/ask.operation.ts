import { operation } from '../../../src/n8n/operation';
import { laneOf, toAsked } from './asked';
import { askWhole } from './askItem';
import { chatParams, modelOption, questionParam } from './question.params';

export const ask = operation({
	name: 'Ask',
	value: 'ask',
	action: 'Ask a question about crypto markets',
	description: 'Ask a question and get the complete answer',
	params: [
		questionParam,
		...chatParams,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [modelOption],
		},
	],

	prepare: ({ question, options, ...chat }) => toAsked(question, chat, options),
	lane: laneOf,
	run: askWhole,
});
