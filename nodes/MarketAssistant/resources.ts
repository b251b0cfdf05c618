import type { Resource } from '../../src/n8n/operation';
import { ask } from './question/ask.operation';
import { askGuided } from './question/askGuided.operation';

export const resources: Resource[] = [
	{
		name: 'Question',
		value: 'question',
		operations: [ask, askGuided],
		defaultOperation: 'ask',
	},
];
